"""How sure a prevalence must be: each way of saying it comes down to a standard error.

"Within r of p" is what reports promise; a coefficient of variation and an absolute width are said in other trades. For
violations too rare to be measured there is the one-sided statement "below the safe level s".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from scipy.special import ndtri

from evenhand import arrays
from evenhand.errors import InputError

LEVEL = 0.95


class Target(Protocol):
    """What is asked of an estimate."""

    def error(self, prevalence: float) -> float:
        """The standard error that is just small enough at this prevalence."""


@dataclass(frozen=True, slots=True)
class Within:
    """The estimate lies within this share of the prevalence, up or down."""

    share: float
    level: float = LEVEL

    def error(self, prevalence: float) -> float:
        return arrays.positive(self.share, "the share") * known(prevalence) / two_sided(self.level)


@dataclass(frozen=True, slots=True)
class Variation:
    """The coefficient of variation: standard error over prevalence."""

    coefficient: float

    def error(self, prevalence: float) -> float:
        return arrays.positive(self.coefficient, "the coefficient of variation") * known(prevalence)


@dataclass(frozen=True, slots=True)
class Width:
    """The interval, from low to high, is this wide."""

    width: float
    level: float = LEVEL

    def error(self, prevalence: float) -> float:
        known(prevalence)
        return arrays.positive(self.width, "the width") / (2.0 * two_sided(self.level))


@dataclass(frozen=True, slots=True)
class Below:
    """One-sided: the prevalence is shown to be below the safe level."""

    safe: float
    level: float = LEVEL

    def error(self, prevalence: float) -> float:
        if not 0.0 <= prevalence < arrays.share(self.safe, "the safe level"):
            raise InputError(f"a prevalence of {prevalence:g} cannot be shown to be below {self.safe:g}")
        return (self.safe - prevalence) / float(ndtri(arrays.share(self.level, "the level")))


def known(prevalence: float) -> float:
    """A prevalence that leaves something to estimate."""
    if prevalence == 0.0:
        raise InputError("the prevalence must lie above 0; that next to nothing violates is shown with --below")
    return arrays.share(prevalence, "the prevalence")


def two_sided(level: float) -> float:
    """The normal quantile of a two-sided interval."""
    return float(ndtri(0.5 * (1.0 + arrays.share(level, "the level"))))
