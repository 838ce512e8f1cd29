"""A table as text before it is set: cells with intervals in brackets, and notes for marks and undefined cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evenhand.estimate import Estimate
from evenhand.finding import Finding
from evenhand.reports import words
from evenhand.reports.section import Grid, Row
from evenhand.reports.table import SECTIONS

MARKS = {
    "stands_out": ("*", "stands out after adjusting for all comparisons made"),
    "small": ("†", "rests on few items"),
    "best": ("‡", "the best of its column"),
}
UNDEFINED = "–"


@dataclass(frozen=True)
class Cell:
    """What stands in a cell: a number, how sure it is, and marks that the notes explain."""

    value: str = ""
    within: str = ""
    marks: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Without markup."""
        return " ".join(part for part in (self.value + "".join(self.marks), self.within) if part)


@dataclass(frozen=True)
class Sheet:
    """A table with its title, and below it what the marks mean."""

    name: str
    title: str
    heads: tuple[str, ...]
    rows: list[tuple[str, list[Cell]]]
    notes: tuple[tuple[str, str], ...]  # a mark and its meaning; plain remarks have no mark


def sheets(findings: Sequence[Finding]) -> Iterator[Sheet]:
    """Every table of a report, each with a name that no other has."""
    taken: set[str] = set()
    for finding in findings:
        for grid in _grids(finding):
            name = base = slug(f"{finding.audit} {grid.title}")
            number = 1
            while name in taken:
                number += 1
                name = f"{base}-{number}"
            taken.add(name)
            yield _sheet(name, grid, finding)


def slug(text: str) -> str:
    """A name that is safe on any file system."""
    return re.sub(r"[^\w]+", "-", text).strip("-").lower()[:60].strip("-") or "table"


def _grids(finding: Finding) -> list[Grid]:
    section = SECTIONS.get(finding.audit)
    if section is None:
        return [_plain(finding)]
    return (section.tables or section.grids)(finding)


def _plain(finding: Finding) -> Grid:
    """An audit without a section: a row for every slice, a column for every measure."""
    measures = tuple(dict.fromkeys(m.measure for m in finding))
    slices = [dict(found) for found in dict.fromkeys(tuple(m.slice.items()) for m in finding)]
    rows: list[Row] = [
        (
            ", ".join(slice_.values()) or "everything",
            [finding.get(measure, **slice_) if finding.has(measure, **slice_) else None for measure in measures],
            None,
        )
        for slice_ in slices
    ]
    return Grid(finding.question, measures, rows)


def _sheet(name: str, grid: Grid, finding: Finding) -> Sheet:
    reasons: dict[str, str] = {}
    used: dict[str, str] = {}
    rows = []
    for title, found, _ in grid.rows:
        cells = [_cell(grid.measures[k], e, grid.is_signed(title, k), reasons, used) for k, e in enumerate(found)]
        rows.append((title, cells))
    notes = [*used.items(), *((mark, f"undefined: {why}") for why, mark in reasons.items())]
    if any(cell.within.startswith("[") for _, cells in rows for cell in cells):
        notes.append(("", f"In brackets {_level(finding)}."))
    return Sheet(name, f"{grid.title or finding.question}", grid.titles, rows, tuple(notes))


def _level(finding: Finding) -> str:
    found = (m.estimate for m in finding if m.estimate.method not in ("exact", "none"))
    first = next(found, None)
    if first is None or first.method == "lowest_and_highest":
        return "the lowest and the highest of the fits"
    return f"{100 * first.level:.3g} % intervals"


def _cell(measure: str, e: Estimate | None, signed: bool, reasons: dict[str, str], used: dict[str, str]) -> Cell:
    if e is None:
        return Cell()
    if e.value is None:
        return Cell(UNDEFINED, marks=(reasons.setdefault(str(e.note), _letter(len(reasons))),))
    marks = tuple(mark for flag, (mark, _) in MARKS.items() if flag in e.flags)
    used.update({mark: meaning for flag, (mark, meaning) in MARKS.items() if flag in e.flags})
    within = words.interval(measure, e, signed=signed)
    bracketed = f"[{within.replace(' to ', ', ')}]" if " to " in within else f"({within})" if within else ""
    return Cell(words.number(measure, e.value, signed=signed), bracketed, marks)


def _letter(number: int) -> str:
    """a, b, …, z, aa, ab, …"""
    letters = ""
    number += 1
    while number:
        number, last = divmod(number - 1, 26)
        letters = chr(ord("a") + last) + letters
    return letters
