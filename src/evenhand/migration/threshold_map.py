"""From thresholds of the old model to thresholds of the new one that flag the same share of comments.

A new threshold is written with as few digits as flag the same comments of the file: any number between two neighbouring
scores does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import NamedTuple

from evenhand.arrays import Bools
from evenhand.estimate import Estimate
from evenhand.intervals.matched_cut import INVERTED_MCNEMAR, CutScores
from evenhand.intervals.proportions import WILSON, WilsonInterval
from evenhand.migration.score_log import ScoreLog
from evenhand.tally.order import ScoreArray

LOWEST, HIGHEST = 0.0, 1.0  # of a score
GRID = tuple(round(step / 100, 2) for step in range(1, 100))  # old thresholds of the map
MOST_DIGITS = 17  # tell any two floats apart


class MapRow(NamedTuple):
    """An old threshold, the new one that flags the same share, and the share."""

    old: float
    new: Estimate
    flag_rate: Estimate


def map_thresholds(log: ScoreLog, cuts: CutScores, thresholds: Sequence[float], level: float) -> list[MapRow]:
    """A row for each old threshold, ascending; new thresholds never fall."""
    rows = []
    for threshold in sorted(set(thresholds)):
        flagged = log.flagged_before(threshold)
        rate = share_estimate(int(flagged.sum()), len(flagged), level)
        rows.append(MapRow(threshold, matched_threshold(cuts, flagged, threshold, level), rate))
    return rows


def matched_threshold(
    cuts: CutScores, flagged: Bools, threshold: float, level: float, comments: str = "comment"
) -> Estimate:
    """The threshold of the new scores that flags as many of these comments as the old one does."""
    if not flagged.any():
        return Estimate.undefined(f"no {comments} scored {threshold:g} or more", level=level, n=len(flagged))
    if flagged.all():
        return Estimate.undefined(f"every {comments} scored {threshold:g} or more", level=level, n=len(flagged))
    match, scores = cuts.match(flagged, level), cuts.distinct
    value = threshold_at(scores, match.place)
    low = LOWEST if match.low is None else threshold_at(scores, match.low)
    high = HIGHEST if match.high is None else threshold_above(scores, match.high)
    return Estimate(value, min(low, value), max(high, value), level, INVERTED_MCNEMAR, len(flagged))


def threshold_at(scores: ScoreArray, place: int) -> float:
    """The shortest number that flags this score and none below: above the score before it, and no higher."""
    score = float(scores[place])
    before = float(scores[place - 1]) if place else LOWEST - 1.0
    return next((short for short in _shortened(score, ROUND_FLOOR) if before < short <= score), score)


def threshold_above(scores: ScoreArray, place: int) -> float:
    """The shortest number from this score up to the next: an upper end, in few digits."""
    score = float(scores[place])
    after = float(scores[place + 1]) if place + 1 < len(scores) else HIGHEST
    return next((short for short in _shortened(score, ROUND_CEILING) if score <= short <= after), score)


def _shortened(score: float, rounding: str) -> Iterator[float]:
    """The score to one digit behind the point, to two, and so on."""
    exact = Decimal(repr(score))
    return (float(exact.quantize(Decimal(1).scaleb(-digits), rounding)) for digits in range(1, MOST_DIGITS))


def share_estimate(part: int, whole: int, level: float, why: str = "there are no comments") -> Estimate:
    """A share of plain items with Wilson's interval."""
    if not whole:
        return Estimate.undefined(why, level=level, n=0)
    form = WilsonInterval(part / whole, 1.0 / whole)
    return Estimate(form.value, *form.interval(level), level, WILSON, whole)
