"""Measures of the perspective audit (Urbinati et al. 2025)."""

from __future__ import annotations

from evenhand.catalogue.measure import Direction, Measure, Unit

PAGE = "audits/perspective.md"

ANNOTATOR_COUNT = Measure(
    "annotator_count",
    title="Annotators",
    unit=Unit.COUNT,
    direction=Direction.NEUTRAL,
    digits=0,
    explanation="Number of annotators.",
    page=PAGE,
)
CONFORMITY_DELTA = Measure(
    "conformity_delta",
    title="Mean delta",
    unit=Unit.DIFFERENCE,
    direction=Direction.NEARER_ZERO,
    digits=4,
    explanation=(
        "How much worse (above 0) or better (below 0) the model fits an annotator's labels than the majority "
        "labels, on average. 0 where annotator and majority agree. Range −1 to 1."
    ),
    page=PAGE,
)
DELTA_BELOW_SHARE = Measure(
    "delta_below_share",
    title="Fits better",
    unit=Unit.SHARE,
    direction=Direction.NEUTRAL,
    digits=3,
    explanation=(
        "Share of labels with a delta below 0: they differ from the majority, and the model agrees with the annotator."
    ),
    page=PAGE,
)
DELTA_ABOVE_SHARE = Measure(
    "delta_above_share",
    title="Fits worse",
    unit=Unit.SHARE,
    direction=Direction.LOWER,
    digits=3,
    explanation=(
        "Share of labels with a delta above 0: they differ from the majority, and the model agrees with the majority."
    ),
    page=PAGE,
)
DIFFERING_SHARE = Measure(
    "differing_share",
    title="Disagreement",
    unit=Unit.SHARE,
    direction=Direction.NEUTRAL,
    digits=3,
    explanation="Share of labels that differ from the majority label of the item, regardless of the model.",
    page=PAGE,
)
UNCERTAINTY_DIVERGENCE = Measure(
    "uncertainty_divergence",
    title="Uncertainty divergence",
    unit=Unit.DIVERGENCE,
    direction=Direction.NEARER_ZERO,
    digits=4,
    explanation=(
        "How much the shares of deltas below, at and above 0 in a group differ from those of all annotators "
        "(Kullback-Leibler divergence, natural logarithm). 0 is no difference; above 0 by chance, so compare with "
        "shuffled groups."
    ),
    page=PAGE,
)
DEMOGRAPHIC_DIVERGENCE = Measure(
    "demographic_divergence",
    title="Demographic divergence",
    unit=Unit.DIVERGENCE,
    direction=Direction.NEARER_ZERO,
    digits=4,
    explanation=(
        "How much clusters of annotators, formed only by how well the model fits their labels, differ in "
        "demographic composition (Jensen-Shannon divergence). 0 is no difference; above 0 by chance, so compare "
        "with shuffled groups."
    ),
    page=PAGE,
)
F1_GAP = Measure(
    "f1_gap",
    title="F1 gap",
    unit=Unit.DIFFERENCE,
    direction=Direction.NEARER_ZERO,
    digits=3,
    explanation=(
        "F1 against the labels of the group minus F1 against all labels. Below 0: the model predicts the group's "
        "labels less well."
    ),
    page=PAGE,
)
COHEN_KAPPA = Measure(
    "cohen_kappa",
    title="Cohen's κ",
    unit=Unit.AGREEMENT,
    direction=Direction.HIGHER,
    digits=3,
    explanation=(
        "Agreement beyond chance of pairs of annotators who labelled the same item: 1 is perfect, 0 is chance. Low "
        "where nearly all labels are the same, even if annotators mostly agree."
    ),
    page=PAGE,
)
KRIPPENDORFF_ALPHA = Measure(
    "krippendorff_alpha",
    title="Krippendorff's α",
    unit=Unit.AGREEMENT,
    direction=Direction.HIGHER,
    digits=3,
    explanation=(
        "Agreement beyond chance for any number of labels per item: 1 is perfect, 0 is chance. Low, like κ, where "
        "nearly all labels are the same."
    ),
    page=PAGE,
)
GWET_AC1 = Measure(
    "gwet_ac1",
    title="Gwet's AC1",
    unit=Unit.AGREEMENT,
    direction=Direction.HIGHER,
    digits=3,
    explanation=(
        "Agreement beyond chance with a correction that stays small where nearly all labels are the same, so it "
        "stays high where κ and α fall. Compare all three."
    ),
    page=PAGE,
)
SET_COVERAGE = Measure(
    "set_coverage",
    title="Coverage",
    unit=Unit.SHARE,
    direction=Direction.HIGHER,
    digits=3,
    explanation="Share of annotators' labels that are in the prediction set of the item.",
    page=PAGE,
)
SET_SIZE = Measure(
    "set_size",
    title="Size",
    unit=Unit.NUMBER,
    direction=Direction.LOWER,
    digits=3,
    explanation="Mean number of labels in a prediction set. 1 is most informative; a set of all classes is "
    "uninformative.",
    page=PAGE,
)
F1_DELTA_CORRELATION = Measure(
    "f1_delta_correlation",
    title="F1 and delta",
    unit=Unit.AGREEMENT,
    direction=Direction.NEUTRAL,
    digits=3,
    explanation=(
        "Spearman's rank correlation of F1 and mean delta over models: whether models with a higher F1 also agree more "
        "with annotators."
    ),
    page=PAGE,
)
F1_DELTA_T = Measure(
    "f1_delta_t",
    title="t of F1 and delta",
    unit=Unit.DIFFERENCE,
    direction=Direction.NEUTRAL,
    digits=3,
    explanation=(
        "The paired t-test between F1 and mean delta used in the paper. It tests whether the two have the same "
        "mean, not whether they are correlated; shown for comparison with the paper."
    ),
    page=PAGE,
)
