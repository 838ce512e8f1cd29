"""What a comparison of two runs amounts to: every number in both, the clearest change first, and the verdict.

Everything is read from the finding, so that one of an earlier run from a file shows the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from evenhand.catalogue import find_measure
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured, Reading, Slice, SliceKey, Status, Verdict
from evenhand.formatting import format_interval, format_number


class ComparedRun(StrEnum):
    """The two runs, as slices name them."""

    EARLIER = "earlier"
    NOW = "now"


EARLIER_SLICE: Slice = {SliceKey.RUN: ComparedRun.EARLIER}
NOW_SLICE: Slice = {SliceKey.RUN: ComparedRun.NOW}
DIFFERENCE_SLICE: Slice = {SliceKey.RUN: ComparedRun.NOW, SliceKey.AGAINST: ComparedRun.EARLIER}
RUN_SLICE_KEYS = (SliceKey.OF, SliceKey.RUN, SliceKey.AGAINST)  # keys that a comparison adds; `of` is the audit


class RunTendency(StrEnum):
    """What the numbers compared come to, all together."""

    CHANGED = "changed"  # some beyond chance
    QUIET = "quiet"
    UNTESTED = "untested"


STATUS_BY_TENDENCY = {
    RunTendency.CHANGED: Status.STANDS_OUT,
    RunTendency.QUIET: Status.QUIET,
    RunTendency.UNTESTED: Status.OPEN,
}
CHANGES_TOLD = 3
ACTION = "Check first what else changed between the runs: items, columns, settings."


@dataclass(frozen=True)
class ChangedNumber:
    """One number: what it was, what it is, and the difference.

    >>> table = {"p": np.linspace(0, 1, 40), "toxic": [False, True] * 20, "women": [True, True, False, False] * 10}
    >>> before = eh.audit(table, score="p", label="toxic", groups="women", audits="bias").findings
    >>> now = eh.audit({**table, "p": 1 - table["p"]}, score="p", label="toxic", groups="women", audits="bias").findings
    >>> change = eh.comparison.changed_numbers(eh.comparison.compare_runs(now, before))[0]
    >>> change.earlier.n, change.now.n
    (40, 40)
    """

    audit: str
    measure: str
    where: str
    earlier: Estimate
    now: Estimate
    difference: Estimate
    depth: int  # keys of its slice: 0 is everything

    @property
    def stands_out(self) -> bool:
        """Whether it is beyond chance."""
        return self.difference.stands_out

    @property
    def size(self) -> float:
        """How far the difference is from 0, in widths of its interval: the clearest first."""
        e = self.difference
        if e.value is None or e.low is None or e.high is None:
            return 0.0
        return abs(e.value) / (e.high - e.low) if e.high > e.low else 0.0

    @property
    def estimates(self) -> list[Estimate | None]:
        """Earlier, now, and the difference."""
        return [self.earlier, self.now, self.difference]

    def in_words(self) -> str:
        """The change with its interval."""
        within = format_interval(self.measure, self.difference, signed=True)
        value = format_number(self.measure, self.difference.value or 0.0, signed=True)
        return f"{find_measure(self.measure).title} of {self.where} {value} ({within})"


def changed_numbers(finding: Finding) -> list[ChangedNumber]:
    """All numbers compared, the clearest change first.

    >>> table = {"p": np.linspace(0, 1, 40), "toxic": [False, True] * 20, "women": [True, True, False, False] * 10}
    >>> before = eh.audit(table, score="p", label="toxic", groups="women", audits="bias").findings
    >>> now = eh.audit({**table, "p": 1 - table["p"]}, score="p", label="toxic", groups="women", audits="bias").findings
    >>> changes = eh.comparison.changed_numbers(eh.comparison.compare_runs(now, before))
    >>> str(changes[0].measure)
    'count'
    """
    changes = [_changed_number(finding, m) for m in finding if m.slice.items() >= DIFFERENCE_SLICE.items()]
    return sorted(changes, key=lambda one: (not one.stands_out, one.depth if not one.stands_out else 0, -one.size))


def _changed_number(finding: Finding, m: Measured) -> ChangedNumber:
    audit = m.slice[SliceKey.OF]
    rest = {key: value for key, value in m.slice.items() if key not in RUN_SLICE_KEYS}
    earlier, now = (finding.get(m.measure, of=audit, **run, **rest) for run in (EARLIER_SLICE, NOW_SLICE))
    where = ", ".join(rest.values()) or "everything"
    return ChangedNumber(audit, m.measure, where, earlier, now, m.estimate, len(rest))


def overall_reading(finding: Finding) -> Reading | None:
    """What all numbers come to; None where the finding does not say."""
    return next((reading for reading in finding.readings if reading.tendency in STATUS_BY_TENDENCY), None)


def run_verdict(finding: Finding) -> Verdict:
    """Whether anything changed beyond chance, with the clearest changes."""
    reading, changes = overall_reading(finding), changed_numbers(finding)
    assert reading is not None
    status = STATUS_BY_TENDENCY[RunTendency(reading.tendency or RunTendency.UNTESTED)]
    shown = [one for one in changes if one.stands_out] or [one for one in changes if not one.depth and one.size]
    certainty = f"{', '.join(one.in_words() for one in shown[:CHANGES_TOLD])}." if shown else ""
    return Verdict(status, {}, reading.text, certainty, ACTION if status is Status.STANDS_OUT else "")
