"""Labels of a designed sample, row by row, with what an interval needs to know of the draw.

Each label has the number of items that it stands for and the stratum that it was drawn from; of its stratum it is known
how the variance of one label carries over to the estimated total (`scale`), how much one label can stand for that was
not drawn (`reach`), and the variance that a model of the labels expects. A plan writes these numbers beside its labels,
so that an audit of the labels gives the intervals of the plan, of the whole and of every part.

The share of a part, such as a language, is that of its own labels, by weight; labels of others in the same strata only
say how the draws scatter. A part was not drawn by itself: its variance is the cautious one, and its interval counts no
more effective labels than the part has.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import Undefined
from evenhand.intervals.drawn_clusters import allow_for_clusters
from evenhand.intervals.survey import SurveyShare
from evenhand.intervals.survey_estimators import StratifiedSample

UNLABELLED = "no labels in this part"


@dataclass(frozen=True)
class SampledLabels:
    """A row a label; `clusters` are numbers of clusters that were drawn whole, which then count as one draw each."""

    weights: Floats
    strata: Ints
    scale: Floats
    reach: Floats
    expected: Floats | None = None
    clusters: Ints | None = None

    def total(self, inside: Bools) -> float:
        """The items that these labels stand for."""
        return float(self.weights[inside].sum())

    def share(self, label: Floats, whole: Bools, *, part: bool, items: float = math.inf) -> SurveyShare:
        """The share of violating items among those of `whole`; `part` where that is not all that was drawn.

        `items` are those that the whole has, where that is known: if all are labelled, their share is no estimate.
        """
        n = int(whole.sum())
        if 0 < items <= n:
            return SurveyShare(float(label[whole].mean()), 0.0, math.inf, n, float(label[whole].sum()), 0.0)
        figure = replace(self.sample(label, whole).figure(), n=n)
        if part:
            figure = replace(figure, variance=figure.cautious_variance, freedom=figure.cautious_freedom, most=float(n))
        return figure if self.clusters is None else self._by_cluster(figure, whole)

    def _by_cluster(self, figure: SurveyShare, whole: Bools) -> SurveyShare:
        assert self.clusters is not None
        code = np.unique(self.clusters[whole], return_inverse=True)[1]
        left = float(np.max(1.0 - 1.0 / np.maximum(self.weights[whole], 1.0)))
        return allow_for_clusters(figure, np.bincount(code, self.weights[whole]).astype(np.float64), left)

    def sample(self, label: Floats, whole: Bools) -> StratifiedSample:
        """The strata of the whole: its value is the share among the whole's own labels, by weight."""
        items = self.total(whole)
        if not whole.any() or items <= 0.0:
            raise Undefined(UNLABELLED)
        value = float(self.weights[whole] @ label[whole]) / items
        sample = self._strata_of(np.where(whole, label - value, 0.0), whole, items)
        known = value - float(sample.shares @ sample.means)
        return replace(sample, known=known, hits=float(label[whole].sum()))

    def _strata_of(self, rest: Floats, whole: Bools, items: float) -> StratifiedSample:
        """The strata that have labels of the whole, with how far these are from the share, 0 for all other labels."""
        strata = self.strata
        labels = np.bincount(strata).astype(np.float64)
        inside = np.bincount(strata, whole, minlength=len(labels))
        scale, reach = (_by_stratum(column, strata, len(labels)) for column in (self.scale, self.reach))
        sums, of = (rest, strata) if self.clusters is None else _cluster_sums(rest, strata, self.clusters)
        counts = np.bincount(of, minlength=len(labels)).astype(np.float64)
        means = np.bincount(of, sums, minlength=len(labels)) / np.maximum(counts, 1.0)
        squares = np.bincount(of, (sums - means[of]) ** 2, minlength=len(labels))
        drawn = np.where(reach > 0.0, scale / np.maximum(reach, 1e-300), 0.0)
        left = np.where(drawn > 0.0, reach * counts / np.maximum(drawn, 1e-300), 0.0)
        expected = None
        if self.expected is not None:
            expected = _by_stratum(self.expected, strata, len(labels)) * inside / np.maximum(labels, 1.0)
        every = StratifiedSample(
            shares=drawn / items,
            counts=np.maximum(counts, 1.0),
            means=means,
            variances=squares / np.maximum(counts - 1.0, 1.0),
            fractions=1.0 - left,
            hits=0.0,
            expected=expected,
        )
        return every.only(inside > 0.0)


def _by_stratum(column: Floats, strata: Ints, size: int) -> Floats:
    """A number that is the same for all labels of a stratum; of clusters the largest."""
    largest = np.zeros(size)
    np.maximum.at(largest, strata, column)
    return largest


def _cluster_sums(rest: Floats, strata: Ints, clusters: Ints) -> tuple[Floats, Ints]:
    """Summed within clusters, and the stratum of each cluster."""
    _, first, code = np.unique(clusters, return_index=True, return_inverse=True)
    sums: Floats = np.bincount(code, rest).astype(np.float64)
    return sums, strata[first]
