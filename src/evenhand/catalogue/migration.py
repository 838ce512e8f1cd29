"""Measures of a move from one model to another: thresholds that match, and what changes with them."""

from __future__ import annotations

from evenhand.catalogue.measure import Direction, Measure, Unit

PAGE = "moving-from-perspective.md"

NEW_THRESHOLD = Measure(
    "new_threshold",
    title="New threshold",
    unit=Unit.THRESHOLD,
    direction=Direction.NEUTRAL,
    digits=4,
    explanation=(
        "Threshold of the new model that matches the old one: in the share of comments flagged or, with labels, in "
        "precision, false positive rate or recall."
    ),
    page=PAGE,
)
FLAG_RATE = Measure(
    "flag_rate",
    title="Flagged",
    unit=Unit.PERCENT,
    direction=Direction.NEUTRAL,
    digits=2,
    explanation="Share of comments that score at or above the threshold.",
    page=PAGE,
)
FLAG_RATE_CHANGE = Measure(
    "flag_rate_change",
    title="Change",
    unit=Unit.POINTS,
    direction=Direction.NEARER_ZERO,
    digits=2,
    explanation="Share of comments flagged by the new model minus the share flagged by the old model.",
    page=PAGE,
)
FLAG_RATE_RATIO = Measure(
    "flag_rate_ratio",
    title="Times as often",
    unit=Unit.NUMBER,
    direction=Direction.NEUTRAL,
    digits=2,
    explanation=(
        "Flag rate of the new model in a group divided by that of the old model, each at its threshold. 1 is no change."
    ),
    page=PAGE,
)
DECISION_AGREEMENT = Measure(
    "decision_agreement",
    title="Same decision",
    unit=Unit.PERCENT,
    direction=Direction.HIGHER,
    digits=2,
    explanation=(
        "Share of comments on which both models make the same decision. High whenever few comments are flagged."
    ),
    page=PAGE,
)
STILL_FLAGGED = Measure(
    "still_flagged",
    title="Still flagged",
    unit=Unit.PERCENT,
    direction=Direction.NEUTRAL,
    digits=2,
    explanation="Share of comments flagged by the old model that the new model also flags.",
    page=PAGE,
)
NEWLY_FLAGGED = Measure(
    "newly_flagged",
    title="Newly flagged",
    unit=Unit.PER_THOUSAND,
    direction=Direction.NEUTRAL,
    digits=2,
    explanation="Comments per 1,000 that the new model flags and the old model does not.",
    page=PAGE,
)
NO_LONGER_FLAGGED = Measure(
    "no_longer_flagged",
    title="No longer flagged",
    unit=Unit.PER_THOUSAND,
    direction=Direction.NEUTRAL,
    digits=2,
    explanation="Comments per 1,000 that the old model flags and the new model does not.",
    page=PAGE,
)
PRECISION_CHANGE = Measure(
    "precision_change",
    title="Change in precision",
    unit=Unit.POINTS,
    direction=Direction.HIGHER,
    digits=2,
    explanation="Precision of the new model minus precision of the old model, each at its threshold.",
    page=PAGE,
)
