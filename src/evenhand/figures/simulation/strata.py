"""Labels needed by the number of strata, how they are cut and how labels are spread (the paper's Figure 1)."""

from __future__ import annotations

from typing import Any

import altair as alt

from evenhand.figures.data import data
from evenhand.figures.figure import FAINT, MODELS, Figure
from evenhand.figures.simulation.scenery import ACROSS, STRATA_BY, by_scene, labels_axis, lines, needed, percent
from evenhand.finding import Finding, Slice

ALLOCATIONS = {"equal": (FAINT, "square"), "optimal": (MODELS[0], "circle")}
PILOTS = ("#f5c08a", "#e69f00", "#d55e00", "#a33c00", "#6b2700")  # the more labels, the darker


def by_strata(finding: Finding, scene: Slice) -> Figure | None:
    """A panel for each way to cut; None when there is nothing to show."""
    rows = [row for design, *ends in needed(finding, scene) if (row := _row(design, ends))]
    if not rows:
        return None
    order = [str(count) for count in sorted({int(row["strata"]) for row in rows})]
    rows += [
        {"by": by, "strata": count, "series": name, "value": value, "low": value, "high": value, "across": True}
        for name, value in lines(finding, scene).items()
        for by in {row["by"]: None for row in rows}
        for count in order
    ]
    within = percent(float(finding.values("within")[0]))
    named = {"scene": by_scene(finding, scene)} if scene else {}
    about = f": {by_scene(finding, scene)}" if scene else ""
    return Figure(
        "simulation",
        "strata",
        f"Labels needed to be within {within}, by strata{about}",
        "Each panel is a way to cut the score into strata. Further down is better; the scale is logarithmic. Equal and "
        "optimal: how labels are spread over the strata, the second by an oracle that knows all labels. Pilot: as many "
        "labels as the number says are spent in each stratum first, to find out where the rest should go. Oracle "
        "strata are cut by somebody who knows all labels.",
        _chart(rows, order).to_dict(),
        named,
    )


def _row(design: Slice, ends: list[float]) -> dict[str, Any] | None:
    if "strata" not in design or "pilot_total" in design:
        return None
    series = f"pilot of {design['pilot']}" if "pilot" in design else design["design"]
    value, low, high = ends
    shown = {"by": STRATA_BY[design["strata_by"]], "strata": design["strata"], "series": series}
    return {**shown, "value": value, "low": low, "high": high, "across": False}


def _chart(rows: list[dict[str, Any]], order: list[str]) -> alt.FacetChart:
    names, hues, shapes, dashes = _legend(rows)
    panels = list(dict.fromkeys(row["by"] for row in rows))
    x = alt.X("strata:O", sort=order, title="number of strata", axis=alt.Axis(labelAngle=0))
    y = labels_axis(rows)
    key = alt.Legend(title=None, symbolSize=90, symbolStrokeWidth=2, symbolOpacity=1, labelLimit=300, columns=8)
    color = alt.Color("series:N", sort=names, scale=alt.Scale(domain=names, range=hues), legend=key)
    shape = alt.Shape("series:N", sort=names, scale=alt.Scale(domain=names, range=shapes), legend=key)
    dash = alt.StrokeDash("series:N", scale=alt.Scale(domain=names, range=dashes), legend=None)
    base = alt.Chart().encode(x=x, y=y, color=color)
    dots = base.transform_filter("!datum.across")
    whole = alt.layer(
        base.mark_line(strokeWidth=2).encode(strokeDash=dash),
        dots.mark_rule(strokeWidth=1.5, opacity=0.5).encode(y=alt.Y("low:Q", title="labels needed"), y2="high:Q"),
        dots.mark_point(filled=True, size=46, opacity=1).encode(shape=shape),
        data=data(rows),
    ).properties(width=255, height=260)
    facet = alt.Facet("by:N", sort=panels, title=None, header=alt.Header(labelAnchor="start"))
    chart: alt.FacetChart = whole.facet(facet=facet, columns=3, spacing=26)
    return chart


def _legend(rows: list[dict[str, Any]]) -> tuple[list[str], list[str], list[str], list[list[int]]]:
    """Names, colours, shapes and dashes: lines across first, then allocations, then pilots by size."""
    there = list(dict.fromkeys(row["series"] for row in rows))
    pilots = sorted((name for name in there if name.startswith("pilot")), key=lambda name: int(name.split()[-1]))
    names = [*ACROSS, *ALLOCATIONS, *pilots]
    shades = PILOTS[-len(pilots) :] if len(pilots) > 3 else PILOTS[1:]
    hues = [*(hue for hue, _ in ACROSS.values()), *(hue for hue, _ in ALLOCATIONS.values())]
    hues += [shades[number % len(shades)] for number in range(len(pilots))]
    shapes = ["stroke"] * len(ACROSS) + [shape for _, shape in ALLOCATIONS.values()] + ["triangle-up"] * len(pilots)
    dashes = [dash for _, dash in ACROSS.values()] + [[1, 0]] * (len(ALLOCATIONS) + len(pilots))
    return names, hues, shapes, dashes
