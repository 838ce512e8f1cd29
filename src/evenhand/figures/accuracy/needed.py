"""How many labels each part has, and how many it would take to know it well."""

from __future__ import annotations

from math import inf
from typing import Any

import altair as alt

from evenhand.figures.accuracy.parts import MOST, sorted_parts
from evenhand.figures.data import data
from evenhand.figures.figure import INK, MODELS, Figure
from evenhand.figures.naming import TopLevel, figure
from evenhand.finding import Finding

KINDS = {"there are": INK, "drawn like these": MODELS[0], "drawn at random": MODELS[4]}


def needed(finding: Finding, column: str) -> Figure | None:
    """Labels there are, and the range of those needed; None when nothing has a value."""
    rows = [row for name in sorted_parts(finding, column)[:MOST] for row in _rows(finding, column, name)]
    if not rows:
        return None
    target = finding.provenance.get("settings", {}).get("target", 0.2)
    names = list(dict.fromkeys(row["name"] for row in rows))
    return figure(
        "accuracy",
        "needed",
        f"Labels still needed, by {column}",
        f"To know the share of violating items within {100 * target:.3g} % of itself: dots are labels needed, lines "
        "their range over what is known of the share by now, up to all items there are; bars are the labels there are. "
        "A logarithmic scale.",
        _chart(rows, names),
        about={"by": column},
    )


def _rows(finding: Finding, column: str, name: str) -> list[dict[str, Any]]:
    part = {column: name}
    pool = {"pool": "visible"} if finding.has("labels_needed", **part, pool="visible") else {}
    if not finding.has("labels_needed", **part, **pool):
        return []
    found = {
        "drawn like these": finding.get("labels_needed", **part, **pool),
        "drawn at random": finding.get("labels_needed_random", **part, **pool),
    }
    most = _items(finding, part)  # nobody can label more
    rows = [
        {"name": name, "kind": kind, **{end: min(most, getattr(e, end) or most) for end in ("value", "low", "high")}}
        for kind, e in found.items()
        if e.value is not None
    ]
    have = float(next(iter(found.values())).n)
    return [*rows, {"name": name, "kind": "there are", "value": have, "low": have, "high": have}] if rows else []


def _items(finding: Finding, part: dict[str, str]) -> float:
    return finding.get("population", **part).value or inf if finding.has("population", **part) else inf


def _chart(rows: list[dict[str, Any]], names: list[str]) -> TopLevel:
    kinds = list(KINDS)
    y = alt.Y("name:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False, grid=True, labelPadding=8))
    color = alt.Color("kind:N", title="labels", scale=alt.Scale(domain=kinds, range=list(KINDS.values())), sort=kinds)
    scale = alt.Scale(type="log", nice=False)
    axis = alt.Axis(format="~s", tickCount=6, labelOverlap="greedy")
    base = alt.Chart(data(rows)).encode(y=y, color=color, yOffset=alt.YOffset("kind:N", sort=kinds))
    x = alt.X("value:Q", title="labels", scale=scale, axis=axis)
    line = base.mark_rule(strokeWidth=2.5).encode(x=alt.X("low:Q", title="labels", scale=scale, axis=axis), x2="high:Q")
    dot = base.mark_point(filled=True, size=55, opacity=1).encode(x=x).transform_filter("datum.kind != 'there are'")
    have = base.mark_tick(thickness=3, size=14).encode(x=x).transform_filter("datum.kind == 'there are'")
    return alt.layer(line, dot, have).properties(width=560, height=max(2, len(names)) * 36)
