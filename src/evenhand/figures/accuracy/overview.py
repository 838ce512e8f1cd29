"""Recall, precision, F1 and the prevalence at a glance, each with its interval."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import altair as alt

from evenhand.figures.data import data
from evenhand.figures.figure import INK, MODELS, Figure
from evenhand.figures.naming import TopLevel, figure
from evenhand.finding import Finding

DECISIONS = {"recall": "Recall", "precision": "Precision", "f1": "F1"}
Rows = list[dict[str, Any]]
SHARES: dict[str, dict[str, str]] = {"of all items": {}, "of what is visible": {"pool": "visible"}}


def overview(finding: Finding) -> Figure | None:
    """How good the decisions are on the left, how much violates on the right; None when nothing has a value."""
    panels = [
        _panel(rows, title, hue, domain)
        for rows, title, hue, domain in (
            (list(_decisions(finding)), "share, per cent", MODELS[0], [0.0, 100.0]),
            (list(_shares(finding)), "violating, per cent", MODELS[1], None),
        )
        if rows
    ]
    if not panels:
        return None
    several = len(panels) > 1
    caption = (
        ("Left: of all violating items, how many were removed (recall); of all removed, how many violate (precision). ")
        if several
        else ""
    )
    return figure(
        "accuracy",
        "overview",
        "At a glance",
        f"{caption}{'Right: how' if several else 'How'} much violates. Dots are estimates, lines their intervals.",
        alt.hconcat(*panels, spacing=36),
    )


def _decisions(finding: Finding) -> Iterator[dict[str, Any]]:
    for measure, name in DECISIONS.items():
        if finding.has(measure) and finding.get(measure).defined:
            yield row(name, finding, measure, {})


def _shares(finding: Finding) -> Iterator[dict[str, Any]]:
    for name, slice_ in SHARES.items():
        if finding.has("prevalence", **slice_) and finding.get("prevalence", **slice_).defined:
            yield row(name, finding, "prevalence", slice_)


def row(name: str, finding: Finding, measure: str, slice_: dict[str, str]) -> dict[str, Any]:
    """A dot and its line, in per cent."""
    e = finding.get(measure, **slice_)
    value, low, high = (100.0 * (end or 0.0) for end in (e.value, e.low, e.high))
    return {"name": name, "value": value, "low": low, "high": high, "small": "small" in e.flags}


def dots(rows: Rows, title: str, hue: str, domain: list[float] | None) -> list[alt.Chart]:
    """Lines for the intervals, full dots, and hollow ones where few violations were seen."""
    scale = alt.Scale(domain=domain) if domain else alt.Scale(zero=True)
    x = alt.X("value:Q", title=title, scale=scale, axis=alt.Axis(tickCount=5))
    names = [one["name"] for one in rows]
    y = alt.Y(
        "name:N",
        sort=names,
        title=None,
        axis=alt.Axis(ticks=False, domain=False, grid=True, labelPadding=8),
    )
    base = alt.Chart(data(rows)).encode(y=y)
    line = base.mark_rule(strokeWidth=2.5, color=hue).encode(x=alt.X("low:Q", title=title, scale=scale), x2="high:Q")
    full = base.mark_point(filled=True, size=75, opacity=1, color=hue).encode(x=x)
    hollow = base.mark_point(filled=False, fill="white", size=65, opacity=1, strokeWidth=2, color=hue).encode(x=x)
    return [line, full.transform_filter("!datum.small"), hollow.transform_filter("datum.small")]


def _panel(rows: Rows, title: str, hue: str, domain: list[float] | None) -> TopLevel:
    said = alt.Chart(data(rows)).mark_text(align="left", dx=10, dy=-9, fontSize=12, color=INK)
    text = said.encode(
        y=alt.Y("name:N", sort=[one["name"] for one in rows]), x="value:Q", text=alt.Text("value:Q", format=".3~r")
    )
    return alt.layer(*dots(rows, title, hue, domain), text).properties(width=300, height=max(2, len(rows)) * 42)
