"""Is the model right as often as it says? (the paper's Figures 5 and 6)"""

from __future__ import annotations

import altair as alt

from evenhand.figures.data import data
from evenhand.figures.figure import FAINT, INK, MODELS, Figure
from evenhand.finding import Exhibit

WIDTH = 300


def reliability(model: str, exhibit: Exhibit) -> Figure:
    """How often the model is right by how sure it is, and how many items that rests on."""
    columns = exhibit.columns
    bins = len(columns["weight"])
    rows = [
        {"left": max(0.5, number / bins), "right": (number + 1) / bins, "sure": sure, "correct": right, "items": weight}
        for number, (weight, sure, right) in enumerate(
            zip(columns["weight"], columns["confidence"], columns["accuracy"], strict=True)
        )
        if weight
    ]
    chart = alt.vconcat(_diagram(rows), _counts(rows), spacing=8).resolve_scale(x="shared")
    return Figure(
        "collaboration",
        "reliability",
        f"Is it right as often as it says? {model}",
        "On the dashed line the model is right exactly as often as it says. Above it the model is too modest, below it "
        "too sure of itself. The bars count the items (square-root scale).",
        chart.to_dict(),
        {"model": model},
    )


def _sure(*, labels: bool) -> alt.X:
    axis = alt.Axis(labels=labels, ticks=labels, tickCount=6)
    return alt.X(
        "left:Q",
        title="how sure the model is" if labels else None,
        scale=alt.Scale(domain=[0.5, 1.0], nice=False, zero=False),
        axis=axis,
    )


def _diagram(rows: list[dict[str, float]]) -> alt.LayerChart | alt.FacetChart:
    lowest = min([0.5, *(row["correct"] for row in rows)])
    y = alt.Y("correct:Q", title="how often it is right", scale=alt.Scale(domain=[lowest, 1.0], nice=False))
    x = _sure(labels=False)
    even = alt.Chart(data([{"left": 0.5, "correct": 0.5}, {"left": 1.0, "correct": 1.0}]))
    base = alt.Chart(data([row | {"left": row["sure"]} for row in rows])).encode(x=x, y=y)
    return alt.layer(
        even.mark_line(strokeDash=[4, 3], color=INK, strokeWidth=1).encode(x=x, y=y),
        base.mark_line(color=MODELS[0], strokeWidth=2),
        base.mark_point(color=MODELS[0], filled=True, size=44, opacity=1),
    ).properties(width=WIDTH, height=200)


def _counts(rows: list[dict[str, float]]) -> alt.LayerChart | alt.FacetChart:
    base = alt.Chart(data(rows))
    y = alt.Y(
        "items:Q", title="items", scale=alt.Scale(type="sqrt"), axis=alt.Axis(tickCount=3, format="~s", grid=False)
    )
    bars = base.mark_bar(color=FAINT, stroke="white").encode(x=_sure(labels=True), x2="right:Q", y=y, y2=alt.Y2Datum(0))
    return alt.layer(bars).properties(width=WIDTH, height=60)
