"""A table as it was written, with new columns beside the others."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.errors import InputError
from evenhand.evidence.condition import ROW, rows_where
from evenhand.evidence.declaration import Declaration
from evenhand.evidence.source import Source


def check_absent(source: Source, names: Sequence[str], why: str) -> None:
    """`InputError` with the reason if the table has a column of one of these names."""
    known = source.columns()
    if taken := next((name for name in names if name in known), None):
        raise InputError(f"this column already exists: {why}", source=source.name, column=taken)


def with_columns_beside(
    source: Source, declaration: Declaration, rows: pl.Series | None, added: pl.DataFrame
) -> pl.LazyFrame:
    """The rows that meet the condition, nothing changed, and the new columns, which are empty where there is no score.

    `rows` are the numbers of the rows that the new columns are of, None for all.
    """
    verbatim = source.file.verbatim() if source.file else source.frame
    if rows is None:
        return pl.concat([verbatim, added.lazy()], how="horizontal")
    chosen = rows_where(source, declaration.where)
    numbers = pl.DataFrame({ROW: pl.int_range(len(chosen), eager=True)})
    every = numbers.join(
        added.with_columns(rows.cast(pl.Int64).alias(ROW)), on=ROW, how="left", maintain_order="left"
    ).with_columns(chosen.alias(ROW))
    beside: pl.LazyFrame = pl.concat([verbatim, every.lazy()], how="horizontal")
    return beside.filter(pl.col(ROW)).drop(ROW)
