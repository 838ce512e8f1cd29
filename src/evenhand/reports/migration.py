"""The section on a migration: the threshold to set, what changes at it, for whom, and the files of thresholds."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

from evenhand.catalogue import find_measure
from evenhand.catalogue.migration import (
    DECISION_AGREEMENT,
    FLAG_RATE,
    FLAG_RATE_CHANGE,
    FLAG_RATE_RATIO,
    NEW_THRESHOLD,
    NEWLY_FLAGGED,
    NO_LONGER_FLAGGED,
    PRECISION_CHANGE,
    STILL_FLAGGED,
)
from evenhand.catalogue.perspective import GWET_AC1
from evenhand.catalogue.shared import COUNT, FPR, POSITIVE_SHARE, PRECISION, RANK_AGREEMENT, RECALL
from evenhand.estimate import Estimate
from evenhand.figures.migration import MigrationFigure
from evenhand.finding import Exhibit, Finding, Slice, SliceKey
from evenhand.migration.exhibits import MigrationExhibit
from evenhand.migration.measured import HELD_OUT, NEW, OLD, UNCHANGED
from evenhand.migration.verdicts import KEPT_WORDS, MigrationTopic
from evenhand.reports.section import EstimateGrid, EstimateRow, Section, find_estimate
from evenhand.version import __version__

DECISIONS = (FLAG_RATE_CHANGE, NEWLY_FLAGGED, NO_LONGER_FLAGGED, STILL_FLAGGED, DECISION_AGREEMENT, GWET_AC1)
RATES = (FLAG_RATE, PRECISION, FPR, RECALL)
OVERALL = (COUNT, POSITIVE_SHARE, RANK_AGREEMENT)
GLOSSARY = (NEW_THRESHOLD, *RATES, *DECISIONS, FLAG_RATE_RATIO, PRECISION_CHANGE, RANK_AGREEMENT)
GROUP_HEADS = ("Comments", "Flagged before", "Flagged now", "Times as often")
OWN_KEYS = (SliceKey.THRESHOLD, SliceKey.MATCHED, SliceKey.MODEL, SliceKey.POOL)
MAP_COLUMNS = ("old", "new", "low", "high", str(FLAG_RATE))


def template_context(finding: Finding) -> dict[str, Any]:
    """Everything that the template needs."""
    return {
        "thresholds": [_threshold_card(finding, name) for name in finding.values(SliceKey.THRESHOLD)],
        "overall": _overall_grid(finding),
        "to_set": _threshold_grid(finding),
        "decisions": _decision_grid(finding),
        "rates": [(name, _rate_grid(finding, name)) for name in finding.values(SliceKey.THRESHOLD)],
        "labelled": any(m.measure == PRECISION for m in finding),
        "groups": [(name, grid) for name, grid in _group_grids(finding) if grid.rows],
        "figures": MigrationFigure,
        "glossary": [m for m in GLOSSARY if any(measured.measure == m for measured in finding)],
    }


def _threshold_card(finding: Finding, threshold: str) -> dict[str, Any]:
    """What is said of one old threshold, and its readings on labels and groups."""
    here = {SliceKey.THRESHOLD: threshold}
    return {
        "threshold": threshold,
        "verdicts": [verdict for verdict in finding.verdicts if verdict.slice == here],
        "recommended": [r.text for r in finding.readings_about(MigrationTopic.RECOMMENDED, **here)],
        "groups": [r.text for r in finding.readings_about(MigrationTopic.GROUP, **here)],
    }


def _bases(finding: Finding) -> list[str]:
    return [name for name in finding.values(SliceKey.MATCHED) if name != UNCHANGED]


def _kept_words(basis: str) -> str:
    return KEPT_WORDS.get(find_measure(basis), basis)


def _overall_grid(finding: Finding) -> EstimateGrid:
    measures = tuple(m for m in OVERALL if finding.has(m))
    return EstimateGrid("Overall", measures, [("All comments", [finding.get(m) for m in measures], None)])


def _threshold_grid(finding: Finding) -> EstimateGrid:
    """A row for each old threshold, a column for each thing that the new one keeps."""
    bases = _bases(finding)
    rows: list[EstimateRow] = []
    for threshold in finding.values(SliceKey.THRESHOLD):
        here: Slice = {SliceKey.THRESHOLD: threshold}
        estimates = [find_estimate(finding, NEW_THRESHOLD, {**here, SliceKey.MATCHED: basis}) for basis in bases]
        rows.append((f"old threshold {threshold}", estimates, None))
    heads = tuple(f"Same {_kept_words(basis)}" for basis in bases)
    return EstimateGrid("New thresholds", (NEW_THRESHOLD,) * len(bases), rows, heads=heads)


def _decision_grid(finding: Finding) -> EstimateGrid:
    rows: list[EstimateRow] = []
    for threshold in finding.values(SliceKey.THRESHOLD):
        slice_ = _decided_at(finding, threshold)
        if slice_ is not None:
            held_out: Slice = {SliceKey.THRESHOLD: threshold, SliceKey.MATCHED: str(FLAG_RATE), SliceKey.POOL: HELD_OUT}
            changes = [find_estimate(finding, measure, slice_) for measure in DECISIONS]
            changes.append(find_estimate(finding, FLAG_RATE_CHANGE, held_out))
            rows.append((f"old threshold {threshold}", changes, None))
    measures = (*DECISIONS, FLAG_RATE_CHANGE)
    heads = (*(m.title for m in DECISIONS), "Change in the held-out half")
    signed = (0, len(DECISIONS))
    brief = (NEWLY_FLAGGED, NO_LONGER_FLAGGED, STILL_FLAGGED)
    return EstimateGrid("What changes", measures, rows, heads=heads, signed=signed, brief=brief)


def _decided_at(finding: Finding, threshold: str) -> Slice | None:
    """The slice of the new threshold at which changes were looked at."""
    slices = (m.slice for m in finding if m.measure == STILL_FLAGGED)
    return next((slice_ for slice_ in slices if slice_[SliceKey.THRESHOLD] == threshold), None)


def _rate_grid(finding: Finding, threshold: str) -> EstimateGrid:
    """Both models: the old one, the new one at the same number, and at each threshold that keeps something."""
    here: Slice = {SliceKey.THRESHOLD: threshold}
    named: list[tuple[str, Slice]] = [(f"Old model at {threshold}", {**here, SliceKey.MODEL: OLD})]
    unchanged: Slice = {**here, SliceKey.MODEL: NEW, SliceKey.MATCHED: UNCHANGED}
    named.append((f"New model, unchanged threshold {threshold}", unchanged))
    for basis in _bases(finding):
        slice_: Slice = {**here, SliceKey.MODEL: NEW, SliceKey.MATCHED: basis}
        if finding.has(FLAG_RATE, **slice_):
            named.append((f"New model, same {_kept_words(basis)}", slice_))
    measures = tuple(m for m in RATES if finding.has(m, **named[0][1]))
    rows: list[EstimateRow] = [
        (title, [find_estimate(finding, measure, slice_) for measure in measures], None) for title, slice_ in named
    ]
    return EstimateGrid(f"Both models, old threshold {threshold}", measures, rows)


def _group_grids(finding: Finding) -> Iterator[tuple[str, EstimateGrid]]:
    """For each threshold a row for each group, the largest change first."""
    measures = (COUNT, FLAG_RATE, FLAG_RATE, FLAG_RATE_RATIO)
    for threshold in finding.values(SliceKey.THRESHOLD):
        rows = sorted(_group_rows(finding, threshold), key=lambda row: -_ratio_of(row[1][-1]))
        title = f"Changes by group, old threshold {threshold}"
        brief = (FLAG_RATE, FLAG_RATE_RATIO)
        yield threshold, EstimateGrid(title, measures, rows, heads=GROUP_HEADS, brief=brief)


def _group_rows(finding: Finding, threshold: str) -> Iterator[EstimateRow]:
    for m in finding:
        if m.measure == FLAG_RATE_RATIO and m.slice[SliceKey.THRESHOLD] == threshold:
            group = {key: value for key, value in m.slice.items() if key not in OWN_KEYS}
            before = {SliceKey.THRESHOLD: threshold, **group, SliceKey.MODEL: OLD}
            now = {**m.slice, SliceKey.MODEL: NEW}
            rates = [find_estimate(finding, FLAG_RATE, slice_) for slice_ in (before, now)]
            yield ", ".join(group.values()), [find_estimate(finding, COUNT, group), *rates, m.estimate], None


def _ratio_of(estimate: Estimate | None) -> float:
    return -1.0 if estimate is None or estimate.value is None else estimate.value


def _terminal_grids(finding: Finding) -> list[EstimateGrid]:
    """For a terminal: thresholds, what changes, both models with labels, groups."""
    groups = [grid for _, grid in _group_grids(finding) if grid.rows]
    return [_overall_grid(finding), _threshold_grid(finding), _decision_grid(finding), *_brief_rates(finding), *groups]


def _brief_rates(finding: Finding) -> Iterator[EstimateGrid]:
    """With labels: both models at the thresholds before and to set."""
    rows: list[EstimateRow] = []
    measures = RATES[1:]
    for threshold in finding.values(SliceKey.THRESHOLD):
        new = _decided_at(finding, threshold)
        slices: list[tuple[str, Slice]] = [("old", {SliceKey.THRESHOLD: threshold, SliceKey.MODEL: OLD})]
        slices += [] if new is None else [("new", {**new, SliceKey.MODEL: NEW})]
        for name, slice_ in slices:
            rates = [find_estimate(finding, measure, slice_) for measure in measures]
            rows.append((f"old threshold {threshold}: {name} model", rates, None))
    if any(any(estimates) for _, estimates, _ in rows):
        yield EstimateGrid("Both models", measures, rows)


def _terminal_lines(finding: Finding) -> list[str]:
    """The verdicts, and why the threshold is the one to take."""
    lines = []
    for threshold in finding.values(SliceKey.THRESHOLD):
        card = _threshold_card(finding, threshold)
        lines += [f"{verdict.statement} {verdict.certainty}".rstrip() for verdict in card["verdicts"]]
        lines += card["recommended"]
    actions = dict.fromkeys(verdict.action for verdict in finding.verdicts if verdict.action)
    return [*lines, *(f"Next step: {action}" for action in actions)]


def threshold_files(finding: Finding) -> Mapping[str, str]:
    """The thresholds to set, for an operator: the whole map as CSV; as JSON with those asked for, by what they keep."""
    exhibits = {exhibit.kind: exhibit for exhibit in finding.exhibits}
    rows = _records(exhibits[MigrationExhibit.THRESHOLD_MAP], MAP_COLUMNS)
    to_set = exhibits[MigrationExhibit.TO_SET]
    content = {
        "evenhand": __version__,
        "old": finding.provenance.get("old"),
        "new": finding.provenance.get("new"),
        "level": next(m.estimate.level for m in finding),
        "thresholds": _records(to_set, tuple(to_set.columns)),
        "map": rows,
    }
    text = json.dumps(content, indent=1, allow_nan=False) + "\n"
    return {"thresholds.csv": _as_csv(rows), "thresholds.json": text}


def _records(exhibit: Exhibit, names: tuple[str, ...]) -> list[dict[str, Any]]:
    records = zip(*(exhibit.columns[name] for name in names), strict=True)
    return [dict(zip(names, row, strict=True)) for row in records]


def _as_csv(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=MAP_COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


SECTION = Section("migration.html", template_context, _terminal_grids, _terminal_lines, files=threshold_files)
