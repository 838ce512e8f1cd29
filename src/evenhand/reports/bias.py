"""What the bias section of a report shows, and in which order. Picks and sorts; measures nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evenhand.audits.direction import backwards
from evenhand.estimate import Estimate
from evenhand.figures.bias import MOST, worst_first
from evenhand.finding import Finding, Reading
from evenhand.measures import bias
from evenhand.reports.picking import get, parts, slice_name
from evenhand.reports.section import Grid, Section
from evenhand.reports.words import word
from evenhand.reports.worst import lowest_auc

AT_THRESHOLD = ("tpr", "tpr_gap", "fpr", "fpr_gap", "precision")
SUMMARY = (
    "auroc",
    "jigsaw_score",
    "subgroup_auc_power_mean",
    "bpsn_auc_power_mean",
    "bnsp_auc_power_mean",
    "tpr",
    "fpr",
    "precision",
)
OVERALL = ("auroc", "jigsaw_score", "tpr", "fpr", "precision")  # of these, in a narrow terminal
FIVE = tuple(comparison.name for comparison in bias.COMPARISONS)
HEAT = ("count", "positive_share", *FIVE)
OWN = ("model", "against", "group")  # keys of slices that are not the evidence's
TENDENCIES = ("higher", "lower", "apart", "better")
OPEN = 3  # so many of the worst groups are unfolded at first


def section(finding: Finding) -> dict[str, Any]:
    """Everything that the template needs."""
    models = finding.values("model")
    groups, summary = worst_first(finding), _summary(finding, models, {})
    return {
        "models": models,
        "groups": groups,
        "summary": summary,
        "small_summary": any("small" in e.flags for _, found, _ in summary.rows for e in found if e is not None),
        "backwards": list(backwards(finding)),
        "headlines": _headlines(finding, models, groups),
        "heat": _tables(finding, models, groups, HEAT, {}),
        "at_threshold": _tables(finding, models, groups, AT_THRESHOLD, {}),
        "slices": [
            (
                slice_name(part),
                _tables(finding, models, groups, HEAT, part),
                _summary(finding, models, part),
            )
            for part in parts(finding, OWN)
        ],
        "cards": [_card(finding, models, group, number < OPEN) for number, group in enumerate(groups)],
        "threshold": _threshold(finding),
        "drawn": MOST if len(groups) > MOST else None,
        "shade": shade,
        "five": FIVE,
    }


def _threshold(finding: Finding) -> str:
    """Where items are flagged, in words."""
    given = finding.provenance.get("thresholds", {})
    thresholds = {model: at for model, at in given.items() if at is not None}
    if len(set(given.values())) == 1 and thresholds:
        return f"At the threshold {next(iter(thresholds.values())):g}"
    return "At the threshold" + (
        f" ({', '.join(f'{m}: {at:g}' for m, at in thresholds.items())})" if thresholds else ""
    )


def shade(measure: str, estimate: Estimate | None) -> str:
    """The colour of a cell, stronger further from ideal. Orange: a low AUC, or scored higher; blue: scored lower."""
    if estimate is None or estimate.value is None:
        return ""
    kind = word(measure).kind
    if kind == "auc":
        strength, hue = min(1.0, max(0.0, (1.0 - estimate.value) / 0.5)), "213,94,0"
    elif kind == "gap":
        higher = estimate.value < 0 if measure.endswith("_gap") else estimate.value > 0
        strength, hue = min(1.0, abs(estimate.value) / 0.5), "213,94,0" if higher else "0,114,178"
    else:
        return ""
    return f"background:rgba({hue},{0.62 * strength**0.8:.2f})" if strength > 0.004 else ""


def _named(models: tuple[str, ...], model: str) -> dict[str, str]:
    return {"model": model} if models else {}


def _tables(
    finding: Finding, models: tuple[str, ...], groups: list[str], measures: tuple[str, ...], part: Mapping[str, str]
) -> list[Grid]:
    readings = {tuple(sorted(r.slice.items())): r for r in finding.readings}
    tables = []
    for model in models or ("",):
        rows = []
        for group in groups:
            slice_ = {**_named(models, model), **({"group": group} if group else {})}
            found = [finding.get(m, **slice_, **part) if finding.has(m, **slice_, **part) else None for m in measures]
            rows.append((group, found, readings.get(tuple(sorted(slice_.items())))))
        tables.append(Grid(model, measures, rows))
    return tables


def _summary(finding: Finding, models: tuple[str, ...], part: Mapping[str, str]) -> Grid:
    """One row a model, then a row for each difference."""
    rows: list[tuple[str, list[Estimate | None], Reading | None]] = []
    for model in models or ("",):
        named = {**_named(models, model), **part}
        rows.append((model or "the model", [get(finding, m, named) for m in SUMMARY], None))
    differences = []
    for model in models[1:]:
        pair = {"model": model, "against": models[0], **part}
        if any(finding.has(m, **pair) for m in SUMMARY):
            differences.append(f"{model} less {models[0]}")
            rows.append((differences[-1], [get(finding, m, pair) for m in SUMMARY], None))
    return Grid("", SUMMARY, rows, frozenset(differences))


def _headlines(finding: Finding, models: tuple[str, ...], groups: list[str]) -> list[dict[str, Any]]:
    """Per model: which groups stand out, and how."""
    headlines = []
    for model in models or ("",):
        named = _named(models, model)
        readings = {r.slice["group"]: r for r in finding.readings if r.slice.items() >= named.items()}
        found = {kind: [g for g in groups if readings[g].tendency == kind] for kind in TENDENCIES}
        quiet = len(groups) - sum(len(names) for names in found.values())
        headlines.append({"model": model, **found, "quiet": quiet, "worst": lowest_auc(finding, named, groups)})
    return headlines


def _card(finding: Finding, models: tuple[str, ...], group: str, is_open: bool) -> dict[str, Any]:
    readings = [r for r in finding.readings if r.slice.get("group") == group]
    differences = [
        (model, [(m, finding.get(m, model=model, against=models[0], group=group)) for m in (*FIVE, "tpr", "fpr")])
        for model in models[1:]
        if finding.has(FIVE[0], model=model, against=models[0], group=group)
    ]
    numbers = [
        (model, [(m, finding.get(m, **_named(models, model), group=group)) for m in FIVE]) for model in models or ("",)
    ]
    examples = [x for x in finding.examples if x.slice.get("group") == group]
    return {
        "group": group,
        "open": is_open,
        "readings": readings,
        "numbers": numbers,
        "differences": differences,
        "examples": examples,
    }


def _grids(finding: Finding) -> list[Grid]:
    """Everything, for a terminal."""
    models = finding.values("model")
    found = [replace(_summary(finding, models, {}), title="Overall", brief=OVERALL)]
    for grid in _tables(finding, models, worst_first(finding), HEAT, {}):
        title = f"{grid.title}: groups, worst in any model first" if grid.title else "Groups, worst first"
        found.append(replace(grid, title=title, brief=FIVE))
    return found


def _lines(finding: Finding) -> list[str]:
    names = [slice_name(part) for part in parts(finding, OWN)]
    return [f"Also in the report: {'; '.join(names[:6])}{'; …' if len(names) > 6 else ''}."] if names else []


def _files(finding: Finding) -> list[Grid]:
    """Everything, for files: also what the threshold does, and the parts of the evidence."""
    models, groups = finding.values("model"), worst_first(finding)
    found = _grids(finding)
    found += [
        replace(g, title=_titled(g, "at the threshold")) for g in _tables(finding, models, groups, AT_THRESHOLD, {})
    ]
    for part in parts(finding, OWN):
        name = slice_name(part)
        found.append(replace(_summary(finding, models, part), title=f"{name}: overall"))
        found += [replace(g, title=_titled(g, name)) for g in _tables(finding, models, groups, HEAT, part)]
    return found


def _titled(grid: Grid, what: str) -> str:
    return f"{grid.title}: {what}" if grid.title else what[0].upper() + what[1:]


SECTION = Section("bias.html", section, _grids, _lines, _files)
