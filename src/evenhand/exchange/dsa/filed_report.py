"""A report that somebody filed: a folder of CSV files, read as text and with units made alike.

Filers write 0.97, 97 %, "0.874 - 0.896" or "1,056,752"; `FiledNumber` makes numbers of them. Nothing is refused here:
what is wrong is for `lint` to say.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evenhand import limits
from evenhand.errors import InputError
from evenhand.exchange.dsa.template import TemplateTable, report_template
from evenhand.files import failure_reason, regular_file

TABLE_NUMBER = re.compile(r"(1[01]|[1-9])[_ -]")
NUMBER = r"[-+]?\d+(?:[.,]\d+)*(?:[.,]\d+)?"
RANGE = re.compile(rf"({NUMBER})\s*(%?)\s*(?:-|–|—|to)\s*({NUMBER})\s*(%?)")
SINGLE = re.compile(rf"({NUMBER})\s*(%?)")
THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:[,. \u00a0\u202f]\d{3})+")
MOST_ROWS, MOST_BYTES = 100_000, 64 * limits.MIB


@dataclass(frozen=True, slots=True)
class FiledNumber:
    """What a cell says: one number or a range, whether it was written in per cent or with thousands separators."""

    low: float
    high: float
    per_cent: bool = False
    grouped: bool = False

    @classmethod
    def parse(cls, text: str) -> FiledNumber | None:
        """None where the cell does not hold a number."""
        bare = text.strip().lstrip("'")
        if THOUSANDS.fullmatch(bare):
            value = float(re.sub(r"[^\d+-]", "", bare))
            return cls(value, value, grouped=True)
        if match := RANGE.fullmatch(bare):
            low, high = (_decimal(match[group]) for group in (1, 3))
            return cls(low, high, per_cent=bool(match[2] or match[4]))
        if match := SINGLE.fullmatch(bare):
            value = _decimal(match[1])
            return cls(value, value, per_cent=bool(match[2]))
        return None

    @property
    def share(self) -> tuple[float, float]:
        """As shares from 0 to 1, where it was written in per cent."""
        return (self.low / 100, self.high / 100) if self.per_cent else (self.low, self.high)

    @property
    def is_range(self) -> bool:
        """Whether two ends were given."""
        return self.low != self.high


def _decimal(text: str) -> float:
    if THOUSANDS.fullmatch(text) and text.count(",") + text.count(".") > 1:
        return float(re.sub(r"[^\d+-]", "", text))
    *whole, last = re.split(r"[.,]", text)
    return float("".join(whole) + "." + last) if whole else float(last)


@dataclass(frozen=True)
class FiledTable:
    """A table as it was filed: where it is, its header, and its rows by column; rows have their line in the file."""

    name: str
    source: str
    columns: tuple[str, ...]
    rows: tuple[tuple[int, Mapping[str, str]], ...]

    @property
    def template(self) -> TemplateTable:
        """How the table is meant to be."""
        return report_template()[self.name]


def plain(text: str) -> str:
    """Without the blanks and case in which filers differ."""
    return " ".join(text.split()).casefold()


def read_filed_report(path: Path) -> dict[str, FiledTable]:
    """All tables that are there, by the name in the template."""
    if not path.is_dir():
        problem = "not a report: give a folder of CSV files (save the sheets of a workbook as CSV)"
        raise InputError(problem, source=str(path))
    tables = [_read_csv(file) for file in sorted(path.glob("*.csv")) if TABLE_NUMBER.match(file.name)]
    if not tables:
        raise InputError("no table of a report is in here: their names start with 1_ to 11_", source=str(path))
    by_name: dict[str, FiledTable] = {}
    for table in tables:
        by_name.setdefault(table.name, table)
    return by_name


def _template_name(name: str) -> str:
    """By its number: filers spell the rest in many ways."""
    match = TABLE_NUMBER.match(name)
    number = int(match[1]) if match else 0
    return next((table.name for table in report_template().values() if table.number == number), name)


def _read_csv(path: Path) -> FiledTable:
    content = regular_file(path, largest=MOST_BYTES).read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", "replace")
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text)))
    except csv.Error as error:
        raise InputError(f"not a readable CSV file: {failure_reason(error)}", source=str(path)) from None
    return _filed(_template_name(path.name), str(path), rows)


def _separator(text: str) -> str:
    first = text.partition("\n")[0]
    return max(",;\t", key=first.count)


def _filed(name: str, source: str, rows: list[list[str]]) -> FiledTable:
    if len(rows) > MOST_ROWS:
        raise InputError(f"the table has {len(rows):,} rows, and at most {MOST_ROWS:,} are read", source=source)
    header = tuple(cell.strip() for cell in rows[0]) if rows else ()
    cells = (
        (number, dict(zip(header, (cell.strip() for cell in row), strict=False)))
        for number, row in enumerate(rows[1:], start=2)
    )
    return FiledTable(name, source, header, tuple((number, row) for number, row in cells if any(row.values())))
