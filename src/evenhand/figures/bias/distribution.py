"""How a group is scored beside everyone else: score distributions by class (the paper's Table 7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import altair as alt

from evenhand.figures.bias.panels import exhibits, panel_name
from evenhand.figures.data import data
from evenhand.figures.figure import BENIGN, VIOLATING, Figure
from evenhand.finding import Exhibit, Finding

ELSEWHERE = "everyone else"


def distributions(finding: Finding, group: str) -> Figure:
    """Everyone else above, the group below, a column for each model and for short items."""
    rows: list[dict[str, Any]] = []
    for exhibit in exhibits(finding, "distribution", group):
        rows += _densities(exhibit, group)
    panels = list(dict.fromkeys(str(row["panel"]) for row in rows))
    chart = (
        alt.layer(*_layers(), data=data(rows))
        .properties(width=_width(len(panels)), height=70)
        .facet(
            row=alt.Row(
                "who:N", sort=[ELSEWHERE, group], title=None, header=alt.Header(labelAngle=0, labelAlign="left")
            ),
            column=alt.Column("panel:N", sort=panels, title=None),
            spacing=8,
        )
    )
    return Figure(
        "bias",
        "distribution",
        f"How '{group}' is scored beside everyone else",
        "Shares of each class by score, on a square-root scale so that small heaps stay visible.",
        chart.to_dict(),
        {"group": group},
    )


def _layers() -> tuple[alt.Chart, alt.Chart]:
    """A class's shares by score, as an area and its edge."""
    bare = alt.Axis(labels=False, ticks=False, grid=False, domain=False)
    base = alt.Chart().encode(
        x=alt.X("score:Q", title="score"),
        y=alt.Y("share:Q", stack=None, title=None, scale=alt.Scale(type="sqrt"), axis=bare),
    )
    hue = alt.Scale(domain=["benign", "violating"], range=[BENIGN, VIOLATING])
    color = alt.Color("class:N", title=None, scale=hue)
    area = base.mark_area(interpolate="monotone", opacity=0.3).encode(color=color)
    return area, base.mark_line(interpolate="monotone", strokeWidth=1.5).encode(color=color)


def _densities(exhibit: Exhibit, group: str) -> Iterator[dict[str, Any]]:
    columns = exhibit.columns
    for who, prefix in ((ELSEWHERE, "background"), (group, "group")):
        for kind in ("benign", "violating"):
            for low, high, share in zip(columns["low"], columns["high"], columns[f"{prefix}_{kind}"], strict=True):
                yield {
                    "panel": panel_name(exhibit.slice),
                    "who": who,
                    "class": kind,
                    "score": (low + high) / 2,
                    "share": share,
                }


def _width(panels: int) -> int:
    return {1: 520, 2: 330, 3: 230}.get(panels, 190)
