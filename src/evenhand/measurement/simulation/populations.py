"""Populations whose labels are all known, from which samples are drawn again and again.

`LabelledPopulation` holds items with scores, for designs by the score. `Urns` hold only the size and the violations of
each stratum, which is all that a stratified design depends on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.optimize import isotonic_regression

from evenhand import arrays
from evenhand.arrays import Floats, Ints
from evenhand.intervals.survey import SurveyShare
from evenhand.intervals.survey_estimators import StratifiedSample
from evenhand.sampling import allocation
from evenhand.sampling.frame import SamplingFrame
from evenhand.sampling.sizes import StrataShares
from evenhand.sampling.strata import Strata

MOST_TIMES, ENOUGH = 50, 5_000_000  # items, from which labelling some of them takes nothing away


@dataclass(frozen=True)
class LabelledPopulation:
    """Every item is there so many times, so that no design gains from having labelled much of what there is."""

    score: Floats
    label: Floats
    frame: SamplingFrame
    times: int = 1

    @classmethod
    def of(cls, score: npt.ArrayLike, label: npt.ArrayLike, *, times: int = 1) -> LabelledPopulation:
        """Checked."""
        p = arrays.probabilities(score, "score")
        violating = arrays.labels(label, size=len(p))
        frame, over = SamplingFrame.of(p), arrays.whole(times, "the times")
        if over > 1:
            every = np.repeat(frame.rows(np.arange(len(frame))), over)
            frame = SamplingFrame(every, frame.starts * over, frame.logits, frame.groups)
        return cls(p, violating, frame, over)

    def __len__(self) -> int:
        return len(self.label) * self.times

    @property
    def prevalence(self) -> float:
        """The share of violating items."""
        return float(self.label.mean())

    def endless(self) -> LabelledPopulation:
        """So many times over that what was labelled hardly counts."""
        times = min(MOST_TIMES, -(-ENOUGH // len(self.label)))
        return LabelledPopulation.of(self.score, self.label, times=max(1, times))

    def shuffled(self, rng: np.random.Generator) -> LabelledPopulation:
        """With an uninformative classifier: the same scores, shuffled over the items."""
        return replace(self, label=rng.permutation(self.label))

    def limit(self) -> float:
        """The least variance of one label that any design by this score has: q is the isotonic truth."""
        _, cell, sizes = np.unique(self.score, return_inverse=True, return_counts=True)
        rates = np.bincount(cell, self.label) / sizes
        q = np.clip(isotonic_regression(rates, weights=sizes).x, 0.0, 1.0)
        return float(sizes @ np.sqrt(q * (1.0 - q)) / len(self.label)) ** 2


@dataclass(frozen=True)
class UrnSamples:
    """Many samples, one a row: the labels in each stratum (one row where they are always the same), the violations."""

    counts: Ints
    hits: Ints
    sizes: Ints

    @property
    def values(self) -> Floats:
        """The estimate from each sample."""
        shares: Floats = self.hits / self.counts @ (self.sizes / self.sizes.sum())
        return shares

    @property
    def spent(self) -> float:
        """Labels in a sample, on average."""
        return float(np.atleast_2d(self.counts).sum(axis=1).mean())

    def samples(self) -> Iterator[StratifiedSample]:
        """Each sample, as an interval needs it."""
        shares = self.sizes / self.sizes.sum()
        for counts, hits in zip(np.broadcast_to(self.counts, self.hits.shape), self.hits, strict=True):
            means = hits / counts
            variances = means * (1.0 - means) * counts / np.maximum(counts - 1, 1)
            yield StratifiedSample(shares, counts, means, variances, counts / self.sizes, float(hits.sum()))

    def figures(self) -> list[SurveyShare]:
        """The estimate of each sample with its variance."""
        return [sampled.figure() for sampled in self.samples()]


@dataclass(frozen=True)
class Urns:
    """The items of each stratum, and how many of them violate."""

    sizes: Ints
    violating: Ints

    @classmethod
    def of(cls, strata: Strata, label: npt.ArrayLike, *, times: int = 1) -> Urns:
        """From labels, every item there so many times."""
        violating = arrays.labels(label, size=len(strata.codes))
        hits = np.bincount(strata.codes, violating, minlength=len(strata)).astype(np.int64)
        return cls(strata.sizes * times, hits * times)

    @property
    def parts(self) -> StrataShares:
        """Shares and prevalences."""
        return StrataShares.of(self.sizes, self.violating / self.sizes)

    def equal(self, n: int) -> Ints:
        """An equal allocation."""
        return allocation.equal_allocation(n, self.sizes)

    def optimal(self, n: int) -> Ints:
        """The oracle's allocation, which knows all labels."""
        return allocation.optimal_allocation(n, self.sizes, self.parts.deviations)

    def variance(self, counts: Ints) -> float:
        """Of the stratified estimate, exactly: draws are without replacement."""
        parts, sizes = self.parts, self.sizes
        spread = (parts.shares * parts.deviations) ** 2 * (sizes - counts) / np.maximum(sizes - 1, 1)
        return float(np.sum(spread / counts))

    def size(self, allocate: Callable[[int], Ints], error: float) -> int:
        """The fewest labels with which an allocation has this standard error, as items run out."""
        low, high = len(self.sizes) - 1, int(self.sizes.sum())
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.variance(allocate(middle)) <= error**2 else (middle, high)
        return high

    def drawn(self, counts: Ints, draws: int, rng: np.random.Generator) -> UrnSamples:
        """Samples with so many labels in each stratum."""
        shape = (draws, len(self.sizes))
        return UrnSamples(
            counts, rng.hypergeometric(self.violating, self.sizes - self.violating, counts, shape), self.sizes
        )

    def piloted(self, n: int, each: int, draws: int, rng: np.random.Generator) -> UrnSamples:
        """The published practical method: so many pilot labels in each stratum, then the rest where they say; pooled.

        The pilot is kept where it has more than the optimum, so a sample may be larger than n.
        """
        seen = np.minimum(each, self.sizes)
        first = rng.hypergeometric(self.violating, self.sizes - self.violating, seen, (draws, len(self.sizes)))
        counts = allocation.complete_after_pilot(min(max(n, len(seen)), int(self.sizes.sum())), self.sizes, seen, first)
        fine = self.sizes - self.violating - seen + first
        return UrnSamples(counts, first + rng.hypergeometric(self.violating - first, fine, counts - seen), self.sizes)
