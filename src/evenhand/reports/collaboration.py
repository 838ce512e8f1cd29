"""The collaboration section of a report: what it shows, and in which order. Selects and sorts; computes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evenhand.audits.collaboration.exhibits import CollaborationExhibit
from evenhand.audits.collaboration.settings import capacity_in_words, headline_capacity, reviewed_in_words
from evenhand.audits.collaboration.statements import amount_left
from evenhand.audits.registry import verdicts_of
from evenhand.catalogue import Measure, find_measure
from evenhand.catalogue.collaboration import (
    CALIBRATION_AUPRC,
    CALIBRATION_AUROC,
    OC_ACCURACY,
    OC_AUPRC,
    OC_AUROC,
    OC_F1,
    OC_PRECISION,
    OC_RECALL,
    REVIEW_EFFECTIVENESS,
    REVIEW_EFFICIENCY,
    REVIEWED,
    REVIEWER_FNR,
    REVIEWER_FPR,
    SYSTEM_FNR,
    SYSTEM_FNR_RATIO,
    SYSTEM_FPR,
    SYSTEM_FPR_RATIO,
)
from evenhand.catalogue.shared import (
    ACCURACY,
    AUPRC,
    AUPRC_INTERPOLATED,
    AUROC,
    BRIER,
    COUNT,
    ECE,
    F1,
    POSITIVE_SHARE,
    PRECISION,
    RECALL,
)
from evenhand.finding import Exhibit, Finding, Slice, SliceKey
from evenhand.formatting import format_number, format_percent
from evenhand.reports.collaboration_counts import review_counts
from evenhand.reports.section import (
    EstimateGrid,
    EstimateRow,
    Section,
    estimate_row,
    evidence_slices,
    find_estimate,
    slice_title,
)

QUALITY_MEASURES = (ACCURACY, PRECISION, RECALL, F1, AUROC, AUPRC, AUPRC_INTERPOLATED, BRIER, ECE)
ALONE_MEASURES = (COUNT, POSITIVE_SHARE, *QUALITY_MEASURES)
NARROW_QUALITY = (ACCURACY, PRECISION, RECALL, AUROC, ECE)  # in a narrow terminal
ORDERING_MEASURES = (CALIBRATION_AUROC, CALIBRATION_AUPRC)
REVIEW_MEASURES = (
    *(OC_ACCURACY, OC_AUROC, OC_AUPRC, OC_PRECISION, OC_RECALL, OC_F1),
    *(REVIEW_EFFICIENCY, REVIEW_EFFECTIVENESS),
)
SYSTEM_MEASURES = (
    *(REVIEWED, SYSTEM_FPR, SYSTEM_FPR_RATIO, SYSTEM_FNR, SYSTEM_FNR_RATIO),
    *(REVIEWER_FPR, REVIEWER_FNR),
)
BRIEF_MEASURES = (OC_ACCURACY, OC_PRECISION, OC_RECALL, OC_AUROC, REVIEW_EFFICIENCY, REVIEW_EFFECTIVENESS)
NARROW_MEASURES = (OC_ACCURACY, OC_PRECISION, OC_RECALL, REVIEW_EFFICIENCY)
GROUP_MEASURES = (COUNT, POSITIVE_SHARE, ACCURACY, *BRIEF_MEASURES)
MOST_CAPACITIES = 4  # so many capacities in a terminal
OWN_KEYS = (  # the rest is the evidence's
    *(SliceKey.MODEL, SliceKey.GROUP, SliceKey.STRATEGY, SliceKey.AGAINST, SliceKey.CAPACITY),
)


def template_context(finding: Finding) -> dict[str, Any]:
    """Everything that the template needs."""
    strategies, capacities = finding.values(SliceKey.STRATEGY), finding.values(SliceKey.CAPACITY)
    at = headline_capacity(capacities)
    alone = [estimate_row(finding, title or "the model", model, ALONE_MEASURES) for title, model in finding.models]
    return {
        "at": capacity_in_words(at),
        "several": len(capacities) > 1,  # capacities: one has no curve
        "looked": reviewed_in_words(at),
        "cards": [_model_card(finding, title, model, at) for title, model in finding.models],
        "general": [reading.text for reading in finding.readings if not reading.slice],
        "alone": EstimateGrid("", ALONE_MEASURES, alone),
        "tables": [
            (
                title,
                _ordering_grid(finding, title, model, strategies),
                [(capacity_in_words(text), _strategy_rows(finding, model, strategies, text)) for text in capacities],
            )
            for title, model in finding.models
        ],
        "groups": [
            (title, [_group_grid(finding, model, strategy, at) for strategy in strategies])
            for title, model in finding.models
            if finding.values(SliceKey.GROUP)
        ],
        "system": [
            (title, [_system_grid(finding, model, strategy, at) for strategy in strategies])
            for title, model in finding.models
            if finding.values(SliceKey.GROUP)
        ],
        "reviewers_err": REVIEWER_FPR in _system_measures(finding),
        "slices": [
            (slice_title(part), _slice_grids(finding, strategies, at, part))
            for part in evidence_slices(finding, OWN_KEYS)
        ],
        "together": REVIEW_MEASURES,
        "decomposed": OC_ACCURACY,
        "glossary": (*QUALITY_MEASURES, *ORDERING_MEASURES, *REVIEW_MEASURES, *_system_measures(finding)),
        "checked": list(review_counts(finding)),
        "drawn": [
            exhibit.slice[SliceKey.MODEL]
            for exhibit in finding.exhibits
            if exhibit.kind == CollaborationExhibit.RELIABILITY
        ],
    }


def _ordering_grid(finding: Finding, title: str, model: Slice, strategies: Sequence[str]) -> EstimateGrid:
    """Would the strategy find the errors, at no capacity in particular?"""
    rows = [
        estimate_row(finding, strategy, {**model, SliceKey.STRATEGY: strategy}, ORDERING_MEASURES)
        for strategy in strategies
    ]
    return EstimateGrid(title, ORDERING_MEASURES, rows)


def _reviewed_slice(model: Slice, strategy: str, capacity: str) -> Slice:
    return {**model, SliceKey.STRATEGY: strategy, SliceKey.CAPACITY: capacity}


def _strategy_rows(finding: Finding, model: Slice, strategies: Sequence[str], capacity: str) -> list[EstimateRow]:
    return [estimate_row(finding, name, _reviewed_slice(model, name, capacity), REVIEW_MEASURES) for name in strategies]


def _plain_and_reviewed(finding: Finding, title: str, plain: Slice, strategy: str, capacity: str) -> EstimateRow:
    """What the model alone does on a slice, and what reviewing this much of it adds."""
    reviewed = _reviewed_slice(plain, strategy, capacity)
    estimates = [
        find_estimate(finding, name, plain) or find_estimate(finding, name, reviewed) for name in GROUP_MEASURES
    ]
    return (title, estimates, None)


def _group_grid(finding: Finding, model: Slice, strategy: str, capacity: str) -> EstimateGrid:
    """One row a group, of whose own items the same share is reviewed."""
    rows = [
        _plain_and_reviewed(finding, group, {**model, SliceKey.GROUP: group}, strategy, capacity)
        for group in finding.values(SliceKey.GROUP)
    ]
    return EstimateGrid(strategy, GROUP_MEASURES, rows)


def _system_measures(finding: Finding) -> tuple[Measure, ...]:
    """What is shown of groups in one queue, as far as it was measured."""
    return tuple(measure for measure in SYSTEM_MEASURES if any(m.measure == measure for m in finding))


def _system_grid(finding: Finding, model: Slice, strategy: str, capacity: str) -> EstimateGrid:
    """One row a group, whose items wait in one queue with those of all others."""
    measures, rows = _system_measures(finding), list[EstimateRow]()
    for group in finding.values(SliceKey.GROUP):
        own = {**model, SliceKey.GROUP: group}
        reviewed = _reviewed_slice(own, strategy, capacity)
        estimates = [
            find_estimate(finding, name, reviewed) or find_estimate(finding, name, {SliceKey.GROUP: group})
            for name in measures
        ]
        rows.append((group, estimates, None))
    return EstimateGrid(strategy, measures, rows)


def _slice_grids(finding: Finding, strategies: Sequence[str], capacity: str, part: Slice) -> list[EstimateGrid]:
    return [
        EstimateGrid(
            title,
            GROUP_MEASURES,
            [_plain_and_reviewed(finding, name, {**model, **part}, name, capacity) for name in strategies],
        )
        for title, model in finding.models
    ]


def _model_card(finding: Finding, title: str, model: Slice, at: str) -> dict[str, Any]:
    """What one capacity buys, in the order and by the measures that the finding says."""
    ranking = _change_rows(finding, CollaborationExhibit.RANKING, model)
    ordered = _headline_table(finding, CollaborationExhibit.STRATEGIES, model)
    strategies = [str(name) for name in ordered.columns["strategy"]] if ordered else []
    return {
        "model": title,
        "left": _left_rows(finding, model, strategies, at),
        "verdicts": [verdict for verdict in verdicts_of(finding) if dict(verdict.slice) == dict(model)],
        "ranking": ranking[0] if ranking else None,
        "readings": [reading.text for reading in finding.readings if dict(reading.slice) == dict(model)],
    }


def _left_rows(finding: Finding, model: Slice, strategies: Sequence[str], at: str) -> list[tuple[str, list[str]]]:
    """What is left by each strategy and without review; nothing where no strategy has a value."""
    alone = [amount_left(finding.get(measure, **model)) for measure in (RECALL, PRECISION)]
    rows = [(name, _left_cells(finding, model, name, at)) for name in strategies]
    return [*rows, ("without review", [*alone, "–", "–"])] if rows else []


def _left_cells(finding: Finding, model: Slice, strategy: str, at: str) -> list[str]:
    """What is left with review, and what reviews find."""
    reviewed = _reviewed_slice(model, strategy, at)
    left = [amount_left(finding.get(measure, **reviewed)) for measure in (OC_RECALL, OC_PRECISION)]
    shares = (finding.get(measure, **reviewed).value for measure in (REVIEW_EFFECTIVENESS, REVIEW_EFFICIENCY))
    return left + ["–" if share is None else format_percent(share) for share in shares]


def _headline_table(finding: Finding, kind: CollaborationExhibit, model: Slice) -> Exhibit | None:
    """The table that the finding carries for its headline on this model."""
    return next((one for one in finding.exhibits if one.kind == kind and one.slice.items() >= model.items()), None)


def _change_rows(finding: Finding, kind: CollaborationExhibit, model: Slice) -> list[tuple[Any, str, str, str]]:
    """The measure, its value for the model alone and with review, and by which strategy."""
    table = _headline_table(finding, kind, model)
    if table is None:
        return []
    rows = zip(*(table.columns[name] for name in ("measure", "alone", "together", "strategy")), strict=True)
    return [
        (find_measure(name), format_number(name, alone), format_number(name, together), strategy)
        for name, alone, together, strategy in rows
    ]


def _terminal_grids(finding: Finding) -> list[EstimateGrid]:
    """For a terminal: each model alone, then with its strategies at a few capacities."""
    strategies, some = finding.values(SliceKey.STRATEGY), _chosen_capacities(finding.values(SliceKey.CAPACITY))
    alone = [estimate_row(finding, title or "the model", model, QUALITY_MEASURES) for title, model in finding.models]
    grids = [EstimateGrid("The model alone", QUALITY_MEASURES, alone, brief=NARROW_QUALITY)]
    for title, model in finding.models:
        rows = [
            estimate_row(
                finding, f"{capacity_in_words(text)} {name}", _reviewed_slice(model, name, text), BRIEF_MEASURES
            )
            for text in some
            for name in strategies
        ]
        heading = f"{title}, with review" if title else "With review"
        grids.append(EstimateGrid(heading, BRIEF_MEASURES, rows, brief=NARROW_MEASURES))
    return grids


def _chosen_capacities(capacities: Sequence[str]) -> list[str]:
    """A few capacities, spread over all of them, the one of the headline among them."""
    if len(capacities) <= MOST_CAPACITIES:
        return list(capacities)
    last = len(capacities) - 1
    places = {round(number * last / (MOST_CAPACITIES - 1)) for number in range(MOST_CAPACITIES)}
    nearest = min(places - {0, last}, key=lambda number: abs(number - capacities.index(headline_capacity(capacities))))
    places = (places - {nearest}) | {capacities.index(headline_capacity(capacities))}
    return [capacities[number] for number in sorted(places)]


def _terminal_lines(finding: Finding) -> list[str]:
    named = ((reading.slice.get(SliceKey.MODEL), reading.text) for reading in finding.readings)
    lines = [text if model is None else f"{model}: {text}" for model, text in named]
    capacities = len(finding.values(SliceKey.CAPACITY))
    more = [f"{capacities} capacities"] if capacities > MOST_CAPACITIES else []
    more += ["groups"] if finding.values(SliceKey.GROUP) else []
    parts = [slice_title(part) for part in evidence_slices(finding, OWN_KEYS)]
    more += parts[:4] + ([f"{len(parts) - 4} more parts"] if len(parts) > 4 else [])
    return [*lines, *([f"Also in the report: {'; '.join(more)}."] if more else [])]


def _file_grids(finding: Finding) -> list[EstimateGrid]:
    """Everything, for files: every capacity, how well strategies order the items, and groups."""
    strategies, capacities = finding.values(SliceKey.STRATEGY), finding.values(SliceKey.CAPACITY)
    grids = [replace(_terminal_grids(finding)[0], brief=())]
    for title, model in finding.models:
        before = f"{title}: " if title else ""
        grids.append(replace(_ordering_grid(finding, title, model, strategies), title=f"{before}order of review"))
        rows = [
            (f"{capacity_in_words(text)} {name}", estimates, reading)
            for text in capacities
            for name, estimates, reading in _strategy_rows(finding, model, strategies, text)
        ]
        grids.append(EstimateGrid(f"{before}with review", REVIEW_MEASURES, rows))
        if finding.values(SliceKey.GROUP):
            at = headline_capacity(capacities)
            own = (_group_grid(finding, model, strategy, at) for strategy in strategies)
            grids += [replace(grid, title=f"{before}groups, {reviewed_in_words(at)} by {grid.title}") for grid in own]
            common = (_system_grid(finding, model, strategy, at) for strategy in strategies)
            grids += [
                replace(grid, title=f"{before}groups, one queue by {grid.title}") for grid in common if grid.measures
            ]
    return grids


SECTION = Section(
    "collaboration.html",
    template_context,
    _terminal_grids,
    _terminal_lines,
    _file_grids,
    answers_first=True,
    brief_table="collaboration_left.html",
    brief_figure="curves",
)
