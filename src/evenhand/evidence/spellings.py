"""Many ways to say one thing: from what people wrote about themselves to the groups that are compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from evenhand.errors import InputError

NOT_STATED = "not stated"
REST = "*"  # everything that no other name takes

Spellings = Mapping[str, Mapping[str, tuple[str, ...]]]  # by column: name, and how it is spelled


def spelled(values: pl.Series, names: Mapping[str, tuple[str, ...]]) -> pl.Series:
    """Each value by the name it goes by; what nobody wrote down is "not stated"; case and blanks do not matter."""
    if not names:
        return values.fill_null(NOT_STATED)
    known = {_plain(spelling): name for name, several in names.items() for spelling in several if spelling != REST}
    rest = next((name for name, several in names.items() if REST in several), None)
    plain = values.str.strip_chars().str.to_lowercase()
    found = plain.replace_strict(known, default=None, return_dtype=pl.String)
    return (
        found.fill_null(values if rest is None else pl.Series([rest])).set(values.is_null(), None).fill_null(NOT_STATED)
    )


def unused(values: pl.Series, names: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Spellings that nobody used: perhaps misspelled themselves."""
    there = set(values.drop_nulls().str.strip_chars().str.to_lowercase().unique())
    return [one for several in names.values() for one in several if one != REST and _plain(one) not in there]


def read_spellings(value: Any) -> dict[str, dict[str, tuple[str, ...]]]:
    """From loosely typed tables: per column names with one spelling or several."""
    if not isinstance(value, Mapping):
        raise InputError("spellings are tables: a column, and in it names with the ways they are spelled")
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for column, names in value.items():
        if not isinstance(names, Mapping) or not names:
            raise InputError(f"the spellings of '{column}' are a table: name = [\"spelling\", …]")
        found[str(column)] = {str(name): _several(column, name, given) for name, given in names.items()}
        _check(str(column), found[str(column)])
    return found


def _several(column: str, name: str, given: Any) -> tuple[str, ...]:
    several = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, (list, tuple)) else ()
    if not several or not all(isinstance(one, str) and one.strip() for one in several):
        raise InputError(f"the spellings of '{name}' in '{column}' must be words")
    return several


def _check(column: str, names: Mapping[str, tuple[str, ...]]) -> None:
    taken: dict[str, str] = {}
    for name, several in names.items():
        for one in several:
            if taken.setdefault(_plain(one), name) != name:
                raise InputError(f"'{one}' in '{column}' is a spelling of '{taken[_plain(one)]}' and of '{name}'")


def _plain(text: str) -> str:
    return text.strip().lower()
