"""Measures of the calibration audit (Obadinma, Guo and Zhu 2021)."""

from __future__ import annotations

from evenhand.catalogue.measure import Direction, Measure, Unit

PAGE = "audits/calibration.md"

ACE = Measure(
    "ace",
    title="ACE",
    unit=Unit.LOSS,
    direction=Direction.LOWER,
    digits=4,
    explanation=(
        "Adaptive calibration error: calibration error of the probabilities of all classes, in bins of equal size; "
        "mean over classes."
    ),
    page=PAGE,
)
SCE = Measure(
    "sce",
    title="SCE",
    unit=Unit.LOSS,
    direction=Direction.LOWER,
    digits=4,
    explanation=(
        "Static calibration error: as ACE, in bins of equal width. Probabilities of rare classes are mostly near 0, "
        "so it can be low even where they are miscalibrated."
    ),
    page=PAGE,
)
CLASS_ECE = Measure(
    "class_ece",
    title="Class ECE",
    unit=Unit.LOSS,
    direction=Direction.LOWER,
    digits=4,
    explanation=(
        "ECE of the items whose true class is this one. Above 0 even for a calibrated model, which cannot know the "
        "true class: compare with the value for a calibrated model."
    ),
    page=PAGE,
)
CLASS_ACE = Measure(
    "class_ace",
    title="Class ACE",
    unit=Unit.LOSS,
    direction=Direction.LOWER,
    digits=4,
    explanation=(
        "ACE of the items whose true class is this one: in effect, how much probability goes to wrong classes. "
        "Compare with the value for a calibrated model."
    ),
    page=PAGE,
)
CLASS_BRIER = Measure(
    "class_brier",
    title="Class Brier score",
    unit=Unit.LOSS,
    direction=Direction.LOWER,
    digits=4,
    explanation=(
        "Mean squared difference between the probability of the class and the outcome, over all items. 0 is best; "
        "rare classes have low values because they are rare."
    ),
    page=PAGE,
)
CECE = Measure(
    "cece",
    title="CECE",
    unit=Unit.LOSS,
    direction=Direction.LOWER,
    digits=4,
    explanation="Contraharmonic ECE: a mean of the class ECEs that gives more weight to the highest.",
    page=PAGE,
)
MSECE = Measure(
    "msece",
    title="MSECE",
    unit=Unit.LOSS,
    direction=Direction.LOWER,
    digits=4,
    explanation="Macro subset ECE: unweighted mean of the class ECEs.",
    page=PAGE,
)
WSECE = Measure(
    "wsece",
    title="WSECE",
    unit=Unit.LOSS,
    direction=Direction.LOWER,
    digits=4,
    explanation="Weighted subset ECE: mean of the class ECEs, weighted by the size of the class.",
    page=PAGE,
)
ECE_VARIANCE = Measure(
    "ece_variance",
    title="ECE variance",
    unit=Unit.LOSS,
    direction=Direction.LOWER,
    digits=4,
    explanation=(
        "Mean squared difference between the class ECEs and the overall ECE: large where errors of different "
        "classes cancel out."
    ),
    page=PAGE,
)
WEIGHTED_F1 = Measure(
    "weighted_f1",
    title="Weighted F1",
    unit=Unit.SHARE,
    direction=Direction.HIGHER,
    digits=3,
    explanation=(
        "Mean of the F1 of each class, weighted by the size of the class. Depends on the decisions, not on the "
        "probabilities. 1 is best."
    ),
    page=PAGE,
)
OBSERVED_SHARE = Measure(
    "observed_share",
    title="Share observed",
    unit=Unit.PERCENT,
    direction=Direction.NEUTRAL,
    digits=3,
    explanation=(
        "Share of the items with such a score that are violating (or of the class). Calibrated: equal to their mean "
        "score. The intervals of all regions of scores hold simultaneously."
    ),
    page=PAGE,
)
MEAN_PROBABILITY = Measure(
    "mean_probability",
    title="Mean score",
    unit=Unit.PERCENT,
    direction=Direction.NEUTRAL,
    digits=3,
    explanation="Mean probability that the model gives to the items with such a score.",
    page=PAGE,
)
