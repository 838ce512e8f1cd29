"""Who is in which cluster, and how the model fits them there (the paper's Figure 1)."""

from __future__ import annotations

import math
from typing import Any

import altair as alt

from evenhand.figures.data import data
from evenhand.figures.figure import INK, Figure
from evenhand.figures.naming import figure, named
from evenhand.finding import Exhibit, Finding

WORSE, BETTER = "fits them worse than the majority", "fits them better"
HUES = {WORSE: "#d55e00", BETTER: "#0072b2"}
FEWEST = 5  # annotators that are shown, so that nothing is about one of them
FEW = f"fewer than {FEWEST}"
ACROSS = 2  # panels in a row: as many as a phone has room for
ROW = 20  # pixels


def clusters(finding: Finding, model: str | None) -> Figure | None:
    """A panel for each cluster: the share of each group in it, and its mean delta; None without clusters."""
    found = [e for e in finding.exhibits if e.kind == "cluster" and e.slice.items() >= named(model).items()]
    if not found:
        return None
    groups = finding.values("annotators")
    overall = [sum(column) for column in zip(*(e.columns["annotators"] for e in found), strict=True)]
    rows = [_rows(exhibit, groups, overall) for exhibit in found]
    most = max(max(row["share"], row["expected"] or 0.0) for panel in rows for row in panel)
    panels = [
        _panel(panel, exhibit, list(groups), most, first=number % ACROSS == 0)
        for number, (panel, exhibit) in enumerate(zip(rows, found, strict=True))
    ]
    chart = alt.concat(*panels, columns=ACROSS, spacing=18).resolve_scale(color="shared")
    return figure(
        "perspective",
        "clusters",
        "Who is alike to the model?",
        "Annotators put together by how the model fits what they say, without looking at their groups. Bars: the share "
        "of each group in the cluster; black line: its share over all clusters. Were bars and lines alike everywhere, "
        "it would not matter to the model who somebody is. The number is the mean delta of these people. Where there "
        "are fewer than five, neither is shown.",
        chart,
        model,
    )


def _rows(exhibit: Exhibit, groups: tuple[str, ...], overall: list[float]) -> list[dict[str, Any]]:
    people, means = exhibit.columns["annotators"], exhibit.columns["delta"]
    found = []
    for group, some, mean, everywhere in zip(groups, people, means, overall, strict=True):
        shown = some >= FEWEST and not math.isnan(mean)
        found.append(
            {
                "group": group,
                "share": some / sum(people) if shown else 0.0,
                "expected": everywhere / sum(overall) if everywhere >= FEWEST else None,
                "kind": WORSE if shown and mean > 0.0 else BETTER,
                "said": f"{mean:+.3f}".replace("-", "−") if shown else FEW,
            }
        )
    return found


def _panel(
    rows: list[dict[str, Any]], exhibit: Exhibit, groups: list[str], most: float, *, first: bool
) -> alt.LayerChart | alt.FacetChart:
    axis = alt.Axis(labels=first, ticks=False, domain=False, grid=False, labelPadding=6, labelLimit=170)
    y = alt.Y("group:N", sort=groups, title=None, axis=axis)
    scale = alt.Scale(domain=[0.0, 1.3 * most], nice=False)
    ticks = alt.Axis(tickCount=3, format="~%", grid=False)

    def x(column: str) -> alt.X:
        return alt.X(f"{column}:Q", title="share of the cluster", scale=scale, axis=ticks)

    legend = alt.Legend(title=None, symbolType="square", symbolStrokeWidth=0, labelLimit=300, columns=2)
    color = alt.Color("kind:N", scale=alt.Scale(domain=list(HUES), range=list(HUES.values())), legend=legend)
    base = alt.Chart(data(rows)).encode(y=y)
    people = sum(exhibit.columns["annotators"])
    title = f"Cluster {exhibit.slice['cluster']}: {f'{people:,.0f}' if people >= FEWEST else FEW} annotators"
    return (
        alt.layer(
            base.mark_bar(size=12, opacity=0.75).encode(x=x("share"), color=color),
            base.mark_tick(color=INK, thickness=2, size=16).encode(x=x("expected")),
            base.mark_text(align="left", dx=6, fontSize=11, color=INK).encode(x=x("end"), text="said:N"),
        )
        .transform_calculate(end="max(datum.share, datum.expected || 0)")
        .properties(width=190, height=ROW * len(groups), title=alt.TitleParams(title, fontSize=12, offset=4))
    )
