"""What the perspective section of a report shows, and in which order. Picks and sorts; measures nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from evenhand.estimate import Estimate
from evenhand.figures.perspective import furthest_first
from evenhand.figures.perspective.deltas import EVERYBODY
from evenhand.finding import Finding
from evenhand.reports import sharing
from evenhand.reports.picking import Named, get, models
from evenhand.reports.section import Grid, Row, Section
from evenhand.reports.words import word

SHUFFLED = "if shuffled"
FACTS = ("annotator_count", "count", "differing_share")
DELTAS = ("conformity_delta", "delta_below_share", "delta_above_share")
FIT = ("f1", "f1_gap")
AGREEMENT = ("cohen_kappa", "krippendorff_alpha", "gwet_ac1")
SETS = ("set_coverage", "set_size")
PROMISES = {"marginal": "over all", "class": "for each class", "group": "for each group"}
OVER_MODELS = ("f1_delta_correlation", "f1_delta_t")
GLOSSARY = (
    *DELTAS,
    *("differing_share", "uncertainty_divergence", "demographic_divergence"),
    *(*FIT, *AGREEMENT, *SETS, *OVER_MODELS),
)
UNSURE = 1.0  # so wide an interval leaves agreement open
BRIEF = ("annotator_count", "conformity_delta", "differing_share", "uncertainty_divergence")  # in a narrow terminal


def section(finding: Finding) -> dict[str, Any]:
    """Everything that the template needs."""
    named = models(finding)
    return {
        "general": sharing.general(finding),
        "few": sharing.few(finding),
        "cards": [sharing.card(finding, title, model) for title, model in named],
        "groups": [_groups(finding, title, model) for title, model in named],
        "against": [_against(finding, title, model) for title, model in named],
        "ranked": _ranked(finding, named) if len(named) > 1 else [],
        "kappa": _kappa(finding),
        "agreement": Grid("", AGREEMENT, _rows(finding, {}, AGREEMENT)),
        "promise": _promise(finding),
        "sets": [_sets(finding, title, model) for title, model in named if finding.values("sets")],
        "over_models": _over_models(finding),
        "marked": {flag for m in finding for flag in m.estimate.flags},
        "shade": shade,
        "below": below(_promise(finding)),
        "glossary": GLOSSARY,
    }


def shade(measure: str, estimate: Estimate | None) -> str:
    """The colour of a cell of agreement: the stronger, the more people agree; none where that is anybody's guess."""
    if estimate is None or estimate.value is None or word(measure).kind != "agreement":
        return ""
    strength = min(1.0, max(0.0, estimate.value))
    unsure = (estimate.high or 0.0) - (estimate.low or 0.0) > UNSURE
    return "" if unsure or strength < 0.005 else f"background:rgba(0,114,178,{0.6 * strength:.2f})"


def _promise(finding: Finding) -> float:
    """The share of labels that prediction sets promise to hold."""
    return 1.0 - float(finding.provenance.get("settings", {}).get("miss", 0.1))


def below(promise: float) -> Callable[[str, Estimate | None], str]:
    """Colours a coverage that is below its promise beyond doubt."""

    def shaded(measure: str, estimate: Estimate | None) -> str:
        if measure != "set_coverage" or estimate is None or estimate.high is None:
            return ""
        return "background:rgba(213,94,0,.25)" if estimate.high < promise else ""

    return shaded


def _slices(finding: Finding) -> list[tuple[str, Named]]:
    """Everybody, then each group."""
    return [(EVERYBODY, {}), *((group, {"annotators": group}) for group in furthest_first(finding))]


def _rows(finding: Finding, model: Named, measures: Sequence[str]) -> list[Row]:
    return [
        (name, [get(finding, measure, {**model, **slice_}) for measure in measures], None)
        for name, slice_ in _slices(finding)
    ]


def _groups(finding: Finding, title: str, model: Named) -> Grid:
    """Who they are, how often they differ, and whether the model then sides with them."""
    measures = (*FACTS, *DELTAS)
    rows: list[Row] = []
    for name, slice_ in _slices(finding):
        facts = [get(finding, measure, slice_) for measure in FACTS[:2]]
        rest = [get(finding, measure, {**model, **slice_}) for measure in measures[2:]]
        rows.append((name, [*facts, *rest], None))
    return Grid(title, measures, rows, heads=_heads(measures))


def _against(finding: Finding, title: str, model: Named) -> Grid:
    """The divergence beside what chance gives, and how well the group's own labels are matched."""
    measures = ("uncertainty_divergence", "uncertainty_divergence", *FIT)
    rows: list[Row] = []
    for name, slice_ in _slices(finding):
        own = {**model, **slice_}
        pair = [get(finding, measures[0], {**own, **as_if}) for as_if in ({}, {"as_if": "shuffled"})]
        rows.append((name, [*pair, *(get(finding, measure, own) for measure in FIT)], None))
    return Grid(title, measures, rows, heads=(word(measures[0]).label, SHUFFLED, *_heads(FIT)))


def _heads(measures: Sequence[str]) -> tuple[str, ...]:
    return tuple("Labels" if measure == "count" else word(measure).label for measure in measures)


def _ranked(finding: Finding, named: Sequence[tuple[str, Named]]) -> list[dict[str, Any]]:
    """Models, the one whose clusters are furthest beyond chance first."""
    found = []
    for title, model in named:
        card, divergence = sharing.card(finding, title, model), "demographic_divergence"
        pair = [get(finding, divergence, {**model, **as_if}) for as_if in ({}, {"as_if": "shuffled"})]
        numbers = [*((divergence, e) for e in pair), *((m, get(finding, m, model)) for m in ("conformity_delta", "f1"))]
        standing = dict.fromkeys([*(group for group, _ in (*card["less"], *card["more"])), *card["signs"]])
        found.append({"model": title, "beyond": _beyond(pair), "numbers": numbers, "standing": list(standing)})
    return sorted(found, key=lambda one: -one["beyond"])


def _beyond(pair: Sequence[Estimate | None]) -> float:
    """How far a divergence is beyond what shuffling gives; one without a value comes last."""
    known = [e.value for e in pair if e is not None and e.value is not None]
    return known[0] - known[1] if len(known) == 2 else -math.inf


def _kappa(finding: Finding) -> Grid:
    """Cohen's κ within groups (the diagonal) and between them."""
    groups = furthest_first(finding)
    rows: list[Row] = [(one, [_between(finding, one, two) for two in groups], None) for one in groups]
    return Grid("", ("cohen_kappa",) * len(groups), rows, heads=tuple(groups))


def _between(finding: Finding, one: str, two: str) -> Estimate | None:
    if one == two:
        return get(finding, "cohen_kappa", {"annotators": one})
    return get(finding, "cohen_kappa", {"annotators": one, "with": two}) or get(
        finding, "cohen_kappa", {"annotators": two, "with": one}
    )


def _sets(finding: Finding, title: str, model: Named) -> Grid:
    """Coverage and size for the three promises, side by side."""
    kinds = [kind for kind in PROMISES if kind in finding.values("sets")]
    rows: list[Row] = [
        (name, [get(finding, m, {**model, **slice_, "sets": kind}) for kind in kinds for m in SETS], None)
        for name, slice_ in _slices(finding)
    ]
    heads = tuple(f"{word(m).label}, {PROMISES[kind]}" for kind in kinds for m in SETS)
    return Grid(title, SETS * len(kinds), rows, heads=heads)


def _over_models(finding: Finding) -> Grid | None:
    """F1 and mean delta over the models; None where there are too few for a correlation."""
    rows = _rows(finding, {}, OVER_MODELS)
    known = any(e is not None and e.defined for _, found, _ in rows for e in found[:1])
    return Grid("", OVER_MODELS, rows) if known else None


def _grids(finding: Finding) -> list[Grid]:
    """For a terminal: the groups of each model, then how far people agree, then sets."""
    grids = []
    for title, model in models(finding):
        whole = _groups(finding, title, model)
        beside = _against(finding, title, model)
        rows: list[Row] = [
            (name, [*left, right[0], right[2]], None)
            for (name, left, _), (_, right, _) in zip(whole.rows, beside.rows, strict=True)
        ]
        measures = (*whole.measures, "uncertainty_divergence", "f1")
        heads = (*whole.titles, "Uncertainty div.", "F1")
        grids.append(Grid(f"{title}: annotators" if title else "Annotators", measures, rows, brief=BRIEF, heads=heads))
    grids.append(Grid("How far people agree", AGREEMENT, _rows(finding, {}, AGREEMENT)))
    return grids


def _lines(finding: Finding) -> list[str]:
    said = [sharing.general(finding)]
    said += [line for title, model in models(finding) for line in sharing.lines(finding, title, model)]
    more = ["agreement within and between groups", *(["prediction sets"] if finding.values("sets") else [])]
    more += ["clusters"] if finding.exhibits else []
    return [line for line in (*said, sharing.few(finding), f"Also in the report: {'; '.join(more)}.") if line]


def _files(finding: Finding) -> list[Grid]:
    """Everything, for files: also what chance gives, agreement between groups, and sets of labels."""
    found = _grids(finding)
    for title, model in models(finding):
        before = f"{title}: " if title else ""
        found.append(replace(_against(finding, title, model), title=f"{before}beside chance"))
        if finding.values("sets"):
            found.append(replace(_sets(finding, title, model), title=f"{before}sets of labels"))
    return [*found, replace(_kappa(finding), title="Cohen's κ within and between groups")]


SECTION = Section("perspective.html", section, _grids, _lines, _files)
