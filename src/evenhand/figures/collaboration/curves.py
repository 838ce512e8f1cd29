"""What each strategy is worth as more is reviewed (the paper's Figures 2 to 4 and 7 to 14)."""

from __future__ import annotations

from typing import Any

import altair as alt

from evenhand.figures.collaboration.capacities import share
from evenhand.figures.data import data
from evenhand.figures.figure import INK, MODELS, Figure
from evenhand.finding import Finding

PANELS = {
    "oc_auroc": "OC-AUROC",
    "oc_auprc": "OC-AUPRC",
    "oc_accuracy": "OC-accuracy",
    "review_efficiency": "Review Efficiency",
    "review_effectiveness": "Review Effectiveness",
}
KNOWN = {"uncertainty": [1, 0], "toxicity": [6, 4]}
OTHERS = ([1.5, 3], [9, 3, 2, 3], [14, 4], [9, 3, 2, 3, 2, 3])  # dashes
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
TICKS = [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0]


def curves(finding: Finding) -> Figure | None:
    """A panel for each measure against the share reviewed; None when there is nothing to show."""
    rows = _rows(finding)
    if not rows:
        return None
    panels = [title for title in PANELS.values() if any(row["panel"] == title for row in rows)]
    chart = (
        alt.layer(*_layers(rows), data=data(rows))
        .properties(width=255, height=190)
        .facet(
            facet=alt.Facet("panel:N", sort=panels, title=None, header=alt.Header(labelAnchor="start")),
            columns=3,
            spacing=26,
        )
        .resolve_scale(y="independent")
        .resolve_axis(x="independent")
    )
    return Figure(
        "collaboration",
        "curves",
        "What reviewing more is worth",
        "The share of the items that people look at runs to the right on a logarithmic scale. Solid: the items the "
        "model is least sure of come first; dashed: the highest scores come first. Bands are the intervals. Review "
        "Efficiency: how often a look finds an error. Review Effectiveness: how many of the errors are found.",
        chart.to_dict(),
    )


def _rows(finding: Finding) -> list[dict[str, Any]]:
    return [
        {
            "panel": PANELS[m.measure],
            "model": m.slice.get("model", "the model"),
            "strategy": m.slice["strategy"],
            "line": f"{m.slice.get('model', '')}: {m.slice['strategy']}",
            "reviewed": reviewed,
            "value": m.estimate.value,
            "low": m.estimate.low,
            "high": m.estimate.high,
        }
        for m in finding
        if m.measure in PANELS and m.estimate.defined and set(m.slice) - {"model"} == {"strategy", "capacity"}
        if (reviewed := share(m.slice["capacity"]))  # no place for 0 on a logarithmic axis
    ]


def _layers(rows: list[dict[str, Any]]) -> list[alt.Chart]:
    """The band of an interval, the line, and its points; models by colour and shape, strategies by dashes."""
    models = list(dict.fromkeys(row["model"] for row in rows))
    legend = (
        None
        if len(models) == 1
        else alt.Legend(title=None, orient="top", labelLimit=300, symbolOpacity=1, symbolSize=70)
    )
    hues = [MODELS[number % len(MODELS)] for number in range(len(models))]
    shapes = [SHAPES[number % len(SHAPES)] for number in range(len(models))]
    color = alt.Color("model:N", scale=alt.Scale(domain=models, range=hues), legend=legend)
    shape = alt.Shape("model:N", scale=alt.Scale(domain=models, range=shapes), legend=legend)
    y = alt.Y("value:Q", title=None, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=5))
    base = alt.Chart().encode(x=_share(rows), y=y, detail="line:N")
    band = base.mark_area(opacity=0.12).encode(y=alt.Y("low:Q", title=None), y2="high:Q", color=color)
    line = base.mark_line(strokeWidth=2).encode(color=color, strokeDash=_dash(rows))
    point = base.mark_point(filled=True, size=34, opacity=1).encode(color=color, shape=shape)
    return [band, line, point]


def _share(rows: list[dict[str, Any]]) -> alt.X:
    lowest, highest = (pick(row["reviewed"] for row in rows) for pick in (min, max))
    ticks = [tick for tick in TICKS if lowest <= tick <= highest]
    axis = alt.Axis(values=ticks, format="~%", labelOverlap="greedy", labelFlush=False)
    return alt.X("reviewed:Q", title="share reviewed", scale=alt.Scale(type="log", nice=False), axis=axis)


def _dash(rows: list[dict[str, Any]]) -> alt.StrokeDash:
    strategies = list(dict.fromkeys(row["strategy"] for row in rows))
    legend = alt.Legend(
        title="reviewed first by",
        titleOrient="left",
        orient="top",
        symbolType="stroke",
        symbolSize=500,
        symbolStrokeWidth=2,
        symbolStrokeColor=INK,
        labelLimit=300,
    )
    return alt.StrokeDash("strategy:N", scale=alt.Scale(domain=strategies, range=_dashes(strategies)), legend=legend)


def _dashes(strategies: list[str]) -> list[list[float]]:
    left = 0
    dashes: list[list[float]] = []
    for name in strategies:
        dashes.append(list(KNOWN.get(name) or OTHERS[left % len(OTHERS)]))
        left += name not in KNOWN
    return dashes
