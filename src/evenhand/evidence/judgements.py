"""What people found in a sample of items, what was decided on them, and how each came into the sample.

Items that nobody labelled may be there too, with an empty label: they say how many items there are.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from evenhand.evidence import columns
from evenhand.evidence.classes import words_of
from evenhand.evidence.columns import Table
from evenhand.evidence.declaration import Declaration
from evenhand.tally import FloatArray, IntArray
from evenhand.tally.rows import Mask

BENIGN, VIOLATING, UNLABELLED, UNSURE = 0, 1, -1, -2  # what people found
MOST = 100_000_000  # items
YES, NO = ("1", "true", "yes"), ("0", "false", "no")


@dataclass(frozen=True)
class Judgements:
    """One row an item. `times` are equal rows that it stands for; `removed` is None where decisions are not known.

    `inclusion` is that of the rows that were drawn, None for a census; `stratum` is a place in `strata`, or −1.
    """

    answer: npt.NDArray[np.int8]
    times: IntArray
    removed: Mask | None
    inclusion: FloatArray | None
    stratum: IntArray | None
    strata: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def digest(self) -> Any:
        """A hash of everything, to go on with."""
        digest = hashlib.sha256("\0".join(self.strata).encode())
        for values in (self.answer, self.times, self.removed, self.inclusion, self.stratum):
            digest.update(b"none" if values is None else np.ascontiguousarray(values).tobytes())
        return digest


def judgements(table: Table, declaration: Declaration) -> Judgements:
    """Read and checked."""
    answer, notes = _answers(table, declaration)
    drawn = answer != UNLABELLED
    if not drawn.all() and not declaration.inclusion:
        problem = "the label is empty, and without inclusion probabilities every item must be labelled"
        table.fail(problem, declaration.label or "", pl.Series(~drawn))
    asked = table if drawn.all() else table.only(drawn)
    stratum, strata = _strata(asked, drawn, declaration)
    times = _times(table, drawn, declaration) if declaration.count else np.ones(len(answer))
    return Judgements(
        answer=answer,
        times=times.astype(np.int32),
        removed=_removed(table, declaration),
        inclusion=_inclusion(asked, drawn, declaration),
        stratum=stratum,
        strata=strata,
        notes=tuple(notes),
    )


def _answers(table: Table, declaration: Declaration) -> tuple[npt.NDArray[np.int8], list[str]]:
    assert declaration.label is not None
    column = declaration.label
    words = words_of(table, column)
    empty = (words.is_null() | (words == "NaN")).fill_null(True).to_numpy()
    unsure = words.is_in(list(declaration.skip)).fill_null(False).to_numpy() & ~empty
    for value in declaration.skip:
        if not (words == value).any():
            table.fail(f"no label is '{value}', which was to be skipped", column)
    told = ~empty & ~unsure
    if not told.any():
        table.fail("no item is labelled", column)
    found, notes = columns.violating(table if told.all() else table.only(told), declaration)
    answer = np.where(unsure, UNSURE, UNLABELLED).astype(np.int8)
    answer[told] = np.where(found, VIOLATING, BENIGN)
    return answer, notes


def _removed(table: Table, declaration: Declaration) -> Mask | None:
    """Which items were taken down: yes or no, or words of which some mean it."""
    column = declaration.decision
    if column is None:
        return None
    words = words_of(table, column).str.to_lowercase()
    table.complete(column, words, "the decision")
    yes, no = (tuple(value.lower() for value in declaration.removes), ()) if declaration.removes else (YES, NO)
    taken = words.is_in(list(yes))
    for value in declaration.removes:
        if not (words == value.lower()).any():
            table.fail(f"no decision is '{value}'", column)
    bad = ~taken & ~words.is_in(list(no)) if no else pl.Series([], dtype=pl.Boolean)
    if bad.any():
        wrong = table.frame[column].filter(bad)[0]
        table.fail(
            f"a decision is yes or no (true/false, 1/0), not {wrong!r}; name the one that takes an item down with "
            "--removes",
            column,
            bad,
        )
    return np.array(taken.to_numpy())


def _times(table: Table, drawn: Mask, declaration: Declaration) -> FloatArray:
    """Counts; labelled rows are looked at one by one, as many as they stand for."""
    assert declaration.count is not None
    found = columns.counts(table, declaration.count)
    if found[drawn].sum() > MOST or (found > MOST).any():
        problem = f"the rows stand for more than {MOST:,} items, which is too many to look at one by one"
        table.fail(problem, declaration.count)
    return found


def _inclusion(asked: Table, drawn: Mask, declaration: Declaration) -> FloatArray | None:
    if not declaration.inclusion:
        return None
    found = np.ones(len(drawn))
    found[drawn] = columns.inclusion(asked, declaration.inclusion)
    return found


def _strata(asked: Table, drawn: Mask, declaration: Declaration) -> tuple[IntArray | None, tuple[str, ...]]:
    if not declaration.stratum:
        return None, ()
    words = asked.words(declaration.stratum, "strata")
    asked.complete(declaration.stratum, words, "the stratum")
    names, codes = np.unique(words.to_numpy().astype(str), return_inverse=True)
    found = np.full(len(drawn), -1, dtype=np.int32)
    found[drawn] = codes
    return found, tuple(str(name) for name in names)
