"""Models beside one another by the two divergences, and what shuffling the groups would give (the paper's Figure 2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import altair as alt

from evenhand.audits.perspective.chance import SHUFFLED
from evenhand.figures.data import data
from evenhand.figures.figure import FAINT, INK, MODELS, Figure
from evenhand.figures.naming import figure
from evenhand.figures.perspective.order import is_few
from evenhand.finding import Finding

ROW = 30  # pixels
OF_GROUPS, OF_CLUSTERS = "uncertainty_divergence", "demographic_divergence"
Rows = list[dict[str, Any]]


def ranking(finding: Finding) -> Figure | None:
    """Two panels, in each the largest divergence first; None for one model."""
    models = finding.values("model")
    panels = [
        _panel(rows, title)
        for title, rows in (
            ("uncertainty divergence: each dot is a group", list(_of_groups(finding, models))),
            ("demographic divergence: of the clusters", list(_of_clusters(finding, models))),
        )
        if rows
    ]
    if not panels:
        return None
    return figure(
        "perspective",
        "ranking",
        "Models beside one another",
        "The two divergences of each model, the largest at the top. Grey: what shuffling the groups over the "
        "annotators gives (bar: the range, tick: the mean). A divergence is above 0 by chance, so a dot within the "
        "bar says nothing; full dots stand out also after allowing for everything that was looked at, hollow ones do "
        "not. By uncertainty divergence a model is placed by its furthest group; groups with few annotators are left "
        "to the table.",
        alt.vconcat(*panels, spacing=18),
    )


def _of_groups(finding: Finding, models: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for model in models:
        for group in finding.values("annotators"):
            if not is_few(finding, group):
                yield from _row(finding, OF_GROUPS, model, {"annotators": group})


def _of_clusters(finding: Finding, models: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for model in models:
        yield from _row(finding, OF_CLUSTERS, model, {})


def _row(finding: Finding, measure: str, model: str, part: dict[str, str]) -> Iterator[dict[str, Any]]:
    e = finding.get(measure, model=model, **part)
    chance = finding.get(measure, model=model, **part, **SHUFFLED)
    if e.value is not None and chance.value is not None:
        shuffled = {"shuffled": chance.value, "low": chance.low, "high": chance.high}
        yield {"model": model, "value": e.value, "full": "stands_out" in e.flags, **shuffled}


def _panel(rows: Rows, title: str) -> alt.LayerChart | alt.FacetChart:
    largest = {model: max(row["value"] for row in rows if row["model"] == model) for model in _models(rows)}
    order = sorted(largest, key=lambda model: -largest[model])
    axis = alt.Axis(ticks=False, domain=False, grid=True, labelPadding=8, labelFontSize=12, labelLimit=170)
    y = alt.Y("model:N", sort=order, title=None, axis=axis)

    def x(column: str) -> alt.X:
        return alt.X(f"{column}:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=5, grid=False))

    chance = [row for model in order for row in [_widest([r for r in rows if r["model"] == model])]]
    grey = alt.Chart(data(chance)).encode(y=y)
    layers = [
        grey.mark_bar(size=14, color=FAINT, opacity=0.4, cornerRadius=2).encode(x=x("low"), x2="high:Q"),
        grey.mark_tick(color=INK, opacity=0.6, thickness=2, size=18).encode(x=x("shuffled")),
    ]
    for full, style in ((False, {"filled": False, "fill": "white"}), (True, {"filled": True})):
        if own := [row for row in rows if row["full"] is full]:
            dots = alt.Chart(data(own)).mark_point(color=MODELS[0], size=75, opacity=1, strokeWidth=2, **style)
            layers.append(dots.encode(y=y, x=x("value")))
    return alt.layer(*layers).properties(width=400, height=ROW * max(2, len(order)))


def _models(rows: Rows) -> list[str]:
    return list(dict.fromkeys(row["model"] for row in rows))


def _widest(rows: Rows) -> dict[str, Any]:
    """Over the groups of one model, what shuffling gives at most."""
    return {
        "model": rows[0]["model"],
        "low": min(row["low"] for row in rows),
        "high": max(row["high"] for row in rows),
        "shuffled": sum(row["shuffled"] for row in rows) / len(rows),
    }
