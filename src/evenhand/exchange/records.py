"""Tables with declared columns: decisions, notices, appeals and the like, read as text and checked column by column.

A column that may hold several codes is a list in Parquet or JSONL, a JSON list in CSV, or comma-separated codes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import polars as pl

from evenhand.errors import InputError
from evenhand.evidence import TableSource, open_source
from evenhand.evidence.columns import YES_NO

MOMENT = r"^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?)?(?:\s?(?:Z|UTC|\+00:?00))?$"
SEVERAL = ","  # between the codes of a cell


@dataclass(frozen=True)
class RecordTable:
    """Columns of text, empty cells null; errors name the file, the column and the row."""

    source: str
    frame: pl.DataFrame
    places: pl.Series | None = None  # where rows were left out: their numbers in the source, from 0

    @classmethod
    def read(cls, table: TableSource, needed: Sequence[str], optional: Sequence[str] = ()) -> RecordTable:
        """The columns that are needed, and those of the optional ones that are there."""
        source = open_source(table)
        known = source.columns()
        for column in needed:
            if column not in known:
                raise source.unknown_column(column)
        columns = [*needed, *(column for column in optional if column in known)]
        return cls(source.name, source.as_written(columns).select(_as_text(known[name], name) for name in columns))

    def has(self, column: str) -> bool:
        """Whether an optional column is there."""
        return column in self.frame.columns

    def only(self, chosen: pl.Series) -> RecordTable:
        """Some of the rows."""
        return RecordTable(self.source, self.frame.filter(chosen), chosen.arg_true())

    def fail(self, problem: str, column: str, bad: pl.Series) -> None:
        """Say what is wrong with the first of the bad rows, if there are any."""
        if bad.any():
            row = int(bad.arg_true()[0])
            value, place = self.frame[column][row], row if self.places is None else int(self.places[row])
            raise InputError(problem.format(value), source=self.source, column=column, row=place + 1)

    def check_complete(self, *columns: str) -> None:
        """No cell may be empty."""
        for column in columns:
            self.fail("empty: every row needs a value", column, self.frame[column].is_null())

    def check_unique(self, column: str) -> None:
        """No value may appear twice."""
        self.fail("'{}' appears twice: every row must have its own", column, self.frame[column].is_duplicated())

    def check_words(self, column: str, words: Collection[str]) -> None:
        """Every value, or every code of a cell, is one of these."""
        if not self.has(column):
            return
        parts = self.frame[column].str.split(SEVERAL).list.eval(pl.element().is_in(list(words))).list.all()
        shown = ", ".join(sorted(words)[:6]) + (", …" if len(words) > 6 else "")
        self.fail(f"invalid: '{{}}' (choose from: {shown})", column, ~parts.fill_null(True))

    def text(self, column: str) -> pl.Series:
        """A column, all empty where it is not there."""
        return self.frame[column] if self.has(column) else pl.Series(column, [None] * len(self.frame), dtype=pl.String)

    def codes(self, column: str) -> pl.Series:
        """The codes of every row as lists; empty where the column is not there."""
        return self.text(column).str.split(SEVERAL).fill_null([])

    def yes(self, column: str, *, default: bool | None = None) -> pl.Series:
        """Yes or no; empty, and a column that is not there, is the default."""
        words = self.text(column).str.to_lowercase()
        answers = words.replace_strict(YES_NO, default=None, return_dtype=pl.Boolean)
        self.fail("invalid: '{}' (must be yes or no)", column, answers.is_null() & words.is_not_null())
        if default is None:
            self.check_complete(column)
        return answers if default is None else answers.fill_null(default)

    def moments(self, column: str) -> pl.Series:
        """Dates, or dates with a time of day in UTC; empty stays empty."""
        text = self.text(column)
        day, time = (text.str.extract(MOMENT, group) for group in (1, 2))
        padded = day + " " + time.fill_null("00:00").str.pad_end(8, ":").str.replace("::+$", ":00")
        parsed = padded.str.to_datetime("%Y-%m-%d %H:%M:%S", strict=False)
        problem = "invalid: '{}' (must be a date such as 2026-01-31, or 2026-01-31 12:30:00 in UTC)"
        self.fail(problem, column, parsed.is_null() & text.is_not_null())
        return parsed

    def wholes(self, column: str, default: int) -> pl.Series:
        """Whole numbers from 0 on."""
        text = self.text(column)
        parsed = text.str.extract(r"^(\d{1,15})(?:\.0+)?$", 1).cast(pl.Int64)
        self.fail("invalid: '{}' (must be a whole number)", column, parsed.is_null() & text.is_not_null())
        return parsed.fill_null(default)


def _as_text(dtype: pl.DataType, name: str) -> pl.Expr:
    """A column as text without blanks around it; lists become comma-separated codes."""
    column = pl.col(name)
    if isinstance(dtype, pl.List):
        text = column.list.eval(pl.element().cast(pl.String)).list.join(SEVERAL)
    else:
        text = column.cast(pl.String).str.strip_chars()
        listed = text.str.replace_all(r'^\[|\]$|"', "").str.replace_all(r"\s*,\s*", SEVERAL).str.strip_chars()
        text = pl.when(text.str.contains(r'^\[(?:\s*"[\w-]*"\s*,?)*\s*\]$')).then(listed).otherwise(text)
    return pl.when(text.is_in(["", "null", "NULL"])).then(None).otherwise(text).alias(name)
