"""The answer of a plan in plain words, by rule from its figures: what to do, what that finds, how sure that is."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.audits.collaboration.statements import per_thousand
from evenhand.catalogue.collaboration import OC_RECALL, REMOVED, WRONG_REMOVALS
from evenhand.estimate import Estimate
from evenhand.finding import Reading, Status, Verdict
from evenhand.formatting import format_share, half_width
from evenhand.routing.review_policy import PERCENT, PolicyMode, threshold_in_words
from evenhand.routing.strategy import StrategyKind
from evenhand.staffing.review_plan import GuaranteeState, ReviewPlan
from evenhand.staffing.verdicts import StaffingTopic

PROBABILITY = "probability"
SAME_RECALL = 0.01  # a difference that is not worth a sentence
NEXT_STEP = "Run `evenhand queue` with policy.json to get the items to review today."


def plan_headline(plan: ReviewPlan) -> str:
    """What to do, and what it finds."""
    recall, wrong = plan.figures[OC_RECALL], plan.figures[WRONG_REMOVALS]
    result = "The history has no violations"
    if recall.defined:
        result = f"This finds {_per_thousand(recall, 'violations')}"
    if wrong.defined:
        result += f"; {_per_thousand(wrong, 'removals without review', 'are wrong')}"
    return f"{_people(plan)}. {_removal(plan)}; {_review(plan)}; leave the rest up. {result}."


def _people(plan: ReviewPlan) -> str:
    number = f"{plan.people:,.10g} reviewer{'' if plan.people == 1 else 's'}"
    if plan.settings.reviewers is not None:
        return f"{number} can review {plan.reviews:,} items a day"
    if plan.settings.costs is not None:
        return f"The cost is lowest with {number} and {plan.reviews:,} reviews a day"
    return f"{number} {'is' if plan.people == 1 else 'are'} needed, for {plan.reviews:,} reviews a day"


def _removal(plan: ReviewPlan) -> str:
    upper = plan.policy.upper
    if upper is None:
        return "Remove nothing without review"
    a_day = round((plan.figures[REMOVED].value or 0.0) * plan.settings.items_per_day)
    scale = plan.policy.scale
    score = f"{threshold_in_words(upper, scale)} %" if scale == PERCENT else threshold_in_words(upper, PROBABILITY)
    return f"Remove items that score {score} or more, about {a_day:,} a day"


def _review(plan: ReviewPlan) -> str:
    own = plan.reviews - plan.measured_reviews
    kind = plan.policy.strategy.partition(":")[0]
    if plan.reviews == 0:
        return "review nothing"
    if kind in (StrategyKind.BELOW_THRESHOLD, StrategyKind.TOXICITY) and plan.policy.mode == PolicyMode.REVIEW:
        rest = "next-highest" if plan.policy.upper is not None else "highest"
        what = f"review the {own:,} items with the {rest} scores"
    elif kind == StrategyKind.BENEFIT:
        what = f"review the {own:,} items whose review is worth most"
    else:
        what = f"review {own:,} items by {kind}"
    return f"{what} and {plan.measured_reviews:,} drawn at random for measurement" if plan.measured_reviews else what


def _per_thousand(estimate: Estimate, things: str, happens: str = "") -> str:
    value, low, high = (per_thousand(part or 0.0) for part in (estimate.value, estimate.low, estimate.high))
    return f"{value} of 1,000 {things}{f' {happens}' if happens else ''} ({low} to {high})"


def guarantee_sentence(plan: ReviewPlan) -> str:
    """What is known about the limit of wrong removals."""
    settings, state = plan.settings, plan.state
    limits = []
    if settings.wrong_removals is not None:
        limits.append(f"at most {format_share(settings.wrong_removals)} of removals without review are wrong")
    if settings.missed_violations is not None:
        limits.append(
            f"at most {format_share(settings.missed_violations)} of violations are left below the lower threshold"
        )
    guarantee = f"with probability {1.0 - settings.delta:g}, {' and '.join(limits)}"
    if state is GuaranteeState.SHOWN:
        return f"Guarantee: {guarantee}, on items like these."
    if state is GuaranteeState.CONDITIONAL:
        return (
            f"If the labelled items are a random sample of all items, {guarantee}. This was not stated: set `labelled` "
            "to random or policy."
        )
    if state is GuaranteeState.NOT_RANDOM:
        return "No guarantee: the labels are not a random sample. The figures are estimates."
    if state is GuaranteeState.NOT_SHOWN:
        note = plan.policy.guarantee.notes[0] if plan.policy.guarantee else ""
        return f"No guarantee: {note}."
    return ""


def review_verdicts(plan: ReviewPlan) -> Iterator[Verdict]:
    """The answer, and targets that are not reached."""
    yield Verdict(Status.MEASURED, plan.model, plan_headline(plan), guarantee_sentence(plan), NEXT_STEP)
    if not plan.feasible:
        wanted = " and ".join(str(goal) for goal in plan.settings.goals)
        text = f"The target {wanted} is not reached; this is the policy that comes closest to it."
        yield Verdict(Status.OPEN, plan.model, text)


def review_readings(plan: ReviewPlan) -> Iterator[Reading]:
    """Whether the scores should be calibrated first."""
    band = plan.miscalibrated
    if band is None:
        return
    share = band.violating
    low, high, value = (format_share(part or 0.0) for part in (share.low, share.high, share.value))
    text = (
        f"The scores are not calibrated: items scored {100.0 * band.low:.0f} to {100.0 * band.high:.0f} % violate in "
        f"{value} of cases ({low} to {high}). {_calibrated_gain(plan)}"
    )
    yield Reading(plan.model, text, topic=StaffingTopic.CALIBRATION)


def _calibrated_gain(plan: ReviewPlan) -> str:
    recall = plan.figures[OC_RECALL]
    now, then = recall.value, plan.calibrated_recall.value if plan.calibrated_recall else None
    if now is None or then is None or abs(then - now) <= max(SAME_RECALL, half_width(recall) or 0.0):
        return "Calibrating them first would change what a score means, but hardly what this plan finds."
    change = f"{per_thousand(then)} instead of {per_thousand(now)} of 1,000 violations would be found"
    return f"With scores calibrated first (`evenhand calibrate file`), {change}."
