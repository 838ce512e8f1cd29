"""What the looks were spent on: errors caught and left, looks that found nothing (the paper's Figure 1, counted)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from evenhand.figures.collaboration.capacities import percent
from evenhand.figures.data import data
from evenhand.figures.figure import FAINT, INK, MODELS, Figure
from evenhand.finding import Exhibit

KINDS = {
    "uncertain_wrong": ("error found", MODELS[0], 1.0),
    "certain_wrong": ("error left", "#f3c9a5", 1.0),
    "uncertain_right": ("looked at, was right", FAINT, -1.0),
}


def checked(model: str, exhibits: Sequence[Exhibit]) -> Figure | None:
    """One panel a strategy, one bar a capacity; None when there is nothing to show."""
    rows = [row for exhibit in exhibits for row in _rows(exhibit)]
    if not rows:
        return None
    strategies = list(dict.fromkeys(row["strategy"] for row in rows))
    zero = alt.Chart().mark_rule(color=INK, strokeWidth=1).encode(y=alt.YDatum(0))
    chart = (
        alt.layer(_bars(rows), zero, data=data(rows))
        .properties(width=max(190, min(420, 860 // len(strategies))), height=200)
        .facet(
            facet=alt.Facet("strategy:N", sort=strategies, title=None, header=alt.Header(labelAnchor="start")),
            columns=3,
            spacing=24,
        )
    )
    return Figure(
        "collaboration",
        "checked",
        f"What the looks are spent on: {model}",
        "Above the line the model's errors: dark those that the review finds, light those that it leaves. Below the "
        "line the looks at items that the model had right.",
        chart.to_dict(),
        {"model": model},
    )


def _bars(rows: Sequence[dict[str, Any]]) -> alt.Chart:
    order = [percent(share) for share in sorted({row["share"] for row in rows})]
    names, hues = zip(*((name, hue) for name, hue, _ in KINDS.values()), strict=True)
    shares = alt.Axis(labelAngle=0, labelOverlap="greedy")
    counts = alt.Axis(labelExpr="format(abs(datum.value), ',')", tickCount=6)
    scale = alt.Scale(domain=list(names), range=list(hues))
    bars: alt.Chart = (
        alt.Chart()
        .mark_bar(stroke="white", strokeWidth=0.5)
        .encode(
            x=alt.X("reviewed:O", sort=order, title="share reviewed", axis=shares),
            y=alt.Y("count:Q", title="items", axis=counts),
            color=alt.Color("kind:N", title=None, scale=scale, sort=list(names)),
            order="order:O",
        )
    )
    return bars


def _rows(exhibit: Exhibit) -> Iterator[dict[str, Any]]:
    for number, share in enumerate(exhibit.columns["share"]):
        for order, (column, (kind, _, side)) in enumerate(KINDS.items()):
            yield {
                "strategy": exhibit.slice["strategy"],
                "share": share,
                "reviewed": percent(share),
                "kind": kind,
                "order": order,
                "count": side * exhibit.columns[column][number],
            }
