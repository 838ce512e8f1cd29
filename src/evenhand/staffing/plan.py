"""A staffing plan from labelled history: capacities, reviewers, costs and safe thresholds, in one finding."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from evenhand.arrays import Floats
from evenhand.audits.caveats import cluster_caveats
from evenhand.audits.settings import provenance
from evenhand.audits.views import model_slice, thresholds_by_model
from evenhand.catalogue import find_measure
from evenhand.catalogue.accuracy import PREVALENCE
from evenhand.catalogue.collaboration import OC_ACCURACY
from evenhand.errors import InputError
from evenhand.evidence import Evidence, ScoredEvidence, as_scored
from evenhand.finding import Finding
from evenhand.intervals.clusters import RowInfluence, design_effect
from evenhand.progress import Progress, silent
from evenhand.routing import Strategy, parse_strategy
from evenhand.routing.thresholds import choose
from evenhand.staffing import verdicts
from evenhand.staffing.answers import PlannedCapacity, PlannedCrossing, PlannedPolicy, StaffingAnswer
from evenhand.staffing.capacity import capacity_for_target, cheapest_capacity, reviewers_needed
from evenhand.staffing.crossings import strategy_crossings
from evenhand.staffing.curves import LabelledHistory
from evenhand.staffing.exhibits import review_exhibits
from evenhand.staffing.history import HistoryRows
from evenhand.staffing.review_plan import ReviewPlan, guarantee_clusters, plan_review
from evenhand.staffing.review_sentences import review_readings, review_verdicts
from evenhand.staffing.settings import LEAST_COST, StaffingSettings

NAME = "plan"
QUESTION = "How many reviewers are needed, and what can be decided without review?"


def plan_staffing(evidence: Evidence, settings: StaffingSettings, progress: Progress = silent) -> Finding:
    """Everything that was asked for, for every model and strategy.

    >>> p = np.random.default_rng(0).random(400)
    >>> table = {"p": p, "toxic": np.random.default_rng(1).random(400) < p}
    >>> evidence = eh.open_evidence(table, eh.Declaration(score="p", label="toxic"))
    >>> settings = eh.staffing.StaffingSettings(targets=("oc_accuracy=0.9",), replicates=50)
    >>> eh.staffing.plan_staffing(evidence, settings).audit
    'plan'
    """
    evidence = as_scored(evidence, "a plan needs")
    if not settings.goals and settings.costs is None and not settings.has_guarantee and settings.reviewers is None:
        raise InputError(
            "give something to plan for: `reviewers`, `targets`, costs, or a guarantee (`wrong_removals`, "
            "`missed_violations`)"
        )
    strategies = [parse_strategy(name) for name in settings.strategies]
    if settings.has_policy:
        return _policy_finding(evidence, settings, progress)
    work = [(model, strategy) for model in evidence.models for strategy in strategies]
    capacities = list[PlannedCapacity]()
    for number, (model, strategy) in enumerate(work):
        progress("planning", number, len(work))
        capacities += _planned_capacities(evidence, model, strategy, settings)
    by_model = [
        (_planned_crossings(evidence, model, settings), _planned_policies(evidence, model, settings))
        for model in evidence.models
    ]
    crossings = [answer for found, _ in by_model for answer in found]
    policies = [answer for _, found in by_model for answer in found]
    answers: list[StaffingAnswer] = [*capacities]
    for own, safe in by_model:
        answers += [*own, *safe]
    return Finding(
        NAME,
        QUESTION,
        tuple(measured for answer in answers for measured in answer.measured()),
        (*verdicts.staffing_caveats(settings), *_cluster_notes(evidence), *evidence.notes),
        provenance(evidence, settings),
        readings=(
            *verdicts.capacity_readings(capacities),
            *verdicts.crossing_readings(crossings),
            *verdicts.needless_targets(evidence.rows, settings.goals),
            *verdicts.policy_readings(policies),
        ),
        verdicts=(*verdicts.capacity_verdicts(capacities), *verdicts.policy_verdicts(policies)),
    )


def _policy_finding(evidence: ScoredEvidence, settings: StaffingSettings, progress: Progress) -> Finding:
    """A policy for each model: what to remove, what to review, what that finds."""
    plans = []
    for number, model in enumerate(evidence.models):
        progress("planning", number, len(evidence.models))
        plans.append(_review_plan(evidence, model, settings))
    return Finding(
        NAME,
        QUESTION,
        tuple(measured for plan in plans for measured in plan.measured()),
        (*verdicts.policy_caveats(settings), *_cluster_notes(evidence), *evidence.notes),
        provenance(evidence, settings),
        readings=tuple(reading for plan in plans for reading in review_readings(plan)),
        verdicts=tuple(verdict for plan in plans for verdict in review_verdicts(plan)),
        exhibits=tuple(exhibit for plan in plans for exhibit in review_exhibits(plan)),
    )


def _cluster_notes(evidence: ScoredEvidence) -> Iterator[str]:
    """How much information items of clusters carry about the share of violations."""
    clusters, weights = evidence.rows.clusters, evidence.rows.weights
    if clusters is None:
        return
    label = np.asarray(evidence.rows.label, dtype=np.float64)
    count = np.ones(len(label)) if weights is None else weights.count
    influence = RowInfluence((label - np.average(label, weights=count)) / count.sum(), np.zeros(len(label), np.int32))
    title = find_measure(PREVALENCE).title
    yield from cluster_caveats(clusters, title, len(label), design_effect(influence, clusters).factor)


def _review_plan(evidence: ScoredEvidence, model: str, settings: StaffingSettings) -> ReviewPlan:
    p, threshold = _probabilities(evidence, model, settings)
    weights = evidence.rows.weights
    inclusion = None if weights is None or weights.is_plain else weights.count / weights.weight
    rows = HistoryRows(
        p,
        np.asarray(evidence.rows.label, dtype=np.bool_),
        np.ones(len(p)) if weights is None else weights.weight,
        evidence.unsure.get(model) if any(name.startswith("column:") for name in settings.strategies) else None,
        inclusion,
        evidence.rows.clusters,
    )
    return plan_review(
        rows,
        settings,
        model=model_slice(evidence.models, model),
        column=model,
        scale=evidence.scale(model).name,
        threshold=threshold,
        candidates=len(evidence.models),
    )


def _probabilities(evidence: ScoredEvidence, model: str, settings: StaffingSettings) -> tuple[Floats, float]:
    """The scores as probabilities, and the threshold in use."""
    score, scale = evidence.scores[model], evidence.scale(model)
    threshold = thresholds_by_model(evidence, settings)[model]
    if scale.probability is None or threshold is None:
        raise InputError("a plan needs probabilities", source=evidence.name, column=model)
    cut = np.asarray([float(score.dtype.type(threshold))])  # in the precision of the scores, as the audits have it
    return scale.probability(score.astype(np.float64)), float(scale.probability(cut)[0])


def _history(evidence: ScoredEvidence, model: str, strategy: Strategy, settings: StaffingSettings) -> LabelledHistory:
    score, cut = _probabilities(evidence, model, settings)
    weights = evidence.rows.weights
    if weights is not None and not weights.is_plain:
        raise InputError(
            "a plan accepts counts of identical rows, but not inclusion probabilities", source=evidence.name
        )
    uncertainty = None if strategy.column is None else evidence.unsure.get(model)
    if strategy.column is not None and uncertainty is None:
        raise InputError(f"the strategy '{strategy.name}' needs `uncertainty` {strategy.column}", source=evidence.name)
    counts = None if weights is None else weights.count
    return LabelledHistory.of(
        score, evidence.rows.label, given=uncertainty, counts=counts, threshold=cut, clusters=evidence.rows.clusters
    )


def _planned_capacities(
    evidence: ScoredEvidence, model: str, strategy: Strategy, settings: StaffingSettings
) -> Iterator[PlannedCapacity]:
    """One for each target, and the cheapest where there are prices."""
    history, slice_, day = (
        _history(evidence, model, strategy, settings),
        model_slice(evidence.models, model),
        settings.day,
    )
    for goal in settings.goals:
        plan = capacity_for_target(history, strategy, str(goal.measure), goal.value, day, **settings.redraws)
        yield PlannedCapacity(slice_, strategy, goal, plan, history.missed_alone)
    if costs := settings.costs:
        plan = cheapest_capacity(history, strategy, costs, day, **settings.redraws)
        yield PlannedCapacity(slice_, strategy, LEAST_COST, plan, history.missed_alone)


def _planned_crossings(evidence: ScoredEvidence, model: str, settings: StaffingSettings) -> list[PlannedCrossing]:
    """Where two strategies overtake one another."""
    planned = []
    for first, second in combinations([parse_strategy(name) for name in settings.strategies], 2):
        history = _history(evidence, model, first if second.column is None else second, settings)
        crossings = strategy_crossings(history, first, second, measure=OC_ACCURACY, **settings.redraws)
        slice_ = model_slice(evidence.models, model)
        planned.append(PlannedCrossing(slice_, (first, second), crossings.main, crossings.leader))
    return planned


def _planned_policies(evidence: ScoredEvidence, model: str, settings: StaffingSettings) -> list[PlannedPolicy]:
    """One if a guarantee is wanted."""
    if not settings.has_guarantee:
        return []
    if evidence.rows.weights is not None:
        raise InputError("a guarantee needs one row per labelled item, without counts or weights", source=evidence.name)
    scores, labels = _probabilities(evidence, model, settings)[0], evidence.rows.label
    wrong, missed, tried = settings.wrong_removals, settings.missed_violations, len(evidence.models)
    policy = choose(
        scores, labels, wrong_removals=wrong, missed_violations=missed, delta=settings.delta, candidates=tried,
        cluster=guarantee_clusters(evidence.rows.clusters),
    )  # fmt: skip
    outcome = policy.examine(scores, labels, level=settings.level)
    reviewers = reviewers_needed(outcome.reviewed, settings.day)
    return [PlannedPolicy(model_slice(evidence.models, model), policy, outcome, reviewers)]
