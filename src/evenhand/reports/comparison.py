"""The section on a comparison with an earlier run: what changed beyond chance first, then the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evenhand.catalogue import find_measure
from evenhand.comparison.changes import ChangedNumber, changed_numbers, overall_reading
from evenhand.finding import Finding, Reading, SliceKey
from evenhand.reports.section import EstimateGrid, EstimateRow, Section

MOST_ROWS, MOST_CHANGES = 60, 40  # rows of one audit, and of all changes, that a page has room for
BRIEF_CHANGES = 12  # changes in a terminal
COLUMN_TITLES = ("Earlier", "Now", "Difference")


def template_context(finding: Finding) -> dict[str, Any]:
    """Everything that the template needs."""
    changes, overall = changed_numbers(finding), overall_reading(finding)
    changed = [one for one in changes if one.stands_out]
    rest: dict[str, list[ChangedNumber]] = {}
    for one in changes:
        rest.setdefault(one.audit, []).append(one)
    return {
        "heads": COLUMN_TITLES,
        "reading": overall.text if overall else "",
        "missing": [(audit, reading.text) for reading in finding.readings if (audit := _audit(reading))],
        "changed": changed[:MOST_CHANGES],
        "hidden": max(0, len(changed) - MOST_CHANGES),
        "audits": [(audit, by_depth(some)[:MOST_ROWS], len(some)) for audit, some in rest.items()],
        "beware_first": True,
    }


def _audit(reading: Reading) -> str | None:
    """The audit that a reading is about; None for all of them."""
    return reading.slice.get(SliceKey.OF)


def by_depth(changes: Sequence[ChangedNumber]) -> list[ChangedNumber]:
    """Everything first, then its parts."""
    return sorted(changes, key=lambda one: one.depth)


def _terminal_grids(finding: Finding) -> list[EstimateGrid]:
    """One table for each measure that has changed, or for those over everything where none has."""
    changes = changed_numbers(finding)
    shown = [one for one in changes if one.stands_out][:BRIEF_CHANGES] or [one for one in changes if one.depth == 0][
        :BRIEF_CHANGES
    ]
    return grids_by_measure(shown)


def grids_by_measure(changes: Sequence[ChangedNumber]) -> list[EstimateGrid]:
    """A grid for each audit and measure."""
    by: dict[tuple[str, str], list[EstimateRow]] = {}
    for one in changes:
        by.setdefault((one.audit, one.measure), []).append((one.where, one.estimates, None))
    return [
        EstimateGrid(f"{audit}: {find_measure(measure).title}", (measure,) * 3, rows, heads=COLUMN_TITLES, signed=(2,))
        for (audit, measure), rows in by.items()
    ]


def _terminal_lines(finding: Finding) -> list[str]:
    return [f"{audit}: {r.text}" if (audit := _audit(r)) else r.text for r in finding.readings]


def _file_grids(finding: Finding) -> list[EstimateGrid]:
    """Everything, for files."""
    return grids_by_measure(by_depth(changed_numbers(finding)))


SECTION = Section("comparison.html", template_context, _terminal_grids, _terminal_lines, _file_grids)
