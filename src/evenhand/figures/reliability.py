"""How often something comes true by how sure the model is of it: the drawing that several audits share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import altair as alt

from evenhand.figures.data import data
from evenhand.figures.figure import FAINT, INK, MODELS

Columns = Mapping[str, list[float]]
FEW = 0.01  # of the items, for a bin of what is expected
Layered = alt.LayerChart | alt.FacetChart


@dataclass(frozen=True)
class Frame:
    """What the axes say, where that of the model's certainty starts, and the size in pixels."""

    across: str
    up: str
    start: float = 0.0
    width: int = 300
    height: int = 200
    whole: bool = False  # up from 0, so that panels can be compared


def reliability(
    columns: Columns, frame: Frame, *, title: str | None = None, expected: Columns | None = None
) -> alt.VConcatChart:
    """The bins of an exhibit as dots, with their intervals where it has them, and the counts beneath.

    `expected` is a grey line beside the diagonal: what a calibrated model would show.
    """
    rows = list(_rows(columns))
    parts = (_diagram(rows, frame, expected), _counts(rows, frame, len(columns["weight"])))
    above = {} if title is None else {"title": alt.TitleParams(title, fontSize=12, offset=4)}
    chart: alt.VConcatChart = alt.vconcat(*parts, spacing=6, **above).resolve_scale(x="shared")
    return chart


def _rows(columns: Columns) -> Iterable[dict[str, float]]:
    """One for each bin that holds anything."""
    parts = {"items": "weight", "sure": "confidence", "correct": "accuracy", "low": "low", "high": "high"}
    known = {name: columns[column] for name, column in parts.items() if column in columns}
    for values in zip(*known.values(), strict=True):
        row = dict(zip(known, values, strict=True))
        if row["items"]:
            yield row


def _across(frame: Frame, *, labels: bool) -> alt.X:
    axis = alt.Axis(labels=labels, ticks=labels, tickCount=5 if frame.width > 200 else 4, format="~%")
    domain = alt.Scale(domain=[frame.start, 1.0], nice=False, zero=False)
    return alt.X("sure:Q", title=frame.across if labels else None, scale=domain, axis=axis)


def _diagram(rows: list[dict[str, float]], frame: Frame, expected: Columns | None) -> Layered:
    ends = [0.0 if frame.whole else frame.start, *(row.get("low", row["correct"]) for row in rows)]
    scale = alt.Scale(domain=[min(ends), 1.0], nice=False)
    ticks = alt.Axis(tickCount=5 if frame.height > 150 else 4, format="~%")
    x, y = _across(frame, labels=False), alt.Y("correct:Q", title=frame.up, scale=scale, axis=ticks)
    even = [{"sure": end, "correct": end} for end in (frame.start, 1.0)]
    base = alt.Chart(data(rows)).encode(x=x, y=y)
    layers = [_line(even, x, y, strokeDash=[4, 3], color=INK, strokeWidth=1)]
    if expected is not None:
        layers.append(_line(_enough(expected), x, y, color=FAINT, strokeWidth=3, opacity=0.8))
    if rows and "low" in rows[0]:
        within = base.mark_rule(color=MODELS[0], strokeWidth=1.5, opacity=0.55)
        layers.append(within.encode(y=alt.Y("low:Q", title=frame.up, scale=scale), y2="high:Q"))
    else:
        layers.append(base.mark_line(color=MODELS[0], strokeWidth=2))
    layers.append(base.mark_point(color=MODELS[0], filled=True, size=44 if frame.width > 200 else 26, opacity=1))
    return alt.layer(*layers).properties(width=frame.width, height=frame.height)


def _enough(expected: Columns) -> list[dict[str, float]]:
    """Without the bins that hardly anything falls into: their mean is noise."""
    rows = list(_rows(expected))
    return [row for row in rows if row["items"] >= FEW * sum(other["items"] for other in rows)]


def _line(rows: list[dict[str, float]], x: alt.X, y: alt.Y, **style: Any) -> alt.Chart:
    line: alt.Chart = alt.Chart(data(rows)).mark_line(**style).encode(x=x, y=y)
    return line


def _counts(rows: list[dict[str, float]], frame: Frame, bins: int) -> Layered:
    """A bar beneath each dot."""
    axis = alt.Axis(tickCount=2, labelExpr="format(datum.value, '~s')", grid=False)
    y = alt.Y("items:Q", title="items", scale=alt.Scale(type="sqrt"), axis=axis)
    wide = max(2.0, 0.66 * frame.width / bins / (1.0 - frame.start))
    bars = alt.Chart(data(rows)).mark_bar(color=FAINT, stroke="white", strokeWidth=0.5, size=wide, clip=True)
    return alt.layer(bars.encode(x=_across(frame, labels=True), y=y, y2=alt.Y2Datum(0))).properties(
        width=frame.width, height=max(36, frame.height // 4)
    )
