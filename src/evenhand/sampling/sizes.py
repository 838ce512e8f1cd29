"""How many labels it takes, at random and in strata, and what they cost in hours.

All sizes follow from one line: the variance of one label, over the square of the standard error that is asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from evenhand import arrays
from evenhand.arrays import Floats
from evenhand.errors import InputError
from evenhand.sampling.targets import Below, Target, Within, known

PER_HOUR = 600.0  # items that one annotator labels, in the study behind this design
SLACK = 1e-9  # of floating point, so that a size that comes out even is not rounded up
MOST = 10**12


@dataclass(frozen=True, slots=True)
class Size:
    """So many labels give this standard error. `items` is the population, where it is known."""

    n: int
    error: float
    items: int | None = None

    @property
    def census(self) -> bool:
        """Whether everything has to be labelled."""
        return self.items is not None and self.n >= self.items

    def hours(self, *, per_hour: float = PER_HOUR, annotators: int = 1) -> float:
        """Hours of annotation, with so many annotators on every item."""
        return self.n * arrays.whole(annotators, "the annotators") / arrays.positive(per_hour, "items an hour")


@dataclass(frozen=True, slots=True)
class Parts:
    """A population in strata: the share of each, and the prevalence in it."""

    shares: Floats
    prevalences: Floats

    @classmethod
    def of(cls, sizes: npt.ArrayLike, prevalences: npt.ArrayLike) -> Parts:
        """From the sizes of the strata, in items or as shares, and their prevalences."""
        amount = arrays.numbers(sizes, "sizes")
        arrays.refuse(amount <= 0.0, "a stratum is empty; leave it out", "sizes")
        return cls(amount / amount.sum(), arrays.probabilities(prevalences, "prevalences", size=len(amount)))

    @property
    def prevalence(self) -> float:
        """Of the whole population."""
        return float(self.shares @ self.prevalences)

    @property
    def deviations(self) -> Floats:
        """The standard deviation of one label in each stratum."""
        return np.sqrt(self.prevalences * (1.0 - self.prevalences))

    def variance(self, allocation: npt.ArrayLike) -> float:
        """Of the estimate times the number of labels, when they are allocated like this."""
        given = arrays.numbers(allocation, "allocation", size=len(self.shares))
        spread = (self.shares * self.deviations) ** 2
        arrays.refuse((given < 0.0) | ((given == 0.0) & (spread > 0.0)), "this stratum gets no labels", "allocation")
        used = spread > 0.0
        return float(np.sum(spread[used] / given[used]) * given.sum())

    @property
    def least_variance(self) -> float:
        """The same under the optimal allocation, in proportion to size times deviation."""
        return float(self.shares @ self.deviations) ** 2


def random_size(prevalence: float, target: Target, *, items: int | None = None) -> Size:
    """Labels drawn at random; with `items`, corrected for a finite population."""
    error = target.error(prevalence)
    if isinstance(target, Below):
        return size_of(_below(prevalence, target), items, error=error)
    return size_of(known(prevalence) * (1.0 - prevalence) / error**2, items, error=error)


def stratified_size(
    parts: Parts, target: Target, *, allocation: npt.ArrayLike | None = None, items: int | None = None
) -> Size:
    """Labels drawn in strata under an allocation (in labels or as shares); the optimal one when nothing is said."""
    error = target.error(parts.prevalence)
    variance = parts.least_variance if allocation is None else parts.variance(allocation)
    return size_of(variance / error**2, items, error=error)


def efficiency(stratified: Size, random: Size) -> float:
    """The share of labels that a design saves against random sampling."""
    return 1.0 - stratified.n / random.n


def range_within(interval: tuple[float, float], target: Within, *, variance: float | None = None) -> tuple[Size, Size]:
    """The fewest and the most labels over an interval of the prevalence, as a pilot leaves it.

    `variance` is that of one label under a design; random sampling when nothing is said.
    """
    low, high = interval
    return _at(high, target, variance), _at(low, target, variance)


def _at(prevalence: float, target: Within, variance: float | None) -> Size:
    if variance is None:
        return random_size(prevalence, target)
    error = target.error(prevalence)
    return size_of(arrays.positive(variance, "the variance") / error**2, None, error=error)


def size_of(n: float, items: int | None, *, error: float) -> Size:
    """Rounded up; with a finite population, corrected for what is labelled being known."""
    if items is not None:
        population = arrays.whole(items, "the items", least=2)
        n = population * n / (n + population - 1.0)
        return Size(min(max(1, math.ceil(n - SLACK)), population), error, population)
    return Size(max(1, math.ceil(n - SLACK)), error)


def _below(prevalence: float, target: Below) -> float:
    """Labels until the exact upper bound of a sample that looks like the population is at the safe level."""
    low, high = 0, 1
    while _bound(prevalence, high, target.level) > target.safe:
        low, high = high, 2 * high
        if high > MOST:
            raise InputError(f"no number of labels shows that {prevalence:g} is below {target.safe:g}")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _bound(prevalence, middle, target.level) > target.safe else (low, middle)
    return float(high)


def _bound(prevalence: float, n: int, level: float) -> float:
    """Clopper and Pearson's one-sided upper bound at the expected number of violations."""
    hits = prevalence * n
    return float(betaincinv(hits + 1.0, n - hits, level)) if hits < n else 1.0
