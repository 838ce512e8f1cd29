"""The measures in words: a label, what it is, and what a value means for a group. How a number is written."""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import isclose

from evenhand.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Word:
    """How a measure is called and shown. `kind`: auc (1 is best), gap (0 is best), loss (0 is best), share, count,
    from and below (thresholds).
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
    "precision": Word("Precision", "share", "Of the flagged items, the share that is violating."),
    "recall": Word("Recall", "share", "Of the violating items, the share that the model alone flags at the threshold."),
    "f1": Word("F1", "share", "The harmonic mean of precision and recall."),
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
        "Accuracy", "share", "Of all items, the share that the model alone decides right at the threshold."
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
}

# For 100 pairs of these two, how many are ranked as the first sentence says.
PAIRS = {
    "subgroup_auc": "a violating item of '{group}' scores above a benign item of '{group}'",
    "bpsn_auc": "a violating item from elsewhere scores above a benign item of '{group}'",
    "bnsp_auc": "a violating item of '{group}' scores above a benign item from elsewhere",
    "negative_aeg": "a benign item of '{group}' scores above a benign item from elsewhere",
    "positive_aeg": "a violating item of '{group}' scores above a violating item from elsewhere",
}


def word(measure: str) -> Word:
    """The words for a measure; its name where there are none."""
    return WORDS.get(measure, Word(measure.replace("_", " "), "auc", ""))


def number(measure: str, value: float, *, signed: bool = False) -> str:
    """A value as it is printed: counts whole, gaps with their sign, shares and AUCs to three digits, losses to four."""
    kind = word(measure).kind
    if kind == "count" and not signed:
        return f"{value:,.0f}"
    if kind in ("from", "below"):  # a threshold, rounded to the side where less is decided unseen
        return f"{(math.ceil if kind == 'from' else math.floor)(round(1e4 * value, 6)) / 1e4:.4f}"
    digits = 4 if kind == "loss" else 3
    text = f"{value:+.{digits}f}" if signed or kind == "gap" else f"{value:.{digits}f}"
    return text.replace("-", "−")


def interval(measure: str, estimate: Estimate, *, signed: bool = False, brief: bool = False) -> str:
    """The interval as it is printed; empty for plain facts. In brief: to few digits, without the leading zero."""
    if estimate.low is None or estimate.high is None or isclose(estimate.low, estimate.high, rel_tol=1e-9):
        return ""
    ends = [number(measure, end, signed=signed) for end in (estimate.low, estimate.high)]
    if brief and word(measure).kind != "count":
        fewest = 3 if word(measure).kind == "loss" else 2
        digits = fewest if f"{estimate.low:.{fewest}f}" != f"{estimate.high:.{fewest}f}" else fewest + 1
        ends = [f"{end:.{digits}f}".replace("0.", ".", 1).replace("-", "−") for end in (estimate.low, estimate.high)]
    return " to ".join(ends)


def percent(value: float) -> str:
    """A share in a sentence: whole percent in the middle, tenths near the ends."""
    return f"{100.0 * value:.{_digits(100.0 * value)}f} %"


def points(value: float) -> str:
    """A difference of shares in a sentence."""
    return f"{100.0 * value:.{2 if value < 0.01 else 1}f} points"


def plainly(measure: str, estimate: Estimate, group: str) -> str | None:
    """What the value means for this group, as a count of pairs."""
    if measure not in PAIRS or estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    shift = 0.5 if word(measure).kind == "gap" else 0.0
    ends = [100.0 * (part + shift) for part in (estimate.value, estimate.low, estimate.high)]
    value, low, high = (f"{end:.{_digits(ends[0])}f}" for end in ends)
    even = "; 50 would be even" if shift else ""
    return f"In {value} of 100 pairs {PAIRS[measure].format(group=group)} ({low} to {high}{even})."


def _digits(hundred: float) -> int:
    """Whole pairs in the middle, tenths near the ends."""
    return 1 if hundred < 10 or hundred > 90 else 0
