"""The control chart of each measure: periods from first to last, with their intervals and what chance alone reaches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evenhand.catalogue import find_measure
from evenhand.comparison import ChartPoint, ChartSeries, charted_series
from evenhand.figures import vega_lite as vl
from evenhand.figures.figure import Figure, make_figure
from evenhand.figures.style import FAINT, MODEL_COLOURS
from evenhand.finding import Finding

VALUE_COLOUR, ALARM_COLOUR = MODEL_COLOURS[0], MODEL_COLOURS[1]
ROW_HEIGHT, WIDTH = 30, 420


def draw_periods(finding: Finding) -> Iterator[Figure]:
    """One for each measure of everything."""
    return (_chart(one) for one in charted_series(finding) if not one.slice)


def _chart(one: ChartSeries) -> Figure:
    rows = [_row(point) for point in one.points]
    y = vl.Y("period:N", title=None, scale=vl.Scale(domain=[point.period for point in one.points]))
    x = vl.X("value:Q", title="%", scale=vl.Scale(zero=False), axis=vl.Axis(tickCount=5))
    base = vl.Chart.from_rows(rows).encode(y=y)
    limits = vl.Chart.from_rows([row for row in rows if row["least"] is not None]).encode(y=y)
    layers = [
        limits.mark("rule", color=FAINT, strokeWidth=11).encode(x=vl.X("least:Q", title="%"), x2="most:Q"),
        base.mark("rule", color=VALUE_COLOUR, strokeWidth=3).encode(x=vl.X("low:Q", title="%"), x2="high:Q"),
        base.filter("!datum.alarm").mark("point", size=70, color=VALUE_COLOUR).encode(x=x),
        base.filter("datum.alarm").mark("point", size=190, color=ALARM_COLOUR).encode(x=x),
    ]
    chart = vl.layer(*layers).properties(width=WIDTH, height=ROW_HEIGHT * max(2, len(rows)))
    return make_figure(
        "periods",
        "control",
        find_measure(one.measure).title,
        "Points: estimates with intervals. Behind them: what chance alone reaches. Large points are alarms.",
        vl.hconcat(chart, spacing=0),
        about={"measure": str(one.measure)},
    )


def _row(point: ChartPoint) -> dict[str, Any]:
    """In per cent."""
    e = point.estimate
    parts = {"value": e.value, "low": e.low, "high": e.high, "least": point.low, "most": point.high}
    shares = {name: None if part is None else 100.0 * part for name, part in parts.items()}
    return {"period": point.period, "alarm": point.alarm, **shares}
