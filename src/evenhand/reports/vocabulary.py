"""The measures in words: a label, what it is, and what a value means for a group."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """How a measure is called and shown.

    `kind`: auc (1 is best), gap and delta (0 is best), loss (0 is best), divergence (0 is alike, and above 0 by
    chance), agreement (1 is perfect, 0 is chance), share, percent (a share that may be small), points (a difference of
    such shares), size, count, from and below (thresholds), errors (how many standard errors).
    """

    label: str
    kind: str
    meaning: str


WORDS = {
    "count": Word("Items", "count", "How many items there are."),
    "positive_share": Word("Violating", "share", "The share of items that are labelled violating."),
    "auroc": Word(
        "AUROC", "auc", "Of 100 pairs of a violating and a benign item, how many the model ranks the right way."
    ),
    "auprc": Word("AUPRC", "auc", "The area under precision over recall (average precision)."),
    "subgroup_auc": Word(
        "Subgroup AUC",
        "auc",
        "Violating against benign items, both of the group. Low: within the group the model tells them apart badly.",
    ),
    "bpsn_auc": Word(
        "BPSN AUC",
        "auc",
        "Violating items of everyone else against benign items of the group (background positive, subgroup negative). "
        "Low: benign items of the group look violating, so expect false alarms.",
    ),
    "bnsp_auc": Word(
        "BNSP AUC",
        "auc",
        "Violating items of the group against benign items of everyone else (background negative, subgroup positive). "
        "Low: violating items of the group look benign, so expect misses.",
    ),
    "negative_aeg": Word(
        "Negative AEG",
        "gap",
        "Average equality gap of the benign items. Above 0: the group's benign items are scored higher than everyone "
        "else's, below 0 lower; 0.5 and -0.5 are the extremes.",
    ),
    "positive_aeg": Word(
        "Positive AEG",
        "gap",
        "Average equality gap of the violating items. Above 0: the group's violating items are scored higher than "
        "everyone else's, below 0 lower.",
    ),
    "tpr": Word("TPR", "share", "Of the violating items, the share flagged at the threshold."),
    "fpr": Word("FPR", "share", "Of the benign items, the share flagged at the threshold."),
    "precision": Word("Precision", "share", "Of the items flagged or removed, the share that is violating."),
    "recall": Word(
        "Recall",
        "share",
        "Of all violating items, the share that was found: removed, or, for a model alone, flagged at the threshold.",
    ),
    "f1": Word(
        "F1",
        "share",
        "The harmonic mean of precision and recall of the violating class, whoever says what violates. 1 is best.",
    ),
    "tpr_gap": Word(
        "TPR gap", "gap", "TPR of everyone else less TPR of the group. Above 0: the group's are missed more."
    ),
    "fpr_gap": Word(
        "FPR gap", "gap", "FPR of everyone else less FPR of the group. Below 0: the group has more false alarms."
    ),
    "subgroup_auc_power_mean": Word(
        "Subgroup AUC, power mean", "auc", "Over all groups, the worst weighing most (exponent -5)."
    ),
    "bpsn_auc_power_mean": Word(
        "BPSN AUC, power mean", "auc", "Over all groups, the worst weighing most (exponent -5)."
    ),
    "bnsp_auc_power_mean": Word(
        "BNSP AUC, power mean", "auc", "Over all groups, the worst weighing most (exponent -5)."
    ),
    "capacity": Word("Capacity", "share", "The share of all items that people review."),
    "reviewers": Word("Reviewers", "count", "Whole people, for the hours a day in which they review."),
    "cost_per_day": Word("Cost per day", "count", "Errors and reviews together, at the prices given."),
    "cost_without_review": Word("Cost without review", "count", "What a day costs when nobody reviews."),
    "crossing": Word("Crossing", "share", "The capacity from which on the other strategy leads."),
    "remove_from": Word("Remove from", "from", "Scores from here on are removed unseen."),
    "leave_below": Word("Leave below", "below", "Scores below are left alone unseen."),
    "removed": Word("Removed", "share", "The share of items removed unseen."),
    "reviewed": Word("Reviewed", "share", "The share of items that people see."),
    "left": Word("Left", "share", "The share of items left alone unseen."),
    "wrong_removals": Word("Wrong removals", "share", "Of what is removed unseen, the share that does not violate."),
    "missed_violations": Word("Missed violations", "share", "Of the violating items, the share left alone unseen."),
    "jigsaw_score": Word(
        "Jigsaw score", "auc", "A quarter each of the overall AUROC and the three power means (Jigsaw 2019 challenge)."
    ),
    "accuracy": Word(
        "Accuracy", "share", "Of all items, the share decided right: at the threshold by the model alone, or in fact."
    ),
    "auprc_interpolated": Word(
        "AUPRC, interpolated",
        "auc",
        "The same area with precision interpolated between its points, as some libraries do: for comparing with them.",
    ),
    "brier": Word("Brier", "loss", "The mean squared distance of the probability from the truth. 0 is best."),
    "ece": Word(
        "ECE",
        "loss",
        "Expected calibration error: how far, on average, how often the model is right lies from how sure it is. "
        "0 is best; with few items it is above 0 by chance.",
    ),
    "ace": Word(
        "ACE",
        "loss",
        "Adaptive calibration error: the same for the probability of every class, not only the largest, in bins that "
        "hold equally many items; the mean over the classes.",
    ),
    "sce": Word(
        "SCE",
        "loss",
        "Static calibration error: as ACE, in bins of equal width. Rare classes are almost always near 0, so it looks "
        "good where they fail.",
    ),
    "class_ece": Word(
        "Class ECE",
        "loss",
        "The ECE of the items that truly are of one class. Never 0, also for an honest model, which cannot know the "
        "true class: compare it with the value for a calibrated model.",
    ),
    "class_ace": Word(
        "Class ACE",
        "loss",
        "The ACE of the items that truly are of one class: in effect, how much of the probability goes to wrong "
        "classes. Compare it with the value for a calibrated model.",
    ),
    "class_brier": Word(
        "Class Brier",
        "loss",
        "The mean squared distance of the probability of one class from the truth, over all items. 0 is best; rare "
        "classes have low values by being rare.",
    ),
    "cece": Word(
        "CECE",
        "loss",
        "Contraharmonic ECE: a mean of the class ECEs that leans towards the worst class.",
    ),
    "msece": Word("MSECE", "loss", "Macro subset ECE: the plain mean of the class ECEs, every class alike."),
    "wsece": Word("WSECE", "loss", "Weighted subset ECE: the mean of the class ECEs by how many items a class has."),
    "ece_variance": Word(
        "ECE variance",
        "loss",
        "How far the class ECEs lie from the ECE over all, squared: large where errors of classes cancel out in it.",
    ),
    "log_loss": Word(
        "Log loss",
        "loss",
        "The mean of −log of the probability given to the truth. Lowest when probabilities are honest and sharp.",
    ),
    "weighted_f1": Word(
        "Weighted F1",
        "share",
        "The F1 of each class, averaged by how many items it has: how good the decisions are, whatever the "
        "probabilities. 1 is best.",
    ),
    "calibration_auroc": Word(
        "Calibration AUROC",
        "auc",
        "Of 100 pairs of a wrong and a right decision of the model, in how many the wrong one is reviewed first.",
    ),
    "calibration_auprc": Word(
        "Calibration AUPRC",
        "auc",
        "The area under Review Efficiency over Review Effectiveness: how good the order of review is at all capacities "
        "together.",
    ),
    "oc_accuracy": Word(
        "OC-accuracy",
        "share",
        "Of all items, the share decided right when people decide what they reviewed and the model the rest.",
    ),
    "oc_auroc": Word(
        "OC-AUROC",
        "auc",
        "AUROC of people and model together: reviewed items are put where they belong, above or below all others.",
    ),
    "oc_auprc": Word("OC-AUPRC", "auc", "AUPRC of people and model together, in the same way."),
    "oc_precision": Word(
        "OC-precision", "share", "Of the items that people and model together call violating, the share that is."
    ),
    "oc_recall": Word("OC-recall", "share", "Of the violating items, the share that people and model together find."),
    "oc_f1": Word("OC-F1", "share", "The harmonic mean of OC-precision and OC-recall."),
    "review_efficiency": Word(
        "Review Efficiency",
        "share",
        "Of the reviewed items, the share that the model had wrong: how often a look pays.",
    ),
    "review_effectiveness": Word(
        "Review Effectiveness",
        "share",
        "Of the model's errors, the share that was reviewed: how much the review catches.",
    ),
    "annotator_count": Word("Annotators", "count", "How many people gave labels."),
    "conformity_delta": Word(
        "Mean delta",
        "delta",
        "How much worse (above 0) or better (below 0) the model fits what somebody says than what the majority says, "
        "on average over their labels. 0 wherever they agree with the majority; −1 and 1 are the extremes.",
    ),
    "delta_below_share": Word(
        "Fits better",
        "share",
        "The share of labels with a delta below 0: they differ from the majority, and the model sides with them.",
    ),
    "delta_above_share": Word(
        "Fits worse",
        "share",
        "The share of labels with a delta above 0: they differ from the majority, and the model sides with it.",
    ),
    "differing_share": Word(
        "Differs", "share", "The share of labels that differ from what most people say of the item, whatever the model."
    ),
    "uncertainty_divergence": Word(
        "Uncertainty divergence",
        "divergence",
        "How far the shares of deltas below 0, at 0 and above 0 in a group are from everybody's (Kullback-Leibler, "
        "natural logarithm). 0 is alike; above 0 by chance, so compare it with what shuffling gives.",
    ),
    "demographic_divergence": Word(
        "Demographic divergence",
        "divergence",
        "How far clusters of annotators, made only from how the model fits them, differ in who is in them "
        "(Jensen-Shannon). 0 is alike; above 0 by chance, so compare it with what shuffling gives.",
    ),
    "f1_gap": Word(
        "F1 gap",
        "gap",
        "F1 against the labels of the group less F1 against everybody's. Below 0: its labels are matched less well.",
    ),
    "cohen_kappa": Word(
        "Cohen's κ",
        "agreement",
        "Of pairs of people who labelled the same item, how far they agree beyond chance: 1 is perfect, 0 is chance. "
        "Low where nearly all labels are alike, however much people agree.",
    ),
    "krippendorff_alpha": Word(
        "Krippendorff's α",
        "agreement",
        "Agreement beyond chance for any number of labels an item: 1 is perfect, 0 is chance. Takes chance from all "
        "labels together, and falls as κ does where nearly all are alike.",
    ),
    "gwet_ac1": Word(
        "Gwet's AC1",
        "agreement",
        "Agreement beyond chance, with a chance that stays small where nearly all labels are alike: there it stays "
        "high while κ and α fall. Compare all three.",
    ),
    "set_coverage": Word(
        "Coverage", "share", "Of the labels people gave, the share that is in the set of labels predicted for the item."
    ),
    "set_size": Word(
        "Size", "size", "Labels in a predicted set, on average. 1 says something definite, all classes say nothing."
    ),
    "f1_delta_correlation": Word(
        "F1 and delta",
        "agreement",
        "Spearman's rank correlation of F1 with the mean delta over models: whether models that match labels better "
        "also share more of the judgement.",
    ),
    "f1_delta_t": Word(
        "t of F1 and delta",
        "gap",
        "The paired t-test between F1 and mean delta that the paper takes. It asks whether the two have the same mean, "
        "which says nothing of a correlation; shown for comparing with the paper.",
    ),
    "labels_needed_finite": Word(
        "Labels needed of these items",
        "count",
        "The same of the items there are, where what is labelled is known and need not be estimated.",
    ),
    "labels_spent": Word("Labels spent", "count", "Labels in a simulated sample, on average: near what is needed."),
    "violations_found": Word("Violations found", "count", "Violating items in a sample, on average."),
    "relative_bias": Word(
        "Relative bias",
        "gap",
        "How far the mean of all estimates is from the truth, as a share of it. Below 0: the prevalence looks too low.",
    ),
    "bias_in_errors": Word(
        "Bias in errors",
        "errors",
        "The same in Monte-Carlo errors, by which a mean of so many samples is off anyway: up to 2 none is "
        "seen; with many designs looked at, it takes about 3 to be sure.",
    ),
    "interval_coverage": Word(
        "Coverage of the interval", "share", "The share of samples whose interval held the truth."
    ),
}

ACCURACY = {
    "prevalence": Word(
        "Prevalence", "percent", "The share of items that violates: of all, of what is visible or of what was removed."
    ),
    "missed": Word("Still visible", "count", "How many violating items were not removed."),
    "violations": Word("Violations", "count", "How many of the labelled items violate."),
    "population": Word("Items", "count", "How many items the labels stand for."),
    "labels_needed": Word(
        "Labels needed",
        "count",
        "Labels until the share of violating items is known as well as was asked, with all that is spent, drawn like "
        "these. Its range is over the interval of that share, or, simulated, over chance.",
    ),
    "labels_needed_random": Word("At random", "count", "The same for labels drawn at random."),
    "efficiency": Word(
        "Saved", "percent", "The part of the labels that drawing like this saves against drawing at random."
    ),
    "detectable_effect": Word(
        "Change seen",
        "points",
        "The smallest change between two periods, in points of the share, that two samples like this one show so that "
        "their intervals do not overlap. A change of exactly that size is seen in half of all cases; false alarms are "
        "0.6 %.",
    ),
    "detectable_effect_power": Word(
        "Change seen, 80 %",
        "points",
        "The change that a test of the difference at the same level finds in 80 of 100 cases.",
    ),
    "labels_for_effect": Word(
        "For a change",
        "count",
        "Labels in each of two periods that show the change asked for without overlapping intervals.",
    ),
    "kendall_tau": Word(
        "Kendall's τ",
        "agreement",
        "Pairs that both sources order alike, less those they order differently, as a share of all; 1 is the same "
        "order, 0 is chance. p says how often shuffling gives as much.",
    ),
}
WORDS |= ACCURACY

# For 100 pairs of these two, how many are ranked as the first sentence says.
PAIRS = {
    "subgroup_auc": "a violating item of '{group}' scores above a benign item of '{group}'",
    "bpsn_auc": "a violating item from elsewhere scores above a benign item of '{group}'",
    "bnsp_auc": "a violating item of '{group}' scores above a benign item from elsewhere",
    "negative_aeg": "a benign item of '{group}' scores above a benign item from elsewhere",
    "positive_aeg": "a violating item of '{group}' scores above a violating item from elsewhere",
}
