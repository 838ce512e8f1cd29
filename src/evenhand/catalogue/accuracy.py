"""Measures of the accuracy audit and of labelling campaigns (Wei, Zufall and Jia 2023)."""

from __future__ import annotations

from evenhand.catalogue.measure import Direction, Measure, Unit

PAGE = "audits/accuracy.md"

PREVALENCE = Measure(
    "prevalence",
    title="Prevalence",
    unit=Unit.PERCENT,
    direction=Direction.LOWER,
    digits=3,
    explanation="Share of items that are violating: of all, of visible or of removed items.",
    page=PAGE,
)
MISSED = Measure(
    "missed",
    title="Still visible",
    unit=Unit.COUNT,
    direction=Direction.LOWER,
    digits=0,
    explanation="Number of violating items that were not removed.",
    page=PAGE,
)
FNR = Measure(
    "fnr",
    title="FNR",
    unit=Unit.PERCENT,
    direction=Direction.LOWER,
    digits=3,
    explanation="False negative rate: share of violating items that were not removed; 1 minus recall.",
    page=PAGE,
)
SPECIFICITY = Measure(
    "specificity",
    title="Specificity",
    unit=Unit.PERCENT,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Share of benign items that were not removed; 1 minus the false positive rate.",
    page=PAGE,
)
NPV = Measure(
    "npv",
    title="NPV",
    unit=Unit.PERCENT,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Negative predictive value: share of visible items that are benign.",
    page=PAGE,
)
VIOLATIONS = Measure(
    "violations",
    title="Violations",
    unit=Unit.COUNT,
    direction=Direction.NEUTRAL,
    digits=0,
    explanation="Number of labelled items that are violating.",
    page=PAGE,
)
POPULATION = Measure(
    "population",
    title="Items",
    unit=Unit.COUNT,
    direction=Direction.NEUTRAL,
    digits=0,
    explanation="Number of items that the labels represent.",
    page=PAGE,
)
LABELS_NEEDED = Measure(
    "labels_needed",
    title="Labels needed",
    unit=Unit.COUNT,
    direction=Direction.LOWER,
    digits=0,
    explanation=(
        "Labels needed in total to estimate the prevalence with the target precision, drawn in the same way. The range "
        "reflects the interval of the prevalence or, in simulations, chance."
    ),
    page=PAGE,
)
LABELS_NEEDED_RANDOM = Measure(
    "labels_needed_random",
    title="Labels needed, random",
    unit=Unit.COUNT,
    direction=Direction.LOWER,
    digits=0,
    explanation="Labels needed with simple random sampling.",
    page=PAGE,
)
LABELS_NEEDED_FINITE = Measure(
    "labels_needed_finite",
    title="Labels needed, these items",
    unit=Unit.COUNT,
    direction=Direction.LOWER,
    digits=0,
    explanation="Labels needed to estimate the prevalence of these items only, where labelled items need no estimate.",
    page=PAGE,
)
LABELS_PUBLISHED = Measure(
    "labels_published",
    title="Labels needed, published interval",
    unit=Unit.COUNT,
    direction=Direction.LOWER,
    digits=0,
    explanation="Labels with which half of simulated campaigns publish an interval within the target.",
    page=PAGE,
)
EFFICIENCY = Measure(
    "efficiency",
    title="Saved",
    unit=Unit.PERCENT,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Share of labels saved compared with simple random sampling.",
    page=PAGE,
)
DETECTABLE_EFFECT = Measure(
    "detectable_effect",
    title="Detectable change",
    unit=Unit.POINTS,
    direction=Direction.LOWER,
    digits=3,
    explanation=(
        "Smallest change between two periods, in percentage points, for which the intervals of two samples like "
        "this one do not overlap. A change of exactly this size is detected in half of all cases; the false "
        "positive rate is 0.6 %."
    ),
    page=PAGE,
)
DETECTABLE_EFFECT_POWER = Measure(
    "detectable_effect_power",
    title="Detectable change, 80 %",
    unit=Unit.POINTS,
    direction=Direction.LOWER,
    digits=3,
    explanation="Change that a test of the difference at the same level detects with a power of 80 %.",
    page=PAGE,
)
LABELS_FOR_EFFECT = Measure(
    "labels_for_effect",
    title="Labels per period",
    unit=Unit.COUNT,
    direction=Direction.LOWER,
    digits=0,
    explanation="Labels needed in each of two periods to detect the chosen change without overlapping intervals.",
    page=PAGE,
)
KENDALL_TAU = Measure(
    "kendall_tau",
    title="Kendall's τ",
    unit=Unit.AGREEMENT,
    direction=Direction.HIGHER,
    digits=3,
    explanation=(
        "Share of pairs in the same order in both sources minus the share in opposite order: 1 is the same order, 0 "
        "no association. p is the probability of such a value if one source is shuffled."
    ),
    page=PAGE,
)
LABELS_SPENT = Measure(
    "labels_spent",
    title="Labels used",
    unit=Unit.COUNT,
    direction=Direction.LOWER,
    digits=0,
    explanation="Mean number of labels in a simulated sample, close to the number needed.",
    page=PAGE,
)
VIOLATIONS_FOUND = Measure(
    "violations_found",
    title="Violations found",
    unit=Unit.COUNT,
    direction=Direction.NEUTRAL,
    digits=0,
    explanation="Mean number of violating items in a sample.",
    page=PAGE,
)
RELATIVE_BIAS = Measure(
    "relative_bias",
    title="Relative bias",
    unit=Unit.DIFFERENCE,
    direction=Direction.NEARER_ZERO,
    digits=3,
    explanation=(
        "Difference between the mean of all estimates and the true value, relative to the true value. Below 0: the "
        "prevalence is underestimated."
    ),
    page=PAGE,
)
BIAS_IN_ERRORS = Measure(
    "bias_in_errors",
    title="Bias / standard error",
    unit=Unit.STANDARD_ERRORS,
    direction=Direction.NEARER_ZERO,
    digits=1,
    explanation=(
        "Bias divided by its Monte-Carlo standard error. Up to 2 is compatible with no bias; with many designs "
        "compared, values above about 3 show one."
    ),
    page=PAGE,
)
INTERVAL_COVERAGE = Measure(
    "interval_coverage",
    title="Interval coverage",
    unit=Unit.SHARE,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Share of samples whose interval contains the true value.",
    page=PAGE,
)
