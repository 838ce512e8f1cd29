"""What a change amounts to, by rule: three verdicts and no fourth.

Larger than the tolerance: the whole interval lies beyond it. Ruled out: the whole interval lies within it. Otherwise
undetermined, and about so many comments would settle it. A group of which nothing was flagged before has no ratio, so
that nothing can be judged.
"""

from __future__ import annotations

import math
from enum import StrEnum

from evenhand.estimate import Estimate

MOST_TIMES = 100.0  # as many comments: more is not a realistic advice


class ChangeVerdict(StrEnum):
    """What can be said of a change."""

    LARGER = "larger"  # than the tolerance
    RULED_OUT = "ruled_out"  # beyond the tolerance
    UNDETERMINED = "undetermined"
    UNKNOWN = "unknown"  # nothing was flagged before


def judge_ratio(ratio: Estimate, tolerance: float) -> ChangeVerdict:
    """A ratio of flag rates held against the tolerance, by its interval."""
    if ratio.low is None or ratio.high is None:
        return ChangeVerdict.UNKNOWN
    if ratio.low > tolerance or ratio.high < 1.0 / tolerance:
        return ChangeVerdict.LARGER
    if ratio.low >= 1.0 / tolerance and ratio.high <= tolerance:
        return ChangeVerdict.RULED_OUT
    return ChangeVerdict.UNDETERMINED


def largest_change(ratio: Estimate) -> float:
    """The largest factor, up or down, that the interval leaves open."""
    low, high = _ends(ratio)
    return max(high, 1.0 / low if low else math.inf)


def distance_from_none(ratio: Estimate) -> float:
    """How far from no change, whichever way, on the logarithmic scale."""
    return math.inf if not ratio.value else abs(math.log(ratio.value))


def comments_to_settle(ratio: Estimate, tolerance: float) -> float:
    """About how many comments of the group would settle it, if the ratio stays as it was seen; infinite if none could.

    The width of the interval on the logarithmic scale falls with the root of the number of comments. It must fit beside
    the tolerance, on the side where the ratio is.
    """
    low, high = _ends(ratio)
    if not ratio.value or not low:
        return math.inf
    reach = max(math.log(high / ratio.value), math.log(ratio.value / low))
    return _enough(ratio.n, reach, abs(distance_from_none(ratio) - math.log(tolerance)))


def labels_to_settle(change: Estimate, tolerated: float) -> float:
    """About how many labelled comments would settle whether more precision is lost than is tolerated; or infinite."""
    low, high = _ends(change)
    value = change.value or 0.0
    reach = value - low if value > -tolerated else high - value
    return _enough(change.n, reach, abs(value + tolerated))


def _enough(comments: int, reach: float, room: float) -> float:
    """How many make an interval that reaches so far as narrow as there is room."""
    times = (reach / room) ** 2 if room else math.inf
    return _rounded_up(times * comments) if times <= MOST_TIMES else math.inf


def _ends(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def _rounded_up(count: float) -> int:
    """To two digits."""
    unit = int(10 ** max(math.floor(math.log10(count)) - 1, 0))
    return math.ceil(count / unit) * unit
