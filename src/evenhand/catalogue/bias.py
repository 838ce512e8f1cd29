"""Measures of the bias audit (Borkan et al. 2019; section 2 of the definitions)."""

from __future__ import annotations

from evenhand.catalogue.measure import Direction, Measure, Unit

PAGE = "audits/bias.md"

SUBGROUP_AUC = Measure(
    "subgroup_auc",
    title="Subgroup AUC",
    unit=Unit.AREA,
    direction=Direction.HIGHER,
    digits=3,
    explanation=("AUC of the items in the group: how well the model separates violating from benign items within it."),
    page=PAGE,
    pairs="a violating item in group '{group}' scores higher than a benign item in the same group",
)
BPSN_AUC = Measure(
    "bpsn_auc",
    title="BPSN AUC",
    unit=Unit.AREA,
    direction=Direction.HIGHER,
    digits=3,
    explanation=(
        "Background positive, subgroup negative: violating items outside the group against benign items in it. Low: "
        "benign items in the group score as high as violating items elsewhere; expect false positives."
    ),
    page=PAGE,
    pairs="a violating item outside group '{group}' scores higher than a benign item in it",
)
BNSP_AUC = Measure(
    "bnsp_auc",
    title="BNSP AUC",
    unit=Unit.AREA,
    direction=Direction.HIGHER,
    digits=3,
    explanation=(
        "Background negative, subgroup positive: violating items in the group against benign items outside it. Low: "
        "violating items in the group score as low as benign items elsewhere; expect false negatives."
    ),
    page=PAGE,
    pairs="a violating item in group '{group}' scores higher than a benign item outside it",
)
NEGATIVE_AEG = Measure(
    "negative_aeg",
    title="Negative AEG",
    unit=Unit.DIFFERENCE,
    direction=Direction.NEARER_ZERO,
    digits=3,
    explanation=(
        "Average equality gap of benign items. Above 0: benign items in the group score higher than benign items "
        "outside it; below 0: lower. Range −0.5 to 0.5."
    ),
    page=PAGE,
    pairs="a benign item in group '{group}' scores higher than a benign item outside it",
)
POSITIVE_AEG = Measure(
    "positive_aeg",
    title="Positive AEG",
    unit=Unit.DIFFERENCE,
    direction=Direction.NEARER_ZERO,
    digits=3,
    explanation=(
        "Average equality gap of violating items. Above 0: violating items in the group score higher than violating "
        "items outside it; below 0: lower. Range −0.5 to 0.5."
    ),
    page=PAGE,
    pairs="a violating item in group '{group}' scores higher than a violating item outside it",
)
TPR_GAP = Measure(
    "tpr_gap",
    title="TPR gap",
    unit=Unit.DIFFERENCE,
    direction=Direction.NEARER_ZERO,
    digits=3,
    explanation=(
        "True positive rate outside the group minus the rate in the group. Above 0: more violating items in the "
        "group are missed."
    ),
    page=PAGE,
)
FPR_GAP = Measure(
    "fpr_gap",
    title="FPR gap",
    unit=Unit.DIFFERENCE,
    direction=Direction.NEARER_ZERO,
    digits=3,
    explanation=(
        "False positive rate outside the group minus the rate in the group. Below 0: more benign items in the group "
        "are flagged."
    ),
    page=PAGE,
)
FPR_RATIO = Measure(
    "fpr_ratio",
    title="FPR ratio",
    unit=Unit.RATIO,
    direction=Direction.NEARER_ONE,
    digits=2,
    explanation=(
        "False positive rate in the group divided by the rate outside it. Above 1: more benign items in the group are "
        "flagged. The intervals of all ratios and differences of error rates hold simultaneously."
    ),
    page=PAGE,
)
FNR_RATIO = Measure(
    "fnr_ratio",
    title="FNR ratio",
    unit=Unit.RATIO,
    direction=Direction.NEARER_ONE,
    digits=2,
    explanation=(
        "False negative rate in the group divided by the rate outside it. Above 1: more violating items in the group "
        "are missed. The intervals of all ratios and differences of error rates hold simultaneously."
    ),
    page=PAGE,
)
FPR_DIFFERENCE = Measure(
    "fpr_difference",
    title="FPR difference",
    unit=Unit.DIFFERENCE,
    direction=Direction.NEARER_ZERO,
    digits=3,
    explanation=(
        "False positive rate in the group minus the rate outside it: the FPR gap with the opposite sign. The intervals "
        "of all ratios and differences of error rates hold simultaneously."
    ),
    page=PAGE,
)
FNR_DIFFERENCE = Measure(
    "fnr_difference",
    title="FNR difference",
    unit=Unit.DIFFERENCE,
    direction=Direction.NEARER_ZERO,
    digits=3,
    explanation=(
        "False negative rate in the group minus the rate outside it. The intervals of all ratios and differences of "
        "error rates hold simultaneously."
    ),
    page=PAGE,
)
SUBGROUP_AUC_POWER_MEAN = Measure(
    "subgroup_auc_power_mean",
    title="Subgroup AUC, power mean",
    unit=Unit.AREA,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Power mean over all groups (exponent −5), dominated by the lowest values.",
    page=PAGE,
)
BPSN_AUC_POWER_MEAN = Measure(
    "bpsn_auc_power_mean",
    title="BPSN AUC, power mean",
    unit=Unit.AREA,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Power mean over all groups (exponent −5), dominated by the lowest values.",
    page=PAGE,
)
BNSP_AUC_POWER_MEAN = Measure(
    "bnsp_auc_power_mean",
    title="BNSP AUC, power mean",
    unit=Unit.AREA,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Power mean over all groups (exponent −5), dominated by the lowest values.",
    page=PAGE,
)
JIGSAW_SCORE = Measure(
    "jigsaw_score",
    title="Jigsaw score",
    unit=Unit.AREA,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Mean of the overall AUROC and the three power means (Jigsaw 2019 challenge).",
    page=PAGE,
)
