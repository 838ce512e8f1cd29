"""What the calibration section of a report shows, and in which order. Picks and sorts; measures nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evenhand.audits.calibration.numbers import OF_CLASSES as OF_A_CLASS
from evenhand.estimate import Estimate
from evenhand.finding import Finding
from evenhand.reports import honesty
from evenhand.reports.honesty import CALIBRATED, ERRORS, held
from evenhand.reports.picking import Named, get, models, parts, slice_name
from evenhand.reports.section import Grid, Row, Section
from evenhand.reports.words import word

SCORES = ("accuracy", "weighted_f1", "brier", "log_loss")
OF_CLASSES = ("cece", "msece", "wsece", "ece_variance")
OF_GROUPS = ("count", "accuracy", "log_loss")
OVERALL = (*SCORES, *ERRORS, *OF_CLASSES)
BRIEF = ("accuracy", "log_loss", "ece", "ace")  # in a narrow terminal
OWN = ("model", "group", "class", "bins", "as_if")  # keys of slices that are not the evidence's


def section(finding: Finding) -> dict[str, Any]:
    """Everything that the template needs."""
    named = models(finding)
    return {
        "cards": [honesty.card(finding, title, model) for title, model in named],
        "classes": [(title, _classes(finding, title, model)) for title, model in named],
        "overall": _overall(finding, named, {}),
        "groups": [_groups(finding, title, model) for title, model in named if finding.values("group")],
        "slices": [
            (
                slice_name(part),
                _overall(finding, named, part),
                [_classes(finding, title, {**model, **part}) for title, model in named],
            )
            for part in parts(finding, OWN)
        ],
        "bins": [(title, _bins(finding, model)) for title, model in named],
        "chosen": str(_settings(finding).get("bins", "")),
        "titles": [title for title, _ in named],
        "examples": [(title, _examples(finding, model)) for title, model in named if finding.examples],
        "said_of": honesty.hidden,
        "marked": {flag for m in finding for flag in m.estimate.flags},
        "glossary": (*ERRORS, *OF_A_CLASS, *OF_CLASSES, "brier", "log_loss", "weighted_f1"),
    }


def _settings(finding: Finding) -> Named:
    found: Named = finding.provenance.get("settings", {})
    return found


def _beside(measures: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Columns for measures, each followed by what a calibrated model would show; and their heads."""
    columns = tuple(measure for measure in measures for _ in range(2))
    return columns, tuple(head for measure in measures for head in (word(measure).label, CALIBRATED))


def _pairs(finding: Finding, slice_: Named, measures: Sequence[str]) -> list[Estimate | None]:
    return [
        get(finding, measure, {**slice_, **as_if}) for measure in measures for as_if in ({}, {"as_if": "calibrated"})
    ]


def _classes(finding: Finding, title: str, slice_: Named) -> Grid:
    columns, heads = _beside(OF_A_CLASS)
    rows: list[Row] = []
    for one in held(finding, slice_):
        own = {**slice_, "class": one.name}
        rows.append((one.name, [get(finding, "count", own), *_pairs(finding, own, OF_A_CLASS)], None))
    return Grid(title, ("count", *columns), rows, heads=("Items", *heads), brief=("count", "class_ece", "class_ace"))


def _overall(
    finding: Finding, named: Sequence[tuple[str, Named]], part: Named
) -> list[tuple[str, list[Estimate | None]]]:
    """One row a measure; of each model what was found and what a calibrated one would show."""
    return [
        (measure, [e for _, model in named for e in _pairs(finding, {**model, **part}, (measure,))])
        for measure in OVERALL
    ]


def _groups(finding: Finding, title: str, model: Named) -> Grid:
    columns, heads = _beside(ERRORS)
    rows: list[Row] = []
    for group in finding.values("group"):
        slice_ = {**model, "group": group}
        plain = [get(finding, measure, slice_) for measure in OF_GROUPS]
        rows.append((group, [*plain, *_pairs(finding, slice_, ERRORS)], None))
    labels = tuple(word(measure).label for measure in OF_GROUPS)
    return Grid(title, (*OF_GROUPS, *columns), rows, heads=(*labels, *heads))


def _bins(finding: Finding, model: Named) -> dict[str, Any]:
    """ECE, CECE and class ECEs by the number of bins, the chosen number among them."""
    chosen = str(_settings(finding).get("bins", ""))
    counts = sorted({*finding.values("bins"), *([chosen] if chosen else [])}, key=int)
    rows = []
    for label, measure, named in _binned(finding):
        found = []
        for count in counts:
            slice_ = {**model, **named, **({} if count == chosen else {"bins": count})}
            found.append(tuple(_pairs(finding, slice_, (measure,))))
        rows.append((label, measure, found))
    return {"counts": counts, "rows": rows}


def _binned(finding: Finding) -> list[tuple[str, str, Named]]:
    classes = [(f"Class ECE: {name}", "class_ece", {"class": name}) for name in finding.values("class")]
    return [("ECE", "ece", {}), ("CECE", "cece", {}), *classes]


def _examples(finding: Finding, model: Named) -> list[Any]:
    return [x for x in finding.examples if x.slice.items() >= model.items()]


def _grids(finding: Finding) -> list[Grid]:
    """For a terminal: everything over all, what the classes add up to, then the classes of each model."""
    named = models(finding)
    over_all = (*SCORES, *ERRORS)
    grids = [
        Grid("Over all", over_all, _terminal_rows(finding, named, over_all), brief=BRIEF),
        Grid("The class ECEs, summed up", OF_CLASSES, _terminal_rows(finding, named, OF_CLASSES)),
    ]
    for title, model in named:
        grids.append(
            _classes(finding, f"{title}: items of each true class" if title else "Items of each true class", model)
        )
    return grids


def _terminal_rows(finding: Finding, named: Sequence[tuple[str, Named]], measures: Sequence[str]) -> list[Row]:
    rows: list[Row] = []
    for title, model in named:
        for name, as_if in ((title or "the model", {}), (f"  {CALIBRATED}", {"as_if": "calibrated"})):
            rows.append((name, [get(finding, measure, {**model, **as_if}) for measure in measures], None))
    return rows


def _lines(finding: Finding) -> list[str]:
    cards = [honesty.card(finding, title, model) for title, model in models(finding)]
    said = [line for card in cards for line in honesty.lines(card)]
    if any(card["mend"] for card in cards):
        said.append("Next: evenhand calibrate compare VALIDATION TEST … shows which calibrator mends this.")
    more = ["groups"] if finding.values("group") else []
    more += [slice_name(part) for part in parts(finding, OWN)][:4]
    more += ["reliability diagrams"] if finding.exhibits else []
    return [*said, *([f"Also in the report: {'; '.join(more)}."] if more else [])]


def _files(finding: Finding) -> list[Grid]:
    """Everything, for files: also groups, and the classes in each part of the evidence."""
    named = models(finding)
    found = _grids(finding)
    if finding.values("group"):
        found += [_groups(finding, f"{title}: groups" if title else "Groups", model) for title, model in named]
    for part in parts(finding, OWN):
        for title, model in named:
            name = f"{title}: {slice_name(part)}" if title else slice_name(part)
            found.append(_classes(finding, name, {**model, **part}))
    return found


SECTION = Section("calibration.html", section, _grids, _lines, _files)
