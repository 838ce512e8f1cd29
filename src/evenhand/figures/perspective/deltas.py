"""Whose judgement is shared less: the mean delta of each group of annotators, beside everybody's."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

import altair as alt

from evenhand.figures.data import data
from evenhand.figures.figure import FAINT, INK, MODELS, Figure
from evenhand.figures.naming import figure, named
from evenhand.figures.perspective.order import furthest_first
from evenhand.finding import Finding

EVERYBODY = "everybody"
WIDE = 4.0  # times the usual width: such an interval is cut off
ACROSS = "← fits them better · mean delta · fits them worse →"
Rows = list[dict[str, Any]]


def deltas(finding: Finding) -> Figure | None:
    """A row for everybody and for each group, a colour for each model; None when there is nothing to show."""
    rows = list(_rows(finding))
    if not rows:
        return None
    domain = _domain(rows)
    rows = [row | {"low": max(row["low"], domain[0]), "high": min(row["high"], domain[1])} for row in rows]
    models = list(dict.fromkeys(row["model"] for row in rows))
    height = len({row["group"] for row in rows}) * (26 + 12 * (len(models) - 1))
    chart = alt.layer(*_behind(rows, domain, models), *_dots(rows, domain, models)).properties(width=400, height=height)
    return figure(
        "perspective",
        "deltas",
        "Whose judgement is shared less?",
        "Mean delta, with its interval: to the right of 0 the model fits what the group says worse than what most "
        "people say, to the left better. Full dots stand out from what shuffling the groups over the annotators would "
        "give, hollow ones do not. "
        + ("Squares are everybody. " if len(models) > 1 else "The square and the grey band are everybody. ")
        + "Intervals of groups with few annotators are cut off where they are very wide.",
        chart,
    )


def _rows(finding: Finding) -> Iterator[dict[str, Any]]:
    for model in finding.values("model") or (None,):
        for group in (None, *furthest_first(finding)):
            slice_ = named(model) | ({} if group is None else {"annotators": group})
            e, people = finding.get("conformity_delta", **slice_), _people(finding, group)
            if e.defined:
                yield {
                    "group": f"{EVERYBODY if group is None else group} ({people:,.0f})",
                    "model": model or "the model",
                    "kind": EVERYBODY if group is None else "stands_out" if "stands_out" in e.flags else "usual",
                    "value": e.value,
                    "low": e.low,
                    "high": e.high,
                }


def _people(finding: Finding, group: str | None) -> float:
    return finding.get("annotator_count", **({} if group is None else {"annotators": group})).value or 0.0


def _domain(rows: Rows) -> list[float]:
    """All values, and the intervals that are not far wider than usual, on either side of 0."""
    usual = WIDE * median(row["high"] - row["low"] for row in rows)
    ends = [end for row in rows if row["high"] - row["low"] <= usual for end in (row["low"], row["high"])]
    ends += [0.0, *(row["value"] for row in rows)]
    room = 0.04 * (max(ends) - min(ends)) or 0.01
    return [min(ends) - room, max(ends) + room]


def _x(column: str, domain: list[float]) -> alt.X:
    axis = alt.Axis(tickCount=5, labelExpr="datum.value == 0 ? '0' : format(datum.value, '+.4~f')")
    return alt.X(f"{column}:Q", title=ACROSS, scale=alt.Scale(domain=domain, nice=False), axis=axis)


def _behind(rows: Rows, domain: list[float], models: list[str]) -> list[alt.Chart]:
    """The line of no difference; of one model also a band for everybody."""
    zero = alt.Chart(data([{"value": 0.0}])).mark_rule(color=INK, strokeDash=[4, 3]).encode(x=_x("value", domain))
    if len(models) > 1:
        return [zero]
    band = alt.Chart(data([row for row in rows if row["kind"] == EVERYBODY])).mark_rect(color=FAINT, opacity=0.25)
    return [band.encode(x=_x("low", domain), x2="high:Q"), zero]


def _dots(rows: Rows, domain: list[float], models: list[str]) -> list[alt.Chart]:
    order = list(dict.fromkeys(row["group"] for row in rows))
    axis = alt.Axis(ticks=False, domain=False, grid=False, labelPadding=8, labelFontSize=12, labelLimit=230)
    color = alt.Color(
        "model:N",
        scale=alt.Scale(domain=models, range=list(MODELS)),
        legend=None
        if len(models) == 1
        else alt.Legend(title=None, symbolType="circle", symbolStrokeWidth=0, symbolOpacity=1, labelLimit=160),
    )
    y, offset = alt.Y("group:N", sort=order, title=None, axis=axis), alt.YOffset("model:N", sort=models)

    def of(kinds: tuple[str, ...]) -> alt.Chart:
        return alt.Chart(data([row for row in rows if row["kind"] in kinds])).encode(y=y, yOffset=offset, color=color)

    line = of((EVERYBODY, "stands_out", "usual")).mark_rule(strokeWidth=2).encode(x=_x("low", domain), x2="high:Q")
    shapes = {EVERYBODY: ("square", True), "stands_out": ("circle", True), "usual": ("circle", False)}
    points = [
        of((kind,))
        .mark_point(shape=shape, size=75, opacity=1, strokeWidth=2, **_fill(filled=filled))
        .encode(x=_x("value", domain))
        for kind, (shape, filled) in shapes.items()
        if any(row["kind"] == kind for row in rows)
    ]
    return [line, *points]


def _fill(*, filled: bool) -> dict[str, Any]:
    return {"filled": True} if filled else {"filled": False, "fill": "white"}
