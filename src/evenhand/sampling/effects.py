"""Change between two reporting periods: the minimum detectable effect, and an alarm when a change exceeds it.

The rule of the paper asks that two intervals of equal width do not overlap. It detects a change of exactly the minimum
detectable effect in half of all cases, and raises a false alarm in 0.6 % of them. The usual rule asks for a power, 0.8
say, and tests the difference itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from scipy.special import ndtr, ndtri

from evenhand import arrays
from evenhand.errors import InputError
from evenhand.sampling.sizes import LEVEL, SampleSize, rounded_size, two_sided


class AlarmRule(Protocol):
    """When two estimates with standard errors count as different."""

    def threshold(self, first: float, second: float) -> float:
        """The smallest difference that raises an alarm, for two standard errors."""

    def factor(self) -> float:
        """The minimum detectable effect, in standard errors of one of two equally sure estimates."""


@dataclass(frozen=True, slots=True)
class NoOverlap:
    """The two intervals do not touch.

    >>> round(eh.sampling.detectable_effect(0.01, rule=eh.sampling.NoOverlap()), 4)
    0.0392
    """

    level: float = LEVEL

    def threshold(self, first: float, second: float) -> float:
        return two_sided(self.level) * (first + second)

    def factor(self) -> float:
        return 2.0 * two_sided(self.level)


@dataclass(frozen=True, slots=True)
class Power:
    """The difference is tested at the level, and found with this power.

    >>> round(eh.sampling.detectable_effect(0.01, rule=eh.sampling.Power(0.9)), 4)
    0.0458
    """

    power: float = 0.8
    level: float = LEVEL

    def threshold(self, first: float, second: float) -> float:
        return two_sided(self.level) * math.hypot(first, second)

    def factor(self) -> float:
        return math.sqrt(2.0) * (two_sided(self.level) + float(ndtri(arrays.share(self.power, "the power"))))


NO_OVERLAP, EIGHTY_PERCENT_POWER = NoOverlap(), Power()


@dataclass(frozen=True, slots=True)
class EstimateChange:
    """From one period to the next: the difference, its interval, the threshold of the rule, and the alarm.

    >>> change = eh.sampling.compare_estimates((0.05, 0.005), (0.08, 0.005))
    >>> change.alarm
    True
    """

    difference: float
    low: float
    high: float
    threshold: float

    @property
    def alarm(self) -> bool:
        """Whether the difference is beyond the threshold."""
        return abs(self.difference) > self.threshold


def size_for_effect(
    variance: float, effect: float, *, rule: AlarmRule = EIGHTY_PERCENT_POWER, items: int | None = None
) -> SampleSize:
    """Labels in each period that make a change of this effect detectable; `variance` is that of one label.

    >>> eh.sampling.size_for_effect(0.05 * 0.95, 0.01).n
    7457
    """
    error = arrays.positive(effect, "the effect") / rule.factor()
    return rounded_size(arrays.positive(variance, "the variance") / error**2, items, error=error)


def detectable_effect(error: float, *, rule: AlarmRule = EIGHTY_PERCENT_POWER) -> float:
    """The minimum detectable effect of two estimates with this standard error each.

    >>> round(eh.sampling.detectable_effect(0.01), 4)
    0.0396
    """
    return rule.factor() * arrays.positive(error, "the standard error")


def chance_of_alarm(effect: float, error: float, *, rule: AlarmRule) -> float:
    """How often the rule raises an alarm when the change is `effect`; at 0 these are the false ones.

    >>> round(eh.sampling.chance_of_alarm(0.0, 0.01, rule=eh.sampling.NO_OVERLAP), 4)
    0.0056
    """
    spread = math.sqrt(2.0) * arrays.positive(error, "the standard error")
    reach = rule.threshold(error, error)
    return float(ndtr((effect - reach) / spread) + ndtr((-effect - reach) / spread))


def compare_estimates(
    first: tuple[float, float],
    second: tuple[float, float],
    *,
    rule: AlarmRule = EIGHTY_PERCENT_POWER,
    level: float = LEVEL,
) -> EstimateChange:
    """Two estimates, each a value and its standard error, from independent samples.

    >>> change = eh.sampling.compare_estimates((0.05, 0.005), (0.08, 0.005))
    >>> round(change.difference, 3), change.alarm
    (0.03, True)
    """
    errors = (first[1], second[1])
    if min(errors) < 0.0:
        raise InputError("a standard error cannot be negative")
    difference, reach = second[0] - first[0], two_sided(level) * math.hypot(*errors)
    return EstimateChange(difference, difference - reach, difference + reach, rule.threshold(*errors))
