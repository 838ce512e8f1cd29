"""How often intervals hold the truth: the default one, and those that others would take from the same sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evenhand.estimate import Estimate
from evenhand.intervals import survey
from evenhand.intervals.bounded import Bounded
from evenhand.intervals.survey import Figure

OURS = "ours"
INTERVALS: dict[str, Callable[[Figure, float], tuple[float, float]]] = {
    "wilson": survey.score,
    "logit": survey.log_odds,
    "log": survey.logarithmic,
    "normal": survey.plain,
}


def holds(way: str, figure: Figure, truth: float, level: float) -> bool:
    """Whether the interval holds the truth; one that has no value does not."""
    if way == OURS:
        found = figure.estimate(level)
        return found.low is not None and found.high is not None and found.low <= truth <= found.high
    if not 0.0 < figure.value < 1.0:
        return False
    low, high = INTERVALS[way](figure, level)
    return bool(low <= truth <= high)


def coverage(figures: Sequence[Figure], truth: float, *, level: float) -> dict[str, Estimate]:
    """The share of samples whose interval holds the truth, for every kind of interval."""
    found: dict[str, Estimate] = {}
    for way in (OURS, *INTERVALS):
        held = sum(holds(way, figure, truth, level) for figure in figures)
        share = Bounded(held / len(figures), 1.0 / len(figures))
        found[way] = Estimate(share.value, *share.interval(level), level, "wilson", len(figures))
    return found
