"""An audit that has no words of its own here: its marks, its readings, and how well its numbers are known."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.finding import Finding, Measured
from evenhand.reports.summary.point import Point, listed, reach
from evenhand.reports.words import interval, number, word

FIRST = 3  # marked numbers, or readings, that are told


def points(finding: Finding) -> Iterator[Point]:
    """One point: what is marked, or else what was read."""
    marked = [m for m in finding if "stands_out" in m.estimate.flags]
    if marked:
        found = f"{len(marked):,} of {len(finding.estimates):,} numbers stand out."
        yield Point("stands_out", finding.audit, "", found, f"{listed([_told(m) for m in marked[:FIRST]])}.")
    for reading in finding.readings[: 0 if marked else FIRST]:
        yield Point("measured", finding.audit, ", ".join(reading.slice.values()), reading.text)
    if not marked and not finding.readings:
        overall = [(word(m.measure).label, m.estimate) for m in finding if not m.slice]
        widths = reach(overall)
        yield Point("quiet", finding.audit, "", "No number is marked.", f"Numbers are {widths}." if widths else "")


def _told(m: Measured) -> str:
    value = number(m.measure, m.estimate.value or 0.0)
    within = interval(m.measure, m.estimate)
    name = " ".join((word(m.measure).label, *m.slice.values()))
    return f"{name} {value}{f' ({within})' if within else ''}"
