"""Statistics of groups of annotators that are read from sums: mean delta, rates, and F1 against the labels of a group.

A bootstrap counts the same sums again with other weights. So a `SumStatistic` is one formula along leading axes, used
for the data itself and for all draws at once; where it has no value is decided in one place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from evenhand.arrays import Floats, Ints
from evenhand.catalogue import perspective as perspective_measures
from evenhand.catalogue import shared as shared_measures
from evenhand.errors import Undefined
from evenhand.measures.calibration.predictions import predicted_classes
from evenhand.measures.perspective.annotations import Annotations


@dataclass(frozen=True)
class SumStatistic:
    """`formula` goes from sums (… × the axes it needs) to values (…); `why` is the reason where there is none."""

    name: str
    formula: Callable[[Floats], Floats]
    why: str

    def of(self, sums: npt.ArrayLike) -> float:
        """The number itself."""
        value = float(self.formula(np.asarray(sums, dtype=np.float64)))
        if not np.isfinite(value):
            raise Undefined(self.why)
        return value

    def drawn(self, sums: npt.ArrayLike) -> Floats:
        """The number for many draws; those in which it has no value are left out."""
        values = self.formula(np.asarray(sums, dtype=np.float64))
        return values[np.isfinite(values)]


def ratio_or_infinity(part: Floats, whole: Floats) -> Floats:
    """A quotient; infinite where the whole is nothing, which a `SumStatistic` takes for undefined."""
    part, whole = np.broadcast_arrays(part, whole)
    return np.asarray(np.divide(part, whole, out=np.full(part.shape, np.inf), where=whole != 0.0))


NOTHING_VIOLATING = "no label is violating and no item is flagged"


def decided_classes(probabilities: npt.ArrayLike, *, threshold: float | None = None) -> Ints:
    """The class that a model decides for, per item: the likeliest, the last of equals; or, of two, by a threshold."""
    table = np.asarray(probabilities, dtype=np.float64)
    if threshold is not None:
        return (table[:, -1] >= threshold).astype(np.int64)
    return predicted_classes(table)


def confusion_columns(annotations: Annotations, decided: Ints) -> SparseColumns:
    """Annotations × K²: a one where decision (first) and label (second) are, for a bootstrap to weigh."""
    cell = decided[annotations.item] * annotations.classes + annotations.label
    shape = (len(annotations), annotations.classes**2)
    return sparse.csc_array((np.ones(len(cell)), (np.arange(len(cell)), cell)), shape=shape)


def group_confusions(annotations: Annotations, decided: Ints, group: npt.ArrayLike, groups: int) -> Floats:
    """(groups + 1) × K × K: decision against label over each group's annotations, and last over everybody's."""
    return as_confusion_tables(sums_by_group(annotations, confusion_columns(annotations, decided), group, groups))


def as_confusion_tables(sums: Floats) -> Floats:
    """Sums of K² columns as K × K tables."""
    classes = round(sums.shape[-1] ** 0.5)
    return sums.reshape(*sums.shape[:-1], classes, classes)


def _f1_by_class(tables: Floats) -> Floats:
    hits = np.diagonal(tables, axis1=-2, axis2=-1)
    return ratio_or_infinity(2.0 * hits, tables.sum(axis=-1) + tables.sum(axis=-2))


def _violating_f1(tables: Floats) -> Floats:
    return _f1_by_class(tables)[..., -1]


def _macro_f1(tables: Floats) -> Floats:
    return np.asarray(_f1_by_class(tables).mean(axis=-1))


def _f1_gap(pairs: Floats) -> Floats:
    f1 = _violating_f1(pairs)
    defined = np.isfinite(f1).all(axis=-1)
    gap = np.full(defined.shape, np.inf)
    return np.asarray(np.subtract(f1[..., 0], f1[..., 1], out=gap, where=defined))


F1 = SumStatistic(shared_measures.F1, _violating_f1, NOTHING_VIOLATING)
MACRO_F1 = SumStatistic("macro_f1", _macro_f1, "a class is neither decided for nor given as a label")
F1_GAP = SumStatistic(
    perspective_measures.F1_GAP, _f1_gap, NOTHING_VIOLATING
)  # of the two tables of a group and of everybody


SparseColumns = sparse.csc_array  # annotations × what is summed; mostly zeros, since most people agree
MEAN_DELTA = SumStatistic(
    perspective_measures.CONFORMITY_DELTA,
    lambda sums: ratio_or_infinity(sums[..., 0], sums[..., 1]),
    "there are no annotations",
)
ANNOTATION_RATE = SumStatistic(
    "rate", lambda sums: ratio_or_infinity(sums[..., 0], sums[..., 1]), "there are no annotations"
)


def sums_by_group(annotations: Annotations, columns: SparseColumns, group: npt.ArrayLike, groups: int) -> Floats:
    """(groups + 1) × columns: the sums over each group's annotations, and last over everybody's."""
    place, rows = annotations.of_group(group, groups), np.arange(len(annotations))
    members = sparse.csr_array((np.ones(len(rows)), (place, rows)), shape=(groups + 1, len(rows)))
    sums: Floats = (members @ columns).toarray()
    sums[-1] = sums.sum(axis=0)
    return sums
