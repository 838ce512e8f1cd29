"""Which rows count: a condition in SQL over the columns."""

from __future__ import annotations

import re

import polars as pl

from evenhand.errors import InputError
from evenhand.evidence import faults
from evenhand.evidence.source import Source


def condition(where: str, source: Source) -> pl.Expr:
    """A filter in SQL. Only an expression over the columns: a query inside it could read other files."""
    bare = re.sub(r"'(?:[^']|'')*'|\"[^\"]*\"|\bdistinct\s+from\b", "", where, flags=re.IGNORECASE)
    if re.search(r"\b(select|from)\b", bare, re.IGNORECASE):
        raise InputError(f"--where takes a condition on the columns, not a query: {where}", source=source.name)
    schema = source.columns()
    try:
        kept = pl.sql_expr(where)
        for column in kept.meta.root_names():
            if column not in schema:
                raise faults.unknown_column(column, list(schema), source.name)
        kind = pl.DataFrame(schema=schema).select(kept).dtypes[0]
    except (pl.exceptions.PolarsError, TypeError) as error:
        problem = f"--where could not be understood: {str(error).splitlines()[0]}"
        raise InputError(problem, source=source.name) from None
    if kind != pl.Boolean:
        raise InputError(f"--where must be true or false for each row, not {kind}: {where}", source=source.name)
    return kept
