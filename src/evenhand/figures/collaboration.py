"""The figures of a collaboration finding: what a strategy achieves by capacity, and what reviews are spent on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evenhand.audits.collaboration.exhibits import CollaborationExhibit
from evenhand.audits.collaboration.settings import capacity_share
from evenhand.catalogue import find_measure
from evenhand.catalogue.collaboration import (
    OC_ACCURACY,
    OC_AUPRC,
    OC_AUROC,
    REVIEW_EFFECTIVENESS,
    REVIEW_EFFICIENCY,
)
from evenhand.figures import reliability as drawing
from evenhand.figures import vega_lite as vl
from evenhand.figures.figure import Figure
from evenhand.figures.style import FAINT, INK, MODEL_COLOURS
from evenhand.finding import Exhibit, Finding, SliceKey
from evenhand.formatting import format_share
from evenhand.routing.strategies import TOXICITY, UNCERTAINTY

CURVE_MEASURES = (OC_AUROC, OC_AUPRC, OC_ACCURACY, REVIEW_EFFICIENCY, REVIEW_EFFECTIVENESS)
STRATEGY_DASHES = {UNCERTAINTY.name: [1, 0], TOXICITY.name: [6, 4]}
OTHER_DASHES = ([1.5, 3], [9, 3, 2, 3], [14, 4], [9, 3, 2, 3, 2, 3])  # dashes
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
SHARE_TICKS = [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0]


def draw_review_curves(finding: Finding, *, bands: str = "Bands: intervals.") -> Figure | None:
    """A panel for each measure against the share reviewed; None when there is nothing to show.

    `bands` says what the bands are.
    """
    rows = _curve_rows(finding)
    if not rows:
        return None
    panels = [measure.title for measure in CURVE_MEASURES if any(row["panel"] == measure.title for row in rows)]
    chart = (
        vl.layer(*_curve_layers(rows), rows=rows)
        .properties(width=255, height=190)
        .facet(
            facet=vl.Facet("panel:N", sort=panels, title=None, header=vl.Header(labelAnchor="start")),
            columns=3,
            spacing=26,
        )
        .resolve(scale={"y": "independent"}, axis={"x": "independent"})
    )
    return Figure(
        "collaboration",
        "curves",
        "Effect of review capacity",
        "By share of items reviewed (logarithmic scale). Solid: most uncertain items first; dashed: highest scores "
        f"first. {bands} {REVIEW_EFFICIENCY.title}: share of reviews that find an error. "
        f"{REVIEW_EFFECTIVENESS.title}: share of the model's errors that are found.",
        chart.to_dict(),
    )


def _curve_rows(finding: Finding) -> list[dict[str, Any]]:
    return [
        {
            "panel": find_measure(m.measure).title,
            "model": m.slice.get(SliceKey.MODEL, "the model"),
            "strategy": m.slice[SliceKey.STRATEGY],
            "line": f"{m.slice.get(SliceKey.MODEL, '')}: {m.slice[SliceKey.STRATEGY]}",
            "reviewed": reviewed,
            "value": m.estimate.value,
            "low": m.estimate.low,
            "high": m.estimate.high,
        }
        for m in finding
        if m.measure in CURVE_MEASURES and m.estimate.defined
        if set(m.slice) - {SliceKey.MODEL} == {SliceKey.STRATEGY, SliceKey.CAPACITY}
        if (reviewed := capacity_share(m.slice[SliceKey.CAPACITY]))  # no place for 0 on a logarithmic axis
    ]


def _curve_layers(rows: list[dict[str, Any]]) -> list[vl.Chart]:
    """The band of an interval, the line, and its points; models by colour and shape, strategies by dashes."""
    models = list(dict.fromkeys(row["model"] for row in rows))
    legend = (
        None
        if len(models) == 1
        else vl.Legend(title=None, orient="top", labelLimit=300, symbolOpacity=1, symbolSize=70)
    )
    hues = [MODEL_COLOURS[number % len(MODEL_COLOURS)] for number in range(len(models))]
    shapes = [SHAPES[number % len(SHAPES)] for number in range(len(models))]
    color = vl.Color("model:N", scale=vl.Scale(domain=models, range=hues), legend=legend)
    shape = vl.Shape("model:N", scale=vl.Scale(domain=models, range=shapes), legend=legend)
    y = vl.Y("value:Q", title=None, scale=vl.Scale(zero=False), axis=vl.Axis(tickCount=5))
    base = vl.Chart().encode(x=_share_axis(rows), y=y, detail="line:N")
    band = base.mark("area", opacity=0.12).encode(y=vl.Y("low:Q", title=None), y2="high:Q", color=color)
    line = base.mark("line", strokeWidth=2).encode(color=color, strokeDash=_strategy_dash(rows))
    point = base.mark("point", filled=True, size=34, opacity=1).encode(color=color, shape=shape)
    return [band, line, point]


def _share_axis(rows: list[dict[str, Any]]) -> vl.Channel:
    lowest, highest = (pick(row["reviewed"] for row in rows) for pick in (min, max))
    ticks = [tick for tick in SHARE_TICKS if lowest <= tick <= highest]
    axis = vl.Axis(values=ticks, format="~%", labelOverlap="greedy", labelFlush=False)
    return vl.X("reviewed:Q", title="share reviewed", scale=vl.Scale(type="log", nice=False), axis=axis)


def _strategy_dash(rows: list[dict[str, Any]]) -> vl.Channel:
    strategies = list(dict.fromkeys(row["strategy"] for row in rows))
    legend = vl.Legend(
        title="review order",
        titleOrient="left",
        titlePadding=24,
        orient="top",
        symbolType="stroke",
        symbolSize=500,
        symbolStrokeWidth=2,
        symbolStrokeColor=INK,
        labelLimit=300,
    )
    return vl.StrokeDash("strategy:N", scale=vl.Scale(domain=strategies, range=_dashes(strategies)), legend=legend)


def _dashes(strategies: list[str]) -> list[list[float]]:
    left = 0
    dashes: list[list[float]] = []
    for name in strategies:
        dashes.append(list(STRATEGY_DASHES.get(name) or OTHER_DASHES[left % len(OTHER_DASHES)]))
        left += name not in STRATEGY_DASHES
    return dashes


OUTCOMES = {
    "uncertain_wrong": ("error found", MODEL_COLOURS[0], 1.0),
    "certain_wrong": ("error not reviewed", "#f3c9a5", 1.0),
    "uncertain_right": ("reviewed, model was right", FAINT, -1.0),
}


def draw_review_outcomes(model: str, exhibits: Sequence[Exhibit]) -> Figure | None:
    """One panel a strategy, one bar a capacity; None when there is nothing to show."""
    rows = [row for exhibit in exhibits for row in _outcome_rows(exhibit)]
    if not rows:
        return None
    strategies = list(dict.fromkeys(row["strategy"] for row in rows))
    zero = vl.Chart().mark("rule", color=INK, strokeWidth=1).encode(y=vl.datum(0))
    chart = (
        vl.layer(_outcome_bars(rows), zero, rows=rows)
        .properties(width=max(190, min(420, 860 // len(strategies))), height=200)
        .facet(
            facet=vl.Facet("strategy:N", sort=strategies, title=None, header=vl.Header(labelAnchor="start")),
            columns=3,
            spacing=24,
        )
    )
    return Figure(
        "collaboration",
        "checked",
        f"Errors found by review: {model}",
        "Above the line: the model's errors, found by review (dark) or not reviewed (light). Below the line: reviews "
        "of items that the model got right.",
        chart.to_dict(),
        {SliceKey.MODEL: model},
    )


def _outcome_bars(rows: Sequence[dict[str, Any]]) -> vl.Chart:
    order = [format_share(share) for share in sorted({row["share"] for row in rows})]
    names, hues = zip(*((name, hue) for name, hue, _ in OUTCOMES.values()), strict=True)
    shares = vl.Axis(labelAngle=0, labelOverlap="greedy")
    counts = vl.Axis(labelExpr="format(abs(datum.value), ',')", tickCount=6)
    scale = vl.Scale(domain=list(names), range=list(hues))
    return (
        vl.Chart()
        .mark("bar", stroke="white", strokeWidth=0.5)
        .encode(
            x=vl.X("reviewed:O", sort=order, title="share reviewed", axis=shares),
            y=vl.Y("count:Q", title="items", axis=counts),
            color=vl.Color("kind:N", title=None, scale=scale, sort=list(names)),
            order="order:O",
        )
    )


def _outcome_rows(exhibit: Exhibit) -> Iterator[dict[str, Any]]:
    counts = {name: [float(value or 0.0) for value in exhibit.columns[name]] for name in ("share", *OUTCOMES)}
    for number, share in enumerate(counts["share"]):
        for order, (column, (kind, _, side)) in enumerate(OUTCOMES.items()):
            yield {
                "strategy": exhibit.slice[SliceKey.STRATEGY],
                "share": share,
                "reviewed": format_share(share),
                "kind": kind,
                "order": order,
                "count": side * counts[column][number],
            }


RELIABILITY_FRAME = drawing.DiagramFrame("confidence", "accuracy", start=0.5)


def draw_model_reliability(model: str, exhibit: Exhibit) -> Figure:
    """Accuracy by confidence, and the number of items."""
    return Figure(
        "collaboration",
        "reliability",
        f"Does confidence match accuracy? {model}",
        "On the dashed line, accuracy equals confidence. Above it the model is underconfident, below it overconfident. "
        "Bars: number of items (square-root scale).",
        drawing.reliability_chart(exhibit.columns, RELIABILITY_FRAME).to_dict(),
        {SliceKey.MODEL: model},
    )


def draw_collaboration(finding: Finding) -> Iterator[Figure]:
    """All models and strategies over the capacities; then, for each model, errors found and its reliability."""
    if drawn := draw_review_curves(finding):
        yield drawn
    drawable: dict[str, dict[str, list[Exhibit]]] = {}
    for exhibit in finding.exhibits:
        if exhibit.kind in (CollaborationExhibit.CHECKED, CollaborationExhibit.RELIABILITY):
            drawable.setdefault(exhibit.slice[SliceKey.MODEL], {}).setdefault(exhibit.kind, []).append(exhibit)
    for model, own in drawable.items():
        if drawn := draw_review_outcomes(model, own.get(CollaborationExhibit.CHECKED, [])):
            yield drawn
        yield from (draw_model_reliability(model, one) for one in own.get(CollaborationExhibit.RELIABILITY, []))
