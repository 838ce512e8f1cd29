"""From a source to a table of the columns that were declared."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from evenhand.errors import InputError
from evenhand.evidence import columns, faults
from evenhand.evidence.columns import Table
from evenhand.evidence.condition import condition
from evenhand.evidence.declaration import Declaration
from evenhand.evidence.source import Source

LENGTH, TERM, ROW = "\0length", "\0term:", "\0row"  # names no file can hold


def read_columns(source: Source, wanted: Sequence[str]) -> Table:
    """Some columns of every row."""
    _check_known(source, wanted)
    frame = source.collect(lambda lazy: lazy.select(list(dict.fromkeys(wanted))))
    if not len(frame):
        raise InputError("the file holds no rows", source=source.name)
    return Table(source.name, frame)


def _check_known(source: Source, wanted: Sequence[str]) -> None:
    known = list(source.columns())
    for column in wanted:
        if column not in known:
            raise faults.unknown_column(column, known, source.name)
    faults.no_patterns(wanted, source.name)


def read_table(source: Source, declaration: Declaration) -> Table:
    """The declared columns of the rows that meet the condition; of a text only what is looked at."""
    _check_known(source, declaration.columns)
    known = list(source.columns())
    wanted = [column for column in declaration.columns if column != declaration.text]
    expressions = [pl.col(column) for column in wanted] + _derived(declaration)
    if declaration.where is None:
        frame, rows = source.collect(lambda lazy: lazy.select(expressions)), None
    else:
        kept = condition(declaration.where, source)
        frame = source.collect(lambda lazy: lazy.with_row_index(ROW).filter(kept).select(pl.col(ROW), *expressions))
        rows = frame[ROW]
    if not len(frame):
        problem = "the file holds no rows" if rows is None else f"no row is left where {declaration.where}"
        raise InputError(problem, source=source.name)
    last = max(declaration.columns, key=known.index)  # where a row that is cut off lacks something
    if source.file and frame[LENGTH if last == declaration.text else last].null_count():
        source.file.check_whole()
    return _without_zeros(Table(source.name, frame, rows), declaration)


def _without_zeros(table: Table, declaration: Declaration) -> Table:
    """A row that is there no times is not there."""
    if not declaration.count:
        return table
    there = columns.counts(table, declaration.count) > 0
    return table if there.all() else table.only(there)


def _derived(declaration: Declaration) -> list[pl.Expr]:
    """What is wanted of a text is its length and whether words occur in it; the text itself stays where it is."""
    if not declaration.text:
        return []
    text = pl.col(declaration.text).cast(pl.String)
    terms = [
        text.str.to_lowercase().str.contains(whole_words(words)).alias(TERM + name)
        for name, words in declaration.terms.items()
    ]
    return [text.str.len_chars().alias(LENGTH), *terms]


def whole_words(words: tuple[str, ...]) -> str:
    """A pattern that finds any of the words in a lower-cased text, standing by itself."""
    return rf"(?:^|\W)(?:{'|'.join(re.escape(word) for word in words)})(?:\W|$)"
