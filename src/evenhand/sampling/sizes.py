"""Target precision and sample size: how many labels it takes, at random and in strata, and the hours they cost.

A target (within a share of the prevalence, a coefficient of variation, an interval width, below a safe level) comes
down to a standard error. Every sample size follows from one line: the variance of one label over the square of that
error.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, ndtri

from evenhand import arrays
from evenhand.arrays import Floats
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.intervals.significance import student_quantile

LEVEL = 0.95


class Target(Protocol):
    """What is asked of an estimate: its `name` in plans and options, and one number.

    >>> targets = eh.sampling.Within(0.2), eh.sampling.Width(0.01)
    >>> [round(target.error(0.01), 5) for target in targets]
    [0.00102, 0.00255]
    """

    name: ClassVar[str]

    @classmethod
    def of(cls, value: float, level: float) -> Self:
        """From the number, for intervals of this level."""

    @property
    def bound(self) -> Below | None:
        """Itself, where it is about a safe level."""

    def error(self, prevalence: float) -> float:
        """The standard error that is just small enough at this prevalence."""

    def labels(self, prevalence: float) -> float:
        """Labels drawn at random that it takes, where there is no end of items."""

    def kept_by(self, share: Estimate) -> bool:
        """Whether an interval is as narrow as was asked."""

    def excess(self, share: Estimate) -> float:
        """The half-width of an interval over the one that was asked; infinite where nothing was found."""

    @property
    def amount(self) -> float:
        """Its number."""

    def described(self, amount: float) -> str:
        """A number like the one that was asked, in words."""


class _TwoSided(ABC):
    """Targets that come down to a standard error alone."""

    __slots__ = ()

    @abstractmethod
    def allowed(self, share: Estimate) -> float:
        """The half-width that is just narrow enough at this estimate."""

    def kept_by(self, share: Estimate) -> bool:
        """As in `Target`."""
        return self.excess(share) <= 1.0

    def excess(self, share: Estimate) -> float:
        """As in `Target`."""
        _, low, high = _known(share)
        allowed = self.allowed(share)
        return 0.5 * (high - low) / allowed if allowed > 0.0 else math.inf

    @property
    def bound(self) -> Below | None:
        """As in `Target`."""
        return None

    @abstractmethod
    def error(self, prevalence: float) -> float:
        """As in `Target`."""

    def labels(self, prevalence: float) -> float:
        """As in `Target`."""
        return checked_prevalence(prevalence) * (1.0 - prevalence) / self.error(prevalence) ** 2


@dataclass(frozen=True, slots=True)
class Within(_TwoSided):
    """The estimate lies within this share of the prevalence, up or down.

    >>> eh.sampling.random_size(0.01, eh.sampling.Within(0.2)).n
    9508
    """

    name: ClassVar[str] = "within"

    share: float
    level: float = LEVEL

    @classmethod
    def of(cls, value: float, level: float) -> Within:
        """As in `Target`."""
        return cls(value, level)

    def error(self, prevalence: float) -> float:
        """As in `Target`."""
        return arrays.positive(self.share, "the share") * checked_prevalence(prevalence) / two_sided(self.level)

    def allowed(self, share: Estimate) -> float:
        """As in `_TwoSided`."""
        return self.share * _known(share)[0]

    @property
    def amount(self) -> float:
        """As in `Target`."""
        return self.share

    def described(self, amount: float) -> str:
        """As in `Target`."""
        return f"±{100.0 * amount:.3g} %" if math.isfinite(amount) else "unknown"


@dataclass(frozen=True, slots=True)
class Variation(_TwoSided):
    """The coefficient of variation: standard error over prevalence.

    >>> eh.sampling.random_size(0.01, eh.sampling.Variation(0.1)).n
    9900
    """

    name: ClassVar[str] = "cv"

    coefficient: float

    @classmethod
    def of(cls, value: float, level: float) -> Variation:
        """As in `Target`; it has no level."""
        return cls(value)

    def error(self, prevalence: float) -> float:
        """As in `Target`."""
        return arrays.positive(self.coefficient, "the coefficient of variation") * checked_prevalence(prevalence)

    def allowed(self, share: Estimate) -> float:
        """As in `_TwoSided`."""
        return self.coefficient * _known(share)[0] * student_quantile(share.level)

    @property
    def amount(self) -> float:
        """As in `Target`."""
        return self.coefficient

    def described(self, amount: float) -> str:
        """As in `Target`."""
        return f"a coefficient of variation of {amount:.3g}"


@dataclass(frozen=True, slots=True)
class Width(_TwoSided):
    """The interval, from low to high, is this wide.

    >>> eh.sampling.random_size(0.01, eh.sampling.Width(0.01)).n
    1522
    """

    name: ClassVar[str] = "width"

    width: float
    level: float = LEVEL

    @classmethod
    def of(cls, value: float, level: float) -> Width:
        """As in `Target`."""
        return cls(value, level)

    def error(self, prevalence: float) -> float:
        """As in `Target`."""
        checked_prevalence(prevalence)
        return arrays.positive(self.width, "the width") / (2.0 * two_sided(self.level))

    def allowed(self, share: Estimate) -> float:
        """As in `_TwoSided`."""
        return 0.5 * self.width

    @property
    def amount(self) -> float:
        """As in `Target`."""
        return self.width

    def described(self, amount: float) -> str:
        """As in `Target`."""
        return f"an interval of {100.0 * amount:.3g} percentage points"


@dataclass(frozen=True, slots=True)
class Below:
    """One-sided: the prevalence is shown to be below the safe level.

    >>> eh.sampling.random_size(0.01, eh.sampling.Below(0.02)).n
    569
    """

    name: ClassVar[str] = "below"

    safe: float
    level: float = LEVEL

    @classmethod
    def of(cls, value: float, level: float) -> Below:
        """As in `Target`."""
        return cls(value, level)

    @property
    def bound(self) -> Below | None:
        """As in `Target`."""
        return self

    def error(self, prevalence: float) -> float:
        """As in `Target`."""
        if not 0.0 <= prevalence < arrays.share(self.safe, "the safe level"):
            raise InputError(f"a prevalence of {prevalence:g} cannot be shown to be below {self.safe:g}")
        return (self.safe - prevalence) / one_sided(self.level)

    def labels(self, prevalence: float) -> float:
        """As in `Target`: until the exact upper bound of a sample like the population is at the safe level."""
        low, high = 0, 1
        while _upper_bound(prevalence, high, self.level) > self.safe:
            low, high = high, 2 * high
            if high > MOST_LABELS:
                raise InputError(f"no number of labels shows that {prevalence:g} is below {self.safe:g}")
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if _upper_bound(prevalence, middle, self.level) > self.safe else (low, middle)
        return float(high)

    def kept_by(self, share: Estimate) -> bool:
        """As in `Target`."""
        return _known(share)[2] < self.safe

    def excess(self, share: Estimate) -> float:
        """As in `Target`: whether it is shown, or not."""
        return 1.0 if self.kept_by(share) else math.inf

    @property
    def amount(self) -> float:
        """As in `Target`."""
        return self.safe

    def described(self, amount: float) -> str:
        """As in `Target`."""
        return f"below {100.0 * amount:.3g} %"


TARGETS: dict[str, type[Target]] = {target.name: target for target in (Within, Variation, Width, Below)}


def target_named(name: str, value: float, level: float) -> Target:
    """A target by its name; `KeyError` where there is none."""
    return TARGETS[name].of(value, level)


def _known(share: Estimate) -> tuple[float, float, float]:
    """A value and its interval."""
    assert share.value is not None  # who asks has looked
    assert share.low is not None
    assert share.high is not None
    return share.value, share.low, share.high


def checked_prevalence(prevalence: float) -> float:
    """A prevalence that leaves something to estimate."""
    if prevalence == 0.0:
        raise InputError("the prevalence must be above 0; to show that almost nothing violates, use `below`")
    return arrays.share(prevalence, "the prevalence")


def two_sided(level: float) -> float:
    """The normal quantile of a two-sided interval."""
    return arrays.positive(float(ndtri(0.5 * (1.0 + arrays.share(level, "the level")))), "the quantile of the level")


def one_sided(level: float) -> float:
    """The normal quantile of a one-sided bound."""
    if arrays.share(level, "the level") <= 0.5:
        raise InputError(f"invalid `level`: {level:g} (a one-sided bound needs a level above 0.5, such as 0.95)")
    return float(ndtri(level))


PER_HOUR = 600.0  # items that one annotator labels, in the study behind this design
SLACK = 1e-9  # of floating point, so that a size that comes out even is not rounded up
MOST_LABELS = 10**12


@dataclass(frozen=True, slots=True)
class SampleSize:
    """So many labels give this standard error. `items` is the population, where it is known.

    >>> size = eh.sampling.random_size(0.01, eh.sampling.Within(0.2), items=50_000)
    >>> size.n, size.census
    (7989, False)
    """

    n: int
    error: float
    items: int | None = None

    @property
    def census(self) -> bool:
        """Whether everything has to be labelled."""
        return self.items is not None and self.n >= self.items

    def hours(self, *, per_hour: float = PER_HOUR, annotators: int = 1) -> float:
        """Hours of annotation, with so many annotators on every item."""
        return self.n * arrays.whole(annotators, "the annotators") / arrays.positive(per_hour, "items per hour")


@dataclass(frozen=True, slots=True)
class StrataShares:
    """A population in strata: the share of each, and the prevalence in it.

    >>> parts = eh.sampling.StrataShares(np.array([0.9, 0.1]), np.array([0.001, 0.2]))
    >>> round(parts.prevalence, 4)
    0.0209
    """

    shares: Floats
    prevalences: Floats

    @classmethod
    def of(cls, sizes: npt.ArrayLike, prevalences: npt.ArrayLike) -> StrataShares:
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
        labels = arrays.numbers(allocation, "allocation", size=len(self.shares))
        spread = (self.shares * self.deviations) ** 2
        arrays.refuse((labels < 0.0) | ((labels == 0.0) & (spread > 0.0)), "this stratum gets no labels", "allocation")
        used = spread > 0.0
        return float(np.sum(spread[used] / labels[used]) * labels.sum())

    @property
    def least_variance(self) -> float:
        """The same under the optimal allocation, in proportion to size times deviation."""
        return float(self.shares @ self.deviations) ** 2


def random_size(prevalence: float, target: Target, *, items: int | None = None) -> SampleSize:
    """Labels drawn at random; with `items`, corrected for a finite population.

    >>> eh.sampling.random_size(0.01, eh.sampling.Within(0.2), items=50_000).n
    7989
    """
    error = target.error(prevalence)
    return rounded_size(target.labels(prevalence), items, error=error)


def stratified_size(
    parts: StrataShares, target: Target, *, allocation: npt.ArrayLike | None = None, items: int | None = None
) -> SampleSize:
    """Labels drawn in strata under an allocation (in labels or as shares); the optimal one when nothing is said.

    >>> parts = eh.sampling.StrataShares(np.array([0.9, 0.1]), np.array([0.001, 0.2]))
    >>> eh.sampling.stratified_size(parts, eh.sampling.Within(0.2)).n
    1031
    """
    error = target.error(parts.prevalence)
    variance = parts.least_variance if allocation is None else parts.variance(allocation)
    return rounded_size(variance / error**2, items, error=error)


def efficiency(stratified: SampleSize, random: SampleSize) -> float:
    """The share of labels that a design saves against random sampling.

    >>> parts = eh.sampling.StrataShares(np.array([0.9, 0.1]), np.array([0.001, 0.2]))
    >>> target = eh.sampling.Within(0.2)
    >>> stratified = eh.sampling.stratified_size(parts, target)
    >>> round(eh.sampling.efficiency(stratified, eh.sampling.random_size(parts.prevalence, target)), 2)
    0.77
    """
    return 1.0 - stratified.n / random.n


def range_within(
    interval: tuple[float, float], target: Within, *, variance: float | None = None
) -> tuple[SampleSize, SampleSize]:
    """The fewest and the most labels over an interval of the prevalence, as a pilot leaves it.

    `variance` is that of one label under a design; random sampling when nothing is said.

    >>> fewest, most = eh.sampling.range_within((0.01, 0.03), eh.sampling.Within(0.2))
    >>> fewest.n, most.n
    (3106, 9508)
    """
    low, high = interval
    return _size_at(high, target, variance), _size_at(low, target, variance)


def _size_at(prevalence: float, target: Within, variance: float | None) -> SampleSize:
    if variance is None:
        return random_size(prevalence, target)
    error = target.error(prevalence)
    return rounded_size(arrays.positive(variance, "the variance") / error**2, None, error=error)


def rounded_size(n: float, items: int | None, *, error: float) -> SampleSize:
    """Rounded up; with a finite population, corrected for what is labelled being known."""
    if items is not None:
        population = arrays.whole(items, "the items", least=2)
        n = population * n / (n + population - 1.0)
        return SampleSize(min(max(1, math.ceil(n - SLACK)), population), error, population)
    return SampleSize(max(1, math.ceil(n - SLACK)), error)


def _upper_bound(prevalence: float, n: int, level: float) -> float:
    """Clopper and Pearson's one-sided upper bound at the expected number of violations."""
    hits = prevalence * n
    return float(betaincinv(hits + 1.0, n - hits, level)) if hits < n else 1.0
