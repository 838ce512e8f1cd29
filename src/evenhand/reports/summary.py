"""The summary of a report: the conclusions of each finding, their certainty, and next steps.

The verdicts are those of the findings. For a finding without any (a file of an earlier version) they are made here,
from its significant estimates and readings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from evenhand.catalogue import find_measure
from evenhand.finding import Finding, Measured, Status, Verdict
from evenhand.formatting import format_interval, format_number, names_in_sentence, precision_range

# No significance does not mean no difference: each verdict says how precise its estimates are.
HEADINGS: dict[Status, str] = {
    Status.STANDS_OUT: "Main results",
    Status.MEASURED: "Estimates",
    Status.QUIET: "Ruled out, or not detected",
    Status.OPEN: "Undetermined",
}


class AuditVerdict(NamedTuple):
    """A verdict and the audit that gave it."""

    audit: str
    verdict: Verdict

    @property
    def model(self) -> str:
        """The slice it is about; empty for all items."""
        return ", ".join(self.verdict.slice.values())


@dataclass(frozen=True)
class ReportSummary:
    """All verdicts of a report, and notes on all of them."""

    verdicts: tuple[AuditVerdict, ...]
    notes: tuple[str, ...]

    def by_status(self) -> list[tuple[Status, str, list[AuditVerdict]]]:
        """The verdicts under their headings; empty ones are left out."""
        grouped = {status: [one for one in self.verdicts if one.verdict.status is status] for status in HEADINGS}
        return [(status, HEADINGS[status], verdicts) for status, verdicts in grouped.items() if verdicts]

    def actions(self) -> list[tuple[str, list[AuditVerdict]]]:
        """Next steps, each once, with the verdicts that ask for it; significant results first."""
        order = sorted(self.verdicts, key=lambda one: list(HEADINGS).index(one.verdict.status))
        actions: dict[str, list[AuditVerdict]] = {}
        for one in order:
            if one.verdict.action:
                actions.setdefault(one.verdict.action, []).append(one)
        return list(actions.items())


MOST_NAMED = 3  # significant estimates, or readings, that are named


def plain_verdicts(finding: Finding) -> Iterator[Verdict]:
    """For a finding without verdicts: its significant estimates, or else its readings."""
    marked = [m for m in finding if m.estimate.stands_out]
    if marked:
        statement = f"{len(marked):,} of {len(finding.estimates):,} estimates are statistically significant."
        named = f"{names_in_sentence([_estimate_in_words(m) for m in marked[:MOST_NAMED]])}."
        yield Verdict(Status.STANDS_OUT, {}, statement, named)
    for reading in finding.readings[: 0 if marked else MOST_NAMED]:
        yield Verdict(Status.MEASURED, reading.slice, reading.text)
    if not marked and not finding.readings:
        widths = precision_range((find_measure(m.measure).title, m.estimate) for m in finding if not m.slice)
        certainty = f"Estimates are {widths}." if widths else ""
        yield Verdict(Status.QUIET, {}, "No estimate is statistically significant.", certainty)


def _estimate_in_words(m: Measured) -> str:
    value = format_number(m.measure, m.estimate.value or 0.0)
    within = format_interval(m.measure, m.estimate)
    name = " ".join((find_measure(m.measure).title, *m.slice.values()))
    return f"{name} {value}{f' ({within})' if within else ''}"
