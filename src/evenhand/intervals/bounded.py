"""A quantity between 0 and 1 with an effective number of items behind it: Wilson's score interval and its test.

The interval holds every value v with |value − v| ≤ t · √(v(1 − v) · size), where `size` is one over the effective
number of items and t is Student's quantile. The p-value inverts the same inequality, so the two never disagree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import stdtr, stdtrit

ROUNDING = 1e-12  # differences below are those of floating point


@dataclass(frozen=True, slots=True)
class Bounded:
    """`size` is 1 / (effective number of items); `freedom` are the degrees of freedom of its estimate."""

    value: float
    size: float
    freedom: float = math.inf
    error: float = math.nan  # the standard error, where it was made from one

    @classmethod
    def of(cls, value: float, variance: float, *, shift: float = 0.0, freedom: float = math.inf) -> Bounded:
        """From a variance that belongs to the value moved by `shift`, which keeps it off 0 and 1."""
        moved = value + shift
        size = variance / (moved * (1.0 - moved)) if 0.0 < moved < 1.0 else 0.0
        return cls(value, size, freedom, math.sqrt(variance))

    def interval(self, level: float) -> tuple[float, float]:
        """Low and high."""
        reach = quantile(level, self.freedom) ** 2 * self.size
        centre = (self.value + reach / 2.0) / (1.0 + reach)
        half = math.sqrt(reach * self.value * (1.0 - self.value) + reach**2 / 4.0) / (1.0 + reach)
        return min(max(0.0, centre - half), self.value), max(min(1.0, centre + half), self.value)

    def p_value(self, null: float) -> float:
        """Two-sided test that the quantity is `null`."""
        return p_value(abs(self.value - null), null * (1.0 - null) * self.size, self.freedom)

    def p_difference(self, other: Bounded) -> float:
        """Two-sided test that this quantity equals the other, taken as independent of it.

        Where the two share items they rise and fall together, so the test is cautious.
        """
        return p_value(
            abs(self.value - other.value), other.value * (1.0 - other.value) * (self.size + other.size), self.freedom
        )

    def square_and_add(self, other: Bounded, level: float, correlation: float = 0.0) -> tuple[float, float]:
        """Interval of value − other.value from the two intervals (Newcombe's hybrid score, Zou's MOVER)."""
        low, high = self.interval(level)
        other_low, other_high = other.interval(level)
        difference = self.value - other.value
        down = _combine(self.value - low, other_high - other.value, correlation)
        up = _combine(high - self.value, other.value - other_low, correlation)
        return max(-1.0, difference - down), min(1.0, difference + up)


def quantile(level: float, freedom: float = math.inf) -> float:
    """Student's two-sided quantile, normal for infinite degrees of freedom."""
    return float(stdtrit(min(freedom, 1e12), (1.0 + level) / 2.0))


def p_from_interval(value: float, low: float, high: float, level: float) -> float:
    """Two-sided test that a difference is 0, from the side of its interval that faces 0."""
    reach = value - low if value > 0 else high - value
    return p_value(abs(value), (reach / quantile(level)) ** 2, math.inf)


def p_value(distance: float, variance: float, freedom: float) -> float:
    """Two-sided p-value of a distance from what was expected."""
    if distance < ROUNDING:
        return 1.0
    if variance <= 0.0:
        return 0.0
    return float(2.0 * stdtr(min(freedom, 1e12), -distance / math.sqrt(variance)))


def _combine(first: float, second: float, correlation: float) -> float:
    return math.sqrt(max(0.0, first**2 + second**2 - 2.0 * correlation * first * second))
