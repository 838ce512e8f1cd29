"""Do people agree more than chance would have it: Cohen's κ, Krippendorff's α, Gwet's AC1.

All are read from how often each item got each label from each group; pairs of people are never enumerated. κ pools all
pairs of two people who labelled the same item into one table, within a group both ways round. κ misleads when nearly
all labels are alike, so the other two stand beside it. Any number of classes; anybody may leave any item out.

`counts` and `squares` below are draws × groups × classes × items: sums of the annotators' weights and of their squares.
With weights of one they are the same, and there is one draw. A person paired with themselves is not a pair, however
heavy they are: `squares` takes those away.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from evenhand.errors import InputError
from evenhand.measures.number import Number, ratio
from evenhand.measures.perspective.annotations import Annotations
from evenhand.tally import FloatArray

Fold = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]  # counts, squares, weights of items
ALONE = "no item was labelled by two of these people"
ALIKE = f"{ALONE}, or all their labels are of one class"


def counted(annotations: Annotations, group: npt.ArrayLike | None = None, groups: int = 1) -> FloatArray:
    """1 × (groups + 1) × classes × items: how often an item got a label from each group, and last from nobody's group.

    Without groups everybody is in the first. An annotator may label an item once.
    """
    strata, shape = in_strata(annotations, group, groups)
    cells = strata * annotations.items + annotations.item
    found = np.bincount(cells, minlength=shape[0] * shape[1] * annotations.items).astype(np.float64)
    return np.asarray(found.reshape(1, *shape, annotations.items))


def in_strata(
    annotations: Annotations, group: npt.ArrayLike | None = None, groups: int = 1
) -> tuple[npt.NDArray[np.int64], tuple[int, int]]:
    """Per annotation the number of its group and label together, and how many groups and labels there are."""
    again = int(annotations.repeated.sum())
    if again:
        raise InputError(f"{again} labels are second labels of one annotator on one item: keep one each")
    member = np.zeros(annotations.annotators, dtype=np.int64) if group is None else group
    place = annotations.of_group(member, groups)
    return place * annotations.classes + annotations.label, (groups + 1, annotations.classes)


def once(fold: Fold, counts: FloatArray) -> FloatArray:
    """What a fold below makes of the data itself: every annotator and every item weighs one."""
    tables: FloatArray = fold(counts, counts, np.ones((1, counts.shape[-1])))[0]
    return tables


def pair_tables(counts: FloatArray, squares: FloatArray, weights: FloatArray) -> FloatArray:
    """Draws × groups + 1 × groups + 1 × K × K: pairs of different people of one item by what each of them said.

    The last group is everybody. `weights` are draws × items.
    """
    draws, groups, classes, items = counts.shape
    flat = counts.reshape(draws, groups * classes, items)
    tables = (flat * weights[:, None]) @ flat.transpose(0, 2, 1)
    tables = tables.reshape(draws, groups, classes, groups, classes).transpose(0, 1, 3, 2, 4).copy()
    g, k = np.arange(groups)[:, None], np.arange(classes)
    tables[:, g, g, k, k] -= (squares.reshape(flat.shape) @ weights[:, :, None]).reshape(draws, groups, classes)
    tables[:, -1] = tables.sum(axis=1)  # everybody is all groups together, with those in none
    tables[:, :, -1] = tables.sum(axis=2)
    return np.asarray(tables)


def coincidences(counts: FloatArray, squares: FloatArray, weights: FloatArray) -> FloatArray:
    """Draws × groups + 1 × K × K, for α: pairs within a group, every label counting once however many the item has."""
    counts, squares = (_with_everybody(part) for part in (counts, squares))
    given, pairs = counts.sum(axis=2), _pairs(counts, squares)
    each = np.divide(given * weights[:, None], pairs, out=np.zeros_like(pairs), where=pairs > 0.0)
    tables = (counts * each[:, :, None]) @ counts.transpose(0, 1, 3, 2)
    k = np.arange(counts.shape[2])
    tables[:, :, k, k] -= (squares @ each[..., None])[..., 0]
    return np.asarray(tables)


def item_shares(counts: FloatArray, squares: FloatArray, weights: FloatArray) -> FloatArray:
    """Draws × groups + 1 × (K + 3), for AC1: of items with two labels, how many and their share of agreeing pairs;
    of items with a label, how many and their shares of each class.
    """
    counts, squares = (_with_everybody(part) for part in (counts, squares))
    given, pairs = counts.sum(axis=2), _pairs(counts, squares)
    agreeing = (counts * counts - squares).sum(axis=2)
    two, one = (np.where(part > 0.0, weights[:, None], 0.0) for part in (pairs, given))
    share = np.divide(agreeing * two, pairs, out=np.zeros_like(pairs), where=pairs > 0.0)
    each = np.divide(one, given, out=np.zeros_like(given), where=given > 0.0)
    classes = (counts @ each[..., None])[..., 0]
    sums = [part.sum(axis=-1)[..., None] for part in (two, share, one)]
    return np.concatenate((*sums, classes), axis=-1)


def _kappa(tables: FloatArray) -> FloatArray:
    whole = tables.sum(axis=(-2, -1))
    agreeing = np.trace(tables, axis1=-2, axis2=-1) * whole
    chance = (tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1)
    return ratio(agreeing - chance, whole * whole - chance)


def _alpha(tables: FloatArray) -> FloatArray:
    margins = tables.sum(axis=-1)
    whole = margins.sum(axis=-1)
    observed = whole - np.trace(tables, axis1=-2, axis2=-1)
    expected = whole * whole - (margins * margins).sum(axis=-1)
    return ratio(expected - (whole - 1.0) * observed, expected)


def _ac1(sums: FloatArray) -> FloatArray:
    agreeing = ratio(sums[..., 1], sums[..., 0])
    shares = ratio(sums[..., 3:], sums[..., 2:3])
    defined = np.isfinite(agreeing)
    shares = np.where(defined[..., None], shares, 0.0)
    chance = (shares * (1.0 - shares)).sum(axis=-1) / (shares.shape[-1] - 1)
    return np.where(defined, ratio(np.where(defined, agreeing, 0.0) - chance, 1.0 - chance), np.inf)


KAPPA = Number("cohen_kappa", _kappa, ALIKE)
ALPHA = Number("krippendorff_alpha", _alpha, ALIKE)
AC1 = Number("gwet_ac1", _ac1, ALONE)


def _pairs(counts: FloatArray, squares: FloatArray) -> FloatArray:
    """Ordered pairs of different people per item and group; rounding leaves none below nothing."""
    given = counts.sum(axis=2)
    return np.asarray(np.maximum(given * given - squares.sum(axis=2), 0.0))


def _with_everybody(parts: FloatArray) -> FloatArray:
    """The last group, of those in none, becomes everybody."""
    return np.concatenate((parts[:, :-1], parts.sum(axis=1, keepdims=True)), axis=1)
