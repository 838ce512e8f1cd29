"""Every measure in one call: arrays in, an `Estimate` with its interval out.

    from evenhand import metrics
    metrics.bpsn_auc(scores, labels, group)

The numbers and intervals are those of the audits, without the correction for many comparisons that an audit makes.
Where a number is not defined (no benign item in the group), the estimate has no value and says why.
"""

from evenhand.metrics.agreement import cohen_kappa, gwet_ac1, krippendorff_alpha
from evenhand.metrics.groups import (
    bnsp_auc,
    bpsn_auc,
    fpr_gap,
    negative_aeg,
    positive_aeg,
    subgroup_auc,
    tpr_gap,
)
from evenhand.metrics.predictions import accuracy, auprc, auroc, concordance, f1, fpr, precision, recall
from evenhand.metrics.probabilities import ace, brier, cece, class_ece, ece, log_loss, sce
from evenhand.metrics.resampling import bootstrap
from evenhand.metrics.review import (
    calibration_auprc,
    calibration_auroc,
    oc_accuracy,
    oc_auprc,
    oc_auroc,
    oc_f1,
    oc_precision,
    oc_recall,
    review_effectiveness,
    review_efficiency,
)

__all__ = [
    "accuracy",
    "ace",
    "auprc",
    "auroc",
    "bnsp_auc",
    "bootstrap",
    "bpsn_auc",
    "brier",
    "calibration_auprc",
    "calibration_auroc",
    "cece",
    "class_ece",
    "cohen_kappa",
    "concordance",
    "ece",
    "f1",
    "fpr",
    "fpr_gap",
    "gwet_ac1",
    "krippendorff_alpha",
    "log_loss",
    "negative_aeg",
    "oc_accuracy",
    "oc_auprc",
    "oc_auroc",
    "oc_f1",
    "oc_precision",
    "oc_recall",
    "positive_aeg",
    "precision",
    "recall",
    "review_effectiveness",
    "review_efficiency",
    "sce",
    "subgroup_auc",
    "tpr_gap",
]
