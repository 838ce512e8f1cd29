"""Two reporting periods: the smallest change that is seen, and an alarm when there is one.

The rule of the paper asks that two intervals of equal width do not overlap. It sees a change of exactly the minimum
detectable effect in half of all cases, and raises a false alarm in .6 % of them. The usual rule asks for a power, .8
say, and tests the difference itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from scipy.special import ndtr, ndtri

from evenhand import arrays
from evenhand.errors import InputError
from evenhand.sampling.sizes import Size, size_of
from evenhand.sampling.targets import LEVEL, two_sided


class Rule(Protocol):
    """When two estimates with standard errors count as different."""

    def threshold(self, first: float, second: float) -> float:
        """The smallest difference that raises an alarm, for two standard errors."""

    def factor(self) -> float:
        """The minimum detectable effect, in standard errors of one of two equally sure estimates."""


@dataclass(frozen=True, slots=True)
class NoOverlap:
    """The two intervals do not touch."""

    level: float = LEVEL

    def threshold(self, first: float, second: float) -> float:
        return two_sided(self.level) * (first + second)

    def factor(self) -> float:
        return 2.0 * two_sided(self.level)


@dataclass(frozen=True, slots=True)
class Power:
    """The difference is tested at the level, and found with this power."""

    power: float = 0.8
    level: float = LEVEL

    def threshold(self, first: float, second: float) -> float:
        return two_sided(self.level) * math.hypot(first, second)

    def factor(self) -> float:
        return math.sqrt(2.0) * (two_sided(self.level) + float(ndtri(arrays.share(self.power, "the power"))))


NO_OVERLAP, USUAL = NoOverlap(), Power()


@dataclass(frozen=True, slots=True)
class Change:
    """From one period to the next: the difference, its interval, the threshold of the rule, and the alarm."""

    difference: float
    low: float
    high: float
    threshold: float

    @property
    def alarm(self) -> bool:
        """Whether the difference is beyond the threshold."""
        return abs(self.difference) > self.threshold


def size_for_effect(variance: float, effect: float, *, rule: Rule = USUAL, items: int | None = None) -> Size:
    """Labels in each period that make a change of this effect detectable; `variance` is that of one label."""
    error = arrays.positive(effect, "the effect") / rule.factor()
    return size_of(arrays.positive(variance, "the variance") / error**2, items, error=error)


def detectable(error: float, *, rule: Rule = USUAL) -> float:
    """The minimum detectable effect of two estimates with this standard error each."""
    return rule.factor() * arrays.positive(error, "the standard error")


def chance_of_alarm(effect: float, error: float, *, rule: Rule) -> float:
    """How often the rule raises an alarm when the change is `effect`; at 0 these are the false ones."""
    spread = math.sqrt(2.0) * arrays.positive(error, "the standard error")
    reach = rule.threshold(error, error)
    return float(ndtr((effect - reach) / spread) + ndtr((-effect - reach) / spread))


def compare(
    first: tuple[float, float], second: tuple[float, float], *, rule: Rule = USUAL, level: float = LEVEL
) -> Change:
    """Two estimates, each a value and its standard error, from independent samples."""
    errors = (first[1], second[1])
    if min(errors) < 0.0:
        raise InputError("a standard error cannot be negative")
    difference, reach = second[0] - first[0], two_sided(level) * math.hypot(*errors)
    return Change(difference, difference - reach, difference + reach, rule.threshold(*errors))
