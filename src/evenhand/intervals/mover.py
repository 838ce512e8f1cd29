"""MOVER, the method of variance estimates recovery (Zou and Donner): the interval of a number made of two others.

Only the intervals of the two numbers are needed. The distance to an end is the root of the squared distances that
either number alone would make, so that intervals that are not symmetric stay so.
"""

from __future__ import annotations

import math

MOVER = "mover"
ValueLowHigh = tuple[float, float, float]  # value, low, high


def mover_difference(first: ValueLowHigh, second: ValueLowHigh, correlation: float = 0.0) -> tuple[float, float]:
    """The interval of first less second, at the level that both intervals have.

    The lower end of a difference is where the first number is low and the second is high: the distances to those ends
    are squared and added, as variances are. Numbers that rise and fall together are correlated: their difference is
    better known.
    """
    value, low, high = first
    other, other_low, other_high = second
    down = combined_distance(value - low, other_high - other, correlation)
    up = combined_distance(high - value, other - other_low, correlation)
    return value - other - down, value - other + up


def mover_ratio(first: ValueLowHigh, second: ValueLowHigh, correlation: float = 0.0) -> tuple[float, float]:
    """The interval of first over second, at the level that both have; neither is negative, the second is above 0.

    On logarithms, where a ratio is a difference. A first number of 0 has no logarithm: there the end is that of Donner
    and Zou (2012), who solve the same equation for the ratio itself.
    """
    value, low, high = first
    other, other_low, other_high = second
    if value == 0.0:
        return 0.0, high / math.sqrt(other_low * (2.0 * other - other_low))
    down = (
        combined_distance(math.log(value / low), math.log(other_high / other), correlation) if low > 0.0 else math.inf
    )
    up = combined_distance(math.log(high / value), math.log(other / other_low), correlation)
    return value / other * math.exp(-down), value / other * math.exp(min(up, 500.0))


def combined_distance(first: float, second: float, correlation: float = 0.0) -> float:
    """How far a difference may be off, from how far either side may be."""
    return math.sqrt(max(0.0, first**2 + second**2 - 2.0 * correlation * first * second))


def logit_end(value: float, moved: tuple[float, float]) -> float:
    """An end of the interval of a share, from where either number alone would move it."""
    side = 1.0 if sum(moved) > 2 * value else -1.0
    if value in (0.0, 1.0):  # no logit
        distance = combined_distance(*(end - value for end in moved))
        return min(max(value + side * distance, 0.0), 1.0)
    centre = _logit(value)
    distance = combined_distance(*(_logit(end) - centre for end in moved))
    return 1.0 / (1.0 + math.exp(-min(max(centre + side * distance, -700.0), 700.0)))


def _logit(value: float) -> float:
    bounded = min(max(value, 1e-300), 1.0 - 1e-16)
    return math.log(bounded) - math.log1p(-bounded)
