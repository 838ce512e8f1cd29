"""How a score treats a group beside its background: the three AUCs and two gaps of Borkan et al. 2019, and rate gaps.

`group` is true or 1 where an item belongs to the group (None: unknown, the item counts on neither side).
"""

from __future__ import annotations

import numpy.typing as npt

from evenhand.audits.bias.quantities import GROUP_QUANTITIES, error_rate_quantities
from evenhand.catalogue.bias import (
    BNSP_AUC,
    BPSN_AUC,
    FNR_DIFFERENCE,
    FNR_RATIO,
    FPR_DIFFERENCE,
    FPR_GAP,
    FPR_RATIO,
    NEGATIVE_AEG,
    POSITIVE_AEG,
    SUBGROUP_AUC,
    TPR_GAP,
)
from evenhand.estimate import Estimate
from evenhand.metrics.scored_arrays import estimate_quantity, quantity_named

Array = npt.ArrayLike


def subgroup_auc(scores: Array, labels: Array, group: Array, *, level: float = 0.95) -> Estimate:
    """The AUC within the group.

    >>> subgroup_auc([0.9, 0.2, 0.7, 0.1], [1, 0, 1, 0], [1, 1, 0, 0]).value
    1.0
    """
    return _of_group(SUBGROUP_AUC, scores, labels, group, level=level)


def bpsn_auc(scores: Array, labels: Array, group: Array, *, level: float = 0.95) -> Estimate:
    """Background positive, subgroup negative: low where benign items of the group are scored too high.

    >>> bpsn_auc([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0], [1, 1, 0, 0]).value
    0.0
    """
    return _of_group(BPSN_AUC, scores, labels, group, level=level)


def bnsp_auc(scores: Array, labels: Array, group: Array, *, level: float = 0.95) -> Estimate:
    """Background negative, subgroup positive: low where violating items of the group are scored too low.

    >>> bnsp_auc([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0], [1, 1, 0, 0]).value
    1.0
    """
    return _of_group(BNSP_AUC, scores, labels, group, level=level)


def negative_aeg(scores: Array, labels: Array, group: Array, *, level: float = 0.95) -> Estimate:
    """Average equality gap of benign items, −0.5 to 0.5: above 0 where those of the group are scored higher.

    >>> negative_aeg([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0], [1, 1, 0, 0]).value
    0.5
    """
    return _of_group(NEGATIVE_AEG, scores, labels, group, level=level)


def positive_aeg(scores: Array, labels: Array, group: Array, *, level: float = 0.95) -> Estimate:
    """Average equality gap of violating items, −0.5 to 0.5: above 0 where those of the group are scored higher.

    >>> positive_aeg([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0], [1, 1, 0, 0]).value
    0.5
    """
    return _of_group(POSITIVE_AEG, scores, labels, group, level=level)


def tpr_gap(
    scores: Array, labels: Array, group: Array, *, threshold: float | None = None, level: float = 0.95
) -> Estimate:
    """The true positive rate of the background less that of the group, at a threshold (0.5 for probabilities).

    >>> tpr_gap([0.4, 0.2, 0.7, 0.1], [1, 0, 1, 0], [1, 1, 0, 0]).value
    1.0
    """
    return _of_group(TPR_GAP, scores, labels, group, threshold=threshold, level=level)


def fpr_gap(
    scores: Array, labels: Array, group: Array, *, threshold: float | None = None, level: float = 0.95
) -> Estimate:
    """The false positive rate of the background less that of the group, at a threshold (0.5 for probabilities).

    >>> fpr_gap([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0], [1, 1, 0, 0]).value
    -1.0
    """
    return _of_group(FPR_GAP, scores, labels, group, threshold=threshold, level=level)


def fpr_ratio(
    scores: Array, labels: Array, group: Array, *, threshold: float | None = None, level: float = 0.95
) -> Estimate:
    """How many times as often benign items of the group are flagged as others, at a threshold.

    >>> fpr_ratio([0.9, 0.8, 0.7, 0.1, 0.9], [0, 0, 0, 0, 1], [1, 1, 0, 0, 0]).value
    2.0
    """
    return _of_group(FPR_RATIO, scores, labels, group, threshold=threshold, level=level)


def fpr_difference(
    scores: Array, labels: Array, group: Array, *, threshold: float | None = None, level: float = 0.95
) -> Estimate:
    """The false positive rate of the group less that of everyone else, at a threshold.

    >>> fpr_difference([0.9, 0.8, 0.7, 0.1, 0.9], [0, 0, 0, 0, 1], [1, 1, 0, 0, 0]).value
    0.5
    """
    return _of_group(FPR_DIFFERENCE, scores, labels, group, threshold=threshold, level=level)


def fnr_ratio(
    scores: Array, labels: Array, group: Array, *, threshold: float | None = None, level: float = 0.95
) -> Estimate:
    """How many times as often violating items of the group are missed as others, at a threshold.

    >>> fnr_ratio([0.3, 0.2, 0.7, 0.1, 0.1], [1, 1, 1, 1, 0], [1, 1, 0, 0, 0]).value
    2.0
    """
    return _of_group(FNR_RATIO, scores, labels, group, threshold=threshold, level=level)


def fnr_difference(
    scores: Array, labels: Array, group: Array, *, threshold: float | None = None, level: float = 0.95
) -> Estimate:
    """The false negative rate of the group less that of everyone else, at a threshold.

    >>> fnr_difference([0.3, 0.2, 0.7, 0.1, 0.1], [1, 1, 1, 1, 0], [1, 1, 0, 0, 0]).value
    0.5
    """
    return _of_group(FNR_DIFFERENCE, scores, labels, group, threshold=threshold, level=level)


def _of_group(
    measure: str, scores: Array, labels: Array, group: Array, *, level: float, threshold: float | None = None
) -> Estimate:
    quantity = quantity_named((*GROUP_QUANTITIES, *error_rate_quantities(comparisons=1)), measure)
    return estimate_quantity(quantity, scores, labels, group, threshold=threshold, level=level)
