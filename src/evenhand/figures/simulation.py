"""The figures of a simulation: labels needed by strata and allocation, and by size of the pilot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evenhand.catalogue.accuracy import LABELS_NEEDED, PREVALENCE
from evenhand.figures import vega_lite as vl
from evenhand.figures.figure import Figure
from evenhand.figures.style import FAINT, INK, MODEL_COLOURS
from evenhand.finding import Finding, Slice, SliceKey
from evenhand.formatting import format_share
from evenhand.measurement.simulation.default_design import DEFAULT_DESIGN
from evenhand.measurement.simulation.published_designs import RANDOM
from evenhand.measurement.simulation.settings import ScoreCut, SimulatedDesign

STRATA_TITLES = {
    ScoreCut.EQUAL_WIDTH: "equal-width strata",
    ScoreCut.QUANTILE: "quantile strata",
    ScoreCut.ORACLE: "oracle strata",
}
REFERENCES = {"random sampling": RANDOM, "default design": DEFAULT_DESIGN}
REFERENCE_STYLES = {"random sampling": (INK, [5, 4]), "default design": (MODEL_COLOURS[2], [1, 0])}
AXIS_STEPS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)  # of each power of ten that are written on the axis


def populations(finding: Finding) -> list[Slice]:
    """What names each population: a model, a label threshold, both, or nothing where there is one."""
    return [m.slice for m in finding if m.measure == PREVALENCE]


def population_title(finding: Finding, scene: Slice) -> str:
    """How a population is called: the model where there are several, and its prevalence."""
    model, threshold = scene.get(SliceKey.MODEL), scene.get(SliceKey.LABEL_THRESHOLD)
    share = f"prevalence {format_share(finding.get(PREVALENCE, **scene).value or 0.0)}"
    return ", ".join(part for part in (model, threshold and f"label threshold {threshold}", share) if part)


def first_target(finding: Finding) -> str:
    """The precision that was asked for first, which is drawn and told in full."""
    return finding.values(SliceKey.WITHIN)[0]


def labels_by_design(finding: Finding, scene: Slice) -> Iterator[tuple[Slice, float, float, float]]:
    """Designs on one population with the labels they need and the Monte-Carlo range, for the first target."""
    here = {**scene, SliceKey.WITHIN: first_target(finding)}
    for m in finding:
        e = m.estimate
        if m.measure != LABELS_NEEDED or not here.items() <= m.slice.items() or e.value is None:
            continue
        if {SliceKey.AS_IF, SliceKey.SETTING} & set(m.slice):
            continue
        design = {key: value for key, value in m.slice.items() if key not in here}
        yield design, e.value, e.low or e.value, e.high or e.value


def reference_lines(finding: Finding, scene: Slice) -> dict[str, float]:
    """What is drawn as a line across: random sampling, and the default design."""
    labels_needed = [(design, value) for design, value, _, _ in labels_by_design(finding, scene)]
    return {name: next(value for design, value in labels_needed if design == line) for name, line in REFERENCES.items()}


def labels_axis(rows: Sequence[dict[str, Any]]) -> vl.Channel:
    """Labels needed on a logarithmic scale, with ticks that can be read."""
    low, high = min(row["low"] for row in rows) / 1.1, max(row["high"] for row in rows) * 1.1
    ticks = [step * 10.0**power for power in range(9) for step in AXIS_STEPS]
    axis = vl.Axis(values=[tick for tick in ticks if low <= tick <= high], format=",d")
    scale = vl.Scale(type="log", domain=[low, high], nice=False)
    return vl.Y("value:Q", title="labels needed", scale=scale, axis=axis)


ALLOCATION_STYLES = {
    SimulatedDesign.EQUAL: (FAINT, "square"),
    SimulatedDesign.OPTIMAL: (MODEL_COLOURS[0], "circle"),
}
PILOT_SHADES = ("#f5c08a", "#e69f00", "#d55e00", "#a33c00", "#6b2700")  # the more labels, the darker


def draw_by_strata(finding: Finding, scene: Slice) -> Figure | None:
    """A panel for each way to cut; None when there is nothing to show."""
    rows = [row for design, *ends in labels_by_design(finding, scene) if (row := _strata_row(design, ends))]
    if not rows:
        return None
    order = [str(count) for count in sorted({int(row["strata"]) for row in rows})]
    rows += [
        {"by": by, "strata": count, "series": name, "value": value, "low": value, "high": value, "across": True}
        for name, value in reference_lines(finding, scene).items()
        for by in {row["by"]: None for row in rows}
        for count in order
    ]
    within = format_share(float(first_target(finding)))
    named = {"scene": population_title(finding, scene)} if scene else {}
    about = f": {population_title(finding, scene)}" if scene else ""
    return Figure(
        "simulation",
        "strata",
        f"Labels needed for a precision of ±{within}, by strata{about}",
        "Each panel is a way to divide the score into strata. Lower is better; logarithmic scale. Equal and optimal: "
        "allocation of labels to strata, the latter by an oracle that knows all labels. Pilot: this many labels are "
        "used in each stratum first, to allocate the rest. Oracle strata are defined with knowledge of all labels.",
        _strata_chart(rows, order).to_dict(),
        named,
    )


def _strata_row(design: Slice, ends: list[float]) -> dict[str, Any] | None:
    if SliceKey.STRATA not in design or SliceKey.PILOT_TOTAL in design:
        return None
    pilot = design.get(SliceKey.PILOT)
    series = f"pilot of {pilot}" if pilot else str(design[SliceKey.DESIGN])
    value, low, high = ends
    shown = {"by": STRATA_TITLES[ScoreCut(design[SliceKey.STRATA_BY])], "strata": design[SliceKey.STRATA]}
    sizes = {"pilot": int(pilot)} if pilot else {}
    return {**shown, "series": series, **sizes, "value": value, "low": low, "high": high, "across": False}


def _strata_chart(rows: list[dict[str, Any]], order: list[str]) -> vl.Chart:
    names, hues, shapes, dashes = _strata_legend(rows)
    panels = list(dict.fromkeys(row["by"] for row in rows))
    x = vl.X("strata:O", sort=order, title="number of strata", axis=vl.Axis(labelAngle=0))
    y = labels_axis(rows)
    key = vl.Legend(title=None, symbolSize=90, symbolStrokeWidth=2, symbolOpacity=1, labelLimit=300, columns=8)
    color = vl.Color("series:N", sort=names, scale=vl.Scale(domain=names, range=hues), legend=key)
    shape = vl.Shape("series:N", sort=names, scale=vl.Scale(domain=names, range=shapes), legend=key)
    dash = vl.StrokeDash("series:N", scale=vl.Scale(domain=names, range=dashes), legend=None)
    base = vl.Chart().encode(x=x, y=y, color=color)
    dots = base.filter("!datum.across")
    whole = vl.layer(
        base.mark("line", strokeWidth=2).encode(strokeDash=dash),
        dots.mark("rule", strokeWidth=1.5, opacity=0.5).encode(y=vl.Y("low:Q", title="labels needed"), y2="high:Q"),
        dots.mark("point", filled=True, size=46, opacity=1).encode(shape=shape),
        rows=rows,
    ).properties(width=255, height=260)
    facet = vl.Facet("by:N", sort=panels, title=None, header=vl.Header(labelAnchor="start"))
    return whole.facet(facet=facet, columns=3, spacing=26)


def _strata_legend(rows: list[dict[str, Any]]) -> tuple[list[str], list[str], list[str], list[list[int]]]:
    """Names, colours, shapes and dashes: lines across first, then allocations, then pilots by size."""
    sizes = {row["pilot"]: row["series"] for row in rows if "pilot" in row}
    pilots = [sizes[size] for size in sorted(sizes)]
    names = [*REFERENCE_STYLES, *map(str, ALLOCATION_STYLES), *pilots]
    shades = PILOT_SHADES[-len(pilots) :] if len(pilots) > 3 else PILOT_SHADES[1:]
    hues = [*(hue for hue, _ in REFERENCE_STYLES.values()), *(hue for hue, _ in ALLOCATION_STYLES.values())]
    hues += [shades[number % len(shades)] for number in range(len(pilots))]
    shapes = (
        ["stroke"] * len(REFERENCE_STYLES)
        + [shape for _, shape in ALLOCATION_STYLES.values()]
        + ["triangle-up"] * len(pilots)
    )
    dashes = [dash for _, dash in REFERENCE_STYLES.values()] + [[1, 0]] * (len(ALLOCATION_STYLES) + len(pilots))
    return names, hues, shapes, dashes


STRATA_SHADES = (
    "#bdd7e7",
    "#6baed6",
    "#3182bd",
    "#08519c",
    "#08306b",
    "#54278f",
    "#3f007d",
)  # the more strata, the darker


def draw_by_pilot(finding: Finding) -> Figure | None:
    """A panel for each population; None when no pilot was given as a total."""
    rows = [
        row for scene in populations(finding) for row in _pilot_rows(finding, population_title(finding, scene), scene)
    ]
    if not rows:
        return None
    within = format_share(float(first_target(finding)))
    return Figure(
        "simulation",
        "pilots",
        f"Labels needed for a precision of ±{within}, by size of the pilot",
        "Quantile strata. The pilot is shared by all strata and included in the labels needed. A small pilot is "
        "misleading, especially if violations are rare and strata many; a large pilot uses more labels than necessary. "
        "Logarithmic scale.",
        _pilot_chart(rows).to_dict(),
    )


def _pilot_rows(finding: Finding, title: str, scene: Slice) -> list[dict[str, Any]]:
    rows = [
        {"scene": title, "pilot": design[SliceKey.PILOT_TOTAL], "strata": int(design[SliceKey.STRATA])}
        | {"series": _strata_series(design[SliceKey.STRATA]), "value": value}
        | {"low": low, "high": high, "across": False}
        for design, value, low, high in labels_by_design(finding, scene)
        if SliceKey.PILOT_TOTAL in design
    ]
    sizes = dict.fromkeys(row["pilot"] for row in rows)
    across = [
        {"scene": title, "pilot": size, "series": name, "value": value, "low": value, "high": value, "across": True}
        for name, value in reference_lines(finding, scene).items()
        for size in sizes
    ]
    return rows + across


def _strata_series(count: int | str) -> str:
    return f"{count} strata"


def _pilot_chart(rows: list[dict[str, Any]]) -> vl.Chart:
    panels = list(dict.fromkeys(row["scene"] for row in rows))
    width = 460 if len(panels) == 1 else 270
    parts = [_pilot_panel([row for row in rows if row["scene"] == title], title, width) for title in panels]
    return vl.concat(*parts, columns=3, spacing=22)


def _pilot_panel(rows: list[dict[str, Any]], title: str, width: int) -> vl.Chart:
    counts = sorted({row["strata"] for row in rows if not row["across"]})
    names = [*REFERENCE_STYLES, *map(_strata_series, counts)]
    hues = [
        *(hue for hue, _ in REFERENCE_STYLES.values()),
        *(STRATA_SHADES[number % len(STRATA_SHADES)] for number in range(len(counts))),
    ]
    dashes = [*(dash for _, dash in REFERENCE_STYLES.values()), *([[1, 0]] * len(counts))]
    order = [str(size) for size in sorted({int(row["pilot"]) for row in rows})]
    x = vl.X("pilot:O", sort=order, title="labels in the pilot, all strata together", axis=vl.Axis(labelAngle=0))
    key = vl.Legend(title=None, symbolType="stroke", symbolSize=220, symbolStrokeWidth=3, symbolOpacity=1, columns=8)
    color = vl.Color("series:N", sort=names, scale=vl.Scale(domain=names, range=hues), legend=key)
    dash = vl.StrokeDash("series:N", scale=vl.Scale(domain=names, range=dashes), legend=None)
    base = vl.Chart().encode(x=x, y=labels_axis(rows), color=color)
    dots = base.filter("!datum.across")
    return vl.layer(
        base.mark("line", strokeWidth=2).encode(strokeDash=dash),
        dots.mark("rule", strokeWidth=1.5, opacity=0.5).encode(y=vl.Y("low:Q", title="labels needed"), y2="high:Q"),
        dots.mark("point", filled=True, size=40, opacity=1),
        rows=rows,
    ).properties(width=width, height=220, title=title)


def draw_simulation(finding: Finding) -> Iterator[Figure]:
    """Figure 1 for every population, then Figure 2 with a panel for each."""
    for scene in populations(finding):
        if drawn := draw_by_strata(finding, scene):
            yield drawn
    if drawn := draw_by_pilot(finding):
        yield drawn
