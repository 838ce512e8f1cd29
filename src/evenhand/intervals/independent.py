"""The difference of two numbers from independent samples, of which only the intervals are known."""

from __future__ import annotations

import math

METHOD = "mover"
Ends = tuple[float, float, float]  # value, low, high


def difference(first: Ends, second: Ends) -> tuple[float, float]:
    """The interval of first less second, at the level that both intervals have (Zou and Donner's MOVER).

    The lower end of a difference is where the first number is low and the second is high: the distances to those ends
    are squared and added, as variances are. Intervals that are not symmetric stay so.
    """
    value, low, high = first
    other, other_low, other_high = second
    down, up = math.hypot(value - low, other_high - other), math.hypot(high - value, other - other_low)
    return value - other - down, value - other + up
