"""Which column is the text: told, or found by its name, never by its values."""

from __future__ import annotations

import polars as pl

from evenhand.errors import InputError
from evenhand.evidence import Source, faults

NAMES = ("text", "comment_text", "comment", "body", "content", "message", "post", "tweet", "sentence", "phrase")


def text_column(source: Source, told: str | None) -> str:
    """The column to read; `InputError` where it is not there or more than one could be meant."""
    schema = source.columns()
    if told is not None:
        if told not in schema:
            raise faults.unknown_column(told, list(schema), source.name)
        if schema[told] not in (pl.String, pl.Categorical, pl.Enum, pl.Null):
            raise InputError(f"texts must be text, not {schema[told]}", source=source.name, column=told)
        return told
    words = [column for column, kind in schema.items() if kind == pl.String]
    named = [column for column in words if column.lower() in NAMES]
    found = named or words
    if len(found) == 1:
        return found[0]
    if found:
        listed = ", ".join(f"'{column}'" for column in found[:6])
        problem = f"more than one column could be the text ({listed}): say which with --text"
    else:
        problem = "no column holds text: say which with --text"
    raise InputError(problem, source=source.name)
