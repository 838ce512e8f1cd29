"""All groups and models beside one another, a panel for each of the five measures."""

from __future__ import annotations

import math
from typing import Any

import altair as alt

from evenhand.figures.data import data
from evenhand.figures.figure import FAINT, MODELS, Figure
from evenhand.finding import Finding

OVERVIEW = (
    ("subgroup_auc", "Subgroup AUC"),
    ("bpsn_auc", "BPSN AUC"),
    ("bnsp_auc", "BNSP AUC"),
    ("negative_aeg", "Negative AEG"),
    ("positive_aeg", "Positive AEG"),
)


def overview(finding: Finding, groups: list[str]) -> Figure | None:
    """Every group at a glance; None when there is nothing to show."""
    rows = _values(finding)
    if not rows:
        return None
    models = list(dict.fromkeys(str(row["model"]) for row in rows))
    titles = [title for _, title in OVERVIEW if any(row["measure"] == title for row in rows)]
    shown = [group for group in groups if any(row["group"] == group for row in rows)]
    panels = [_panel(rows, title, shown, models, first=title == titles[0]) for title in titles]
    chart = alt.hconcat(*panels, spacing=14).resolve_scale(color="shared", yOffset="shared")
    return Figure(
        "bias",
        "groups",
        "Every group at a glance",
        "Dots are values, lines their intervals, cut off where a small group's are very wide; the worst group is at "
        "the top. AUCs: 1 is best. AEGs: 0 is best, to the right the group is scored higher than everyone else.",
        chart.to_dict(),
    )


def _values(finding: Finding) -> list[dict[str, Any]]:
    names = dict(OVERVIEW)
    return [
        {
            "group": m.slice["group"],
            "model": m.slice.get("model", "model"),
            "measure": names[m.measure],
            "value": m.estimate.value,
            "low": m.estimate.low,
            "high": m.estimate.high,
            "small": "small" in m.estimate.flags,
        }
        for m in finding
        if m.measure in names and m.estimate.defined and set(m.slice) in ({"group"}, {"group", "model"})
    ]


def _panel(
    rows: list[dict[str, Any]], title: str, groups: list[str], models: list[str], *, first: bool
) -> alt.LayerChart | alt.FacetChart:
    lowest, highest = domain = _domain(rows, title)
    own = [
        row | {"low": max(row["low"], lowest), "high": min(row["high"], highest)}
        for row in rows
        if row["measure"] == title and row["low"] <= highest and row["high"] >= lowest
    ]
    names = alt.Axis(labels=first, ticks=False, domain=False, grid=True, labelPadding=6)
    y = alt.Y("group:N", scale=alt.Scale(domain=groups), title=None, axis=names)
    hues = alt.Scale(domain=models, range=list(MODELS[: len(models)]))
    legend = None if len(models) == 1 else alt.Legend()
    color = alt.Color("model:N", title=None, scale=hues, legend=legend)
    base = alt.Chart(data(own)).encode(y=y, color=color, yOffset=alt.YOffset("model:N", sort=models))
    axis = alt.Axis(tickCount=3, format=".2~f", labelOverlap=True)
    x = alt.X("value:Q", title=title, scale=alt.Scale(domain=domain), axis=axis)
    layers = [base.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q").transform_calculate(value="datum.low")]
    within = f"datum.value >= {lowest} && datum.value <= {highest}"
    layers.append(base.mark_point(filled=True, size=42, opacity=1).encode(x=x).transform_filter(within))
    if title.endswith("AEG"):
        zero = alt.Chart(data([{"value": 0}])).mark_rule(color=FAINT, strokeDash=[4, 3]).encode(x="value:Q")
        layers.insert(0, zero)
    height = max(2, len(groups)) * (14 + 8 * (len(models) - 1))
    return alt.layer(*layers).properties(width=150, height=height)


def _domain(rows: list[dict[str, Any]], title: str) -> list[float]:
    """The same for all AUCs, and for both gaps, so that panels can be compared."""
    alike = [row for row in rows if str(row["measure"])[-3:] == title[-3:]]
    alike = [row for row in alike if not row["small"]] or alike  # few items have wide intervals, which are cut off
    if title.endswith("AEG"):
        furthest = max(max(abs(row["low"]), abs(row["high"])) for row in alike)
        return [-math.ceil(10.0 * furthest) / 10.0, math.ceil(10.0 * furthest) / 10.0]
    return [math.floor(10.0 * min(row["low"] for row in alike)) / 10.0, 1.0]
