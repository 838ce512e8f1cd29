"""How many people does it take? A plan from labelled history: capacities, reviewers, costs and safe thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import cast

from evenhand.audits import plan_readings
from evenhand.audits.provenance import provenance
from evenhand.audits.settings import Settings
from evenhand.audits.viewing import thresholds_of
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.evidence import Evidence, TableEvidence
from evenhand.finding import Finding, Measured, Reading, Slice
from evenhand.progress import Progress
from evenhand.routing import (  # fmt: skip
    Costs,
    History,
    Policy,
    Reviewer,
    Strategy,
    Supplied,
    Workload,
    cheapest,
    choose,
    crossings,
    parse,
    people,
    reviewers_for,
)

QUESTION = "How many people does it take, and what may be decided without them?"


@dataclass(frozen=True, kw_only=True)
class PlanSettings(Settings):
    """Targets such as "oc_accuracy=0.95", prices, the workload, how often reviewers err, and what is promised."""

    strategies: tuple[str, ...] = ("uncertainty", "toxicity")
    targets: tuple[str, ...] = ()
    false_removal: float | None = None
    missed_violation: float | None = None
    review: float | None = None
    items_per_day: float = 10_000.0
    seconds_per_review: float = 30.0
    hours_per_day: float = 6.0
    benign_error: float = 0.0
    violating_error: float = 0.0
    wrong_removals: float | None = None
    missed_violations: float | None = None
    delta: float = 0.1

    @property
    def costs(self) -> Costs | None:
        """All three, or none."""
        given = (self.false_removal, self.missed_violation, self.review)
        if all(price is None for price in given):
            return None
        if None in given:
            raise InputError("costs are three: of a false removal, of a missed violation and of a review")
        return Costs(*cast("tuple[float, float, float]", given))

    @property
    def goals(self) -> list[tuple[str, float]]:
        """What is to be reached."""
        return [_goal(target) for target in self.targets]


def make_plan(evidence: Evidence, settings: PlanSettings, progress: Progress) -> Finding:
    """Everything that was asked for, for every model and strategy."""
    if not isinstance(evidence, TableEvidence):
        raise InputError("a plan needs the rows at hand, not on a cluster", source=evidence.name)
    promised = settings.wrong_removals is not None or settings.missed_violations is not None
    if not settings.goals and settings.costs is None and not promised:
        raise InputError("say what to plan for: --target, costs, or a promise (--wrong-removals, --missed-violations)")
    work = [(model, parse(name)) for model in evidence.models for name in settings.strategies]
    measured: list[Measured] = []
    readings: list[Reading] = []
    for number, (model, strategy) in enumerate(work):
        progress("planning", number, len(work))
        history = _history(evidence, model, strategy, settings)
        measured += _of_strategy(history, strategy, _named(evidence, model), settings)
    for model in evidence.models:
        measured += _crossings(evidence, model, settings)
        if promised:
            policy = _policy(evidence, model, settings)
            measured += _of_policy(evidence, model, policy, settings)
            readings += [Reading(_named(evidence, model), f"{note[0].upper()}{note[1:]}.") for note in policy.notes]
    readings = [*plan_readings.of(measured), *plan_readings.needless(evidence.rows, settings.goals), *readings]
    caveats = (
        plan_readings.reviewers(settings.benign_error, settings.violating_error),
        *([plan_readings.OPTIMISTIC] if settings.costs else []),
        "The days to come are taken to be like this history, and its labels as right.",
        "People are counted whole, for the hours a day in which they review; breaks, training and absence come on top.",
        *evidence.notes,
    )
    return Finding("plan", QUESTION, tuple(measured), caveats, provenance(evidence, settings), tuple(readings))


def _goal(text: str) -> tuple[str, float]:
    measure, _, value = text.partition("=")
    try:
        return measure.strip(), float(value.strip().removesuffix("%")) / (100.0 if value.strip().endswith("%") else 1.0)
    except ValueError:
        raise InputError(f"a target is written as oc_accuracy=0.95, not '{text}'") from None


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


def _day(settings: PlanSettings) -> Workload:
    return Workload(settings.items_per_day, settings.seconds_per_review, settings.hours_per_day)


def _of_strategy(history: History, strategy: Strategy, named: Slice, settings: PlanSettings) -> Iterator[Measured]:
    day = _day(settings)
    reviewer = Reviewer(settings.benign_error, settings.violating_error)
    slice_ = {**named, "strategy": strategy.name}
    for measure, target in settings.goals:
        plan = reviewers_for(
            history, strategy, measure, target, day,
            reviewer=reviewer, level=settings.level, replicates=settings.replicates, seed=settings.seed,
        )  # fmt: skip
        reached = {**slice_, "target": f"{measure} {target:g}"}
        yield Measured("capacity", reached, plan.capacity)
        yield Measured("reviewers", reached, plan.reviewers)
    if costs := settings.costs:
        plan = cheapest(
            history, strategy, costs, day,
            reviewer=reviewer, level=settings.level, replicates=settings.replicates, seed=settings.seed,
        )  # fmt: skip
        least = {**slice_, "target": "least cost"}
        found = {"capacity": plan.capacity, "reviewers": plan.reviewers, "cost_per_day": plan.cost}
        found["cost_without_review"] = plan.cost_without_review
        yield from (Measured(name, least, e) for name, e in found.items() if e is not None)


def _crossings(evidence: TableEvidence, model: str, settings: PlanSettings) -> Iterator[Measured]:
    """Where two strategies overtake one another."""
    for first, second in combinations([parse(name) for name in settings.strategies], 2):
        history = _history(evidence, model, second if isinstance(second, Supplied) else first, settings)
        reviewer = Reviewer(settings.benign_error, settings.violating_error)
        found = crossings(
            history, first, second, measure="oc_accuracy",
            reviewer=reviewer, level=settings.level, replicates=settings.replicates, seed=settings.seed,
        )  # fmt: skip
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
    yield Measured("reviewers", named, people(outcome.reviewed, _day(settings)))
