"""What a staffing plan comes to in sentences, and what it assumes about reviewers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import StrEnum

import numpy as np

from evenhand.catalogue.collaboration import OC_ACCURACY, OC_PRECISION, OC_RECALL
from evenhand.estimate import Estimate
from evenhand.finding import Reading, Status, Verdict
from evenhand.formatting import format_share
from evenhand.staffing.answers import PlannedCapacity, PlannedCrossing, PlannedPolicy
from evenhand.staffing.settings import StaffingSettings, StaffingTarget
from evenhand.tally import Rows

OPTIMISTIC = (
    "The cost per day is approximate and slightly too low, because the cheapest capacity was chosen on the same items: "
    "in simulations its interval contained the true cost in 85 to 95 % of samples."
)


VOIDS_GUARANTEE = (
    "A guarantee holds for items like the labelled ones. It does not hold after the share of violations, the languages "
    "or the model change, with labels that are wrong or not a random sample, for single groups, if items of one author "
    "or thread repeat and `cluster` is not set, or if thresholds are chosen again on the same labels until one passes."
)


class StaffingTopic(StrEnum):
    """What a reading is about."""

    PEOPLE = "people"  # how many a target takes
    STRATEGIES = "strategies"  # which of two is better at which capacity
    NEEDLESS_TARGET = "needless_target"  # reached by doing nothing
    THRESHOLDS = "thresholds"  # what was noted about a guarantee
    CALIBRATION = "calibration"  # whether scores should be calibrated first


def capacity_readings(answers: Iterable[PlannedCapacity]) -> Iterator[Reading]:
    """People for each target that can be reached."""
    for answer in answers:
        if answer.plan.capacity.defined:
            yield Reading(answer.model, _people_sentence(answer), topic=StaffingTopic.PEOPLE)


def capacity_verdicts(answers: Iterable[PlannedCapacity]) -> Iterator[Verdict]:
    """People for each target, or why it cannot be reached."""
    for answer in answers:
        if answer.plan.capacity.defined:
            yield Verdict(Status.MEASURED, answer.model, _people_sentence(answer))
        else:
            why = f"{answer.target.aim}, with review by {answer.strategy}: {answer.plan.capacity.note}."
            yield Verdict(Status.OPEN, answer.model, why)


def crossing_readings(answers: Iterable[PlannedCrossing]) -> Iterator[Reading]:
    """Where strategies change places."""
    for answer in answers:
        if answer.capacity.defined:
            note = f"; {answer.capacity.note}" if answer.capacity.note else ""
            (earlier,) = (one.name for one in answer.strategies if one.name != answer.leader)
            text = (
                f"Review by {earlier} is more accurate up to a capacity of {_span(answer.capacity)} of the items, and "
                f"review by {answer.leader} beyond it{note}."
            )
            yield Reading(answer.model, text, topic=StaffingTopic.STRATEGIES)


def needless_targets(rows: Rows, goals: Iterable[StaffingTarget]) -> Iterator[Reading]:
    """Accuracies that are reached by doing nothing at all."""
    right = 1.0 - float(np.average(rows.label, weights=None if rows.weights is None else rows.weights.count))
    for goal in goals:
        if goal.measure == OC_ACCURACY and goal.value <= right:
            text = (
                f"Removing nothing would already be correct for {format_share(right)} of the items, so an "
                f"{goal.measure} of {goal.value:g} needs no work; plan for {OC_RECALL} or {OC_PRECISION} instead."
            )
            yield Reading({}, text, topic=StaffingTopic.NEEDLESS_TARGET)


def policy_readings(answers: Iterable[PlannedPolicy]) -> Iterator[Reading]:
    """What was noted when the thresholds were chosen."""
    for answer in answers:
        for note in answer.policy.notes:
            yield Reading(answer.model, _sentence(note), topic=StaffingTopic.THRESHOLDS)


def policy_verdicts(answers: Iterable[PlannedPolicy]) -> Iterator[Verdict]:
    """What cannot be guaranteed, or what the guarantee leads to."""
    for answer in answers:
        status = Status.MEASURED if answer.kept else Status.OPEN
        yield from (Verdict(status, answer.model, _sentence(note)) for note in answer.policy.notes)


def staffing_caveats(settings: StaffingSettings) -> tuple[str, ...]:
    """What every number of a plan rests on."""
    return (
        _reviewer_assumption(settings.benign_error, settings.violating_error),
        *([OPTIMISTIC] if settings.costs else []),
        "The plan assumes that future days resemble this history and that its labels are correct.",
        *([VOIDS_GUARANTEE] if settings.has_guarantee else []),
        "The number of reviewers is rounded up and covers review hours only; breaks, training and absence are extra.",
    )


def policy_caveats(settings: StaffingSettings) -> tuple[str, ...]:
    """What a policy for the day rests on."""
    drawn = "Items drawn for measurement are not counted as found. " if settings.measured_share else ""
    return (
        _workload_assumption(settings),
        _reviewer_assumption(settings.benign_error, settings.violating_error),
        f"{drawn}Figures are measured on items that were not used to choose the policy (cross-fitting in five parts).",
        *staffing_caveats(replace(settings, false_removal=None, missed_violation=None, review=None))[1:],
    )


def _workload_assumption(settings: StaffingSettings) -> str:
    """The day that was planned, told or not."""
    drawn = f"; {format_share(settings.measured_share)} of the reviews are drawn at random for measurement"
    return (
        f"The plan is for {settings.items_per_day:,.10g} items a day, {settings.seconds_per_review:,.10g} seconds a "
        f"review and {settings.hours_per_day:,.10g} hours of review a day for each person{drawn}."
    )


def _reviewer_assumption(benign_error: float, violating_error: float) -> str:
    """How good people are taken to be."""
    if not benign_error and not violating_error:
        return "The plan assumes that reviewers make no errors; `benign_error` and `violating_error` set error rates."
    wrong = f"{format_share(benign_error)} of benign items and {format_share(violating_error)} of violating ones"
    return f"The plan assumes that reviewers decide {wrong} wrongly."


def _people_sentence(answer: PlannedCapacity) -> str:
    aim, by, capacity, needed = answer.target.aim, answer.strategy, answer.plan.capacity, answer.plan.reviewers
    if capacity.value == 0.0:
        most = format_share(capacity.high or 0.0)
        missed = answer.missed_alone
        still = f"; it misses {format_share(missed)} of the violations" if missed else ""
        return (
            f"{aim}, with review by {by}: no reviewers; the model alone reaches it (upper limit: {most} of the "
            f"items){still}."
        )
    value, low, high = (round(part or 0.0) for part in (needed.value, needed.low, needed.high))
    people = f"{value:,} reviewer{'' if value == 1 else 's'} ({low:,} to {high:,})"
    note = f"; {capacity.note}" if capacity.note else ""
    return f"{aim}, with review by {by}: {people} for {_span(capacity)} of the items{note}."


def _sentence(note: str) -> str:
    return f"{note[0].upper()}{note[1:]}."


def _span(estimate: Estimate) -> str:
    value, low, high = (format_share(part or 0.0) for part in (estimate.value, estimate.low, estimate.high))
    return f"{value} ({low} to {high})"
