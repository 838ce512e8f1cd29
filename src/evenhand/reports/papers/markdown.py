"""A table in Markdown, aligned so that it reads well as it is."""

from __future__ import annotations

import unicodedata

from evenhand.errors import CONTROL
from evenhand.reports.papers.sheet import Cell, Sheet

SPECIAL = "\\`*_{}[]<>#|~"


def escaped(text: str) -> str:
    """Nothing of it is taken for markup, whatever a column or class is called."""
    clean = CONTROL.sub(" ", text).replace("&", "&amp;")
    return "".join(f"\\{letter}" if letter in SPECIAL else letter for letter in clean)


def markdown(sheet: Sheet) -> str:
    """Title, table, notes."""
    rows = [[escaped(title), *(_cell(cell) for cell in cells)] for title, cells in sheet.rows]
    lines = [f"**{escaped(sheet.title)}**", "", *table(["", *map(escaped, sheet.heads)], rows)]
    if sheet.notes:
        lines += ["", "  \n".join(_note(mark, meaning) for mark, meaning in sheet.notes)]
    return "\n".join(lines) + "\n"


def table(heads: list[str], rows: list[list[str]]) -> list[str]:
    """The lines of a table: the first column to the left, numbers to the right."""
    widths = [max(3, *(_width(row[k]) for row in (heads, *rows))) for k in range(len(heads))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return [_line(row, widths) for row in (heads, rule, *rows)]


def _line(row: list[str], widths: list[int]) -> str:
    padded = [
        text + " " * (width - _width(text)) if not k else " " * (width - _width(text)) + text
        for k, (text, width) in enumerate(zip(row, widths, strict=True))
    ]
    return f"| {' | '.join(padded)} |"


def _width(text: str) -> int:
    """Columns of a terminal: wide letters take two, marks on letters none."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(bool(unicodedata.combining(letter)) for letter in text)


def _cell(cell: Cell) -> str:
    marks = "".join(f"<sup>{mark}</sup>" for mark in cell.marks)
    return " ".join(part for part in (escaped(cell.value) + marks, escaped(cell.within)) if part)


def _note(mark: str, meaning: str) -> str:
    return f"<sup>{mark}</sup> {escaped(meaning)}" if mark else escaped(meaning)
