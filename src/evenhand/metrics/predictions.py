"""How well a score tells violating from benign items: areas under curves, and rates at a threshold.

Labels are 0 or 1, true or false; labels on a scale, such as 1 to 5, have the concordance. Scores from 0 to 1 are cut at
0.5 unless a threshold is given; others need one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evenhand.audits.collaboration.quantities import MODEL_QUANTITIES
from evenhand.audits.quantities import RATE_QUANTITIES
from evenhand.catalogue.shared import ACCURACY, AUPRC, AUPRC_INTERPOLATED, AUROC, F1, FPR, PRECISION, RECALL
from evenhand.errors import InputError, Undefined
from evenhand.estimate import Estimate, Flag
from evenhand.intervals.auc import DELONG_SCORE
from evenhand.intervals.concordance import concordance_interval
from evenhand.measures.ordinal import ComparablePairs
from evenhand.metrics.scored_arrays import LABELS, SCORES, estimate_quantity, frame_of_arrays, quantity_named

Array = npt.ArrayLike
FEWEST_ITEMS = 10  # beside the commonest label, under which an estimate is marked small


def auroc(scores: Array, labels: Array, *, level: float = 0.95) -> Estimate:
    """The area under the ROC curve: how often a violating item is scored above a benign one.

    >>> auroc([0.9, 0.2, 0.7, 0.8], [1, 0, 1, 0]).value
    0.75
    """
    return _at_threshold(AUROC, scores, labels, None, level)


def concordance(scores: Array, labels: Array, *, level: float = 0.95) -> Estimate:
    """How often, of two items with different labels on a scale, the one with the higher label scores higher.

    Labels are numbers, such as 1 to 5; with two of them it is the area under the ROC curve.

    >>> concordance([0.1, 0.4, 0.3, 0.9], [1, 2, 3, 5]).value
    0.8333333333333334
    """
    frame = frame_of_arrays({SCORES: scores, LABELS: labels})
    for name in frame.columns:
        if not frame[name].dtype.is_numeric() or not frame[name].is_finite().fill_null(False).all():
            raise InputError("every value must be a number", column=name)
    pairs = ComparablePairs.from_items(*(frame[name].to_numpy().astype(np.float64) for name in frame.columns))
    try:
        value = pairs.concordance
    except Undefined as why:
        return Estimate.undefined(str(why), level=level, n=len(frame))
    low, high = concordance_interval(pairs.place, pairs.comparable, pairs.concordant).interval(level)
    beside_largest = len(frame) - int(np.bincount(pairs.place).max())
    flags = (Flag.SMALL,) if beside_largest < FEWEST_ITEMS else ()
    return Estimate(value, low, high, level, DELONG_SCORE, len(frame), flags=flags)


def auprc(scores: Array, labels: Array, *, level: float = 0.95) -> Estimate:
    """Average precision, the area under precision over recall.

    >>> auprc([0.9, 0.2, 0.7, 0.1], [1, 0, 1, 0]).value
    1.0
    """
    return _at_threshold(AUPRC, scores, labels, None, level)


def auprc_interpolated(scores: Array, labels: Array, *, level: float = 0.95) -> Estimate:
    """The area under precision over recall by the trapezoid rule, for comparison with papers that report this one.

    >>> auprc_interpolated([0.9, 0.2, 0.7, 0.1], [1, 0, 1, 0]).value
    1.0
    """
    return _at_threshold(AUPRC_INTERPOLATED, scores, labels, None, level)


def accuracy(scores: Array, labels: Array, *, threshold: float | None = None, level: float = 0.95) -> Estimate:
    """The share of items on the right side of the threshold.

    >>> accuracy([0.9, 0.2, 0.7, 0.8], [1, 0, 1, 0]).value
    0.75
    """
    return _at_threshold(ACCURACY, scores, labels, threshold, level)


def precision(scores: Array, labels: Array, *, threshold: float | None = None, level: float = 0.95) -> Estimate:
    """The share of flagged items that violate.

    >>> precision([0.9, 0.2, 0.7, 0.8], [1, 0, 0, 1]).n
    4
    """
    return _at_threshold(PRECISION, scores, labels, threshold, level)


def recall(scores: Array, labels: Array, *, threshold: float | None = None, level: float = 0.95) -> Estimate:
    """The share of violating items that are flagged.

    >>> recall([0.9, 0.2, 0.7, 0.4], [1, 0, 1, 1], threshold=0.3).value
    1.0
    """
    return _at_threshold(RECALL, scores, labels, threshold, level)


def fpr(scores: Array, labels: Array, *, threshold: float | None = None, level: float = 0.95) -> Estimate:
    """The false positive rate: the share of benign items that are flagged.

    >>> fpr([0.9, 0.2, 0.7, 0.8], [1, 0, 1, 0]).value
    0.5
    """
    return _at_threshold(FPR, scores, labels, threshold, level)


def fnr(scores: Array, labels: Array, *, threshold: float | None = None, level: float = 0.95) -> Estimate:
    """The false negative rate: the share of violating items that are not flagged.

    >>> fnr([0.9, 0.2, 0.7, 0.4], [1, 0, 1, 1], threshold=0.3).value
    0.0
    """
    return recall(scores, labels, threshold=threshold, level=level).complement()


def specificity(scores: Array, labels: Array, *, threshold: float | None = None, level: float = 0.95) -> Estimate:
    """The share of benign items that are not flagged.

    >>> specificity([0.9, 0.2, 0.7, 0.8], [1, 0, 1, 0]).value
    0.5
    """
    return fpr(scores, labels, threshold=threshold, level=level).complement()


def f1(scores: Array, labels: Array, *, threshold: float | None = None, level: float = 0.95) -> Estimate:
    """The harmonic mean of precision and recall.

    >>> f1([0.9, 0.2, 0.7, 0.1], [1, 0, 1, 0]).value
    1.0
    """
    return _at_threshold(F1, scores, labels, threshold, level)


def _at_threshold(measure: str, scores: Array, labels: Array, threshold: float | None, level: float) -> Estimate:
    quantity = quantity_named((*MODEL_QUANTITIES, *RATE_QUANTITIES), measure)
    return estimate_quantity(quantity, scores, labels, threshold=threshold, level=level)
