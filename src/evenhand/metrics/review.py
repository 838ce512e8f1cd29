"""How good model and reviewers are together when reviewers see part of the items (Kivlichan et al. 2021).

`capacity` is the share of items that is reviewed (0.01: one in a hundred); `strategy` says which: "uncertainty" (the
least certain first), "toxicity" (the highest scores first), "hybrid:0.3" (a part by each). Scores are probabilities.
"""

from __future__ import annotations

import numpy.typing as npt

from evenhand.audits.collaboration.quantities import capacity_quantities, strategy_quantities
from evenhand.catalogue.collaboration import (
    CALIBRATION_AUPRC,
    CALIBRATION_AUROC,
    OC_ACCURACY,
    OC_AUPRC,
    OC_AUROC,
    OC_F1,
    OC_PRECISION,
    OC_RECALL,
    REVIEW_EFFECTIVENESS,
    REVIEW_EFFICIENCY,
)
from evenhand.estimate import Estimate
from evenhand.measures.collaboration import Capacity
from evenhand.metrics.scored_arrays import estimate_quantity, quantity_named
from evenhand.routing.strategies import parse_strategy

Array = npt.ArrayLike


def oc_accuracy(
    scores: Array,
    labels: Array,
    *,
    capacity: float = 0.01,
    strategy: str = "uncertainty",
    threshold: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """Accuracy of the model with reviewers who are right about what they see.

    >>> oc_accuracy([0.9, 0.2, 0.6, 0.1], [1, 0, 0, 0], capacity=0.25).value
    1.0
    """
    return _reviewed(OC_ACCURACY, scores, labels, capacity, strategy, threshold, level)


def oc_auroc(
    scores: Array, labels: Array, *, capacity: float = 0.01, strategy: str = "uncertainty", level: float = 0.95
) -> Estimate:
    """AUROC after review.

    >>> oc_auroc([0.9, 0.2, 0.6, 0.1], [1, 0, 0, 1], capacity=0.5, strategy="toxicity").n
    4
    """
    return _reviewed(OC_AUROC, scores, labels, capacity, strategy, None, level)


def oc_auprc(
    scores: Array, labels: Array, *, capacity: float = 0.01, strategy: str = "uncertainty", level: float = 0.95
) -> Estimate:
    """Average precision after review.

    >>> oc_auprc([0.9, 0.2, 0.6, 0.1], [1, 0, 0, 0], capacity=0.25).value
    1.0
    """
    return _reviewed(OC_AUPRC, scores, labels, capacity, strategy, None, level)


def oc_precision(
    scores: Array,
    labels: Array,
    *,
    capacity: float = 0.01,
    strategy: str = "uncertainty",
    threshold: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """Precision after review.

    >>> oc_precision([0.9, 0.2, 0.6, 0.1], [1, 0, 0, 0], capacity=0.25).value
    1.0
    """
    return _reviewed(OC_PRECISION, scores, labels, capacity, strategy, threshold, level)


def oc_recall(
    scores: Array,
    labels: Array,
    *,
    capacity: float = 0.01,
    strategy: str = "uncertainty",
    threshold: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """Recall after review.

    >>> oc_recall([0.9, 0.2, 0.4, 0.1], [1, 0, 1, 0], capacity=0.25).value
    1.0
    """
    return _reviewed(OC_RECALL, scores, labels, capacity, strategy, threshold, level)


def oc_f1(
    scores: Array,
    labels: Array,
    *,
    capacity: float = 0.01,
    strategy: str = "uncertainty",
    threshold: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """F1 after review.

    >>> oc_f1([0.9, 0.2, 0.4, 0.1], [1, 0, 1, 0], capacity=0.25).value
    1.0
    """
    return _reviewed(OC_F1, scores, labels, capacity, strategy, threshold, level)


def review_efficiency(
    scores: Array,
    labels: Array,
    *,
    capacity: float = 0.01,
    strategy: str = "uncertainty",
    threshold: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """The share of reviews that correct the model.

    >>> review_efficiency([0.9, 0.2, 0.6, 0.1], [1, 0, 0, 0], capacity=0.25).value
    1.0
    """
    return _reviewed(REVIEW_EFFICIENCY, scores, labels, capacity, strategy, threshold, level)


def review_effectiveness(
    scores: Array,
    labels: Array,
    *,
    capacity: float = 0.01,
    strategy: str = "uncertainty",
    threshold: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """The share of the model's errors that review corrects.

    >>> review_effectiveness([0.9, 0.2, 0.6, 0.1], [1, 0, 0, 0], capacity=0.25).value
    1.0
    """
    return _reviewed(REVIEW_EFFECTIVENESS, scores, labels, capacity, strategy, threshold, level)


def calibration_auroc(
    scores: Array,
    labels: Array,
    *,
    strategy: str = "uncertainty",
    threshold: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """How often an item that the model gets wrong is reviewed before one that it gets right.

    >>> calibration_auroc([0.9, 0.2, 0.6, 0.1], [1, 0, 0, 0]).value
    1.0
    """
    quantity = quantity_named(strategy_quantities(parse_strategy(strategy)), CALIBRATION_AUROC)
    return estimate_quantity(quantity, scores, labels, threshold=threshold, level=level)


def calibration_auprc(
    scores: Array,
    labels: Array,
    *,
    strategy: str = "uncertainty",
    threshold: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """Average precision of finding the model's errors by the order of review.

    >>> calibration_auprc([0.9, 0.2, 0.6, 0.1], [1, 0, 0, 0]).value
    1.0
    """
    quantity = quantity_named(strategy_quantities(parse_strategy(strategy)), CALIBRATION_AUPRC)
    return estimate_quantity(quantity, scores, labels, threshold=threshold, level=level)


def _reviewed(
    measure: str,
    scores: Array,
    labels: Array,
    capacity: float,
    strategy: str,
    threshold: float | None,
    level: float,
) -> Estimate:
    quantity = quantity_named(capacity_quantities(parse_strategy(strategy), Capacity.fraction(capacity)), measure)
    return estimate_quantity(quantity, scores, labels, threshold=threshold, level=level)
