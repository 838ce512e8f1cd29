"""Columns as they were written, turned into numbers, words and group memberships.

What cannot be turned is refused with the column and the row of the source. What a number must be in each role is in
`rules`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from evenhand.arrays import EXACT, Bools
from evenhand.errors import ErrorKind, InputError
from evenhand.evidence import rules
from evenhand.evidence.rules import NumberRole
from evenhand.tally import Membership

# Yes and no: as programs and spreadsheets write them (German, French, Dutch, Spanish, Italian, Portuguese), which is 1
# and 0 wherever numbers are read; and as people do.
TRUE_WORDS = ("true", "wahr", "vrai", "waar", "verdadero", "vero", "verdadeiro")
FALSE_WORDS = ("false", "falsch", "faux", "onwaar", "falso")
BOOLEANS = {word: word in TRUE_WORDS for word in (*TRUE_WORDS, *FALSE_WORDS)}
PEOPLE = {"yes": True, "no": False, "y": True, "n": False, "ja": True, "nein": False, "oui": True, "non": False}
YES_NO = {**BOOLEANS, "1": True, "0": False, "1.0": True, "0.0": False, **PEOPLE}
OTHER_DECIMAL = {".": re.compile(r"[+-]?\d*,\d+\s?%?"), ",": re.compile(r"[+-]?\d*\.\d+\s?%?")}
PER_CENT = r"\s*%$"
COUNTED = "\0counted"  # a name no file can hold: how many rows a row stands for, where they were counted


@dataclass(frozen=True)
class SourceTable:
    """The columns that were declared, collected; knows which row of the source each row was."""

    name: str
    frame: pl.DataFrame
    rows: pl.Series | None = None  # where rows were filtered: their numbers in the source, from 0
    decimal: str = "."  # the sign of decimals in columns of text
    notes: tuple[str, ...] = ()  # what was noticed when it was read
    place: Callable[[int], tuple[str, int]] | None = None  # of several files: which one a row is of, and where in it

    def fail(
        self,
        problem: str,
        column: str,
        bad: pl.Series | None = None,
        *,
        kind: ErrorKind = ErrorKind.INVALID,
        role: str | None = None,
        remedy: str = "",
    ) -> NoReturn:
        """Say what is wrong with a column, with which row of it first, and what can be done."""
        source, row = self.name, None
        if bad is not None:
            index = int(bad.arg_true()[0])
            row = int(self.rows[index]) if self.rows is not None else index
            source, row = self.place(row) if self.place else (source, row)
            row += 1
        raise InputError(problem, source=source, column=column, row=row, kind=kind, role=role, remedy=remedy)

    def numbers(self, column: str, role: NumberRole) -> pl.Series:
        """A column of numbers that keep the rules of their role, in the precision they came in or in doubles."""
        values = self.read_numbers(column, role)
        values = values.cast(pl.Float64) if role.doubles else values
        if not role.may_be_empty:
            self.complete(
                column, values, role.name, "leave such rows out with `skip_unscored`" if role.skippable else ""
            )
        self._check(column, values, role)
        return values

    def read_numbers(self, column: str, role: NumberRole) -> pl.Series:
        """A column as numbers; true and false count as 1 and 0; empty stays empty."""
        values = self.frame[column]
        if values.dtype == pl.Boolean or values.dtype.is_numeric():
            return values.cast(pl.Float32 if values.dtype == pl.Float32 else pl.Float64)
        if values.dtype not in (pl.String, pl.Categorical, pl.Enum, pl.Null):
            self.fail(role.unreadable(values.dtype), column)
        text = values.cast(pl.String).str.strip_chars().str.to_lowercase().replace("", None)
        parsed = self._parse(text, role)
        bad = parsed.is_null() & text.is_not_null()
        if bad.any():
            self.fail(role.unreadable(shown_text(str(values.filter(bad)[0]), self.decimal)), column, bad)
        return parsed

    def _parse(self, text: pl.Series, role: NumberRole) -> pl.Series:
        """Text as numbers, empty where it is none. 12% is 0.12, and 12 in a column of per cent."""
        plain = text
        if self.decimal == ",":
            plain = text.set(text.str.contains(".", literal=True), None).str.replace(",", ".", literal=True)
        parsed = plain.replace(list(BOOLEANS), [str(int(value)) for value in BOOLEANS.values()]).cast(
            pl.Float64, strict=False
        )
        shares = text.str.ends_with("%").fill_null(False)
        if not shares.any():
            return parsed
        per_cent = plain.str.replace(PER_CENT, "").cast(pl.Float64, strict=False)
        return parsed.zip_with(~shares, per_cent if role.per_cent else per_cent / 100.0)

    def _check(self, column: str, values: pl.Series, role: NumberRole) -> None:
        """All rules of a role in one pass; where one is broken, the first row that breaks it."""
        frame = nw.from_native(values.alias("value").to_frame(), eager_only=True)
        broken = [rule.broken(nw.col("value")) for rule in role.rules]
        any_broken = frame.select(**{str(number): condition.any() for number, condition in enumerate(broken)}).row(0)
        for condition, rule, some in zip(broken, role.rules, any_broken, strict=True):
            if some:
                bad = frame.select(bad=condition)["bad"].to_native().fill_null(False)
                self.fail(rule.problem(values.filter(bad)[0]), column, bad, role=rule.role, remedy=rule.remedy)

    def words(self, column: str, what: str) -> pl.Series:
        """A column of names, without blanks around them; blank ones are empty."""
        values = self.frame[column]
        if values.dtype.is_nested() or values.dtype in (pl.Binary, pl.Duration, pl.Object):
            self.fail(f"{what} must be words or numbers, not {values.dtype}", column)
        text = values.cast(pl.String).str.strip_chars()
        return text.set(text == "", None)

    def only(self, selected: pl.Series | Bools) -> SourceTable:
        """Some of the rows."""
        mask = pl.Series(selected)
        rows = self.rows if self.rows is not None else pl.Series(np.arange(len(mask)))
        return replace(self, frame=self.frame.filter(mask), rows=rows.filter(mask))

    def without_unscored(self, columns: Sequence[str]) -> SourceTable:
        """Without rows in which one of these columns is empty, blank or NaN; a note says how many those are."""
        empty = self.frame.select(pl.any_horizontal(map(self._is_blank, columns))).to_series()
        if not (number := int(empty.sum())):
            return self
        note = without_score(number, len(empty))
        return replace(self.only(~empty), notes=(*self.notes, note))

    def without_blank(self, columns: Sequence[str]) -> SourceTable:
        """Without rows in which all of these columns are empty, blank or NaN."""
        empty = self.frame.select(pl.all_horizontal(map(self._is_blank, columns))).to_series()
        return self.only(~empty) if empty.any() else self

    def _is_blank(self, column: str) -> pl.Expr:
        kind, value = self.frame[column].dtype, pl.col(column)
        if kind == pl.String:
            return value.is_null() | (value.str.strip_chars() == "")
        return value.is_null() | value.is_nan() if kind.is_float() else value.is_null()

    def complete(self, column: str, values: pl.Series, what: str, remedy: str = "") -> None:
        """No value may be empty, blank or NaN."""
        if values.null_count():
            if not remedy and self.frame[column].null_count():  # what a condition in SQL can leave out
                remedy = f"leave such rows out with `where` '\"{column}\" IS NOT NULL' if that is meant"
            self.fail(rules.is_empty(what), column, values.is_null(), kind=ErrorKind.EMPTY, remedy=remedy)


def without_score(number: int, rows: int) -> str:
    """What is said of rows that were left out."""
    return f"{number:,} of {rows:,} rows have no score and are left out."


def shown_text(wrong: str, decimal: str = ".") -> str:
    """A text that is not a number, for errors; with the remedy where decimals are written with the other sign."""
    if not OTHER_DECIMAL[decimal].fullmatch(wrong.strip()):
        return repr(wrong)
    return f"{wrong!r}; if this is a decimal number, set `decimal` to '{',' if decimal == '.' else '.'}'"


def is_number(text: str, decimal: str = ".") -> bool:
    """A number, a share in per cent, or true or false."""
    plain = text.strip().lower()
    try:
        float(BOOLEANS.get(plain, plain.removesuffix("%").replace(decimal, ".")))
    except ValueError:
        return False
    return True


def yes_or_no(word: str) -> bool | None:
    """Whether a word says yes or no, whatever its case; None where it says neither."""
    return YES_NO.get(word.strip().lower())


class GroupCollector:
    """Collects groups, sharing one mask between those that were annotated on the same rows."""

    def __init__(self, table: SourceTable) -> None:
        self.table, self.members = table, dict[str, Membership]()
        self._known: list[tuple[pl.Series, Bools]] = []
        self._empty: list[tuple[str, str]] = []

    def column(self, column: str, threshold: float) -> None:
        """A group from a column of true/false, 0/1 or shares of annotators."""
        if self.table.frame[column].dtype == pl.Boolean:
            self.add(column, self.table.frame[column], column)
            return
        values = self.table.numbers(column, rules.GROUP).fill_nan(None)
        self.add(column, values >= threshold, column)

    def add(self, name: str, inside: pl.Series, column: str) -> None:
        """A group from true, false and empty (not annotated)."""
        rows = inside.fill_null(False).arg_true().to_numpy().astype(np.int32)
        if not len(rows):
            self._empty.append((name, column))
        self.members[name] = Membership(rows, self._annotated(inside))

    def leave_out_empty(self) -> None:
        """Without groups that have no members, unless no group has any."""
        if len(self._empty) < len(self.members):
            for name, _ in self._empty:
                del self.members[name]
            self._empty = []

    def check(self) -> None:
        """Somebody must be in every group."""
        if self._empty:
            self.table.fail(rules.empty_groups([name for name, _ in self._empty]), self._empty[0][1])

    def _annotated(self, inside: pl.Series) -> Bools | None:
        if not inside.null_count():
            return None
        known = inside.is_not_null()
        for series, mask in self._known:
            if series.equals(known):
                return mask
        self._known.append((known, known.to_numpy()))
        return self._known[-1][1]


def value_masks(table: SourceTable, column: str, what: str, most: int) -> dict[str, pl.Series]:
    """The values of a column as true/false series, the most frequent first; an empty value is in none and unknown."""
    values = table.words(column, "values")
    counts = _value_counts(table, values)
    if len(counts) > most:
        table.fail(rules.too_many_values(len(counts), what, most), column)
    names = sorted(zip(counts[column].to_list(), counts["count"].to_list(), strict=True), key=lambda x: (-x[1], x[0]))
    return {name: values == name for name, _ in names}


def _value_counts(table: SourceTable, values: pl.Series) -> pl.DataFrame:
    if COUNTED not in table.frame.columns:
        return values.drop_nulls().value_counts(sort=True)
    counted = pl.DataFrame([values, table.frame[COUNTED].alias("count")]).drop_nulls()
    return counted.group_by(values.name).agg(pl.col("count").sum())


def label_words(table: SourceTable, column: str, what: str = "labels") -> pl.Series:
    """Labels as words; whole numbers that came as 1.0 are 1."""
    values = table.frame[column]
    if values.dtype.is_float() and _all_whole(values.drop_nans().drop_nulls()):
        table = replace(table, frame=table.frame.with_columns(values.fill_nan(None).cast(pl.Int64)))
    return table.words(column, what)


def _all_whole(values: pl.Series) -> bool:
    """Whole numbers, all of which a float has exactly."""
    return bool((values.floor() == values).all() and (values.abs() <= EXACT).all())
