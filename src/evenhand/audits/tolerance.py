"""What a difference is held against: a tolerance, three verdicts, and the labels that would settle an open one.

A tolerance above 1 is a ratio of rates, one below 1 a difference of shares. The verdict comes from the whole interval,
never from a value or a test alone.
"""

from __future__ import annotations

import math
from enum import StrEnum

from evenhand.errors import InputError
from evenhand.estimate import Estimate

TOLERATED_DIFFERENCE = 0.02
TOLERATED_RATIO = 1.25  # of error rates
LARGEST_TOLERANCE = 100.0
MOST_TIMES_MORE = 100.0  # as many labels: more would never be collected
FEWEST_LABELS = 10  # that are asked for: what is needed is a rough number, said in two digits


class Comparison(StrEnum):
    """How a number compares with what it is held against: three verdicts, the first of them in two directions."""

    HIGHER = "higher"  # larger than the tolerance
    LOWER = "lower"
    RULED_OUT = "ruled_out"  # a difference beyond the tolerance
    UNDETERMINED = "undetermined"


def check_tolerance(tolerance: float) -> None:
    """Refuse what is neither a ratio nor a difference."""
    if not (0.0 < tolerance < 1.0 or 1.0 < tolerance <= LARGEST_TOLERANCE):
        remedy = f"a ratio above 1 and up to {LARGEST_TOLERANCE:g}, such as 1.25, or a difference below 1, such as 0.02"
        raise InputError(f"invalid `tolerance`: {tolerance:g} (must be {remedy})")


def difference_tolerance(tolerance: float) -> float:
    """What a difference of shares is held against."""
    return TOLERATED_DIFFERENCE if tolerance > 1.0 else tolerance


def compare(estimate: Estimate, tolerance: float, *, is_ratio: bool) -> Comparison:
    """Whether the whole interval lies beyond the tolerance, within it, or neither."""
    if estimate.low is None or estimate.high is None:
        return Comparison.UNDETERMINED
    most = tolerance if is_ratio else difference_tolerance(tolerance)
    least = 1.0 / most if is_ratio else -most
    if estimate.low > most:
        return Comparison.HIGHER
    if estimate.high < least:
        return Comparison.LOWER
    return Comparison.RULED_OUT if least <= estimate.low and estimate.high <= most else Comparison.UNDETERMINED


def more_labels(estimate: Estimate, tolerance: float, items: int, *, is_ratio: bool) -> float | None:
    """Items to be labelled beyond those there are, until an interval settles it; None: too many, or no telling.

    Intervals narrow with the square root of the items. The estimate is taken as it is.
    """
    low, value, high = estimate.low or 0.0, estimate.value or 0.0, estimate.high or 0.0
    edge = difference_tolerance(tolerance)
    if is_ratio:
        low, value, high = (math.log(number) if number > 0.0 else -math.inf for number in (low, value, high))
        edge = math.log(tolerance)
    if not math.isfinite(low) or not math.isfinite(value):  # none or hardly any seen: no telling what more would show
        return None
    distance, reach = abs(abs(value) - edge), max(value - low, high - value)
    times = (reach / distance) ** 2 if distance > 0.0 else math.inf
    return None if times > MOST_TIMES_MORE else max(1.0, items * (times - 1.0))


def round_labels(labels: float) -> int:
    """As a number of labels is said: in two digits, since it is a rough one."""
    return max(FEWEST_LABELS, int(float(f"{labels:.1e}")))
