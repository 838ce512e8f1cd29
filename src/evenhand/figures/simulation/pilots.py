"""Labels needed by the size of the pilot over all strata, at each prevalence (the paper's Figure 2)."""

from __future__ import annotations

from typing import Any

import altair as alt

from evenhand.figures.data import data
from evenhand.figures.figure import Figure
from evenhand.figures.simulation.scenery import ACROSS, by_scene, labels_axis, lines, needed, percent, scenes
from evenhand.finding import Finding

Layered = alt.LayerChart | alt.FacetChart
SHADES = ("#bdd7e7", "#6baed6", "#3182bd", "#08519c", "#08306b", "#54278f", "#3f007d")  # the more strata, the darker


def by_pilot(finding: Finding) -> Figure | None:
    """A panel for each population; None when no pilot was given as a total."""
    rows = [row for scene in scenes(finding) for row in _rows(finding, by_scene(finding, scene), scene)]
    if not rows:
        return None
    within = percent(float(finding.values("within")[0]))
    return Figure(
        "simulation",
        "pilots",
        f"Labels needed to be within {within}, by the size of the pilot",
        "Quantile strata. To the right the pilot grows; all strata share it, and it counts among the labels needed. "
        "A small one misleads, the more the rarer violations are and the more strata there are; a large one is spent "
        "even where fewer labels would have done. The scale is logarithmic.",
        _chart(rows).to_dict(),
    )


def _rows(finding: Finding, title: str, scene: Any) -> list[dict[str, Any]]:
    found = [
        {"scene": title, "pilot": design["pilot_total"], "series": f"{design['strata']} strata", "value": value}
        | {"low": low, "high": high, "across": False}
        for design, value, low, high in needed(finding, scene)
        if "pilot_total" in design
    ]
    sizes = dict.fromkeys(row["pilot"] for row in found)
    across = [
        {"scene": title, "pilot": size, "series": name, "value": value, "low": value, "high": value, "across": True}
        for name, value in lines(finding, scene).items()
        for size in sizes
    ]
    return found + across


def _chart(rows: list[dict[str, Any]]) -> alt.ConcatChart:
    panels = list(dict.fromkeys(row["scene"] for row in rows))
    width = 460 if len(panels) == 1 else 270
    parts = [_panel([row for row in rows if row["scene"] == title], title, width) for title in panels]
    chart: alt.ConcatChart = alt.concat(*parts, columns=3, spacing=22)
    return chart


def _panel(rows: list[dict[str, Any]], title: str, width: int) -> Layered:
    counts = sorted({int(row["series"].split()[0]) for row in rows if not row["across"]})
    names = [*ACROSS, *(f"{count} strata" for count in counts)]
    hues = [*(hue for hue, _ in ACROSS.values()), *(SHADES[number % len(SHADES)] for number in range(len(counts)))]
    dashes = [*(dash for _, dash in ACROSS.values()), *([[1, 0]] * len(counts))]
    order = [str(size) for size in sorted({int(row["pilot"]) for row in rows})]
    x = alt.X("pilot:O", sort=order, title="labels in the pilot, over all strata", axis=alt.Axis(labelAngle=0))
    key = alt.Legend(title=None, symbolType="stroke", symbolSize=220, symbolStrokeWidth=3, symbolOpacity=1, columns=8)
    color = alt.Color("series:N", sort=names, scale=alt.Scale(domain=names, range=hues), legend=key)
    dash = alt.StrokeDash("series:N", scale=alt.Scale(domain=names, range=dashes), legend=None)
    base = alt.Chart().encode(x=x, y=labels_axis(rows), color=color)
    dots = base.transform_filter("!datum.across")
    whole: Layered = alt.layer(
        base.mark_line(strokeWidth=2).encode(strokeDash=dash),
        dots.mark_rule(strokeWidth=1.5, opacity=0.5).encode(y=alt.Y("low:Q", title="labels needed"), y2="high:Q"),
        dots.mark_point(filled=True, size=40, opacity=1),
        data=data(rows),
    ).properties(width=width, height=220, title=title)
    return whole
