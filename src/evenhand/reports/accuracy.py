"""What the accuracy section of a report shows, and in which order. Picks and sorts; measures nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evenhand.audits.measurement.remarks import measured_what, unfinished
from evenhand.audits.scarcity import few
from evenhand.figures.accuracy import columns_of, sorted_parts
from evenhand.finding import Finding
from evenhand.reports.picking import Named, get
from evenhand.reports.section import Grid, Row, Section
from evenhand.reports.vocabulary import ACCURACY
from evenhand.reports.words import word
from evenhand.sampling.plan import Measurement

ALL = ("recall", "precision", "f1", "accuracy", "prevalence", "missed")
ALONE = ("prevalence",)
POOLS = ("count", "violations", "population", "prevalence")
POOL_NAMES = {"removed": "Removed", "visible": "Still visible"}
PARTS = ("count", "violations", "prevalence", "recall", "precision", "missed")
PLANNED = (
    "prevalence",
    "labels_needed",
    "labels_needed_random",
    "efficiency",
    "detectable_effect",
    "labels_for_effect",
)
GLOSSARY = ("recall", "precision", "f1", "accuracy", *(name for name in ACCURACY))
LABELS = {"count": "Labels", "efficiency": "Saved"}
SMALL = "few violations or few others were seen: a cautious interval"
MOST = 12  # parts in a terminal


def section(finding: Finding) -> dict[str, Any]:
    """Everything that the template needs."""
    readings = [reading for reading in finding.readings if not reading.slice]
    decided = finding.has("recall")
    return {
        "decided": decided,
        "head": _head(finding),
        "headlines": [reading.text for reading in readings[: 2 if decided else 1]],
        "readings": [reading.text for reading in readings[2 if decided else 1 :]],
        "overall": Grid("", _all(finding), [_row(finding, "All items", {}, _all(finding))]),
        "pools": Grid("", POOLS, [_row(finding, *pool, POOLS) for pool in _pools(finding)], heads=_heads(POOLS)),
        "planned": _planned(finding, [("All items", {})]),
        "parts": [
            {
                "by": column,
                "numbers": _parts(finding, column),
                "planned": _planned(finding, [(name, {column: name}) for name in sorted_parts(finding, column)]),
                "ranks": _ranks(finding, column),
            }
            for column in columns_of(finding)
        ],
        "strata": _strata(finding),
        "visible": " of what is visible" if decided else "",
        "target": finding.provenance.get("settings", {}).get("target", 0.2),
        "effect": finding.provenance.get("settings", {}).get("effect", 0.01),
        "few": " ".join(few(finding)),
        "marked": {flag for m in finding for flag in m.estimate.flags},
        "glossary": [name for name in GLOSSARY if any(m.measure == name for m in finding)],
    }


def _head(finding: Finding) -> list[str]:
    """Of a measurement by plan: whether it is finished, and what was measured."""
    known = finding.provenance
    if "measurement" not in known:
        return []
    told, planned = known.get("labels_in", 0), known.get("labels_planned", known.get("labels_in", 0))
    open_ = [] if told == planned else [unfinished(told, planned)]
    return [*open_, measured_what(Measurement(**known["measurement"]))]


def _all(finding: Finding) -> tuple[str, ...]:
    return ALL if finding.has("recall") else ALONE


def _row(finding: Finding, title: str, slice_: Named, measures: Sequence[str]) -> Row:
    return (title, [get(finding, measure, slice_) for measure in measures], None)


def _heads(measures: Sequence[str]) -> tuple[str, ...]:
    return tuple(LABELS.get(measure, word(measure).label) for measure in measures)


def _pools(finding: Finding) -> list[tuple[str, Named]]:
    return [*((POOL_NAMES[name], {"pool": name}) for name in finding.values("pool")), ("All", {})]


def _parts(finding: Finding, column: str) -> Grid:
    """One row a part, the highest prevalence first."""
    measures = PARTS if finding.has("recall") else PARTS[:3]
    rows = [_row(finding, name, {column: name}, measures) for name in sorted_parts(finding, column)]
    return Grid(f"By {column}", measures, rows, heads=_heads(measures), brief=("count", "prevalence", "recall"))


def _planned(finding: Finding, named: Sequence[tuple[str, Named]]) -> Grid | None:
    """What the labels say about the next ones; of what is visible, where that is known."""
    pool = {"pool": "visible"} if finding.has("recall") else {}
    rows = [_row(finding, name, {**part, **pool}, PLANNED) for name, part in named]
    known = any(e is not None and e.defined for _, found, _ in rows for e in found[1:])
    return Grid("Labels needed", PLANNED, rows, heads=_heads(PLANNED)) if known else None


def _ranks(finding: Finding, column: str) -> str | None:
    said = [reading.text for reading in finding.readings if dict(reading.slice) == {"of": column}]
    return said[0] if said else None


def _strata(finding: Finding) -> Grid | None:
    names = finding.values("stratum")
    rows = [_row(finding, name, {"stratum": name}, POOLS) for name in names]
    return Grid("", POOLS, rows, heads=_heads(POOLS)) if rows else None


def _grids(finding: Finding) -> list[Grid]:
    """For a terminal: everything, the pools, the parts."""
    rows = [_row(finding, *pool, POOLS) for pool in _pools(finding)]
    grids = [
        Grid("", _all(finding), [_row(finding, "all items", {}, _all(finding))]),
        Grid("What it rests on", POOLS, rows, heads=_heads(POOLS)),
    ]
    for column in columns_of(finding):
        grid = _parts(finding, column)
        grids.append(Grid(grid.title, grid.measures, grid.rows[:MOST], heads=grid.heads, brief=grid.brief))
    return grids


def _lines(finding: Finding) -> list[str]:
    said = [reading.text for reading in finding.readings if not reading.slice or "of" in reading.slice]
    more = [
        f"{len(finding.values(column)) - MOST} more by {column}"
        for column in columns_of(finding)
        if len(finding.values(column)) > MOST
    ]
    more += [f"labels needed by {column}" for column in columns_of(finding)]
    more += ["strata"] if finding.values("stratum") else []
    return [*said, *([f"Also in the report: {'; '.join(more)}."] if more else [])]


SECTION = Section("accuracy.html", section, _grids, _lines, small=SMALL)
