"""Every table of a report as text for a paper: intervals in brackets, notes for marks and undefined cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evenhand import formatting
from evenhand.estimate import Estimate, Flag
from evenhand.finding import Finding
from evenhand.recalibration.comparison import SPREAD_METHOD
from evenhand.reports.audit_table import SECTIONS
from evenhand.reports.section import EstimateGrid, EstimateRow

MARKS = {
    Flag.STANDS_OUT: ("*", "statistically significant after correction for multiple comparisons"),
    Flag.SMALL: ("†", "based on few items"),
    Flag.BEST: ("‡", "best of its column"),
}
UNDEFINED = "–"


@dataclass(frozen=True)
class TableCell:
    """What stands in a cell: a number, how sure it is, and marks that the notes explain."""

    value: str = ""
    within: str = ""
    marks: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Without markup."""
        return " ".join(part for part in (self.value + "".join(self.marks), self.within) if part)


@dataclass(frozen=True)
class PaperTable:
    """A table with its title, and below it what the marks mean."""

    name: str
    title: str
    heads: tuple[str, ...]
    rows: list[tuple[str, list[TableCell]]]
    notes: tuple[tuple[str, str], ...]  # a mark and its meaning; plain remarks have no mark


def paper_tables(findings: Sequence[Finding]) -> Iterator[PaperTable]:
    """Every table of a report, each with a name that no other has."""
    taken: set[str] = set()
    for finding in findings:
        for grid in _file_grids(finding):
            name = base = file_slug(f"{finding.audit} {grid.title}")
            number = 1
            while name in taken:
                number += 1
                name = f"{base}-{number}"
            taken.add(name)
            yield _paper_table(name, grid, finding)


def file_slug(text: str) -> str:
    """A name that is safe on any file system."""
    return re.sub(r"[^\w]+", "-", text).strip("-").lower()[:60].strip("-") or "table"


def _file_grids(finding: Finding) -> list[EstimateGrid]:
    section = SECTIONS.get(finding.audit)
    if section is None:
        return [_plain_grid(finding)]
    return (section.tables or section.grids)(finding)


def _plain_grid(finding: Finding) -> EstimateGrid:
    """An audit without a section: a row for every slice, a column for every measure."""
    measures = tuple(dict.fromkeys(m.measure for m in finding))
    slices = [dict(pairs) for pairs in dict.fromkeys(tuple(m.slice.items()) for m in finding)]
    rows: list[EstimateRow] = [
        (
            ", ".join(slice_.values()) or "everything",
            [finding.get(measure, **slice_) if finding.has(measure, **slice_) else None for measure in measures],
            None,
        )
        for slice_ in slices
    ]
    return EstimateGrid(finding.question, measures, rows)


def _paper_table(name: str, grid: EstimateGrid, finding: Finding) -> PaperTable:
    reasons: dict[str, str] = {}
    used: dict[str, str] = {}
    rows = []
    for title, estimates, _ in grid.rows:
        cells = [_cell(grid.measures[k], e, grid.is_signed(title, k), reasons, used) for k, e in enumerate(estimates)]
        rows.append((title, cells))
    notes = [*used.items(), *((mark, f"undefined: {why}") for why, mark in reasons.items())]
    if any(cell.within.startswith("[") for _, cells in rows for cell in cells):
        notes.append(("", f"In brackets: {_interval_note(finding)}."))
    return PaperTable(name, f"{grid.title or finding.question}", grid.titles, rows, tuple(notes))


def _interval_note(finding: Finding) -> str:
    estimates = (m.estimate for m in finding if m.estimate.method not in ("exact", "none"))
    first = next(estimates, None)
    if first is None or first.method == SPREAD_METHOD:
        return "lowest and highest of the fits"
    return f"{100 * first.level:.3g} % confidence intervals"


def _cell(measure: str, e: Estimate | None, signed: bool, reasons: dict[str, str], used: dict[str, str]) -> TableCell:
    if e is None:
        return TableCell()
    if e.value is None:
        return TableCell(UNDEFINED, marks=(reasons.setdefault(str(e.note), _note_letter(len(reasons))),))
    marks = tuple(mark for flag, (mark, _) in MARKS.items() if flag in e.flags)
    used.update({mark: meaning for flag, (mark, meaning) in MARKS.items() if flag in e.flags})
    within = formatting.format_interval(measure, e, signed=signed)
    bracketed = f"[{within.replace(' to ', ', ')}]" if " to " in within else f"({within})" if within else ""
    return TableCell(formatting.format_number(measure, e.value, signed=signed), bracketed, marks)


def _note_letter(number: int) -> str:
    """a, b, …, z, aa, ab, …"""
    letters = ""
    number += 1
    while number:
        number, last = divmod(number - 1, 26)
        letters = chr(ord("a") + last) + letters
    return letters
