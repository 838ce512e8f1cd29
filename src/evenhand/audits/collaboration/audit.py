"""The collaboration audit: what a limited review capacity is worth, for each model, strategy and capacity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from evenhand.audits.collaboration.caveats import collaboration_caveats, unusual_capacities
from evenhand.audits.collaboration.common_queue import CommonQueue, ReviewerErrors
from evenhand.audits.collaboration.differences import strategy_differences
from evenhand.audits.collaboration.exhibits import collaboration_exhibits
from evenhand.audits.collaboration.quantities import (
    MODEL_QUANTITIES,
    UNGROUPED_QUANTITIES,
    capacity_quantities,
    strategy_quantities,
)
from evenhand.audits.collaboration.settings import CollaborationSettings, headline_capacity
from evenhand.audits.collaboration.system_quantities import ReviewerRate, system_quantities
from evenhand.audits.collaboration.verdicts import collaboration_readings, collaboration_verdicts, headline_exhibits
from evenhand.audits.group_words import ErrorRate
from evenhand.audits.probes import Probe, ProbeResult, estimate_probes, marked_measures
from evenhand.audits.quantities import Quantity
from evenhand.audits.settings import provenance
from evenhand.audits.views import View, Views, model_slice, thresholds_by_model, views_by_model
from evenhand.errors import InputError
from evenhand.evidence import Evidence, EvidencePart, ScoredEvidence, TalliedEvidence
from evenhand.finding import Exhibit, Finding, Measured, Slice, SliceKey
from evenhand.progress import Progress, silent
from evenhand.routing.strategies import Strategy, StrategyKind, parse_strategy

NAME = "collaboration"
QUESTION = "What does a limited review capacity achieve, and which items should be reviewed?"


def audit_collaboration(
    evidence: TalliedEvidence, settings: CollaborationSettings, progress: Progress = silent
) -> Finding:
    """Measure every model with every strategy at every capacity: on everything, on each slice, and for each group."""
    if not evidence.has_rows:
        raise InputError("this audit needs the rows locally, not on a cluster", source=evidence.name)
    thresholds = thresholds_by_model(evidence, settings)
    strategies = _strategies(evidence, settings)
    errors = ReviewerErrors(evidence.reviews if isinstance(evidence, ScoredEvidence) else None)
    entries, exhibits, unusual = list[ProbeResult](), list[Exhibit](), list[str]()
    differences, whole = list[Measured](), dict[str, View]()
    for part in evidence.parts:
        views = views_by_model(evidence, part, thresholds)
        entries += _measured(evidence, part, views, strategies, settings, progress)
        if not part.number:
            probes = list(_system_probes(evidence, strategies, settings, errors))
            entries += estimate_probes(views, probes, settings, "model and reviewers together", progress)
            exhibits += collaboration_exhibits(views, strategies, settings)
            unusual += unusual_capacities(views, strategies, settings)
            differences += _differences(views, strategies, settings)
            whole |= views
    origin = provenance(evidence, settings) | {"thresholds": thresholds, "strategies": [s.name for s in strategies]}
    entire = marked_measures(entries, settings.level)
    finding = Finding(NAME, QUESTION, (*entire, *differences), (), origin)
    return replace(
        finding,
        readings=tuple(collaboration_readings(finding)),
        verdicts=tuple(collaboration_verdicts(finding)),
        exhibits=(*exhibits, *headline_exhibits(finding)),
        caveats=collaboration_caveats(evidence, finding, unusual, next(iter(whole.values()), None)),
    )


def _differences(views: Views, strategies: tuple[Strategy, ...], settings: CollaborationSettings) -> Iterator[Measured]:
    for model, view in views.items():
        yield from strategy_differences(view, strategies, settings, model_slice(views, model))


def _strategies(evidence: Evidence, settings: CollaborationSettings) -> tuple[Strategy, ...]:
    """Those that were asked for, and the supplied column where one is declared."""
    chosen = list(settings.chosen.values())
    for strategy in chosen:
        if strategy.column is not None and strategy.column not in evidence.declaration.uncertainty:
            problem = f"the strategy '{strategy.name}' needs the column declared with `uncertainty` {strategy.column}"
            raise InputError(problem, source=evidence.name)
    if evidence.declaration.uncertainty and all(strategy.column is None for strategy in chosen):
        chosen.append(parse_strategy(f"{StrategyKind.COLUMN}:{evidence.declaration.uncertainty[0]}"))
    return tuple(chosen)


def _measured(
    evidence: Evidence,
    part: EvidencePart,
    views: Views,
    strategies: tuple[Strategy, ...],
    settings: CollaborationSettings,
    progress: Progress,
) -> list[ProbeResult]:
    title = "reviewing" + (f" {', '.join(part.slice.values())}" if part.slice else "")
    probes = list(_probes(evidence, part, strategies, settings))
    return estimate_probes(views, probes, settings, title, progress)


def _probes(
    evidence: Evidence, part: EvidencePart, strategies: tuple[Strategy, ...], settings: CollaborationSettings
) -> Iterator[Probe]:
    groups = (None, *(evidence.groups if not part.number else ()))
    for model in evidence.models:
        for group in groups:
            own = {} if group is None else {SliceKey.GROUP: group}
            base = model_slice(evidence.models, model) | own | dict(part.slice)
            alone = MODEL_QUANTITIES if group is not None else (*MODEL_QUANTITIES, *UNGROUPED_QUANTITIES)
            quantities: Iterator[tuple[Quantity, Slice]] = ((quantity, {}) for quantity in alone)
            for quantity, slice_ in (*quantities, *_reviewed_quantities(strategies, settings)):
                yield Probe(quantity, base | dict(slice_), model, group)


def _system_probes(
    evidence: Evidence, strategies: tuple[Strategy, ...], settings: CollaborationSettings, errors: ReviewerErrors
) -> Iterator[Probe]:
    """Of every group, at the capacity of the headline: all groups wait in one queue."""
    if not evidence.groups:
        return
    at = headline_capacity(tuple(settings.capacity_by_text))
    comparisons = len(ErrorRate) * len(evidence.groups) * len(strategies) * len(evidence.models)
    for group in (None, *evidence.groups):
        own: Slice = {} if group is None else {SliceKey.GROUP: group}
        if errors.reviews is not None:
            yield from (Probe(ReviewerRate(rate, errors), own, evidence.models[0], group) for rate in ErrorRate)
        for model in evidence.models:
            for strategy in strategies:
                named = {SliceKey.STRATEGY: strategy.name, SliceKey.CAPACITY: at}
                queue = CommonQueue(strategy, settings.capacity_by_text[at], errors)
                for quantity in system_quantities(queue, comparisons, of_group=group is not None):
                    yield Probe(quantity, model_slice(evidence.models, model) | dict(own) | named, model, group)


def _reviewed_quantities(
    strategies: tuple[Strategy, ...], settings: CollaborationSettings
) -> Iterator[tuple[Quantity, Slice]]:
    """Of every strategy, and at every capacity."""
    for strategy in strategies:
        named: Slice = {SliceKey.STRATEGY: strategy.name}
        yield from ((quantity, named) for quantity in strategy_quantities(strategy))
        for text, capacity in settings.capacity_by_text.items():
            at = {**named, SliceKey.CAPACITY: text}
            yield from ((quantity, at) for quantity in capacity_quantities(strategy, capacity))
