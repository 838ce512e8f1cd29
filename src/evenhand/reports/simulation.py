"""The section on a simulation of sampling designs: labels needed, bias and coverage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from evenhand.catalogue.accuracy import (
    BIAS_IN_ERRORS,
    INTERVAL_COVERAGE,
    LABELS_NEEDED,
    LABELS_NEEDED_FINITE,
    LABELS_SPENT,
    RELATIVE_BIAS,
    VIOLATIONS_FOUND,
)
from evenhand.estimate import Estimate
from evenhand.figures.simulation import first_target, population_title, populations
from evenhand.finding import Finding, Reading, Slice, SliceKey
from evenhand.formatting import format_share
from evenhand.measurement.simulation.default_design import DEFAULT_DESIGN, USELESS_SCORE
from evenhand.measurement.simulation.published_designs import LIMIT, PAPER, PAPER_OPTIMAL, RANDOM, stratified_slice
from evenhand.measurement.simulation.settings import (
    PAPER_PILOT,
    PAPER_STRATA,
    ScoreCut,
    SimulatedDesign,
    SimulatedInterval,
)
from evenhand.measurement.simulation.verdicts import SimulationTopic, bias_thresholds
from evenhand.reports.section import EstimateGrid, EstimateRow, Section, estimate_row, find_estimate


class DesignRow(NamedTuple):
    """A design in the tables: its slice, what it is called, and what in a terminal."""

    slice: Slice
    title: str
    brief: str


DESIGN_ROWS = (
    DesignRow(RANDOM, "Random sampling", "random"),
    DesignRow(PAPER, f"{PAPER_STRATA} quantile strata, pilot of {PAPER_PILOT} in each", f"pilot of {PAPER_PILOT}"),
    DesignRow(DEFAULT_DESIGN, "Default design", "default"),
    DesignRow(PAPER_OPTIMAL, f"{PAPER_STRATA} quantile strata, optimal (oracle)", "optimal, oracle"),
    DesignRow(
        stratified_slice(SimulatedDesign.OPTIMAL, ScoreCut.ORACLE, PAPER_STRATA),
        f"{PAPER_STRATA} oracle strata, optimal (oracle)",
        "the same, oracle strata",
    ),
    DesignRow(LIMIT, "Limit for any design with this score", "limit for this score"),
    DesignRow(
        {**PAPER, **USELESS_SCORE},
        f"Useless score: {PAPER_STRATA} quantile strata, pilot of {PAPER_PILOT}",
        "useless score: pilot",
    ),
    DesignRow({**DEFAULT_DESIGN, **USELESS_SCORE}, "Useless score: default design", "useless score: default"),
)
INTERVAL_TITLES = {interval: interval.capitalize() for interval in SimulatedInterval}
BIAS_MEASURES = (LABELS_SPENT, VIOLATIONS_FOUND, RELATIVE_BIAS, BIAS_IN_ERRORS)
BRIEF_TITLES = {LABELS_SPENT: "Labels", VIOLATIONS_FOUND: "Found", RELATIVE_BIAS: "Bias", BIAS_IN_ERRORS: "Bias / SE"}
SETTING_MEASURES = (LABELS_NEEDED, RELATIVE_BIAS, BIAS_IN_ERRORS)
GLOSSARY = (LABELS_NEEDED, LABELS_NEEDED_FINITE, *BIAS_MEASURES, INTERVAL_COVERAGE)
HEADLINES = (SimulationTopic.NEEDS, SimulationTopic.WORST)
DETAILS = (SimulationTopic.PUBLISHED, SimulationTopic.COVERAGE)


def template_context(finding: Finding) -> dict[str, Any]:
    """Everything that the template needs."""
    there = populations(finding)
    return {
        "cards": [_population_card(finding, scene) for scene in there],
        "table": [(_population_heading(finding, scene, there), _labels_grid(finding, scene)) for scene in there],
        "worth": [grid for scene in there for grid in _bias_grids(finding, scene, there)],
        "settings": [(_population_heading(finding, scene, there), _settings_grid(finding, scene)) for scene in there],
        "drawn": [population_title(finding, scene) if scene else None for scene in there],
        "numbers": [(_population_heading(finding, scene, there), _strata_grid(finding, scene)) for scene in there],
        "pilots": [(_population_heading(finding, scene, there), _pilot_grid(finding, scene)) for scene in there],
        "has_settings": bool(finding.values(SliceKey.SETTING)),
        "bars": bias_thresholds(finding),
        "glossary": GLOSSARY,
    }


def _topic(reading: Reading) -> str | None:
    """What a reading is about; files of earlier versions have it as the tendency."""
    return reading.topic or reading.tendency


def _population_card(finding: Finding, scene: Slice) -> dict[str, Any]:
    here = [reading for reading in finding.readings if _without_target(reading.slice) == dict(scene)]
    first = [reading for reading in here if reading.slice[SliceKey.WITHIN] == first_target(finding)]
    return {
        "title": population_title(finding, scene) if scene else "",
        "big": [reading.text for reading in first if _topic(reading) in HEADLINES],
        "more": [reading.text for reading in first if _topic(reading) in DETAILS],
        "others": [r.text for r in here if r not in first and _topic(r) == SimulationTopic.NEEDS],
    }


def _without_target(slice_: Slice) -> Slice:
    return {key: value for key, value in slice_.items() if key != SliceKey.WITHIN}


def _population_heading(finding: Finding, scene: Slice, there: Sequence[Slice]) -> str:
    return population_title(finding, scene) if len(there) > 1 else ""


def _labels_grid(finding: Finding, scene: Slice, *, terminal: bool = False) -> EstimateGrid:
    """Table 1: designs by targets, each without an end of items and of these items alone."""
    targets, kinds = (
        finding.values(SliceKey.WITHIN),
        {LABELS_NEEDED: "", LABELS_NEEDED_FINITE: ", these items only"},
    )
    columns = [(measure, target) for target in targets for measure in kinds]
    rows: list[EstimateRow] = []
    for design in DESIGN_ROWS:
        here = {**scene, **design.slice}
        estimates = [find_estimate(finding, measure, {**here, SliceKey.WITHIN: target}) for measure, target in columns]
        if any(estimates):
            rows.append((design.brief if terminal else design.title, estimates, None))
    title = f"{LABELS_NEEDED.title}, {population_title(finding, scene)}" if terminal else LABELS_NEEDED.title
    heads = tuple(f"within {_percent_text(target)}{kinds[measure]}" for measure, target in columns)
    return EstimateGrid(title, tuple(measure for measure, _ in columns), rows, heads=heads, brief=(LABELS_NEEDED,))


def _bias_grids(
    finding: Finding, scene: Slice, there: Sequence[Slice], *, terminal: bool = False
) -> Iterator[tuple[str, EstimateGrid]]:
    """For each target: bias, and how often each interval holds the truth."""
    measures = (*BIAS_MEASURES, *(INTERVAL_COVERAGE,) * len(INTERVAL_TITLES))
    titles = (BRIEF_TITLES[measure] if terminal else measure.title for measure in BIAS_MEASURES)
    heads = (*titles, *INTERVAL_TITLES.values())
    for target in finding.values(SliceKey.WITHIN):
        here = {**scene, SliceKey.WITHIN: target}
        rows: list[EstimateRow] = [
            (design.brief if terminal else design.title, _bias_estimates(finding, {**here, **design.slice}), None)
            for design in DESIGN_ROWS
            if finding.has(VIOLATIONS_FOUND, **here, **design.slice)
        ]
        several = (
            _population_heading(finding, scene, there),
            f"within {_percent_text(target)}" if len(finding.values(SliceKey.WITHIN)) > 1 else "",
        )
        title = ", ".join(part for part in several if part)
        named = f"Bias and coverage{', ' + title if title else ''}" if terminal else ""
        yield title, EstimateGrid(named, measures, rows, heads=heads, bare=terminal)


def _bias_estimates(finding: Finding, design: Slice) -> list[Estimate | None]:
    """Of one design: bias, then how often each interval holds the truth."""
    coverage = [
        find_estimate(finding, INTERVAL_COVERAGE, {**design, SliceKey.INTERVAL: way}) for way in SimulatedInterval
    ]
    return [*(find_estimate(finding, measure, design) for measure in BIAS_MEASURES), *coverage]


def _settings_grid(finding: Finding, scene: Slice) -> EstimateGrid:
    here = {**scene, SliceKey.WITHIN: first_target(finding), **DEFAULT_DESIGN}
    settings = finding.values(SliceKey.SETTING)
    named = [("default", here), *((text, {**here, SliceKey.SETTING: text}) for text in settings)]
    rows = [estimate_row(finding, name, slice_, SETTING_MEASURES) for name, slice_ in named]
    return EstimateGrid("", SETTING_MEASURES, rows)


def _strata_grid(finding: Finding, scene: Slice) -> EstimateGrid:
    """Figure 1 in numbers."""
    counts, pilots = (sorted(finding.values(key), key=int) for key in (SliceKey.STRATA, SliceKey.PILOT))
    kinds: list[tuple[str, Slice]] = [
        (name, {SliceKey.DESIGN: name}) for name in (SimulatedDesign.EQUAL, SimulatedDesign.OPTIMAL)
    ]
    pilot: Slice = {SliceKey.DESIGN: SimulatedDesign.PILOT}
    kinds += [(f"pilot of {size}", {**pilot, SliceKey.PILOT: size}) for size in pilots]
    rows: list[EstimateRow] = []
    for by, (name, design) in product(finding.values(SliceKey.STRATA_BY), kinds):
        cut = {**scene, SliceKey.WITHIN: first_target(finding), SliceKey.STRATA_BY: by, **design}
        rows.append((f"{by.replace('_', ' ')}, {name}", _needed_by_strata(finding, cut, counts), None))
    return _by_strata(rows, counts)


def _needed_by_strata(finding: Finding, cut: Slice, counts: Sequence[str]) -> list[Estimate | None]:
    return [find_estimate(finding, LABELS_NEEDED, {**cut, SliceKey.STRATA: count}) for count in counts]


def _by_strata(rows: list[EstimateRow], counts: Sequence[str]) -> EstimateGrid:
    heads = tuple(f"{count} strata" for count in counts)
    return EstimateGrid("", (LABELS_NEEDED,) * len(counts), rows, heads=heads)


def _pilot_grid(finding: Finding, scene: Slice) -> EstimateGrid:
    """Figure 2 in numbers."""
    counts, totals = (sorted(finding.values(key), key=int) for key in (SliceKey.STRATA, SliceKey.PILOT_TOTAL))
    pilot: Slice = {SliceKey.DESIGN: SimulatedDesign.PILOT, SliceKey.STRATA_BY: ScoreCut.QUANTILE}
    here = {**scene, SliceKey.WITHIN: first_target(finding), **pilot}
    rows: list[EstimateRow] = [
        (f"pilot of {total} in total", _needed_by_strata(finding, {**here, SliceKey.PILOT_TOTAL: total}, counts), None)
        for total in totals
    ]
    return _by_strata(rows, counts)


def _terminal_grids(finding: Finding) -> list[EstimateGrid]:
    """For a terminal: Table 1, then bias and coverage."""
    there = populations(finding)
    return [
        *(_labels_grid(finding, scene, terminal=True) for scene in there),
        *(grid for scene in there for _, grid in _bias_grids(finding, scene, there, terminal=True)),
    ]


def _terminal_lines(finding: Finding) -> list[str]:
    """All that is said of the first target, and the labels needed for the others."""
    first = first_target(finding)
    shown = [r for r in finding.readings if _topic(r) == SimulationTopic.NEEDS or r.slice[SliceKey.WITHIN] == first]
    names = [", ".join(_without_target(reading.slice).values()) for reading in shown]
    return [f"{name}: {r.text}" if name else r.text for name, r in zip(names, shown, strict=True)]


def _percent_text(share: str) -> str:
    return format_share(float(share))


SECTION = Section("simulation.html", template_context, _terminal_grids, _terminal_lines)
