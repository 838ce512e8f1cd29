"""Measures that more than one audit takes: counts, ranking, rates at a threshold."""

from __future__ import annotations

from evenhand.catalogue.measure import Direction, Measure, Unit

PAGE = "statistics.md"

COUNT = Measure(
    "count",
    title="Items",
    unit=Unit.COUNT,
    direction=Direction.NEUTRAL,
    digits=0,
    explanation="Number of items.",
    page=PAGE,
)
POSITIVE_SHARE = Measure(
    "positive_share",
    title="Violating",
    unit=Unit.SHARE,
    direction=Direction.NEUTRAL,
    digits=3,
    explanation="Share of items labelled violating.",
    page=PAGE,
)
AUROC = Measure(
    "auroc",
    title="AUROC",
    unit=Unit.AREA,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Area under the ROC curve: the probability that a violating item scores higher than a benign item.",
    page=PAGE,
)
CONCORDANCE = Measure(
    "concordance",
    title="Concordance",
    unit=Unit.AREA,
    direction=Direction.HIGHER,
    digits=3,
    explanation=(
        "For labels on a scale: the probability that of two items with different labels the one with the higher label "
        "scores higher. For two labels it is the AUROC."
    ),
    page="statistics.md",
)
AUPRC = Measure(
    "auprc",
    title="AUPRC",
    unit=Unit.AREA,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Area under the precision-recall curve (average precision).",
    page=PAGE,
)
AUPRC_INTERPOLATED = Measure(
    "auprc_interpolated",
    title="AUPRC, interpolated",
    unit=Unit.AREA,
    direction=Direction.HIGHER,
    digits=3,
    explanation=(
        "Area under the precision-recall curve with linear interpolation, for comparison with libraries that use it."
    ),
    page=PAGE,
)
ACCURACY = Measure(
    "accuracy",
    title="Accuracy",
    unit=Unit.SHARE,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Share of items decided correctly: by the model alone at the threshold, or by the recorded decisions.",
    page=PAGE,
)
PRECISION = Measure(
    "precision",
    title="Precision",
    unit=Unit.SHARE,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Share of flagged or removed items that are violating.",
    page=PAGE,
)
RECALL = Measure(
    "recall",
    title="Recall",
    unit=Unit.SHARE,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Share of violating items that were removed or, for a model alone, flagged at the threshold.",
    page=PAGE,
)
F1 = Measure(
    "f1",
    title="F1",
    unit=Unit.SHARE,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Harmonic mean of precision and recall of the violating class. 1 is best.",
    page=PAGE,
)
TPR = Measure(
    "tpr",
    title="TPR",
    unit=Unit.SHARE,
    direction=Direction.HIGHER,
    digits=3,
    explanation="True positive rate: share of violating items flagged at the threshold.",
    page=PAGE,
)
FPR = Measure(
    "fpr",
    title="FPR",
    unit=Unit.SHARE,
    direction=Direction.LOWER,
    digits=3,
    explanation="False positive rate: share of benign items flagged at the threshold.",
    page=PAGE,
)
RANK_AGREEMENT = Measure(
    "rank_agreement",
    title="Rank correlation",
    unit=Unit.AGREEMENT,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Spearman's rank correlation of two sources: 1 is the same order, 0 no association.",
    page=PAGE,
)
BRIER = Measure(
    "brier",
    title="Brier score",
    unit=Unit.LOSS,
    direction=Direction.LOWER,
    digits=4,
    explanation="Mean squared difference between the probability and the outcome. 0 is best.",
    page=PAGE,
)
LOG_LOSS = Measure(
    "log_loss",
    title="Log loss",
    unit=Unit.LOSS,
    direction=Direction.LOWER,
    digits=4,
    explanation="Mean negative log-likelihood of the true label. Lowest for calibrated, confident probabilities.",
    page=PAGE,
)
ECE = Measure(
    "ece",
    title="ECE",
    unit=Unit.LOSS,
    direction=Direction.LOWER,
    digits=4,
    explanation=(
        "Expected calibration error: the average difference between confidence and accuracy over bins of "
        "confidence. 0 is best; above 0 by chance in small samples."
    ),
    page=PAGE,
)
