"""A first declaration for a table nobody has declared yet: a TOML file with guesses, to be mended by a person."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.audits.guessing import Guess, distinct, guess_roles
from evenhand.choices import Roles, Row, Settings, Tables, rows
from evenhand.errors import CONTROL
from evenhand.evidence import Source, faults

LOOKED_AT = 10_000  # rows
ASKED = "?"  # stands where a person must say what we could not guess
NEEDED = {"score": [ASKED], "label": ASKED}
SPELLINGS = """
# [spellings.gender]        # of a column that describes annotators: names, and how each is spelled
# women = ["female", "F"]   # "*" is everything else
"""


def sketch(source: Source, data: str, query: str | None, *, beside: Path) -> str:
    """The text of a TOML declaration for this source, to be written to `beside`."""
    faults.no_patterns(list(source.columns()), source.name)
    frame = source.collect(lambda lazy: lazy.head(LOOKED_AT))
    lines = [
        f"# What the columns of {CONTROL.sub('�', data)} mean, for: evenhand audit THIS-FILE",
        "# Filled in by looking at names and values. Check every line: only you know what a column means.",
        "#",
        "# The columns, with what the first rows hold:",
        *(f"#   {CONTROL.sub('�', name)}: {_describe(frame[name])}" for name in frame.columns),
        "",
        f"data = {_quoted(_relative(data, beside))}",
        *([f"query = {_quoted(query)}"] if query else []),
        *map(_example, rows(Tables)),
        "",
        "[columns]",
        *_columns(guess_roles(frame)),
        SPELLINGS,
        "[settings]",
        *map(_example, rows(Settings)),
        "",
    ]
    return "\n".join(lines)


def _columns(guess: Guess) -> Iterator[str]:
    """A line for every role: what was guessed, a question where an audit cannot do without, else an example."""
    for row in rows(Roles):
        value = getattr(guess, row.name, None) or NEEDED.get(row.name)
        if value:
            yield _line(f"{row.name} = {_value(value)}", _remark(row))
        elif row.choice.toml:
            yield _example(row)


def _example(row: Row) -> str:
    """How the choice would be written, commented out."""
    return _line(f"# {row.name} = {row.choice.toml.partition('  # ')[0]}", _remark(row))


def _remark(row: Row) -> str:
    return row.choice.toml.partition("  # ")[2]


def _line(said: str, remark: str) -> str:
    return f"{said:<26}  # {remark}"


def _relative(data: str, beside: Path) -> str:
    """A path in a declaration is read from where the declaration is."""
    return data if "://" in data else os.path.relpath(data, beside.parent)


def _describe(values: pl.Series) -> str:
    empty = f", {values.null_count() / max(1, len(values)):.0%} empty" if values.null_count() else ""
    if values.dtype.is_numeric() and values.drop_nulls().len():
        return f"{values.dtype}, {values.min()!s} to {values.max()!s}{empty}"
    if values.dtype == pl.String and distinct(values) <= 6:
        shown = ", ".join(sorted(str(value)[:20] for value in values.drop_nulls().unique().to_list()))
        return f"text: {CONTROL.sub('�', ' '.join(shown.split()))}{empty}"
    return f"{values.dtype}{empty}"


def _value(value: Any) -> str:
    return f"[{', '.join(map(_quoted, value))}]" if isinstance(value, list) else _quoted(value)


def _quoted(text: str) -> str:
    escaped = "".join(c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08x}" for c in text)
    return f'"{escaped}"'
