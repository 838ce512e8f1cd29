"""What changed since an earlier run, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.finding import Finding
from evenhand.reports.comparison import Change, changes
from evenhand.reports.summary.point import Point, Status, listed
from evenhand.reports.words import interval, number, word

FIRST = 3
STATUS: dict[str | None, Status] = {"changed": "stands_out", "quiet": "quiet"}
NEXT = "Ask what else changed between the runs (items, columns, settings) before asking what the model did."


def points(finding: Finding) -> Iterator[Point]:
    """What stands out first."""
    reading = finding.readings[0]
    status = STATUS.get(reading.tendency, "open")
    found = changes(finding)
    shown = [one for one in found if one.stands_out] or [one for one in found if not one.depth and one.size]
    sure = f"{listed([_told(one) for one in shown[:FIRST]])}." if shown else ""
    yield Point(status, finding.audit, "", reading.text, sure, NEXT if status == "stands_out" else "")


def _told(one: Change) -> str:
    within = interval(one.measure, one.difference, signed=True)
    value = number(one.measure, one.difference.value or 0.0, signed=True)
    return f"{word(one.measure).label} of {one.where} {value} ({within})"
