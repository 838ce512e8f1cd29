"""Agreement between annotators beyond chance: Cohen's κ, Krippendorff's α and Gwet's AC1.

All are read from how often each item got each label from each group; pairs of people are never enumerated. κ pools all
pairs of two people who labelled the same item into one table, within a group both ways round. κ misleads when nearly
all labels are alike, so the other two are given beside it. Any number of classes; annotators may skip items. Of labels
on a scale, such as 1 to 5, κ and α also have a form in which near labels disagree less than distant ones.

`counts` and `squares` below are draws × groups × classes × items: sums of the annotators' weights and of their squares.
With weights of one they are the same, and there is one draw. A person paired with themselves is not a pair, whatever
their weight: `squares` are subtracted for that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats
from evenhand.catalogue.perspective import COHEN_KAPPA, GWET_AC1, KRIPPENDORFF_ALPHA
from evenhand.errors import InputError
from evenhand.measures.perspective.annotations import Annotations
from evenhand.measures.perspective.group_statistics import SumStatistic, ratio_or_infinity

AgreementFold = Callable[[Floats, Floats, Floats], Floats]  # counts, squares, weights of items
NOMINAL, ORDINAL, INTERVAL = DISTANCES = ("nominal", "ordinal", "interval")
NO_PAIRS = "no item was labelled by two of these annotators"
NO_PAIRS_OR_ONE_CLASS = f"{NO_PAIRS}, or all their labels are the same"


def label_counts(annotations: Annotations, group: npt.ArrayLike | None = None, groups: int = 1) -> Floats:
    """1 × (groups + 1) × classes × items: how often an item got a label from each group, and last from nobody's group.

    Without groups everybody is in the first. An annotator may label an item once.
    """
    strata, shape = label_strata(annotations, group, groups)
    cells = strata * annotations.items + annotations.item
    counts = np.bincount(cells, minlength=shape[0] * shape[1] * annotations.items).astype(np.float64)
    return np.asarray(counts.reshape(1, *shape, annotations.items))


def label_strata(
    annotations: Annotations, group: npt.ArrayLike | None = None, groups: int = 1
) -> tuple[npt.NDArray[np.int64], tuple[int, int]]:
    """Per annotation the number of its group and label together, and how many groups and labels there are."""
    again = int(annotations.repeated.sum())
    if again:
        raise InputError(f"{again} labels are second labels of one annotator on one item: keep one each")
    member = np.zeros(annotations.annotators, dtype=np.int64) if group is None else group
    place = annotations.of_group(member, groups)
    return place * annotations.classes + annotations.label, (groups + 1, annotations.classes)


def fold_unweighted(fold: AgreementFold, counts: Floats) -> Floats:
    """What a fold below makes of the data itself: every annotator and every item weighs one."""
    tables: Floats = fold(counts, counts, np.ones((1, counts.shape[-1])))[0]
    return tables


def pair_tables(counts: Floats, squares: Floats, weights: Floats) -> Floats:
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


def coincidences(counts: Floats, squares: Floats, weights: Floats) -> Floats:
    """Draws × groups + 1 × K × K, for α: pairs within a group, every label counting once however many the item has."""
    counts, squares = (_with_everybody(part) for part in (counts, squares))
    labels, pairs = counts.sum(axis=2), _pairs(counts, squares)
    each = np.divide(labels * weights[:, None], pairs, out=np.zeros_like(pairs), where=pairs > 0.0)
    tables = (counts * each[:, :, None]) @ counts.transpose(0, 1, 3, 2)
    k = np.arange(counts.shape[2])
    tables[:, :, k, k] -= (squares @ each[..., None])[..., 0]
    return np.asarray(tables)


def item_shares(counts: Floats, squares: Floats, weights: Floats) -> Floats:
    """Draws × groups + 1 × (K + 3), for AC1: of items with two labels, how many and their share of agreeing pairs;
    of items with a label, how many and their shares of each class.
    """
    counts, squares = (_with_everybody(part) for part in (counts, squares))
    labels, pairs = counts.sum(axis=2), _pairs(counts, squares)
    agreeing = (counts * counts - squares).sum(axis=2)
    two, one = (np.where(part > 0.0, weights[:, None], 0.0) for part in (pairs, labels))
    share = np.divide(agreeing * two, pairs, out=np.zeros_like(pairs), where=pairs > 0.0)
    each = np.divide(one, labels, out=np.zeros_like(labels), where=labels > 0.0)
    classes = (counts @ each[..., None])[..., 0]
    sums = [part.sum(axis=-1)[..., None] for part in (two, share, one)]
    return np.concatenate((*sums, classes), axis=-1)


def _kappa(tables: Floats) -> Floats:
    whole = tables.sum(axis=(-2, -1))
    agreeing = np.trace(tables, axis1=-2, axis2=-1) * whole
    chance = (tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1)
    return ratio_or_infinity(agreeing - chance, whole * whole - chance)


def _alpha(tables: Floats) -> Floats:
    margins = tables.sum(axis=-1)
    whole = margins.sum(axis=-1)
    observed = whole - np.trace(tables, axis1=-2, axis2=-1)
    expected = whole * whole - (margins * margins).sum(axis=-1)
    return ratio_or_infinity(expected - (whole - 1.0) * observed, expected)


def _ac1(sums: Floats) -> Floats:
    agreeing = ratio_or_infinity(sums[..., 1], sums[..., 0])
    shares = ratio_or_infinity(sums[..., 3:], sums[..., 2:3])
    defined = np.isfinite(agreeing)
    shares = np.where(defined[..., None], shares, 0.0)
    chance = (shares * (1.0 - shares)).sum(axis=-1) / (shares.shape[-1] - 1)
    return np.where(defined, ratio_or_infinity(np.where(defined, agreeing, 0.0) - chance, 1.0 - chance), np.inf)


def alpha_by_distance(distance: str, values: npt.ArrayLike) -> SumStatistic:
    """α for labels with a distance: the squared difference of their `values`, or of their mean ranks (`ordinal`).

    The mean rank of a class is the number of labels below it, and half of its own (Krippendorff 2011).
    """
    fixed = np.asarray(values, dtype=np.float64)

    def formula(tables: Floats) -> Floats:
        margins = tables.sum(axis=-1)
        places = _mean_ranks(margins, fixed) if distance == ORDINAL else fixed
        gaps = (places[..., :, None] - places[..., None, :]) ** 2
        observed = (tables * gaps).sum(axis=(-2, -1))
        expected = (margins[..., :, None] * margins[..., None, :] * gaps).sum(axis=(-2, -1))
        return ratio_or_infinity(expected - (margins.sum(axis=-1) - 1.0) * observed, expected)

    return SumStatistic(KRIPPENDORFF_ALPHA, formula, NO_PAIRS_OR_ONE_CLASS)


def _mean_ranks(margins: Floats, values: Floats) -> Floats:
    """By class: the number of labels with a lower value, and half of its own."""
    order = np.argsort(values, kind="stable")
    ordered = margins[..., order]
    ranks = np.empty_like(ordered)
    ranks[..., order] = ordered.cumsum(axis=-1) - ordered / 2.0
    return ranks


def alpha_of_classes(distance: str, classes: Sequence[str]) -> SumStatistic:
    """α for classes by name: numbers have their values; words have the order in which they are declared."""
    if distance == NOMINAL:
        return ALPHA
    try:
        values = [float(name) for name in classes]
    except ValueError:
        if distance == INTERVAL and len(classes) > 2:
            problem = f"`distance` interval: classes must be numbers, not words such as '{classes[0]}'"
            raise InputError(problem, role="distance", remedy="use ordinal, which takes their order") from None
        values = list(range(len(classes)))
    return alpha_by_distance(distance, values)


def weighted_kappa(power: int, values: npt.ArrayLike) -> SumStatistic:
    """κ in which a disagreement weighs as much as the `values` of the two labels differ, to the power 1 or 2."""
    fixed = np.asarray(values, dtype=np.float64)
    gaps = np.abs(fixed[:, None] - fixed[None, :]) ** power

    def formula(tables: Floats) -> Floats:
        observed = (tables * gaps).sum(axis=(-2, -1)) * tables.sum(axis=(-2, -1))
        expected = (tables.sum(axis=-1)[..., :, None] * tables.sum(axis=-2)[..., None, :] * gaps).sum(axis=(-2, -1))
        return ratio_or_infinity(expected - observed, expected)

    return SumStatistic(COHEN_KAPPA, formula, NO_PAIRS_OR_ONE_CLASS)


KAPPA = SumStatistic(COHEN_KAPPA, _kappa, NO_PAIRS_OR_ONE_CLASS)
ALPHA = SumStatistic(KRIPPENDORFF_ALPHA, _alpha, NO_PAIRS_OR_ONE_CLASS)
AC1 = SumStatistic(GWET_AC1, _ac1, NO_PAIRS)


def _pairs(counts: Floats, squares: Floats) -> Floats:
    """Ordered pairs of different people per item and group; rounding leaves none below nothing."""
    labels = counts.sum(axis=2)
    return np.asarray(np.maximum(labels * labels - squares.sum(axis=2), 0.0))


def _with_everybody(parts: Floats) -> Floats:
    """The last group, of those in none, becomes everybody."""
    return np.concatenate((parts[:, :-1], parts.sum(axis=1, keepdims=True)), axis=1)
