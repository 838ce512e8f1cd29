"""How many people does it take? A plan from labelled history: capacities, reviewers, costs and safe thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from evenhand.audits.planning import readings
from evenhand.audits.planning.settings import PlanSettings
from evenhand.audits.provenance import provenance
from evenhand.audits.viewing import thresholds_of
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.evidence import Evidence, TableEvidence
from evenhand.finding import Finding, Measured, Reading, Slice
from evenhand.progress import Progress
from evenhand.routing import (  # fmt: skip
    History,
    Policy,
    Strategy,
    Supplied,
    cheapest,
    choose,
    crossings,
    parse,
    people,
    reviewers_for,
)

QUESTION = "How many people does it take, and what may be decided without them?"


def make_plan(evidence: Evidence, settings: PlanSettings, progress: Progress) -> Finding:
    """Everything that was asked for, for every model and strategy."""
    if not isinstance(evidence, TableEvidence):
        raise InputError("a plan needs the rows at hand, not on a cluster", source=evidence.name)
    promised = settings.wrong_removals is not None or settings.missed_violations is not None
    if not settings.goals and settings.costs is None and not promised:
        raise InputError("say what to plan for: --target, costs, or a promise (--wrong-removals, --missed-violations)")
    work = [(model, parse(name)) for model in evidence.models for name in settings.strategies]
    measured, told = list[Measured](), list[Reading]()
    for number, (model, strategy) in enumerate(work):
        progress("planning", number, len(work))
        history = _history(evidence, model, strategy, settings)
        measured += _of_strategy(history, strategy, _named(evidence, model), settings)
    for model in evidence.models:
        measured += _crossings(evidence, model, settings)
        if promised:
            policy = _policy(evidence, model, settings)
            measured += _of_policy(evidence, model, policy, settings)
            told += [Reading(_named(evidence, model), f"{note[0].upper()}{note[1:]}.") for note in policy.notes]
    told = [*readings.of(measured), *readings.needless(evidence.rows, settings.goals), *told]
    caveats = (
        readings.reviewers(settings.benign_error, settings.violating_error),
        *([readings.OPTIMISTIC] if settings.costs else []),
        "The days to come are taken to be like this history, and its labels as right.",
        "People are counted whole, for the hours a day in which they review; breaks, training and absence come on top.",
        *evidence.notes,
    )
    return Finding("plan", QUESTION, tuple(measured), caveats, provenance(evidence, settings), tuple(told))


def _named(evidence: Evidence, model: str) -> Slice:
    return {"model": model} if len(evidence.models) > 1 else {}


def _history(evidence: TableEvidence, model: str, strategy: Strategy, settings: PlanSettings) -> History:
    score, threshold = evidence.scores[model], thresholds_of(evidence, settings)[model]
    if evidence.scale(model).name != "probability" or threshold is None:
        raise InputError("a plan needs probabilities", source=evidence.name, column=model)
    weights = evidence.rows.weights
    if weights is not None and not weights.is_plain:
        raise InputError("a plan takes counts of equal rows, not inclusion probabilities", source=evidence.name)
    given = evidence.unsure.get(model) if isinstance(strategy, Supplied) else None
    if isinstance(strategy, Supplied) and given is None:
        raise InputError(f"the strategy '{strategy.name}' needs --uncertainty {strategy.column}", source=evidence.name)
    counts = None if weights is None else weights.count
    cut = float(score.dtype.type(threshold))  # in the precision of the scores, as the audits have it
    return History.of(score, evidence.rows.label, given=given, counts=counts, threshold=cut)


def _of_strategy(history: History, strategy: Strategy, named: Slice, settings: PlanSettings) -> Iterator[Measured]:
    day, slice_ = settings.day, {**named, "strategy": strategy.name}
    for measure, target in settings.goals:
        plan = reviewers_for(history, strategy, measure, target, day, **settings.redraws)
        reached = {**slice_, "target": f"{measure} {target:g}"}
        yield Measured("capacity", reached, plan.capacity)
        yield Measured("reviewers", reached, plan.reviewers)
    if costs := settings.costs:
        plan = cheapest(history, strategy, costs, day, **settings.redraws)
        least = {**slice_, "target": "least cost"}
        found = {"capacity": plan.capacity, "reviewers": plan.reviewers, "cost_per_day": plan.cost}
        found["cost_without_review"] = plan.cost_without_review
        yield from (Measured(name, least, e) for name, e in found.items() if e is not None)


def _crossings(evidence: TableEvidence, model: str, settings: PlanSettings) -> Iterator[Measured]:
    """Where two strategies overtake one another."""
    for first, second in combinations([parse(name) for name in settings.strategies], 2):
        history = _history(evidence, model, second if isinstance(second, Supplied) else first, settings)
        found = crossings(history, first, second, measure="oc_accuracy", **settings.redraws)
        yield Measured("crossing", {**_named(evidence, model), "strategy": f"{first} and {second}"}, found.main)


def _policy(evidence: TableEvidence, model: str, settings: PlanSettings) -> Policy:
    if evidence.rows.weights is not None:
        raise InputError("a promise needs one row per labelled item, without counts or weights", source=evidence.name)
    return choose(
        evidence.scores[model], evidence.rows.label,
        wrong_removals=settings.wrong_removals, missed_violations=settings.missed_violations, delta=settings.delta,
    )  # fmt: skip


def _of_policy(evidence: TableEvidence, model: str, policy: Policy, settings: PlanSettings) -> Iterator[Measured]:
    named = {**_named(evidence, model), "target": f"promise, with probability {1.0 - settings.delta:g}"}
    promised = (policy.wrong_removals, policy.missed_violations)
    thresholds = (("remove_from", policy.upper), ("leave_below", policy.lower))
    for (name, value), promise in zip(thresholds, promised, strict=True):
        why = "nothing was promised" if promise is None else "no threshold keeps the promise"
        nothing = Estimate.undefined(why, level=settings.level, n=policy.n)
        found = nothing if value is None else Estimate.exact(value, level=settings.level, n=policy.n)
        yield Measured(name, named, found)
    outcome = policy.examine(evidence.scores[model], evidence.rows.label, level=settings.level)
    for name in ("removed", "reviewed", "left", "wrong_removals", "missed_violations"):
        yield Measured(name, named, getattr(outcome, name))
    yield Measured("reviewers", named, people(outcome.reviewed, settings.day))
