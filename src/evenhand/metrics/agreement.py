"""How far annotators agree beyond chance, from one row per label: which item, which annotator, which label.

Annotators may skip items, and there may be any number of classes. Labels on a scale, such as 1 to 5, are numbers:
with `distance` or `weights`, near labels disagree less than distant ones. Intervals redraw annotators and items
together, as the perspective audit does.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats, Ints
from evenhand.audits.perspective.groups import AnnotatorGroups
from evenhand.audits.perspective.quantities import AGREEMENT_BOUNDS, GroupedLabels
from evenhand.audits.settings import Settings
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.measures.perspective import Annotations
from evenhand.measures.perspective.agreement import (
    AC1,
    ALPHA,
    DISTANCES,
    KAPPA,
    NOMINAL,
    alpha_by_distance,
    coincidences,
    item_shares,
    pair_tables,
    weighted_kappa,
)
from evenhand.measures.perspective.group_statistics import SumStatistic

Array = npt.ArrayLike
LABELS = "labels"
POWERS = {"linear": 1, "quadratic": 2}  # of the difference, by the name of the weights


def krippendorff_alpha(
    items: Array,
    annotators: Array,
    labels: Array,
    *,
    distance: str = NOMINAL,
    level: float = 0.95,
    replicates: int = 200,
    seed: int = 0,
) -> Estimate:
    """Krippendorff's alpha: 1 is full agreement, 0 what chance would give.

    `distance` says how two labels disagree: `nominal`, all alike; `ordinal`, by how many labels lie between them;
    `interval`, by the square of their difference.

    >>> krippendorff_alpha([1, 1, 2, 2, 3, 3], ["a", "b"] * 3, ["spam", "spam", "ok", "ok", "ok", "ok"]).value
    1.0
    >>> stars = krippendorff_alpha([1, 1, 2, 2, 3, 3], ["a", "b"] * 3, [1, 2, 4, 5, 3, 3], distance="ordinal")
    >>> round(stars.value, 2)
    0.9
    """
    _check_choice("distance", distance, DISTANCES)
    number, codes = ALPHA, _codes(labels, LABELS)
    if distance != NOMINAL:
        values, codes = _scale(labels)
        number = alpha_by_distance(distance, values)
    labelled = _labelled(items, annotators, codes, level=level, replicates=replicates, seed=seed)
    plain, drawn = labelled.folds(coincidences)
    return _everybody(labelled, number, plain[-1], drawn[:, -1])


def cohen_kappa(
    items: Array,
    annotators: Array,
    labels: Array,
    *,
    weights: str | None = None,
    level: float = 0.95,
    replicates: int = 200,
    seed: int = 0,
) -> Estimate:
    """Cohen's kappa over all pairs of annotators who labelled the same item.

    With `weights`, a disagreement counts as much as the two labels differ (`linear`), or as the square (`quadratic`).

    >>> cohen_kappa([1, 1, 2, 2, 3, 3], ["a", "b"] * 3, [1, 1, 0, 0, 0, 0]).value
    1.0
    >>> stars = cohen_kappa([1, 1, 2, 2, 3, 3], ["a", "b"] * 3, [1, 2, 4, 5, 3, 3], weights="quadratic")
    >>> round(stars.value, 2)
    0.8
    """
    number, codes = KAPPA, _codes(labels, LABELS)
    if weights is not None:
        _check_choice("weights", weights, POWERS)
        values, codes = _scale(labels)
        number = weighted_kappa(POWERS[weights], values)
    labelled = _labelled(items, annotators, codes, level=level, replicates=replicates, seed=seed)
    plain, drawn = labelled.folds(pair_tables)
    return _everybody(labelled, number, plain[-1, -1], drawn[:, -1, -1])


def gwet_ac1(
    items: Array, annotators: Array, labels: Array, *, level: float = 0.95, replicates: int = 200, seed: int = 0
) -> Estimate:
    """Gwet's AC1, which stays meaningful where nearly all labels are alike.

    >>> gwet_ac1([1, 1, 2, 2, 3, 3], ["a", "b"] * 3, [1, 1, 0, 0, 0, 0]).value
    1.0
    """
    codes = _codes(labels, LABELS)
    labelled = _labelled(items, annotators, codes, level=level, replicates=replicates, seed=seed)
    plain, drawn = labelled.folds(item_shares)
    return _everybody(labelled, AC1, plain[-1], drawn[:, -1])


def _check_choice(name: str, value: str, known: Iterable[str]) -> None:
    if value not in known:
        raise InputError(f"invalid `{name}`: '{value}' (choose from: {', '.join(known)})", role=name)


def _labelled(
    items: Array, annotators: Array, codes: Ints, *, level: float, replicates: int, seed: int
) -> GroupedLabels:
    """The labels of everybody, in no groups, ordered by id as in the audit: the order of the rows decides nothing."""
    item, annotator = _codes(items, "items"), _codes(annotators, "annotators")
    ordered = np.lexsort((annotator, item)) if len(item) == len(annotator) == len(codes) else slice(None)
    annotations = Annotations.from_columns(item[ordered], annotator[ordered], codes[ordered])
    nobody = AnnotatorGroups((), np.full(annotations.annotators, -1), None, ())
    return GroupedLabels(annotations, nobody, Settings(level=level, replicates=replicates, seed=seed))


def _codes(values: Array, name: str) -> Ints:
    """Numbers from 0, in the order of the values as words."""
    array = np.asarray(values)
    if array.ndim != 1 or not array.size:
        raise InputError("give one value per label, at least one", column=name)
    return np.unique(array.astype(str), return_inverse=True)[1].astype(np.int64)


def _scale(labels: Array) -> tuple[Floats, Ints]:
    """The values of a scale, lowest first, and the place of each label on it."""
    try:
        numbers = np.asarray(labels, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise InputError("labels on a scale must be numbers, one per label; give words as 1, 2, 3, …", column=LABELS)
    values, codes = np.unique(numbers, return_inverse=True)
    return np.append(values, values[-1:] + 1.0)[: max(len(values), 2)], codes.astype(np.int64)  # one class is two


def _everybody(labelled: GroupedLabels, number: SumStatistic, plain: Floats, drawn: Floats) -> Estimate:
    return labelled.estimate(number, plain, drawn, group=0, bounds=AGREEMENT_BOUNDS)
