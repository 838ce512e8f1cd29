"""The perspective section of a report: what it shows, and in which order. Selects and sorts; computes nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from evenhand.audits.perspective.divergences import SHUFFLED
from evenhand.audits.perspective.standing import Standing, annotator_groups, model_standing
from evenhand.audits.perspective.verdicts import PerspectiveTopic
from evenhand.catalogue import Measure, Unit, find_measure
from evenhand.catalogue.perspective import (
    ANNOTATOR_COUNT,
    COHEN_KAPPA,
    CONFORMITY_DELTA,
    DELTA_ABOVE_SHARE,
    DELTA_BELOW_SHARE,
    DEMOGRAPHIC_DIVERGENCE,
    DIFFERING_SHARE,
    F1_DELTA_CORRELATION,
    F1_DELTA_T,
    F1_GAP,
    GWET_AC1,
    KRIPPENDORFF_ALPHA,
    SET_COVERAGE,
    SET_SIZE,
    UNCERTAINTY_DIVERGENCE,
)
from evenhand.catalogue.shared import COUNT, F1
from evenhand.estimate import Estimate
from evenhand.figures.perspective import EVERYBODY
from evenhand.finding import Finding, Slice, SliceKey
from evenhand.reports.section import EstimateGrid, EstimateRow, Section, find_estimate

SHUFFLED_TITLE = "if shuffled"
FACT_MEASURES = (ANNOTATOR_COUNT, COUNT, DIFFERING_SHARE)
FACT_TITLES = (ANNOTATOR_COUNT.title, "Labels", DIFFERING_SHARE.title)  # what is counted here are labels
DELTA_MEASURES = (CONFORMITY_DELTA, DELTA_BELOW_SHARE, DELTA_ABOVE_SHARE)
FIT_MEASURES = (F1, F1_GAP)
AGREEMENT_MEASURES = (COHEN_KAPPA, KRIPPENDORFF_ALPHA, GWET_AC1)
SET_MEASURES = (SET_COVERAGE, SET_SIZE)
SET_GUARANTEES = {"marginal": "over all labels", "class": "for each class", "group": "for each group"}
MODEL_CORRELATIONS = (F1_DELTA_CORRELATION, F1_DELTA_T)
GLOSSARY = (
    *DELTA_MEASURES,
    *(DIFFERING_SHARE, UNCERTAINTY_DIVERGENCE, DEMOGRAPHIC_DIVERGENCE),
    *(*FIT_MEASURES, *AGREEMENT_MEASURES, *SET_MEASURES, *MODEL_CORRELATIONS),
)
WIDEST_SHADED = 1.0  # so wide an interval leaves agreement open
BRIEF_MEASURES = (ANNOTATOR_COUNT, CONFORMITY_DELTA, DIFFERING_SHARE, UNCERTAINTY_DIVERGENCE)  # in a narrow terminal


def template_context(finding: Finding) -> dict[str, Any]:
    """Everything that the template needs."""
    named = finding.models
    return {
        "general": _agreement_sentence(finding),
        "few": _small_groups_sentence(finding),
        "cards": [_model_card(finding, title, model) for title, model in named],
        "groups": [_group_grid(finding, title, model) for title, model in named],
        "against": [_chance_grid(finding, title, model) for title, model in named],
        "ranked": _ranked_models(finding, named) if len(named) > 1 else [],
        "kappa": _kappa_grid(finding),
        "agreement": EstimateGrid("", AGREEMENT_MEASURES, _annotator_rows(finding, {}, AGREEMENT_MEASURES)),
        "promise": _promised_coverage(finding),
        "sets": [_sets_grid(finding, title, model) for title, model in named if finding.values(SliceKey.SETS)],
        "over_models": _over_models_grid(finding),
        "marked": {flag for m in finding for flag in m.estimate.flags},
        "shade": agreement_shade,
        "below": coverage_shade(_promised_coverage(finding)),
        "glossary": GLOSSARY,
        "delta": CONFORMITY_DELTA,
        "signs": UNCERTAINTY_DIVERGENCE,
        "clusters": DEMOGRAPHIC_DIVERGENCE,
        "fit": F1,
    }


def _model_card(finding: Finding, title: str, model: Slice) -> dict[str, Any]:
    """What stands out of a model, with its numbers."""
    standing = model_standing(finding, model)
    clusters, shuffled = _beside_chance(finding, DEMOGRAPHIC_DIVERGENCE, model)

    def with_deltas(groups: Sequence[str]) -> list[tuple[str, Estimate]]:
        return [(group, finding.get(CONFORMITY_DELTA, **model, annotators=group)) for group in groups]

    return {
        "model": title,
        "key": title or None,
        "people": finding.get(ANNOTATOR_COUNT).value,
        "everybody": finding.get(CONFORMITY_DELTA, **model),
        "stands_out": standing.stands_out,
        "less": with_deltas(standing.with_delta(Standing.LESS)),
        "more": with_deltas(standing.with_delta(Standing.MORE)),
        "range": _delta_range(with_deltas([one.group for one in standing.groups if one.delta and not one.few]))
        or _delta_range(with_deltas([one.group for one in standing.groups if one.delta])),
        "signs": standing.with_other_shares,
        "clusters": None if clusters is None else {"found": clusters, "shuffled": shuffled},
        "poor": finding.get(F1, **model) if standing.fit is Standing.POOR else None,
    }


def _delta_range(deltas: Sequence[tuple[str, Estimate]]) -> list[tuple[str, Estimate]]:
    """The lowest and the highest."""
    order = sorted(deltas, key=lambda pair: pair[1].value or 0.0)
    return [order[0], order[-1]] if order else []


def _beside_chance(finding: Finding, measure: Measure, slice_: Slice) -> list[Estimate | None]:
    """A divergence, and what shuffling gives."""
    return [find_estimate(finding, measure, {**slice_, **as_if}) for as_if in ({}, SHUFFLED)]


def _agreement_sentence(finding: Finding) -> str:
    """How often people differ from the majority, and how far they agree: the same for all models."""
    return " ".join(reading.text for reading in finding.readings_about(PerspectiveTopic.AGREEMENT))


def _small_groups_sentence(finding: Finding) -> str:
    """Of which groups little can be said; empty where there are none."""
    standing = [model_standing(finding, model) for _, model in finding.models]
    marked = {group for one in standing for way in (Standing.LESS, Standing.MORE) for group in one.with_delta(way)}
    few = [one.group for one in annotator_groups(finding) if one.few and one.group not in marked]
    named = [f"{group} ({finding.get(ANNOTATOR_COUNT, annotators=group).value:,.0f})" for group in few]
    sentence = "Few annotators, so differences may go undetected: {}."
    return sentence.format(", ".join(named)) if named else ""


def agreement_shade(measure: str, estimate: Estimate | None) -> str:
    """The colour of a cell of agreement: the stronger, the more people agree; none where that is anybody's guess."""
    if estimate is None or estimate.value is None or find_measure(measure).unit is not Unit.AGREEMENT:
        return ""
    strength = min(1.0, max(0.0, estimate.value))
    unsure = (estimate.high or 0.0) - (estimate.low or 0.0) > WIDEST_SHADED
    return "" if unsure or strength < 0.005 else f"background:rgba(0,114,178,{0.6 * strength:.2f})"


def _promised_coverage(finding: Finding) -> float:
    """The share of labels that prediction sets promise to hold."""
    return 1.0 - float(finding.provenance.get("settings", {}).get("miss", 0.1))


def coverage_shade(promise: float) -> Callable[[str, Estimate | None], str]:
    """Colours a coverage that is below its promise beyond doubt."""

    def shaded(measure: str, estimate: Estimate | None) -> str:
        if measure != SET_COVERAGE or estimate is None or estimate.high is None:
            return ""
        return "background:rgba(213,94,0,.25)" if estimate.high < promise else ""

    return shaded


def _annotator_slices(finding: Finding) -> list[tuple[str, Slice]]:
    """Everybody, then each group."""
    slices: list[tuple[str, Slice]] = [(EVERYBODY, {})]
    slices += [(one.group, {SliceKey.ANNOTATORS: one.group}) for one in annotator_groups(finding)]
    return slices


def _annotator_rows(finding: Finding, model: Slice, measures: Sequence[str]) -> list[EstimateRow]:
    return [
        (name, [find_estimate(finding, measure, {**model, **slice_}) for measure in measures], None)
        for name, slice_ in _annotator_slices(finding)
    ]


def _group_grid(finding: Finding, title: str, model: Slice) -> EstimateGrid:
    """Who they are, how often they differ, and whether the model then sides with them."""
    measures = (*FACT_MEASURES, *DELTA_MEASURES)
    rows: list[EstimateRow] = []
    for name, slice_ in _annotator_slices(finding):
        facts = [find_estimate(finding, measure, slice_) for measure in FACT_MEASURES[:2]]
        rest = [find_estimate(finding, measure, {**model, **slice_}) for measure in measures[2:]]
        rows.append((name, [*facts, *rest], None))
    return EstimateGrid(title, measures, rows, heads=(*FACT_TITLES, *(m.title for m in DELTA_MEASURES)))


def _chance_grid(finding: Finding, title: str, model: Slice) -> EstimateGrid:
    """The divergence beside what chance gives, and how well the group's own labels are matched."""
    measures = (UNCERTAINTY_DIVERGENCE, UNCERTAINTY_DIVERGENCE, *FIT_MEASURES)
    rows: list[EstimateRow] = []
    for name, slice_ in _annotator_slices(finding):
        own = {**model, **slice_}
        pair = _beside_chance(finding, UNCERTAINTY_DIVERGENCE, own)
        rows.append((name, [*pair, *(find_estimate(finding, measure, own) for measure in FIT_MEASURES)], None))
    heads = (UNCERTAINTY_DIVERGENCE.title, SHUFFLED_TITLE, *(m.title for m in FIT_MEASURES))
    return EstimateGrid(title, measures, rows, heads=heads)


def _ranked_models(finding: Finding, named: Sequence[tuple[str, Slice]]) -> list[dict[str, Any]]:
    """Models, the one whose clusters are furthest beyond chance first."""
    ranked = []
    for title, model in named:
        standing, pair = model_standing(finding, model), _beside_chance(finding, DEMOGRAPHIC_DIVERGENCE, model)
        numbers = [
            *((DEMOGRAPHIC_DIVERGENCE, e) for e in pair),
            *((m, find_estimate(finding, m, model)) for m in (CONFORMITY_DELTA, F1)),
        ]
        marked = [*standing.with_delta(Standing.LESS), *standing.with_delta(Standing.MORE), *standing.with_other_shares]
        groups = list(dict.fromkeys(marked))
        ranked.append({"model": title, "beyond": _beyond_chance(pair), "numbers": numbers, "standing": groups})
    return sorted(ranked, key=lambda one: -one["beyond"])


def _beyond_chance(pair: Sequence[Estimate | None]) -> float:
    """How far a divergence is beyond what shuffling gives; one without a value comes last."""
    known = [e.value for e in pair if e is not None and e.value is not None]
    return known[0] - known[1] if len(known) == 2 else -math.inf


def _kappa_grid(finding: Finding) -> EstimateGrid:
    """Cohen's κ within groups (the diagonal) and between them."""
    groups = [one.group for one in annotator_groups(finding)]
    rows: list[EstimateRow] = [(one, [_kappa_between(finding, one, two) for two in groups], None) for one in groups]
    return EstimateGrid("", (COHEN_KAPPA,) * len(groups), rows, heads=tuple(groups))


def _kappa_between(finding: Finding, one: str, two: str) -> Estimate | None:
    if one == two:
        return find_estimate(finding, COHEN_KAPPA, {SliceKey.ANNOTATORS: one})
    pairs: list[Slice] = [{SliceKey.ANNOTATORS: a, SliceKey.WITH: b} for a, b in ((one, two), (two, one))]
    return find_estimate(finding, COHEN_KAPPA, pairs[0]) or find_estimate(finding, COHEN_KAPPA, pairs[1])


def _sets_grid(finding: Finding, title: str, model: Slice) -> EstimateGrid:
    """Coverage and size for the three promises, side by side."""
    kinds = [kind for kind in SET_GUARANTEES if kind in finding.values(SliceKey.SETS)]
    rows: list[EstimateRow] = [
        (
            name,
            [
                find_estimate(finding, m, {**model, **slice_, SliceKey.SETS: kind})
                for kind in kinds
                for m in SET_MEASURES
            ],
            None,
        )
        for name, slice_ in _annotator_slices(finding)
    ]
    heads = tuple(f"{m.title}, {SET_GUARANTEES[kind]}" for kind in kinds for m in SET_MEASURES)
    return EstimateGrid(title, SET_MEASURES * len(kinds), rows, heads=heads)


def _over_models_grid(finding: Finding) -> EstimateGrid | None:
    """F1 and mean delta over the models; None where there are too few for a correlation."""
    rows = _annotator_rows(finding, {}, MODEL_CORRELATIONS)
    known = any(e is not None and e.defined for _, estimates, _ in rows for e in estimates[:1])
    return EstimateGrid("", MODEL_CORRELATIONS, rows) if known else None


def _terminal_grids(finding: Finding) -> list[EstimateGrid]:
    """For a terminal: the groups of each model, then how far people agree, then sets."""
    grids = []
    for title, model in finding.models:
        whole = _group_grid(finding, title, model)
        beside = _chance_grid(finding, title, model)
        rows: list[EstimateRow] = [
            (name, [*left, right[0], right[2]], None)
            for (name, left, _), (_, right, _) in zip(whole.rows, beside.rows, strict=True)
        ]
        measures = (*whole.measures, UNCERTAINTY_DIVERGENCE, F1)
        heads = (*whole.titles, "Uncertainty div.", F1.title)
        grids.append(
            EstimateGrid(
                f"{title}: annotators" if title else "Annotators", measures, rows, brief=BRIEF_MEASURES, heads=heads
            )
        )
    agreement = _annotator_rows(finding, {}, AGREEMENT_MEASURES)
    grids.append(EstimateGrid("Agreement between annotators", AGREEMENT_MEASURES, agreement))
    return grids


def _terminal_lines(finding: Finding) -> list[str]:
    lines = [_agreement_sentence(finding)]
    lines += [line for title, model in finding.models for line in _model_lines(finding, title, model)]
    more = ["agreement within and between groups", *(["prediction sets"] if finding.values(SliceKey.SETS) else [])]
    more += ["clusters"] if finding.exhibits else []
    lines += [_small_groups_sentence(finding), f"Also in the report: {'; '.join(more)}."]
    return [line for line in lines if line]


def _model_lines(finding: Finding, title: str, model: Slice) -> list[str]:
    """What was read of one model: its groups, then its clusters."""
    topics = (PerspectiveTopic.GROUPS, PerspectiveTopic.CLUSTERS)
    lines = [reading.text for topic in topics for reading in finding.readings_about(topic, **model)]
    if signs := model_standing(finding, model).with_other_shares:
        lines.append(f"Statistically significant {UNCERTAINTY_DIVERGENCE.title.lower()}: {', '.join(signs)}.")
    return [f"{title}: {text}" if title else text for text in lines]


def _file_grids(finding: Finding) -> list[EstimateGrid]:
    """Everything, for files: also what chance gives, agreement between groups, and prediction sets."""
    grids = _terminal_grids(finding)
    for title, model in finding.models:
        before = f"{title}: " if title else ""
        grids.append(replace(_chance_grid(finding, title, model), title=f"{before}compared with chance"))
        if finding.values(SliceKey.SETS):
            grids.append(replace(_sets_grid(finding, title, model), title=f"{before}prediction sets"))
    return [*grids, replace(_kappa_grid(finding), title=f"{COHEN_KAPPA.title} within and between groups")]


SECTION = Section("perspective.html", template_context, _terminal_grids, _terminal_lines, _file_grids)
