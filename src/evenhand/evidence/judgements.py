"""Reading judgements: what people found in a sample of items, what was decided, and how each item came into the sample.

Items that nobody labelled may be there too, with an empty label: they say how many items there are.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from evenhand.arrays import Bools, Floats, Int32s
from evenhand.evidence import checks
from evenhand.evidence.columns import SourceTable, label_words
from evenhand.evidence.declaration import Declaration
from evenhand.evidence.evidence import Judgements
from evenhand.evidence.reading import PLAN_COLUMNS, plan_columns

BENIGN, VIOLATING, UNLABELLED, UNSURE = 0, 1, -1, -2  # what people found
MOST = 100_000_000  # items


def read_judgements(table: SourceTable, declaration: Declaration) -> Judgements:
    """Read and checked."""
    answer, notes = _read_answers(table, declaration)
    drawn = answer != UNLABELLED
    if not drawn.all() and not declaration.inclusion:
        problem = "the label is empty, and without inclusion probabilities every item must be labelled"
        table.fail(problem, declaration.label or "", pl.Series(~drawn))
    drawn_rows = table if drawn.all() else table.only(drawn)
    stratum, strata = _read_strata(drawn_rows, drawn, declaration)
    times = _read_times(table, drawn, declaration) if declaration.count else np.ones(len(answer))
    return Judgements(
        answer=answer,
        times=times.astype(np.int32),
        removed=_read_removed(table, declaration),
        inclusion=_read_inclusion(drawn_rows, drawn, declaration),
        stratum=stratum,
        strata=strata,
        notes=tuple(notes),
        planned=_read_planned(table, declaration) if drawn.all() and not declaration.count else None,
    )


def _read_planned(table: SourceTable, declaration: Declaration) -> dict[str, Floats] | None:
    """What a plan wrote beside its labels, where everything is there that an interval needs of it."""
    if not declaration.inclusion or not set(PLAN_COLUMNS) <= set(table.frame.columns):
        return None
    return {name: checks.read_amounts(table, name) for name in plan_columns(table.frame.columns)}


def _read_answers(table: SourceTable, declaration: Declaration) -> tuple[npt.NDArray[np.int8], list[str]]:
    assert declaration.label is not None
    column = declaration.label
    words = label_words(table, column)
    empty = (words.is_null() | (words == "NaN")).fill_null(True).to_numpy()
    unsure = words.is_in(list(declaration.skip)).fill_null(False).to_numpy() & ~empty
    for value in declaration.skip:
        if not (words == value).any():
            table.fail(f"no label is '{value}', which was to be skipped", column)
    answered = ~empty & ~unsure
    if not answered.any():
        table.fail("no item is labelled", column)
    violating, notes = checks.read_violating(table if answered.all() else table.only(answered), declaration)
    answer = np.where(unsure, UNSURE, UNLABELLED).astype(np.int8)
    answer[answered] = np.where(violating, VIOLATING, BENIGN)
    return answer, notes


def _read_removed(table: SourceTable, declaration: Declaration) -> Bools | None:
    """Which items were taken down; every word that is said to mean it must be there."""
    column = declaration.decision
    if column is None:
        return None
    removed = checks.read_decisions(table, column, declaration.removes)
    words = label_words(table, column, "decisions").str.to_lowercase()
    for value in declaration.removes:
        if not (words == value.lower()).any():
            table.fail(f"no decision is '{value}'", column)
    return removed


def _read_times(table: SourceTable, drawn: Bools, declaration: Declaration) -> Floats:
    """Counts; labelled rows are looked at one by one, as many as they stand for."""
    assert declaration.count is not None
    counts = checks.read_counts(table, declaration.count)
    if counts[drawn].sum() > MOST or (counts > MOST).any():
        problem = f"the rows stand for more than {MOST:,} items, which is too many to look at one by one"
        table.fail(problem, declaration.count)
    return counts


def _read_inclusion(drawn_rows: SourceTable, drawn: Bools, declaration: Declaration) -> Floats | None:
    if not declaration.inclusion:
        return None
    inclusion = np.ones(len(drawn))
    inclusion[drawn] = checks.read_inclusion(drawn_rows, declaration.inclusion)
    return inclusion


def _read_strata(
    drawn_rows: SourceTable, drawn: Bools, declaration: Declaration
) -> tuple[Int32s | None, tuple[str, ...]]:
    if not declaration.stratum:
        return None, ()
    words = drawn_rows.words(declaration.stratum, "strata")
    drawn_rows.complete(declaration.stratum, words, "the stratum")
    names, codes = np.unique(words.to_numpy().astype(str), return_inverse=True)
    numbers = np.full(len(drawn), -1, dtype=np.int32)
    numbers[drawn] = codes
    return numbers, tuple(str(name) for name in names)
