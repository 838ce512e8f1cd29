"""Measures of people and model together, and of a staffing plan (Kivlichan et al. 2021)."""

from __future__ import annotations

from evenhand.catalogue.measure import Direction, Measure, Unit

PAGE = "audits/collaboration.md"

CALIBRATION_AUROC = Measure(
    "calibration_auroc",
    title="Calibration AUROC",
    unit=Unit.AREA,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Probability that an item the model gets wrong is reviewed before an item it gets right.",
    page=PAGE,
)
CALIBRATION_AUPRC = Measure(
    "calibration_auprc",
    title="Calibration AUPRC",
    unit=Unit.AREA,
    direction=Direction.HIGHER,
    digits=3,
    explanation=(
        "Area under the curve of Review Efficiency over Review Effectiveness: quality of the review order at all "
        "capacities."
    ),
    page=PAGE,
)
OC_ACCURACY = Measure(
    "oc_accuracy",
    title="OC-accuracy",
    unit=Unit.SHARE,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Share of items decided correctly if reviewers decide the reviewed items and the model the rest.",
    page=PAGE,
)
OC_AUROC = Measure(
    "oc_auroc",
    title="OC-AUROC",
    unit=Unit.AREA,
    direction=Direction.HIGHER,
    digits=3,
    explanation=(
        "AUROC of reviewers and model together: reviewed items are ranked above or below all others according to "
        "their label."
    ),
    page=PAGE,
)
OC_AUPRC = Measure(
    "oc_auprc",
    title="OC-AUPRC",
    unit=Unit.AREA,
    direction=Direction.HIGHER,
    digits=3,
    explanation="AUPRC of reviewers and model together, ranked in the same way.",
    page=PAGE,
)
OC_PRECISION = Measure(
    "oc_precision",
    title="OC-precision",
    unit=Unit.SHARE,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Share of items flagged by reviewers and model together that are violating.",
    page=PAGE,
)
OC_RECALL = Measure(
    "oc_recall",
    title="OC-recall",
    unit=Unit.SHARE,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Share of violating items flagged by reviewers and model together.",
    page=PAGE,
)
OC_F1 = Measure(
    "oc_f1",
    title="OC-F1",
    unit=Unit.SHARE,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Harmonic mean of OC-precision and OC-recall.",
    page=PAGE,
)
REVIEW_EFFICIENCY = Measure(
    "review_efficiency",
    title="Review Efficiency",
    unit=Unit.SHARE,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Share of reviewed items that the model got wrong.",
    page=PAGE,
)
REVIEW_EFFECTIVENESS = Measure(
    "review_effectiveness",
    title="Review Effectiveness",
    unit=Unit.SHARE,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Share of the model's errors that are reviewed.",
    page=PAGE,
)
SYSTEM_FPR = Measure(
    "system_fpr",
    title="FPR after review",
    unit=Unit.SHARE,
    direction=Direction.LOWER,
    digits=3,
    explanation=(
        "Share of benign items removed by model and reviewers together, with one review queue for all groups and "
        "reviewers who err as often as they were found to."
    ),
    page=PAGE,
)
SYSTEM_FNR = Measure(
    "system_fnr",
    title="FNR after review",
    unit=Unit.SHARE,
    direction=Direction.LOWER,
    digits=3,
    explanation=(
        "Share of violating items left up by model and reviewers together, with one review queue for all groups and "
        "reviewers who err as often as they were found to."
    ),
    page=PAGE,
)
SYSTEM_FPR_RATIO = Measure(
    "system_fpr_ratio",
    title="FPR ratio after review",
    unit=Unit.RATIO,
    direction=Direction.NEARER_ONE,
    digits=2,
    explanation=(
        "FPR after review in the group divided by that outside it. Above 1: more benign items in the group are "
        "removed. The intervals of all ratios and differences after review hold simultaneously."
    ),
    page=PAGE,
)
SYSTEM_FNR_RATIO = Measure(
    "system_fnr_ratio",
    title="FNR ratio after review",
    unit=Unit.RATIO,
    direction=Direction.NEARER_ONE,
    digits=2,
    explanation=(
        "FNR after review in the group divided by that outside it. Above 1: more violating items in the group are "
        "left up. The intervals of all ratios and differences after review hold simultaneously."
    ),
    page=PAGE,
)
SYSTEM_FPR_DIFFERENCE = Measure(
    "system_fpr_difference",
    title="FPR difference after review",
    unit=Unit.DIFFERENCE,
    direction=Direction.NEARER_ZERO,
    digits=3,
    explanation=(
        "FPR after review in the group minus that outside it. The intervals of all ratios and differences after "
        "review hold simultaneously."
    ),
    page=PAGE,
)
SYSTEM_FNR_DIFFERENCE = Measure(
    "system_fnr_difference",
    title="FNR difference after review",
    unit=Unit.DIFFERENCE,
    direction=Direction.NEARER_ZERO,
    digits=3,
    explanation=(
        "FNR after review in the group minus that outside it. The intervals of all ratios and differences after "
        "review hold simultaneously."
    ),
    page=PAGE,
)
REVIEWER_FPR = Measure(
    "reviewer_fpr",
    title="Reviewers' FPR",
    unit=Unit.SHARE,
    direction=Direction.LOWER,
    digits=3,
    explanation="Share of reviewers' decisions on benign items that call them violating.",
    page=PAGE,
)
REVIEWER_FNR = Measure(
    "reviewer_fnr",
    title="Reviewers' FNR",
    unit=Unit.SHARE,
    direction=Direction.LOWER,
    digits=3,
    explanation="Share of reviewers' decisions on violating items that call them benign.",
    page=PAGE,
)
CAPACITY = Measure(
    "capacity",
    title="Capacity",
    unit=Unit.SHARE,
    direction=Direction.NEUTRAL,
    digits=3,
    explanation="Share of all items that are reviewed.",
    page=PAGE,
)
REVIEWERS = Measure(
    "reviewers",
    title="Reviewers",
    unit=Unit.COUNT,
    direction=Direction.LOWER,
    digits=0,
    explanation="Number of reviewers, rounded up, for the daily review hours.",
    page=PAGE,
)
COST_PER_DAY = Measure(
    "cost_per_day",
    title="Cost per day",
    unit=Unit.COUNT,
    direction=Direction.LOWER,
    digits=0,
    explanation="Daily cost of errors and reviews at the given prices.",
    page=PAGE,
)
COST_WITHOUT_REVIEW = Measure(
    "cost_without_review",
    title="Cost without review",
    unit=Unit.COUNT,
    direction=Direction.LOWER,
    digits=0,
    explanation="Daily cost without review.",
    page=PAGE,
)
CROSSING = Measure(
    "crossing",
    title="Crossing",
    unit=Unit.SHARE,
    direction=Direction.NEUTRAL,
    digits=3,
    explanation="Capacity from which the other strategy is better.",
    page=PAGE,
)
REMOVE_FROM = Measure(
    "remove_from",
    title="Remove from",
    unit=Unit.THRESHOLD_FROM,
    direction=Direction.NEUTRAL,
    digits=3,
    explanation="Items with this score or higher are removed without review.",
    page=PAGE,
)
LEAVE_BELOW = Measure(
    "leave_below",
    title="Leave below",
    unit=Unit.THRESHOLD_BELOW,
    direction=Direction.NEUTRAL,
    digits=3,
    explanation="Items with a lower score are left up without review.",
    page=PAGE,
)
REMOVED = Measure(
    "removed",
    title="Removed",
    unit=Unit.SHARE,
    direction=Direction.NEUTRAL,
    digits=3,
    explanation="Share of items removed without review.",
    page=PAGE,
)
REVIEWED = Measure(
    "reviewed",
    title="Reviewed",
    unit=Unit.SHARE,
    direction=Direction.NEUTRAL,
    digits=3,
    explanation="Share of items that are reviewed.",
    page=PAGE,
)
LEFT = Measure(
    "left",
    title="Left up",
    unit=Unit.SHARE,
    direction=Direction.NEUTRAL,
    digits=3,
    explanation="Share of items left up without review.",
    page=PAGE,
)
WRONG_REMOVALS = Measure(
    "wrong_removals",
    title="Wrong removals",
    unit=Unit.SHARE,
    direction=Direction.LOWER,
    digits=3,
    explanation="Share of items removed without review that are not violating.",
    page=PAGE,
)
MISSED_VIOLATIONS = Measure(
    "missed_violations",
    title="Missed violations",
    unit=Unit.SHARE,
    direction=Direction.LOWER,
    digits=3,
    explanation="Share of violating items left up without review.",
    page=PAGE,
)
