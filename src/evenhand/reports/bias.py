"""The bias section of a report: what it shows, and in which order. Selects and sorts; computes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evenhand.audits.bias.error_rates import by_harm, error_rate_verdicts
from evenhand.audits.bias.verdicts import worst_first
from evenhand.audits.caveats import reversed_score_warnings
from evenhand.audits.group_words import ErrorRate, format_times
from evenhand.audits.quantities import SMALL_GROUP
from evenhand.audits.registry import verdicts_of
from evenhand.audits.tolerance import Comparison
from evenhand.catalogue import Unit, find_measure
from evenhand.catalogue.bias import (
    BNSP_AUC_POWER_MEAN,
    BPSN_AUC_POWER_MEAN,
    FNR_RATIO,
    FPR_GAP,
    FPR_RATIO,
    JIGSAW_SCORE,
    SUBGROUP_AUC_POWER_MEAN,
    TPR_GAP,
)
from evenhand.catalogue.shared import AUROC, COUNT, FPR, POSITIVE_SHARE, PRECISION, TPR
from evenhand.estimate import Estimate
from evenhand.figures.bias import BiasFigure
from evenhand.finding import Finding, Reading, SliceKey
from evenhand.formatting import format_share
from evenhand.measures import bias
from evenhand.reports.bias_groups import (
    GROUP_KEYS,
    advantages_of,
    groups_with_items,
    harm_first,
    harmed_groups,
    is_small_group,
    large_groups,
    telling_slices,
)
from evenhand.reports.section import EstimateGrid, Section, evidence_slices, find_estimate, slice_title

RATE_MEASURES = (FPR, FPR_RATIO, FNR_RATIO)
THRESHOLD_MEASURES = (TPR, TPR_GAP, FPR, FPR_GAP, PRECISION)
SUMMARY_MEASURES = (
    AUROC,
    JIGSAW_SCORE,
    SUBGROUP_AUC_POWER_MEAN,
    BPSN_AUC_POWER_MEAN,
    BNSP_AUC_POWER_MEAN,
    TPR,
    FPR,
    PRECISION,
)
BRIEF_SUMMARY = (AUROC, JIGSAW_SCORE, TPR, FPR, PRECISION)  # of these, in a narrow terminal
FIVE_MEASURES = tuple(comparison.name for comparison in bias.COMPARISONS)
GROUP_MEASURES = (COUNT, POSITIVE_SHARE, *FIVE_MEASURES)
GLOSSARY = (*FIVE_MEASURES, TPR, FPR, PRECISION, TPR_GAP, FPR_GAP, JIGSAW_SCORE)
ELSEWHERE_FIRST = (TPR_GAP, FPR_GAP)  # gaps of everyone else less the group: below 0 where the group is flagged more
OPEN_CARDS = 1  # so many groups with a higher error rate are unfolded at first
CHARTED_CARDS = 4  # so many of the first groups have charts in the page; those of others are files


def template_context(finding: Finding) -> dict[str, Any]:
    """Everything that the template needs."""
    models = finding.values(SliceKey.MODEL)
    groups, summary = harm_first(finding), _summary_grid(finding, models, {})
    small = [group for group in groups if is_small_group(finding, group)]
    small = small if len(small) < len(groups) else []
    telling, silent = telling_slices(finding)
    harmed = harmed_groups(finding)
    return {
        "models": models,
        "groups": groups,
        "summary": summary,
        "small_summary": any(e.small for _, estimates, _ in summary.rows for e in estimates if e is not None),
        "backwards": list(reversed_score_warnings(finding)),
        "headlines": _headlines(finding),
        "heat": _group_grids(finding, models, [group for group in groups if group not in small], GROUP_MEASURES, {}),
        "small": len(small),
        "heat_small": _group_grids(finding, models, small, GROUP_MEASURES, {}) if small else [],
        "at_threshold": _group_grids(finding, models, groups, THRESHOLD_MEASURES, {}),
        "slices": [
            (
                slice_title(part),
                _group_grids(finding, models, groups_with_items(finding, part, groups), GROUP_MEASURES, part),
                _summary_grid(finding, models, part),
            )
            for part in telling
        ],
        "silent_slices": [slice_title(part) for part in silent],
        "cards": [
            _group_card(finding, models, group, group in harmed[:OPEN_CARDS], number < CHARTED_CARDS)
            for number, group in enumerate(groups)
        ],
        "charted": CHARTED_CARDS if len(groups) > CHARTED_CARDS else None,
        "threshold": _threshold_text(finding),
        "shade": bias_shade,
        "glossary": GLOSSARY,
        "figures": BiasFigure,
        "error_rates": tuple(ErrorRate),
        "words": COMPARISON_WORDS,
        "times": format_times,
        "share": format_share,
    }


def _threshold_text(finding: Finding) -> str:
    """The threshold, as part of a heading."""
    by_model = finding.provenance.get("thresholds", {})
    thresholds = {model: at for model, at in by_model.items() if at is not None}
    if len(set(by_model.values())) == 1 and thresholds:
        return f"at the threshold of {next(iter(thresholds.values())):g}"
    return "at the threshold" + (
        f" ({', '.join(f'{m}: {at:g}' for m, at in thresholds.items())})" if thresholds else ""
    )


def bias_shade(measure: str, estimate: Estimate | None) -> str:
    """The colour of a cell, stronger further from ideal. Orange: a low AUC, or scored higher; blue: scored lower."""
    if estimate is None or estimate.value is None:
        return ""
    unit = find_measure(measure).unit
    if unit is Unit.AREA:
        strength, hue = min(1.0, max(0.0, (1.0 - estimate.value) / 0.5)), "213,94,0"
    elif unit is Unit.DIFFERENCE:
        higher = estimate.value < 0 if measure in ELSEWHERE_FIRST else estimate.value > 0
        strength, hue = min(1.0, abs(estimate.value) / 0.5), "213,94,0" if higher else "0,114,178"
    else:
        return ""
    return f"background:rgba({hue},{0.62 * strength**0.8:.2f})" if strength > 0.004 else ""


def _model_slice(models: tuple[str, ...], model: str) -> dict[str, str]:
    return {SliceKey.MODEL: model} if models else {}


def _group_grids(
    finding: Finding, models: tuple[str, ...], groups: list[str], measures: tuple[str, ...], part: Mapping[str, str]
) -> list[EstimateGrid]:
    readings = {tuple(sorted(r.slice.items())): r for r in finding.readings}
    tables = []
    for model in models or ("",):
        rows = []
        for group in groups:
            slice_ = {**_model_slice(models, model), SliceKey.GROUP: group}
            estimates = [
                finding.get(m, **slice_, **part) if finding.has(m, **slice_, **part) else None for m in measures
            ]
            rows.append((group, estimates, readings.get(tuple(sorted(slice_.items())))))
        overall = find_estimate(finding, AUROC, {**_model_slice(models, model), **part})
        tables.append(EstimateGrid(model, measures, rows, advantages=advantages_of(measures, rows, overall)))
    return tables


def _summary_grid(finding: Finding, models: tuple[str, ...], part: Mapping[str, str]) -> EstimateGrid:
    """One row a model, then a row for each difference."""
    rows: list[tuple[str, list[Estimate | None], Reading | None]] = []
    for model in models or ("",):
        named = {**_model_slice(models, model), **part}
        rows.append((model or "the model", [find_estimate(finding, m, named) for m in SUMMARY_MEASURES], None))
    differences = []
    for model in models[1:]:
        pair = {SliceKey.MODEL: model, SliceKey.AGAINST: models[0], **part}
        if any(finding.has(m, **pair) for m in SUMMARY_MEASURES):
            differences.append(f"{model} minus {models[0]}")
            rows.append((differences[-1], [find_estimate(finding, m, pair) for m in SUMMARY_MEASURES], None))
    return EstimateGrid("", SUMMARY_MEASURES, rows, frozenset(differences))


COMPARISON_WORDS = {
    Comparison.HIGHER: "▲ higher",
    Comparison.LOWER: "▽ lower",
    Comparison.RULED_OUT: "within the tolerance",
    Comparison.UNDETERMINED: "undetermined",
}


def _headlines(finding: Finding) -> list[dict[str, Any]]:
    """Per model: its verdicts, and the error rates of every group beside those of others, the largest harm first."""
    verdicts, groups = verdicts_of(finding), worst_first(finding)
    headlines = []
    for title, model in finding.models:
        rates = by_harm(error_rate_verdicts(finding, model, groups))
        small = {group for group in rates if is_small_group(finding, group)}
        headlines.append(
            {
                "model": title,
                "verdicts": [v for v in verdicts if v.slice == model],
                "rates": [(group, verdict) for group, verdict in rates.items() if group not in small],
                "small": [(group, verdict) for group, verdict in rates.items() if group in small],
            }
        )
    return headlines


def _group_card(
    finding: Finding, models: tuple[str, ...], group: str, is_open: bool, is_charted: bool
) -> dict[str, Any]:
    readings = [r for r in finding.readings if r.slice.get(SliceKey.GROUP) == group]
    differences = [
        (
            model,
            [(m, finding.get(m, model=model, against=models[0], group=group)) for m in (*FIVE_MEASURES, TPR, FPR)],
        )
        for model in models[1:]
        if finding.has(FIVE_MEASURES[0], model=model, against=models[0], group=group)
    ]
    numbers = [
        (model, [(m, finding.get(m, **_model_slice(models, model), group=group)) for m in FIVE_MEASURES])
        for model in models or ("",)
    ]
    examples = [x for x in finding.examples if x.slice.get(SliceKey.GROUP) == group]
    return {
        "group": group,
        "open": is_open,
        "charted": is_charted,
        "readings": readings,
        "numbers": numbers,
        "differences": differences,
        "examples": examples,
    }


def _terminal_grids(finding: Finding) -> list[EstimateGrid]:
    """Everything, for a terminal: error rates at the threshold, then scores. Of many groups small ones are left out."""
    models, groups = finding.values(SliceKey.MODEL), large_groups(finding, harm_first(finding))
    overall, *scores = _overall_and_groups(finding, groups, "largest harm")
    rates = [
        replace(grid, title=_grid_title(grid, _threshold_text(finding)))
        for grid in _group_grids(finding, models, groups, RATE_MEASURES, {})
        if any(estimate is not None for _, estimates, _ in grid.rows for estimate in estimates)
    ]
    return [overall, *rates, *scores]


def _overall_and_groups(finding: Finding, groups: list[str], order: str) -> list[EstimateGrid]:
    models = finding.values(SliceKey.MODEL)
    grids = [replace(_summary_grid(finding, models, {}), title="Overall", brief=BRIEF_SUMMARY)]
    for grid in _group_grids(finding, models, groups, GROUP_MEASURES, {}):
        title = f"{grid.title}: groups, {order} in any model first" if grid.title else f"Groups, {order} first"
        grids.append(replace(grid, title=title, brief=FIVE_MEASURES))
    return grids


def _terminal_lines(finding: Finding) -> list[str]:
    names = [slice_title(part) for part in evidence_slices(finding, GROUP_KEYS)]
    groups = harm_first(finding)
    small = len(groups) - len(large_groups(finding, groups))
    names += [f"{small} groups with {SMALL_GROUP} items or fewer"] if small else []
    return [f"Also in the report: {'; '.join(names[:6])}{'; …' if len(names) > 6 else ''}."] if names else []


def _file_grids(finding: Finding) -> list[EstimateGrid]:
    """Everything, for files: also what the threshold does, and the parts of the evidence."""
    models, groups = finding.values(SliceKey.MODEL), worst_first(finding)
    grids = _overall_and_groups(finding, groups, "lowest AUC")
    grids += [
        replace(g, title=_grid_title(g, "at the threshold"))
        for g in _group_grids(finding, models, groups, THRESHOLD_MEASURES, {})
    ]
    for part in evidence_slices(finding, GROUP_KEYS):
        name = slice_title(part)
        grids.append(replace(_summary_grid(finding, models, part), title=f"{name}: overall"))
        grids += [
            replace(g, title=_grid_title(g, name)) for g in _group_grids(finding, models, groups, GROUP_MEASURES, part)
        ]
    return grids


def _grid_title(grid: EstimateGrid, what: str) -> str:
    return f"{grid.title}: {what}" if grid.title else what[0].upper() + what[1:]


SECTION = Section(
    "bias.html",
    template_context,
    _terminal_grids,
    _terminal_lines,
    _file_grids,
    answers_first=True,
    brief_table="bias_rates.html",
)
