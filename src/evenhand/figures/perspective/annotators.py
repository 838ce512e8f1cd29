"""Who the annotators are, and how much each of them labelled (the paper's Figures 3 and 4)."""

from __future__ import annotations

import math
from typing import Any

import altair as alt

from evenhand.figures.data import data
from evenhand.figures.figure import INK, MODELS, Figure
from evenhand.figures.naming import figure
from evenhand.finding import Finding

FEWEST = 5  # annotators that a bar stands for, so that it is about nobody alone


def annotators(finding: Finding) -> Figure | None:
    """Annotators by group, and by how many labels they gave; None when there is nothing to show."""
    found = [_by_group(finding)]
    if loads := _loads(finding):
        found.append(_by_load(loads))
    return figure(
        "perspective",
        "annotators",
        "Who labelled, and how much",
        "Annotators by group, and by how many labels they gave. A bar stands for at least five people; where there "
        "are fewer, it is joined with its neighbour.",
        alt.vconcat(*found, spacing=18),
    )


def _by_group(finding: Finding) -> alt.LayerChart | alt.FacetChart:
    people = {g: finding.get("annotator_count", annotators=g).value or 0.0 for g in finding.values("annotators")}
    rows = [{"group": group, "people": count, "text": f"{count:,.0f}"} for group, count in people.items()]
    axis = alt.Axis(ticks=False, domain=False, labelPadding=6, labelFontSize=12, labelLimit=230)
    y = alt.Y("group:N", sort=list(people), title=None, axis=axis)
    scale = alt.Scale(domain=[0.0, 1.15 * max(people.values())], nice=False)
    x = alt.X("people:Q", title="annotators", scale=scale, axis=alt.Axis(tickCount=4, grid=False))
    return _bars(rows, x=x, y=y, text={"align": "left", "dx": 4}).properties(width=330, height=22 * max(2, len(rows)))


def _by_load(rows: list[dict[str, Any]]) -> alt.LayerChart | alt.FacetChart:
    order = [row["labels"] for row in rows]
    x = alt.X("labels:N", sort=order, title="labels somebody gave", axis=alt.Axis(labelAngle=0, ticks=False))
    y = alt.Y("people:Q", title="annotators", axis=alt.Axis(tickCount=3, grid=False))
    return _bars(rows, x=x, y=y, text={"dy": -8}).properties(width=58 * max(2, len(rows)), height=110)


def _bars(rows: list[dict[str, Any]], *, x: alt.X, y: alt.Y, text: dict[str, Any]) -> alt.LayerChart | alt.FacetChart:
    base = alt.Chart(data(rows)).encode(x=x, y=y)
    return alt.layer(
        base.mark_bar(color=MODELS[0], opacity=0.75), base.mark_text(color=INK, **text).encode(text="text:N")
    )


def _loads(finding: Finding) -> list[dict[str, Any]]:
    """How many people gave so many labels, of all groups together; every bar at least five."""
    found = [e.columns for e in finding.exhibits if e.kind == "loads" and e.slice.get("model") in _first(finding)]
    if not found:
        return []
    people = [sum(column) for column in zip(*(columns["annotators"] for columns in found), strict=True)]
    starts = [*found[0]["labels"], math.inf]
    bars = [[start, end, count] for start, end, count in zip(starts, starts[1:], people, strict=False)]
    return [
        {"labels": _range(start, end), "people": count, "text": f"{count:,.0f}"} for start, end, count in _joined(bars)
    ]


def _first(finding: Finding) -> tuple[str | None, ...]:
    """Everybody labelled for all models alike."""
    return finding.values("model")[:1] or (None,)


def _joined(bars: list[list[float]]) -> list[list[float]]:
    """Without empty ends; a bar of fewer than five is joined with the one before it, the first with the next."""
    while bars and not bars[-1][2]:
        bars.pop()
    while bars and not bars[0][2]:
        bars.pop(0)
    joined: list[list[float]] = []
    for start, end, count in bars:
        if joined and (count < FEWEST or joined[-1][2] < FEWEST):
            joined[-1] = [joined[-1][0], end, joined[-1][2] + count]
        else:
            joined.append([start, end, count])
    return joined


def _range(start: float, end: float) -> str:
    if math.isinf(end):
        return f"{start:,.0f} on"
    return f"{start:,.0f}" if end - start == 1 else f"{start:,.0f}–{end - 1:,.0f}"
