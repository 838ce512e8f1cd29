"""From a source to a table of the declared columns, of the rows that meet the condition in SQL."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import polars as pl

from evenhand.errors import InputError
from evenhand.evidence import checks, reading_errors
from evenhand.evidence.clusters import cluster_expressions
from evenhand.evidence.columns import SourceTable
from evenhand.evidence.condition import ROW, sql_condition
from evenhand.evidence.declaration import Declaration
from evenhand.evidence.source import Source
from evenhand.evidence.terms import mentions_expression
from evenhand.pandas_frames import UNREADABLE_VALUES

SHORT = 100  # characters; the paper `bias` looks at shorter comments apart
MOST_GROUPS, MOST_SLICES = 200, 50  # values of a column that are looked at one by one
LENGTH, MENTIONS = "\0length", "\0mentions"  # names no file can hold


PLAN_COLUMNS = ("plan_stratum", "plan_weight", "plan_scale", "plan_reach", "plan_part", "plan_items")
OPTIONAL_PLAN_COLUMNS = ("plan_expected", "plan_cluster")


def plan_columns(columns: Collection[str]) -> list[str]:
    """Those that a plan wrote beside its labels: how each was drawn. They have their roles by their names."""
    return [name for name in (*PLAN_COLUMNS, *OPTIONAL_PLAN_COLUMNS) if name in columns]


def read_columns(source: Source, wanted: Sequence[str]) -> SourceTable:
    """Some columns of every row."""
    source = checked_columns(source, wanted)
    frame = source.collect(lambda lazy: lazy.select(list(dict.fromkeys(wanted))))
    if not len(frame):
        raise InputError("there are no rows", source=source.name)
    return SourceTable(source.name, frame, decimal=source.decimal, place=source.place)


def checked_columns(source: Source, wanted: Sequence[str]) -> Source:
    """With columns of these names that can be read, and no text that is far longer than its file."""
    source = source.naming(wanted)
    for column in wanted:
        if source.columns()[column] == pl.Object:
            raise InputError(UNREADABLE_VALUES, source=source.name, column=column)
    reading_errors.literal_names(wanted, source.name)
    source.check_texts(wanted)
    return source


def read_table(source: Source, declaration: Declaration) -> SourceTable:
    """The declared columns of the rows that meet the condition; of a text only what is looked at."""
    source = checked_columns(source, declaration.columns)
    place = {column: number for number, column in enumerate(source.columns())}
    place |= {column: place[other] for column, other in source.other_names.items()}
    wanted = [column for column in declaration.columns if column != declaration.text]
    wanted += [name for name in plan_columns(source.columns()) if declaration.inclusion and name not in wanted]
    expressions = [pl.col(column) for column in wanted] + _text_expressions(declaration)
    expressions += cluster_expressions(source.columns(), declaration)
    if declaration.where is None:
        frame, rows = source.collect(lambda lazy: lazy.select(expressions)), None
    else:
        condition = sql_condition(declaration.where, source)
        frame = source.collect(
            lambda lazy: lazy.with_row_index(ROW).filter(condition).select(pl.col(ROW), *expressions)
        )
        rows = frame[ROW]
    frame = frame.unnest(MENTIONS) if MENTIONS in frame.columns else frame
    if not len(frame):
        raise no_rows(declaration, source.name)
    last = max(declaration.columns, key=place.__getitem__)  # where a row that is cut off lacks something
    if source.file and frame[LENGTH if last == declaration.text else last].null_count():
        source.file.check_whole()
    table = _without_zeros(SourceTable(source.name, frame, rows, source.decimal, place=source.place), declaration)
    return without_unscored(table, declaration)


def no_rows(declaration: Declaration, name: str) -> InputError:
    """Nothing is left to be looked at."""
    unmet = f"no row meets the condition `where`: {declaration.where}"
    return InputError("there are no rows" if declaration.where is None else unmet, source=name)


def without_unscored(table: SourceTable, declaration: Declaration) -> SourceTable:
    """Without rows that have no prediction, if such rows are to be left out."""
    predictions = (*declaration.score, *declaration.probabilities)
    if not (declaration.skip_unscored and predictions):
        return table
    scored = table.without_unscored(predictions)
    if not len(scored.frame):
        raise InputError("no row has a score", source=table.name, column=predictions[0])
    return scored


def _without_zeros(table: SourceTable, declaration: Declaration) -> SourceTable:
    """A row that is there no times, or has no weight, is not there."""
    if declaration.count:
        there = checks.read_counts(table, declaration.count) > 0
    elif declaration.weight:
        there = checks.read_weights(table, declaration.weight) > 0
    else:
        return table
    return table if there.all() else table.only(there)


def _text_expressions(declaration: Declaration) -> list[pl.Expr]:
    """What is wanted of a text is its length and whether words occur in it; the text itself stays where it is."""
    if not declaration.text:
        return []
    text = pl.col(declaration.text).cast(pl.String)
    mentions = [mentions_expression(text, declaration.terms).alias(MENTIONS)] if declaration.terms else []
    return [text.str.len_chars().alias(LENGTH), *mentions]
