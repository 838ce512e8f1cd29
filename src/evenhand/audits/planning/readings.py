"""What a plan comes to, in sentences, and what it takes for granted about reviewers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from evenhand.estimate import Estimate
from evenhand.finding import Measured, Reading
from evenhand.tally import Rows

OPTIMISTIC = (
    "The cost per day is approximate and a little too good, because the cheapest capacity was chosen on these items: "
    "in simulations its interval held the true cost in 85 to 95 % of samples."
)


def of(measured: Sequence[Measured]) -> Iterator[Reading]:
    """People for each target, and where strategies change places."""
    found = {(m.measure, tuple(m.slice.items())): m.estimate for m in measured}
    for (measure, slice_), estimate in found.items():
        where = dict(slice_)
        named = {"model": where["model"]} if "model" in where else {}
        if measure == "capacity" and estimate.defined:
            yield Reading(named, _people(where, estimate, found["reviewers", slice_]))
        if measure == "crossing" and estimate.defined:
            note = f"; {estimate.note}" if estimate.note else ""
            yield Reading(named, f"{where['strategy']} change places at {_span(estimate)} of the items{note}.")


def needless(rows: Rows, goals: Sequence[tuple[str, float]]) -> Iterator[Reading]:
    """Accuracies that are reached by doing nothing at all."""
    right = 1.0 - float(np.average(rows.label, weights=None if rows.weights is None else rows.weights.count))
    for measure, target in goals:
        if measure == "oc_accuracy" and target <= right:
            said = f"Leaving everything alone would be right for {_percent(right)} of the items"
            yield Reading({}, f"{said}: an oc_accuracy of {target:g} asks nothing; plan for oc_recall or oc_precision.")


def reviewers(benign_error: float, violating_error: float) -> str:
    """How good people are taken to be."""
    if not benign_error and not violating_error:
        return "Reviewers are taken to be never wrong; --benign-error and --violating-error say how often they are."
    wrong = f"{_percent(benign_error)} of benign items and {_percent(violating_error)} of violating ones"
    return f"Reviewers are taken to be wrong about {wrong}."


def _people(where: dict[str, str], capacity: Estimate, needed: Estimate) -> str:
    measure, _, target = where["target"].partition(" ")
    aim = "At least cost" if where["target"] == "least cost" else f"For {measure} of {target}"
    if capacity.value == 0.0:
        most = _percent(capacity.high or 0.0)
        return f"{aim}: nobody, by {where['strategy']}; the model alone is enough (up to {most} of the items)."
    value, low, high = (round(part or 0.0) for part in (needed.value, needed.low, needed.high))
    people = f"{value:,} {'person' if value == 1 else 'people'} ({low:,} to {high:,})"
    note = f"; {capacity.note}" if capacity.note else ""
    return f"{aim}: {people} by {where['strategy']}, who review {_span(capacity)} of the items{note}."


def _span(estimate: Estimate) -> str:
    value, low, high = (_percent(part or 0.0) for part in (estimate.value, estimate.low, estimate.high))
    return f"{value} ({low} to {high})"


def _percent(share: float) -> str:
    return f"{100.0 * share:.3g} %"
