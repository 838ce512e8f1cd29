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
    fnr_difference,
    fnr_ratio,
    fpr_difference,
    fpr_gap,
    fpr_ratio,
    negative_aeg,
    positive_aeg,
    subgroup_auc,
    tpr_gap,
)
from evenhand.metrics.predictions import (
    accuracy,
    auprc,
    auprc_interpolated,
    auroc,
    concordance,
    f1,
    fnr,
    fpr,
    precision,
    recall,
    specificity,
)
from evenhand.metrics.probabilities import (
    ace,
    brier,
    cece,
    class_ace,
    class_brier,
    class_ece,
    ece,
    ece_variance,
    log_loss,
    msece,
    sce,
    wsece,
)
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
    "auprc_interpolated",
    "auroc",
    "bnsp_auc",
    "bootstrap",
    "bpsn_auc",
    "brier",
    "calibration_auprc",
    "calibration_auroc",
    "cece",
    "class_ace",
    "class_brier",
    "class_ece",
    "cohen_kappa",
    "concordance",
    "ece",
    "ece_variance",
    "f1",
    "fnr",
    "fnr_difference",
    "fnr_ratio",
    "fpr",
    "fpr_difference",
    "fpr_gap",
    "fpr_ratio",
    "gwet_ac1",
    "krippendorff_alpha",
    "log_loss",
    "msece",
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
    "specificity",
    "subgroup_auc",
    "tpr_gap",
    "wsece",
]


def __dir__() -> list[str]:
    """The public names, for tab completion."""
    return sorted(__all__)
