"""A share within a domain, a part of a sample that was not drawn separately: one community, or the items that violate.

How many labels fall into a domain is itself chance, so its share is a ratio of two weighted sums. The variance is that
of the ratio made linear, with the strata of the whole sample kept: labels outside the domain still say how the draws
scatter. For the whole sample of a stratified draw value and variance are those of the stratified estimate, exactly.
Without strata items count as drawn one by one (Hájek's); in a census as so many equal draws from what might have been
there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import InputError, Undefined
from evenhand.intervals.drawn_clusters import allow_for_clusters
from evenhand.intervals.significance import ROUNDING
from evenhand.intervals.survey import SurveyShare
from evenhand.tally import Clusters


@dataclass(frozen=True)
class WeightedSample:
    """How labelled items were drawn: the items that each stands for, and its stratum where there are strata.

    In a census every weight is 1, and no item is sure to come again. `clusters` are threads or authors, whose items are
    not independent.
    """

    weights: Floats
    strata: Ints | None = None
    census: bool = False
    clusters: Clusters | None = None

    @classmethod
    def from_inclusion(cls, inclusion: npt.ArrayLike, strata: npt.ArrayLike | None = None) -> WeightedSample:
        """From inclusion probabilities, which are the same in all of a stratum; strata are numbered."""
        chance = arrays.numbers(inclusion, "inclusion")
        arrays.refuse(
            (chance <= 0.0) | (chance > 1.0), "an inclusion probability lies above 0 and up to 1", "inclusion"
        )
        if strata is None:
            return cls(1.0 / chance)
        codes = arrays.wholes(strata, "strata", size=len(chance))
        counts = np.bincount(codes)
        least, most = np.full(len(counts), np.inf), np.zeros(len(counts))
        np.minimum.at(least, codes, chance)
        np.maximum.at(most, codes, chance)
        uneven = (counts > 0) & (most > least * (1.0 + 1e-6))
        if uneven.any():
            raise InputError(f"stratum {int(np.argmax(uneven)) + 1} has items of different inclusion probabilities")
        single = (counts == 1) & (most < 1.0)
        if single.any():
            raise Undefined("a stratum has a single label, so its variance is unknown")
        return cls(1.0 / chance, codes)

    @classmethod
    def counted(cls, labels: int) -> WeightedSample:
        """Everything was labelled."""
        return cls(np.ones(labels), census=True)

    def without_clusters(self) -> WeightedSample:
        """The same labels, as if they were independent."""
        return replace(self, clusters=None)

    @property
    def partly_certain(self) -> bool:
        """Whether some strata were labelled whole and others drawn from, as the reviews of a queue are."""
        return self.strata is not None and bool((self.weights == 1.0).any() and (self.weights > 1.0).any())

    def total(self, inside: Bools) -> float:
        """The items that these labels stand for."""
        return float(self.weights[inside].sum())

    def closed(self, inside: Bools) -> bool:
        """Whether strata lie inside or outside as a whole, so that the number of items inside is no chance."""
        if self.strata is None:
            return not self.census and bool((self.weights == 1.0).all())
        both = np.bincount(self.strata, inside) * np.bincount(self.strata, ~inside)
        return not both.any()

    def share(
        self, marked: Bools, whole: Bools, *, items: float | None = None, like: Bools | None = None
    ) -> SurveyShare:
        """The share of marked items in a whole.

        `items` is the size of the whole, where that is known: labels then need not say it too. `like` is a wider whole,
        such as all communities, of which this one is a part in every stratum; itself, when nothing is said.
        """
        if not whole.any():
            raise Undefined("no item was labelled")
        part, wider = marked & whole, whole if like is None else like
        size = self.total(whole) if items is None else items
        centre = self.total(part) / size if items is None else self._centre(marked, wider)
        value = min(max((self.total(part) + centre * (size - self.total(whole))) / size, 0.0), 1.0)
        own, freedom = self._variance(self.weights * (part - centre * whole) / size)
        own = own if own > (ROUNDING * value) ** 2 else 0.0
        cautious = max(own, self._alike(marked, whole, wider, centre) / size**2)
        variance = math.sqrt(0.5 * (own**2 + cautious**2))
        left = (self.weights * self._left)[whole] / size
        heaviest, mean_weight = float(np.max(left)), float(np.average(left, weights=self.weights[whole]))
        n, hits = int(whole.sum()), float(part.sum())
        estimated = SurveyShare(value, variance, freedom, n, hits, heaviest, cautious, freedom, mean_weight=mean_weight)
        return (
            estimated if self.clusters is None else self._by_cluster(estimated, (part - centre * whole) / size, whole)
        )

    def _by_cluster(self, share: SurveyShare, rest: Floats, whole: Bools) -> SurveyShare:
        """With the labels of a cluster summed before they are squared; never less than independent labels have."""
        assert self.clusters is not None
        times, rest = self.weights * np.sqrt(self._left), rest * whole
        if self.strata is not None:
            counts = np.maximum(np.bincount(self.strata), 1)
            rest = rest - (np.bincount(self.strata, rest) / counts)[self.strata]
        alone = float(np.sum((times * rest) ** 2))
        factor = max(1.0, self._clustered(times * rest) / alone) if alone > 0.0 else 1.0
        way = min(self.clusters.ways[: len(self.clusters.codes)], key=lambda one: one.size)
        weights = way.sums(self.weights * whole)
        left = float(np.max(self._left[whole]))
        wider = replace(
            share,
            variance=factor * share.variance,
            cautious_variance=factor * max(share.cautious_variance, share.variance),
        )
        return allow_for_clusters(wider, weights[weights > 0.0], left)

    def _clustered(self, rest: Floats) -> float:
        """The variance of a sum, from clusters; in two ways never less than in either."""
        assert self.clusters is not None
        ways = self.clusters.ways
        each = [float(np.sum(way.sums(rest) ** 2)) * way.size / max(way.size - 1, 1) for way in ways]
        return max(sum(way.sign * one for way, one in zip(ways, each, strict=True)), *each[:2])

    def _centre(self, marked: Bools, like: Bools) -> float:
        """What each item counts for that the labels have not brought: the share where draws scatter most."""
        scatter = self.weights**2 * self._left * like
        total = float(scatter.sum())
        return float(scatter @ marked) / total if total > 0.0 else 0.0

    def _alike(self, marked: Bools, whole: Bools, like: Bools, centre: float) -> float:
        """The variance of the sum, had the whole the same share of its like in every stratum.

        A large stratum with few labels shows little of a small part: often none of them is in it, as if it had none.
        """
        if self.strata is None or self.closed(whole):
            return 0.0
        labels, near, hits = (np.bincount(self.strata, counted) for counted in (None, like, like & marked))
        part = self.total(whole) / self.total(like) * near / np.maximum(labels, 1.0)
        rate = hits / np.maximum(near, 1.0)
        each = part * (rate * (1.0 - centre) ** 2 + (1.0 - rate) * centre**2) - (part * (rate - centre)) ** 2
        return float(np.bincount(self.strata, self.weights**2 * self._left) @ each)

    @property
    def _left(self) -> Floats:
        """Of what each label stands for, the part that was not drawn."""
        if self.census:
            return np.ones(len(self.weights))
        return 1.0 - 1.0 / self.weights

    def _variance(self, rest: Floats) -> tuple[float, float]:
        """Of a sum over labels, and its degrees of freedom as Satterthwaite has them."""
        if self.strata is None:
            return float(np.sum(rest**2 * self._left)), math.inf
        counts = np.bincount(self.strata).astype(np.float64)
        means = np.bincount(self.strata, rest) / np.maximum(counts, 1.0)
        squares = np.bincount(self.strata, (rest - means[self.strata]) ** 2 * self._left)
        each = squares * counts / np.maximum(counts - 1.0, 1.0)
        total, spread = float(each.sum()), float(np.sum(each**2 / np.maximum(counts - 1.0, 1.0)))
        return total, total**2 / spread if spread > 0.0 else math.inf
