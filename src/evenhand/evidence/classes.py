"""Probabilities of several classes, and labels that name one of them. A score is the probability of one of two."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy import special

from evenhand.errors import nearest
from evenhand.evidence import columns
from evenhand.evidence.columns import Table
from evenhand.evidence.declaration import Declaration
from evenhand.tally import FloatArray, IntArray

EXACT = 2**53
ROUNDED = 0.01  # how far the sum of a row may be from one: what rounding to two places makes of four classes or so


def probabilities(table: Table, declaration: Declaration) -> tuple[FloatArray, list[str]]:
    """Rows × classes, each between 0 and 1 and together one; and what to note about them."""
    notes: list[str] = []
    scale = declaration.scale_of(0)
    found = np.empty((len(table.frame), len(declaration.probabilities)))
    for number, column in enumerate(declaration.probabilities):
        found[:, number] = columns.score(table, column, scale, notes, "probability")
    if scale.name == "logit":
        if found.min() >= 0.0 and np.allclose(found.sum(axis=1), 1.0, atol=ROUNDED):
            notes.append("Every row lies from 0 to 1 and sums to one: are these probabilities rather than logits?")
        return special.softmax(found, axis=1), notes
    if scale.probability is None:
        table.fail("ranks cannot be shared out between classes: give probabilities", declaration.probabilities[0])
    finish = _normalised if declaration.normalise else _checked
    found, more = finish(table, declaration, scale.probability(found))
    return found, [*notes, *more]


def two_classes(p: FloatArray) -> FloatArray:
    """Benign and violating, side by side."""
    return np.stack([1.0 - p, p], axis=1)


def _checked(table: Table, declaration: Declaration, found: FloatArray) -> tuple[FloatArray, list[str]]:
    off = np.abs(found.sum(axis=1) - 1.0)
    bad = off > ROUNDED
    if bad.any():
        worst = int(off.argmax())
        problem = (
            f"the probabilities of {int(bad.sum()):,} of {len(bad):,} rows do not sum to one; this row's sum is "
            f"{found[worst].sum():.4g}, the furthest off. If they are meant to be shared out, give --normalise"
        )
        table.fail(problem, declaration.probabilities[0], pl.Series(np.arange(len(off)) == worst))
    rounded = float(off.max())
    note = f"The probabilities of a row sum to one only within {rounded:.1g}; they are used as they are."
    return found, [note] if rounded > 1e-4 else []


def _normalised(table: Table, declaration: Declaration, found: FloatArray) -> tuple[FloatArray, list[str]]:
    total = found.sum(axis=1)
    if not total.all():
        problem = "every probability of this row is 0: there is nothing to share out"
        table.fail(problem, declaration.probabilities[0], pl.Series(total == 0.0))
    off = int((np.abs(total - 1.0) > ROUNDED).sum())
    note = f"The probabilities of {off:,} of {len(total):,} rows did not sum to one: each row was divided by its sum."
    return found / total[:, None], [note] if off else []


def label(table: Table, declaration: Declaration) -> tuple[IntArray, list[str]]:
    """The number of each row's true class; and which classes have no items."""
    assert declaration.label is not None
    column, names = declaration.label, declaration.class_names
    words = words_of(table, column)
    table.complete(column, words, "the label")
    known = pl.Series(names)
    bad = ~words.is_in(known.implode())
    if bad.any():
        wrong = str(words.filter(bad)[0])
        hint = f"{nearest(wrong, names)}. Labels are named like the columns, or as --classes says, in their order"
        table.fail(f"the label '{wrong}' is no class; {hint}", column, bad)
    numbers = words.replace_strict(names, list(range(len(names))), return_dtype=pl.Int32).to_numpy()
    if len(np.unique(numbers)) < 2:
        table.fail(f"every item is of the class '{names[numbers[0]]}': at least two are needed", column)
    empty = [name for number, name in enumerate(names) if not (numbers == number).any()]
    note = f"No item has the label {' or '.join(repr(name) for name in empty)}."
    return numbers, [note] if empty else []


def words_of(table: Table, column: str) -> pl.Series:
    """Labels as words; whole numbers that came as 1.0 are 1."""
    values = table.frame[column]
    if values.dtype.is_float() and _whole(values.drop_nans().drop_nulls()):
        table = Table(table.name, table.frame.with_columns(values.fill_nan(None).cast(pl.Int64)), table.rows)
    return table.words(column, "labels")


def _whole(values: pl.Series) -> bool:
    """Whole numbers, all of which a float has exactly."""
    return bool((values.floor() == values).all() and (values.abs() <= EXACT).all())
