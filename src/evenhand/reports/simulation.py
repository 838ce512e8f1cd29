"""What a simulation shows: two sentences, the paper's figures and table, and what bias and intervals came to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evenhand.audits.simulation.biases import Bars
from evenhand.audits.simulation.default_design import DEFAULT, SHUFFLED
from evenhand.audits.simulation.settings import PAPER_PILOT, PAPER_STRATA
from evenhand.audits.simulation.strata_designs import LIMIT, PAPER, PAPER_OPTIMAL, RANDOM, in_strata
from evenhand.figures.simulation import by_scene, scenes
from evenhand.finding import Finding, Slice
from evenhand.reports.picking import get, row
from evenhand.reports.section import Grid, Row, Section

DESIGNS: dict[str, Slice] = {
    "Random sampling": RANDOM,
    f"{PAPER_STRATA} quantile strata, pilot of {PAPER_PILOT} in each": PAPER,
    "Default design": DEFAULT,
    f"{PAPER_STRATA} quantile strata, optimal (an oracle)": PAPER_OPTIMAL,
    f"{PAPER_STRATA} oracle strata, optimal (an oracle)": in_strata("optimal", "oracle", PAPER_STRATA),
    "Limit of any design by this score": LIMIT,
    f"Useless score: {PAPER_STRATA} quantile strata, pilot of {PAPER_PILOT}": {**PAPER, **SHUFFLED},
    "Useless score: default design": {**DEFAULT, **SHUFFLED},
}
BRIEFLY = {  # in a terminal
    "Random sampling": "random",
    f"{PAPER_STRATA} quantile strata, pilot of {PAPER_PILOT} in each": f"pilot of {PAPER_PILOT}",
    "Default design": "default",
    f"{PAPER_STRATA} quantile strata, optimal (an oracle)": "optimal, oracle",
    f"{PAPER_STRATA} oracle strata, optimal (an oracle)": "the same, oracle strata",
    "Limit of any design by this score": "limit by this score",
    f"Useless score: {PAPER_STRATA} quantile strata, pilot of {PAPER_PILOT}": "useless score: pilot",
    "Useless score: default design": "useless score: default",
}
INTERVALS = {"ours": "Ours", "wilson": "Wilson", "logit": "Logit", "log": "Log", "normal": "Normal"}
WORTH = ("labels_spent", "violations_found", "relative_bias", "bias_in_errors")
GLOSSARY = ("labels_needed", "labels_needed_finite", *WORTH, "interval_coverage")


def section(finding: Finding) -> dict[str, Any]:
    """Everything that the template needs."""
    there = scenes(finding)
    return {
        "cards": [_card(finding, scene) for scene in there],
        "table": [(_title(finding, scene, there), _table(finding, scene)) for scene in there],
        "worth": [grid for scene in there for grid in _worth(finding, scene, there)],
        "settings": [(_title(finding, scene, there), _settings(finding, scene)) for scene in there],
        "drawn": [by_scene(finding, scene) if scene else None for scene in there],
        "numbers": [(_title(finding, scene, there), _by_strata(finding, scene)) for scene in there],
        "pilots": [(_title(finding, scene, there), _by_pilot(finding, scene)) for scene in there],
        "bars": Bars.of(finding),
        "glossary": GLOSSARY,
    }


def _card(finding: Finding, scene: Slice) -> dict[str, Any]:
    found = [r for r in finding.readings if {k: v for k, v in r.slice.items() if k != "within"} == dict(scene)]
    first = finding.values("within")[0]
    return {
        "title": by_scene(finding, scene) if scene else "",
        "big": [r.text for r in found if r.tendency and r.slice["within"] == first],
        "more": [r.text for r in found if not r.tendency and r.slice["within"] == first],
        "others": [r.text for r in found if r.tendency == "needs" and r.slice["within"] != first],
    }


def _title(finding: Finding, scene: Slice, there: Sequence[Slice]) -> str:
    return by_scene(finding, scene) if len(there) > 1 else ""


def _table(finding: Finding, scene: Slice) -> Grid:
    """Table 1: designs by targets, each without an end of items and of these items alone."""
    targets = finding.values("within")
    columns = [(measure, target) for target in targets for measure in ("labels_needed", "labels_needed_finite")]
    heads = [
        f"within {_percent(target)}{'' if measure == 'labels_needed' else ', of these items alone'}"
        for measure, target in columns
    ]
    rows: list[Row] = []
    for name, design in DESIGNS.items():
        found = [get(finding, measure, {**scene, "within": target, **design}) for measure, target in columns]
        if any(found):
            rows.append((name, found, None))
    measures = tuple(measure for measure, _ in columns)
    return Grid("Labels needed", measures, rows, heads=tuple(heads), brief=("labels_needed",))


def _worth(finding: Finding, scene: Slice, there: Sequence[Slice]) -> Iterator[tuple[str, Grid]]:
    """For each target: bias, and how often each interval holds the truth."""
    for target in finding.values("within"):
        here = {**scene, "within": target}
        rows: list[Row] = []
        for name, design in DESIGNS.items():
            if not finding.has("violations_found", **here, **design):
                continue
            held = [get(finding, "interval_coverage", {**here, **design, "interval": way}) for way in INTERVALS]
            rows.append((name, [*row(finding, name, {**here, **design}, WORTH)[1], *held], None))
        several = (
            _title(finding, scene, there),
            f"within {_percent(target)}" if len(finding.values("within")) > 1 else "",
        )
        measures = (*WORTH, *("interval_coverage",) * len(INTERVALS))
        heads = ("Labels", "Violations", "Relative bias", "In errors", *INTERVALS.values())
        yield ", ".join(part for part in several if part), Grid("", measures, rows, heads=heads)


def _settings(finding: Finding, scene: Slice) -> Grid:
    here = {**scene, "within": finding.values("within")[0]}
    names = {"as it is": DEFAULT, **{text: {**DEFAULT, "setting": text} for text in finding.values("setting")}}
    measures = ("labels_needed", "relative_bias", "bias_in_errors")
    rows = [row(finding, name, {**here, **design}, measures) for name, design in names.items()]
    return Grid("", measures, rows, heads=("Labels needed", "Relative bias", "In errors"))


def _by_strata(finding: Finding, scene: Slice) -> Grid:
    """Figure 1 in numbers."""
    counts = sorted(finding.values("strata"), key=int)
    pilots = sorted(finding.values("pilot"), key=int)
    kinds: list[tuple[str, dict[str, str]]] = [(name, {"design": name}) for name in ("equal", "optimal")]
    kinds += [(f"pilot of {size}", {"design": "pilot", "pilot": size}) for size in pilots]
    rows: list[Row] = []
    for by, (name, design) in ((by, kind) for by in finding.values("strata_by") for kind in kinds):
        cut = {**scene, "within": finding.values("within")[0], "strata_by": by, **design}
        found = [get(finding, "labels_needed", {**cut, "strata": count}) for count in counts]
        rows.append((f"{by.replace('_', ' ')}, {name}", found, None))
    return Grid("", ("labels_needed",) * len(counts), rows, heads=tuple(f"{count} strata" for count in counts))


def _by_pilot(finding: Finding, scene: Slice) -> Grid:
    """Figure 2 in numbers."""
    counts, totals = (sorted(finding.values(key), key=int) for key in ("strata", "pilot_total"))
    here = {**scene, "within": finding.values("within")[0], "design": "pilot", "strata_by": "quantile"}
    rows: list[Row] = [
        (f"pilot of {total} in all", [_in_all(finding, here, count, total) for count in counts], None)
        for total in totals
    ]
    return Grid("", ("labels_needed",) * len(counts), rows, heads=tuple(f"{count} strata" for count in counts))


def _in_all(finding: Finding, here: Slice, count: str, total: str) -> Any:
    return get(finding, "labels_needed", {**here, "strata": count, "pilot_total": total})


def _grids(finding: Finding) -> list[Grid]:
    """For a terminal: Table 1, then bias and coverage."""
    there, grids = scenes(finding), []
    for scene in there:
        title = by_scene(finding, scene)
        table = _table(finding, scene)
        named = f"Labels needed, {title}"
        grids.append(Grid(named, table.measures, _short(table.rows), heads=table.heads, brief=table.brief))
    for title, grid in (found for scene in there for found in _worth(finding, scene, there)):
        named, heads = f"Bias and coverage{', ' + title if title else ''}", ("Labels", "Found", "Bias", *grid.heads[3:])
        grids.append(Grid(named, grid.measures, _short(grid.rows), heads=heads, bare=True))
    return grids


def _short(rows: Sequence[Row]) -> list[Row]:
    return [(BRIEFLY[name], found, reading) for name, found, reading in rows]


def _lines(finding: Finding) -> list[str]:
    """All that is said of the first target, and the labels needed for the others."""
    first = finding.values("within")[0]
    said = [r for r in finding.readings if r.tendency == "needs" or r.slice["within"] == first]
    names = [", ".join(value for key, value in r.slice.items() if key != "within") for r in said]
    return [f"{name}: {r.text}" if name else r.text for name, r in zip(names, said, strict=True)]


def _percent(share: str) -> str:
    return f"{100.0 * float(share):.3g} %"


SECTION = Section("simulation.html", section, _grids, _lines)
