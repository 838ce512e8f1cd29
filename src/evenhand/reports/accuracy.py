"""The accuracy section of a report: what it shows, and in which order. Selects and sorts; computes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evenhand.audits.accuracy.blind_spots import ROBUST
from evenhand.audits.accuracy.pools import PoolName
from evenhand.audits.accuracy.settings import planned_for
from evenhand.audits.accuracy.verdicts import ADJUDICATED, VISIBLE, AccuracyTopic, parts_by_prevalence, sliced_columns
from evenhand.catalogue import find_measure
from evenhand.catalogue.accuracy import (
    DETECTABLE_EFFECT,
    DETECTABLE_EFFECT_POWER,
    EFFICIENCY,
    KENDALL_TAU,
    LABELS_FOR_EFFECT,
    LABELS_NEEDED,
    LABELS_NEEDED_RANDOM,
    MISSED,
    POPULATION,
    PREVALENCE,
    VIOLATIONS,
)
from evenhand.catalogue.shared import ACCURACY, COUNT, F1, PRECISION, RECALL
from evenhand.estimate import Flag
from evenhand.finding import Finding, Reading, Slice, SliceKey
from evenhand.reports.section import EstimateGrid, Section, estimate_row

OVERALL_MEASURES = (RECALL, PRECISION, F1, ACCURACY, PREVALENCE, MISSED)
PREVALENCE_ONLY = (PREVALENCE,)
POOL_MEASURES = (COUNT, VIOLATIONS, POPULATION, PREVALENCE)
POOL_TITLES = {PoolName.REMOVED: "Removed", PoolName.VISIBLE: "Still visible"}
PART_MEASURES = (COUNT, VIOLATIONS, PREVALENCE)
DECIDED_PART_MEASURES = (*PART_MEASURES, RECALL, PRECISION, ACCURACY, MISSED)
PLANNING_MEASURES = (
    PREVALENCE,
    LABELS_NEEDED,
    LABELS_NEEDED_RANDOM,
    EFFICIENCY,
    DETECTABLE_EFFECT,
    LABELS_FOR_EFFECT,
)
LABELLING_MEASURES = (
    PREVALENCE,
    MISSED,
    VIOLATIONS,
    POPULATION,
    LABELS_NEEDED,
    LABELS_NEEDED_RANDOM,
    EFFICIENCY,
    DETECTABLE_EFFECT,
    DETECTABLE_EFFECT_POWER,
    LABELS_FOR_EFFECT,
    KENDALL_TAU,
)
GLOSSARY = (RECALL, PRECISION, F1, ACCURACY, *LABELLING_MEASURES)
COLUMN_TITLES: dict[str, str] = {COUNT: "Labels"}
IN_BRIEF = (
    AccuracyTopic.MODERATION,
    AccuracyTopic.ADJUDICATED,
    AccuracyTopic.BLIND_SPOT,
    AccuracyTopic.STILL_VISIBLE,
    AccuracyTopic.NEXT_LABELS,
    AccuracyTopic.RANKS,
)
SMALL_MEANING = "few violating or few non-violating items: a conservative interval"
MOST_PARTS = 12  # parts in a terminal


def template_context(finding: Finding) -> dict[str, Any]:
    """Everything that the template needs."""
    decided, planned = finding.has(RECALL), planned_for(finding)
    return {
        "decided": decided,
        "unfinished": _overall_texts(finding, AccuracyTopic.UNFINISHED),
        "measured": _overall_texts(finding, AccuracyTopic.MEASUREMENT),
        "headlines": _overall_texts(finding, AccuracyTopic.MODERATION),
        "readings": _overall_texts(
            finding,
            AccuracyTopic.ADJUDICATED,
            AccuracyTopic.BLIND_SPOT,
            AccuracyTopic.TARGET,
            AccuracyTopic.STILL_VISIBLE,
            AccuracyTopic.NEXT_LABELS,
        ),
        "overall": _overall_grid(finding, "All items"),
        "pools": EstimateGrid(
            "",
            POOL_MEASURES,
            [estimate_row(finding, *pool, POOL_MEASURES) for pool in _pool_slices(finding)],
            heads=_column_titles(POOL_MEASURES),
        ),
        "planned": _planned_grid(finding, [("All items", {})]),
        "parts": [
            {
                "by": column,
                "numbers": _parts_grid(finding, column),
                "planned": _planned_grid(
                    finding, [(name, {column: name}) for name in parts_by_prevalence(finding, column)]
                ),
                "ranks": _rank_sentence(finding, column),
            }
            for column in sliced_columns(finding)
        ],
        "strata": _strata_grid(finding),
        "visible": " of visible items" if decided else "",
        "target": planned.target,
        "effect": planned.effect,
        "few": " ".join(_overall_texts(finding, AccuracyTopic.FEW_LABELS)),
        "marked": {flag for m in finding for flag in m.estimate.flags},
        "glossary": [name for name in GLOSSARY if any(m.measure == name for m in finding)],
    }


def _topic(reading: Reading) -> str:
    """What a reading is about; files of earlier versions do not say, and had the sentences on moderation alone."""
    return reading.topic or AccuracyTopic.MODERATION


def _overall_texts(finding: Finding, *topics: AccuracyTopic) -> list[str]:
    return [reading.text for reading in finding.readings if not reading.slice and _topic(reading) in topics]


def _overall_measures(finding: Finding) -> tuple[str, ...]:
    return OVERALL_MEASURES if finding.has(RECALL) else PREVALENCE_ONLY


def _overall_grid(finding: Finding, name: str) -> EstimateGrid:
    """All items; where intervals assume that the score misses nothing, first the ones that do not."""
    measures = _overall_measures(finding)
    adjudicated = finding.has(PREVALENCE, **ADJUDICATED)
    name = f"{name}, by the reviewers' verdict" if adjudicated else name
    rows = [estimate_row(finding, name, {}, measures)]
    if any(finding.has(measure) and Flag.BLIND_SPOT in finding.get(measure).flags for measure in measures):
        robust, usual = f"{name}, whatever the score misses", f"{name}, if the score misses no kind of violation"
        rows = [estimate_row(finding, robust, ROBUST, measures), estimate_row(finding, usual, {}, measures)]
    if adjudicated:
        rows.append(estimate_row(finding, "the same, by the adjudicated verdict", ADJUDICATED, measures))
    return EstimateGrid("", measures, rows)


def _column_titles(measures: Sequence[str]) -> tuple[str, ...]:
    return tuple(COLUMN_TITLES.get(measure, find_measure(measure).title) for measure in measures)


def _pool_slices(finding: Finding) -> list[tuple[str, Slice]]:
    pools: list[tuple[str, Slice]] = [
        (POOL_TITLES[PoolName(name)], {SliceKey.POOL: name}) for name in finding.values(SliceKey.POOL)
    ]
    return [*pools, ("All", {})]


def _parts_grid(finding: Finding, column: str) -> EstimateGrid:
    """One row a part, the highest prevalence first."""
    measures = DECIDED_PART_MEASURES if finding.has(RECALL) else PART_MEASURES
    rows = [estimate_row(finding, name, {column: name}, measures) for name in parts_by_prevalence(finding, column)]
    return EstimateGrid(
        f"By {column}", measures, rows, heads=_column_titles(measures), brief=(COUNT, PREVALENCE, RECALL)
    )


def _planned_grid(finding: Finding, named: Sequence[tuple[str, Slice]]) -> EstimateGrid | None:
    """What the labels say about the next ones; of what is visible, where that is known."""
    pool = VISIBLE if finding.has(RECALL) else {}
    rows = [estimate_row(finding, name, {**part, **pool}, PLANNING_MEASURES) for name, part in named]
    known = any(e is not None and e.defined for _, estimates, _ in rows for e in estimates[1:])
    return (
        EstimateGrid("Labels needed", PLANNING_MEASURES, rows, heads=_column_titles(PLANNING_MEASURES))
        if known
        else None
    )


def _rank_sentence(finding: Finding, column: str) -> str | None:
    ranks = (reading for reading in finding.readings if reading.slice.get(SliceKey.OF) == column)
    return next((reading.text for reading in ranks), None)


def _strata_grid(finding: Finding) -> EstimateGrid | None:
    names = finding.values(SliceKey.STRATUM)
    rows = [estimate_row(finding, name, {SliceKey.STRATUM: name}, POOL_MEASURES) for name in names]
    return EstimateGrid("", POOL_MEASURES, rows, heads=_column_titles(POOL_MEASURES)) if rows else None


def _terminal_grids(finding: Finding) -> list[EstimateGrid]:
    """For a terminal: everything, the pools, the parts."""
    rows = [estimate_row(finding, *pool, POOL_MEASURES) for pool in _pool_slices(finding)]
    grids = [
        _overall_grid(finding, "all items"),
        EstimateGrid("Data behind the estimates", POOL_MEASURES, rows, heads=_column_titles(POOL_MEASURES)),
    ]
    for column in sliced_columns(finding):
        grid = _parts_grid(finding, column)
        grids.append(
            EstimateGrid(grid.title, grid.measures, grid.rows[:MOST_PARTS], heads=grid.heads, brief=grid.brief)
        )
    return grids


def _terminal_lines(finding: Finding) -> list[str]:
    shown = [reading for reading in finding.readings if _topic(reading) in IN_BRIEF]
    texts = [reading.text for reading in shown if not reading.slice or SliceKey.OF in reading.slice]
    more = [
        f"{len(finding.values(column)) - MOST_PARTS} more by {column}"
        for column in sliced_columns(finding)
        if len(finding.values(column)) > MOST_PARTS
    ]
    more += [f"labels needed by {column}" for column in sliced_columns(finding)]
    more += ["strata"] if finding.values(SliceKey.STRATUM) else []
    return [*texts, *([f"Also in the report: {'; '.join(more)}."] if more else [])]


SECTION = Section("accuracy.html", template_context, _terminal_grids, _terminal_lines, small=SMALL_MEANING)
