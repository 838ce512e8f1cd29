"""Dates as spreadsheets write them (31.12.2024, 12/31/2024 9:00 AM), for a condition on the rows.

A condition compares texts as texts, and only years written first sort as dates do. A column of text that holds other
dates is read as such: day or month first as declared, else as the values show, which is said in a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import polars as pl

from evenhand.errors import InputError
from evenhand.evidence.source import Source
from evenhand.evidence.text_layout import declared_date_order, logger

LOOKED_AT = 1_000  # values that tell whether a column holds dates, and in which order
DATE = re.compile(r"\s*\d{1,2}([./-])\d{1,2}\1(\d{4}|\d{2})(\s\d{1,2}:\d{2}(:\d{2})?(\s?[AaPp][Mm])?)?\s*")
CLOCKS = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
ORDERS = {"day-first": "%d{0}%m{0}", "month-first": "%m{0}%d{0}"}


@dataclass(frozen=True)
class WrittenDates:
    """How the dates of one column are written, in the terms of strptime."""

    order: str
    day: str
    clock: str = ""

    @property
    def format(self) -> str:
        """Of the whole value."""
        return self.day + self.clock

    @property
    def date(self) -> str:
        """A call in SQL that reads the column that is put in place of {}."""
        return f"{'TIMESTAMP' if self.clock else 'DATE'}({{}}, '{self.format}')"

    @property
    def sortable(self) -> str:
        """The same with the year first, so that texts sort as dates do."""
        return f"CAST({self.date} AS VARCHAR)"

    def parsed(self, values: pl.Expr) -> pl.Expr:
        """Dates, null where a value is none."""
        return values.str.strptime(pl.Datetime("us") if self.clock else pl.Date, self.format, strict=False)

    def literal(self, text: str) -> str:
        """A date in the condition, as the column will be written; another text is left as it is."""
        for form in (self, WrittenDates(self.order, self.day)):
            value = pl.select(form.parsed(pl.lit(text))).item()
            if value is not None:
                return f"{value:%Y-%m-%d %H:%M:%S.%f}" if form.clock else f"{value:%Y-%m-%d}"
        return text


def written_dates(source: Source, columns: Iterable[str]) -> dict[str, WrittenDates]:
    """Of those columns of text that hold dates without the year first."""
    schema = source.columns()
    texts = [column for column in dict.fromkeys(columns) if schema.get(column) == pl.String]
    formats = {column: form for column in texts if (form := _format(source, column)) is not None}
    for column, written in formats.items():
        _check_all(source, column, written)
        if declared_date_order() is None and "." not in written.day:
            words = written.order.replace("-", " ")
            logger.warning(f"{source.name}: reading the dates of column '{column}' {words}; change with `date_order`")
    return formats


def _format(source: Source, column: str) -> WrittenDates | None:
    values = source.collect(lambda lazy: lazy.select(pl.col(column).drop_nulls().head(LOOKED_AT)))[column]
    texts = [text for value in values.unique() if (text := value.strip())]
    matches = [DATE.fullmatch(text) for text in texts]
    if not texts or not all(matches):
        return None
    shapes = {(match[1], "%Y" if len(match[2]) == 4 else "%y") for match in matches if match}
    if len(shapes) > 1:
        return None
    fits = _fitting(pl.Series(texts), *shapes.pop())
    orders = {written.order for written in fits}
    if len(orders) > 1:
        problem = f"the dates of column '{column}', such as {texts[0]}, can be read day first or month first"
        raise InputError(f"{problem}; set `date_order` to day-first or month-first", source=source.name)
    return fits[0] if fits else None


def _fitting(values: pl.Series, separator: str, year: str) -> Sequence[WrittenDates]:
    """Forms that every value has; those with points have the day first, wherever they come from."""
    declared = declared_date_order()
    orders = [declared] if declared else ["day-first"] if separator == "." else list(ORDERS)
    forms = [
        WrittenDates(order, ORDERS[order].format(separator) + year, clock) for order, clock in product(orders, CLOCKS)
    ]
    frame = values.to_frame("value")
    return [form for form in forms if frame.select(form.parsed(pl.col("value")).is_not_null().all()).item()]


def _check_all(source: Source, column: str, written: WrittenDates) -> None:
    """`InputError` at the first row further down whose value is not such a date."""
    value = pl.col(column)
    wrong = value.is_not_null() & (value.str.strip_chars() != "") & written.parsed(value).is_null()
    row = source.collect(
        lambda lazy: lazy.select(column).with_row_index("\0row").filter(wrong).head(1).select("\0row", column)
    )
    if len(row):
        number, text = row.row(0)
        problem = f"not a date written {written.order.replace('-', ' ')}, as the values before it: {text!r:.60}"
        raise InputError(problem, source=source.name, column=column, row=number + 1)
