"""Whether the last measured week differs from those before: the sentences that open the page of a lead.

The difference of two independent estimates has its interval from theirs (MOVER), corrected for the number of measures
that are compared. It is judged against a tolerance: larger, ruled out beyond a size, or undetermined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from evenhand.catalogue import Direction, find_measure
from evenhand.catalogue.shared import RECALL
from evenhand.estimate import Estimate
from evenhand.formatting import format_share
from evenhand.intervals.mover import ValueLowHigh, mover_difference
from evenhand.store.measured import MeasuredItems
from evenhand.store.weeks import SHOWN, PeriodAnswer

TOLERANCE = 0.02  # as shares differ
LEVEL = 0.95
ROSE, FELL = "rose", "fell"
BETTER = {Direction.HIGHER: True, Direction.LOWER: False}  # whether more is better


class WeekVerdict(StrEnum):
    """What can be said about a difference; no fourth."""

    LARGER = "larger"
    RULED_OUT = "ruled_out"
    UNDETERMINED = "undetermined"


@dataclass(frozen=True)
class MeasuredChange:
    """A measure before and now, and the interval of the difference, simultaneous for all that are compared."""

    measure: str
    before: float
    now: float
    low: float
    high: float

    @property
    def verdict(self) -> WeekVerdict:
        """By the interval alone."""
        if self.low > TOLERANCE or self.high < -TOLERANCE:
            return WeekVerdict.LARGER
        within = max(abs(self.low), abs(self.high)) <= TOLERANCE
        return WeekVerdict.RULED_OUT if within else WeekVerdict.UNDETERMINED

    @property
    def is_alarm(self) -> bool:
        """Larger than the tolerance, to the worse by the catalogue; where no direction is better, any such change."""
        better = BETTER.get(find_measure(self.measure).direction)
        return self.verdict == WeekVerdict.LARGER and (better is None or better != (self.now > self.before))

    @property
    def sentence(self) -> str:
        """The key of the words that say it: a change that is larger than the tolerance has a direction."""
        if self.verdict != WeekVerdict.LARGER:
            return self.verdict.value
        return ROSE if self.now > self.before else FELL

    @property
    def values(self) -> dict[str, str]:
        """What the words of a sentence need."""
        ends = sorted((abs(self.low), abs(self.high)))
        signed = (f"{100.0 * end:+.1f}".replace("-", "−") for end in (self.low, self.high))
        low, high = signed
        return {
            "before": format_share(self.before), "now": format_share(self.now), "low": low, "high": high,
            "least": f"{100.0 * ends[0]:.1f}", "most": f"{100.0 * ends[1]:.1f}",
            "tolerance": f"{100.0 * TOLERANCE:.3g}",
        }  # fmt: skip


def known_periods(periods: Sequence[PeriodAnswer]) -> list[PeriodAnswer]:
    """Those with estimates."""
    return [period for period in periods if period.items.estimates(level=LEVEL)[RECALL].value is not None]


def measured_changes(periods: Sequence[PeriodAnswer], *, against: int | None = None) -> list[MeasuredChange]:
    """The last period with estimates against the last `against` before it, all of them if none; nothing without."""
    known = known_periods(periods)
    if len(known) < 2:
        return []
    known = known if against is None else known[-1 - against :]
    level = 1.0 - (1.0 - LEVEL) / len(SHOWN)
    now = known[-1].items.estimates(level=level)
    before = MeasuredItems.joined([period.items for period in known[:-1]]).estimates(level=level)
    pairs = {measure: (_ends(before[measure]), _ends(now[measure])) for measure in SHOWN}
    return [
        MeasuredChange(measure, first[0], last[0], *mover_difference(last, first))
        for measure, (first, last) in pairs.items()
        if first is not None and last is not None
    ]


def _ends(estimate: Estimate) -> ValueLowHigh | None:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    return estimate.value, estimate.low, estimate.high
