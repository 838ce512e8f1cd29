"""Which classes are off, beyond what chance and their rarity explain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import altair as alt

from evenhand.figures.data import data
from evenhand.figures.figure import FAINT, MODELS, VIOLATING, Figure
from evenhand.figures.naming import figure, named
from evenhand.finding import Finding

OFF, FINE = "off beyond chance", "no more than chance"
FOUND = {OFF: VIOLATING, FINE: MODELS[0]}
HONEST = "if the model were calibrated"
ROW = 34  # pixels


def class_errors(finding: Finding, model: str | None) -> Figure | None:
    """The class ECE of each class, beside what honest probabilities would give; None when there is nothing to show."""
    rows = sorted(_rows(finding, model), key=lambda row: -row["excess"])
    if not rows:
        return None
    kinds = [*(kind for kind in FOUND if any(row["kind"] == kind for row in rows)), HONEST]
    hues = [{**FOUND, HONEST: FAINT}[kind] for kind in kinds]
    legend = alt.Legend(
        title=None, symbolType="circle", symbolSize=90, symbolStrokeWidth=0, symbolOpacity=1, labelLimit=300
    )
    color = alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=hues), sort=kinds, legend=legend)
    furthest = min(1.0, 1.05 * max(max(row["high"], row["honest_high"]) for row in rows))
    y = alt.Y(
        "class:N",
        sort=[row["class"] for row in rows],
        title=None,
        axis=alt.Axis(ticks=False, domain=False, grid=False, labelPadding=8, labelFontSize=12, labelLimit=150),
    )
    chart = alt.layer(*_layers(rows, furthest, y, color)).properties(width=360, height=ROW * max(2, len(rows)))
    return figure(
        "calibration",
        "class_errors",
        "Which classes are off?",
        "Grey: what a perfectly calibrated model with these probabilities and as many items would show (the bar is the "
        "range, the tick the mean). Dot and line: what was found, with its interval. A dot to the right of the grey "
        "bar is a class that the probabilities fail; how far to the right counts, not how far from 0. The class that "
        "is furthest beyond comes first.",
        chart,
        model,
    )


def _rows(finding: Finding, model: str | None) -> Iterator[dict[str, Any]]:
    for name in finding.values("class"):
        slice_ = {**named(model), "class": name}
        if not finding.has("class_ece", **slice_):
            continue
        found, honest = finding.get("class_ece", **slice_), finding.get("class_ece", **slice_, as_if="calibrated")
        if found.value is None or honest.value is None:
            continue
        off = "stands_out" in found.flags
        yield {
            "class": f"{name} ({found.n:,})",
            "kind": OFF if off else FINE,
            "excess": found.value - honest.value,
            "value": found.value,
            "low": found.low,
            "high": found.high,
            "honest": honest.value,
            "honest_low": honest.low,
            "honest_high": honest.high,
        }


def _across(column: str, furthest: float) -> alt.X:
    return alt.X(
        f"{column}:Q",
        title="class ECE: how far off the model is on items of the class",
        scale=alt.Scale(domain=[0.0, furthest], nice=False),
        axis=alt.Axis(tickCount=6, format=".2~f"),
    )


def _layers(rows: list[dict[str, Any]], furthest: float, y: alt.Y, color: alt.Color) -> list[alt.Chart]:
    honest = [
        {"class": row["class"], "kind": HONEST, "value": row["honest"]}
        | {"low": row["honest_low"], "high": row["honest_high"]}
        for row in rows
    ]
    x = _across("value", furthest)
    grey, dots = (alt.Chart(data(found)).encode(x=x, y=y, color=color) for found in (honest, rows))
    ends = {"x": _across("low", furthest), "x2": "high:Q"}
    return [
        grey.mark_bar(size=16, opacity=0.45, cornerRadius=2).encode(**ends),
        grey.mark_tick(thickness=2.5, size=22, opacity=1),
        dots.mark_rule(strokeWidth=2.5).encode(**ends),
        dots.mark_point(filled=True, size=90, opacity=1),
    ]
