"""How well a model's decisions fit what people said: F1 against the labels of a group, and its gap to everybody's."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from evenhand.measures.number import Number, ratio
from evenhand.measures.perspective.annotations import Annotations, Numbers
from evenhand.measures.perspective.deltas import Columns, sums_by_group
from evenhand.tally import FloatArray

NOTHING = "no label is violating and no item is flagged"


def decisions(probabilities: npt.ArrayLike, *, threshold: float | None = None) -> Numbers:
    """The class that a model decides for, per item: the likeliest, the last of equals; or, of two, by a threshold."""
    table = np.asarray(probabilities, dtype=np.float64)
    if threshold is not None:
        return (table[:, -1] >= threshold).astype(np.int64)
    return np.asarray(table.shape[1] - 1 - np.argmax(table[:, ::-1], axis=1))


def confusion_columns(annotations: Annotations, decided: Numbers) -> Columns:
    """Annotations × K²: a one where decision (first) and label (second) are, for a bootstrap to weigh."""
    cell = decided[annotations.item] * annotations.classes + annotations.label
    shape = (len(annotations), annotations.classes**2)
    return sparse.csc_array((np.ones(len(cell)), (np.arange(len(cell)), cell)), shape=shape)


def confusions(annotations: Annotations, decided: Numbers, group: npt.ArrayLike, groups: int) -> FloatArray:
    """(groups + 1) × K × K: decision against label over each group's annotations, and last over everybody's."""
    return as_tables(sums_by_group(annotations, confusion_columns(annotations, decided), group, groups))


def as_tables(sums: FloatArray) -> FloatArray:
    """Sums of K² columns as K × K tables."""
    classes = round(sums.shape[-1] ** 0.5)
    return sums.reshape(*sums.shape[:-1], classes, classes)


def _by_class(tables: FloatArray) -> FloatArray:
    hits = np.diagonal(tables, axis1=-2, axis2=-1)
    return ratio(2.0 * hits, tables.sum(axis=-1) + tables.sum(axis=-2))


def _violating(tables: FloatArray) -> FloatArray:
    return _by_class(tables)[..., -1]


def _macro(tables: FloatArray) -> FloatArray:
    return np.asarray(_by_class(tables).mean(axis=-1))


def _gap(pairs: FloatArray) -> FloatArray:
    found = _violating(pairs)
    defined = np.isfinite(found).all(axis=-1)
    gap = np.full(defined.shape, np.inf)
    return np.asarray(np.subtract(found[..., 0], found[..., 1], out=gap, where=defined))


F1 = Number("f1", _violating, NOTHING)
MACRO_F1 = Number("macro_f1", _macro, "a class is neither decided for nor given as a label")
F1_GAP = Number("f1_gap", _gap, NOTHING)  # of the two tables of a group and of everybody
