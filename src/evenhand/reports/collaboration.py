"""What the collaboration section of a report shows, and in which order. Picks and sorts; measures nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evenhand.estimate import Estimate
from evenhand.figures.collaboration import headline, in_words, looked_at
from evenhand.finding import Finding
from evenhand.reports.checked import shown
from evenhand.reports.picking import Named, get, models, parts, row, slice_name
from evenhand.reports.section import Grid, Row, Section
from evenhand.reports.worth import changes, ranked

ALONE = (
    "count",
    "positive_share",
    "accuracy",
    "precision",
    "recall",
    "f1",
    "auroc",
    "auprc",
    "auprc_interpolated",
    "brier",
    "ece",
)
UNSURE = ("calibration_auroc", "calibration_auprc")
TOGETHER = (
    "oc_accuracy",
    "oc_auroc",
    "oc_auprc",
    "oc_precision",
    "oc_recall",
    "oc_f1",
    "review_efficiency",
    "review_effectiveness",
)
BRIEF = ("oc_accuracy", "oc_precision", "oc_recall", "oc_auroc", "review_efficiency", "review_effectiveness")
NARROW = ("oc_accuracy", "oc_precision", "oc_recall", "review_efficiency")  # in a narrow terminal
OF_GROUPS = ("count", "positive_share", "accuracy", *BRIEF)
MOST = 4  # so many capacities in a terminal
OWN = ("model", "group", "strategy", "capacity")  # keys of slices that are not the evidence's


def section(finding: Finding) -> dict[str, Any]:
    """Everything that the template needs."""
    strategies, capacities = (finding.values(key) for key in ("strategy", "capacity"))
    named = models(finding)
    at = headline(capacities)
    return {
        "at": in_words(at),
        "looked": looked_at(at),
        "cards": [_card(finding, title, model, strategies, at) for title, model in named],
        "general": [reading.text for reading in finding.readings if not reading.slice],
        "alone": Grid("", ALONE, [row(finding, title or "the model", model, ALONE) for title, model in named]),
        "tables": [
            (
                title,
                _unsure(finding, title, model, strategies),
                [(in_words(text), _strategies(finding, model, strategies, text)) for text in capacities],
            )
            for title, model in named
        ],
        "groups": [
            (title, [_groups(finding, model, strategy, at) for strategy in strategies])
            for title, model in named
            if finding.values("group")
        ],
        "slices": [(slice_name(part), _sliced(finding, named, strategies, at, part)) for part in parts(finding, OWN)],
        "together": TOGETHER,
        "glossary": tuple(dict.fromkeys((*ALONE[2:], *UNSURE, *TOGETHER))),
        "checked": list(shown(finding)),
        "drawn": [exhibit.slice["model"] for exhibit in finding.exhibits if exhibit.kind == "reliability"],
    }


def _unsure(finding: Finding, title: str, model: Named, strategies: Sequence[str]) -> Grid:
    """Would the strategy find the errors, at no capacity in particular?"""
    rows = [row(finding, strategy, {**model, "strategy": strategy}, UNSURE) for strategy in strategies]
    return Grid(title, UNSURE, rows)


def _strategies(finding: Finding, model: Named, strategies: Sequence[str], capacity: str) -> list[Row]:
    return [row(finding, name, {**model, "strategy": name, "capacity": capacity}, TOGETHER) for name in strategies]


def _groups(finding: Finding, model: Named, strategy: str, capacity: str) -> Grid:
    """One row a group: what its model alone does, and what reviewing the same share of its own items adds."""
    rows: list[Row] = []
    for group in finding.values("group"):
        alone = {**model, "group": group}
        chosen = {**alone, "strategy": strategy, "capacity": capacity}
        found = [get(finding, name, alone) or get(finding, name, chosen) for name in OF_GROUPS]
        rows.append((group, found, None))
    return Grid(strategy, OF_GROUPS, rows)


def _sliced(
    finding: Finding, named: list[tuple[str, Named]], strategies: Sequence[str], capacity: str, part: Named
) -> list[Grid]:
    grids = []
    for title, model in named:
        rows: list[Row] = []
        for strategy in strategies:
            chosen = {**model, **part, "strategy": strategy, "capacity": capacity}
            plain = {name: get(finding, name, {**model, **part}) for name in OF_GROUPS}
            rows.append((strategy, [plain[name] or get(finding, name, chosen) for name in OF_GROUPS], None))
        grids.append(Grid(title, OF_GROUPS, rows))
    return grids


def _card(finding: Finding, title: str, model: Named, strategies: Sequence[str], at: str) -> dict[str, Any]:
    """What one capacity buys, the strategy that is worth most first."""
    bought = {name: _bought(finding, {**model, "strategy": name, "capacity": at}) for name in strategies}
    known = ranked(finding, model, at)
    ranks = {name: value for name in known if (value := bought[name]["oc_auroc"].value) is not None}
    readings = [reading.text for reading in finding.readings if model and dict(reading.slice) == dict(model)]
    return {
        "model": title,
        **{name: finding.get(name, **model) for name in ("precision", "recall")},
        "bought": [(name, bought[name]) for name in known],
        "changes": changes(finding, model, known[0], at) if known else [],
        "why": None if known else next(iter(bought.values()))["oc_accuracy"].note,
        "ranks": max(ranks.items(), key=lambda found: found[1]) if ranks else None,
        "auroc": finding.get("auroc", **model),
        "readings": readings if model else [reading.text for reading in finding.readings],
    }


def _bought(finding: Finding, slice_: Named) -> dict[str, Estimate]:
    return {name: finding.get(name, **slice_) for name in BRIEF}


def _grids(finding: Finding) -> list[Grid]:
    """For a terminal: each model alone, then with its strategies at a few capacities."""
    strategies, named = finding.values("strategy"), models(finding)
    some = _some(finding.values("capacity"))
    alone = [row(finding, title or "the model", model, ALONE[2:]) for title, model in named]
    grids = [Grid("The model alone", ALONE[2:], alone, brief=("accuracy", "precision", "recall", "auroc", "ece"))]
    for title, model in named:
        rows = [
            row(finding, f"{in_words(text)} {name}", {**model, "strategy": name, "capacity": text}, BRIEF)
            for text in some
            for name in strategies
        ]
        grids.append(Grid(f"{title}, with review" if title else "With review", BRIEF, rows, brief=NARROW))
    return grids


def _some(capacities: Sequence[str]) -> list[str]:
    """A few capacities, spread over all of them, the one of the headline among them."""
    if len(capacities) <= MOST:
        return list(capacities)
    last = len(capacities) - 1
    kept = {round(number * last / (MOST - 1)) for number in range(MOST)}
    nearest = min(kept - {0, last}, key=lambda number: abs(number - capacities.index(headline(capacities))))
    kept = (kept - {nearest}) | {capacities.index(headline(capacities))}
    return [capacities[number] for number in sorted(kept)]


def _lines(finding: Finding) -> list[str]:
    lines = [
        f"{reading.slice['model']}: {reading.text}" if "model" in reading.slice else reading.text
        for reading in finding.readings
    ]
    more = [f"{len(finding.values('capacity'))} capacities"] if len(finding.values("capacity")) > MOST else []
    more += ["groups"] if finding.values("group") else []
    named = [slice_name(part) for part in parts(finding, OWN)]
    more += named[:4] + ([f"{len(named) - 4} more parts"] if len(named) > 4 else [])
    return [*lines, *([f"Also in the report: {'; '.join(more)}."] if more else [])]


def _files(finding: Finding) -> list[Grid]:
    """Everything, for files: every capacity, how well strategies order the items, and groups."""
    strategies, capacities, named = finding.values("strategy"), finding.values("capacity"), models(finding)
    found = [replace(_grids(finding)[0], brief=())]
    for title, model in named:
        before = f"{title}: " if title else ""
        found.append(replace(_unsure(finding, title, model, strategies), title=f"{before}order of review"))
        rows = [
            (f"{in_words(text)} {name}", found_, reading)
            for text in capacities
            for name, found_, reading in _strategies(finding, model, strategies, text)
        ]
        found.append(Grid(f"{before}with review", TOGETHER, rows))
        if finding.values("group"):
            at = headline(capacities)
            grids = (_groups(finding, model, strategy, at) for strategy in strategies)
            found += [replace(grid, title=f"{before}groups, {looked_at(at)} by {grid.title}") for grid in grids]
    return found


SECTION = Section("collaboration.html", section, _grids, _lines, _files)
