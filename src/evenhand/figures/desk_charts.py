"""The figures of the desk's pages: measured weeks, the capacity curve, the scores of a policy, a study by batches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from evenhand.catalogue import Measure
from evenhand.estimate import Estimate
from evenhand.figures import vega_lite as vl
from evenhand.figures.figure import Figure, make_figure
from evenhand.figures.style import FAINT, INK, MODEL_COLOURS

VALUE_COLOUR, ALARM_COLOUR = MODEL_COLOURS[0], MODEL_COLOURS[1]
ROW_HEIGHT, WIDTH = 30, 230
PERCENT = vl.Scale(domain=[0.0, 100.0])
DASHED = [4, 3]


class DeskChart(StrEnum):
    """The names of the figures."""

    CONTROL = "control"
    CAPACITY = "capacity"
    SCORES = "scores"
    STUDY = "study"


class ControlPoint(NamedTuple):
    """A measured period, and whether its change was an alarm when it came."""

    period: str
    estimate: Estimate
    is_alarm: bool


class CurvePoint(NamedTuple):
    """A share at a number of reviews a day."""

    reviews: float
    estimate: Estimate


def draw_control_chart(
    measure: Measure, points: Sequence[ControlPoint], *, before: float | None, tolerance: float
) -> Figure:
    """Periods with their intervals, from the first to the last; `before` is the mean of those before the last."""
    rows = [_row({"period": point.period, "alarm": point.is_alarm}, point.estimate) for point in points]
    y = vl.Y("period:N", title=None, scale=vl.Scale(domain=[point.period for point in points]))
    x = vl.X("value:Q", title="%", scale=PERCENT, axis=vl.Axis(format=".0f", tickCount=5))
    base = vl.Chart.from_rows(rows).encode(y=y)
    layers = [
        base.mark("rule", color=VALUE_COLOUR, strokeWidth=3).encode(x=vl.X("low:Q", title="low"), x2="high:Q"),
        base.filter("!datum.alarm").mark("point", size=70, color=VALUE_COLOUR).encode(x=x),
        base.filter("datum.alarm").mark("point", size=190, color=ALARM_COLOUR).encode(x=x),
    ]
    if before is not None:
        layers += [_line(before, INK), *(_line(before + side * tolerance, FAINT, DASHED) for side in (-1.0, 1.0))]
    chart = vl.layer(*layers).properties(width=WIDTH, height=ROW_HEIGHT * len(rows))
    return make_figure(
        "desk",
        DeskChart.CONTROL,
        measure.title,
        "Points with 95 % intervals; upright line: the periods before the last one together; dashed: the tolerance. "
        "A large point is an alarm.",
        vl.hconcat(chart, spacing=0),
        about={"measure": str(measure)},
    )


def draw_study_chart(measure: Measure, estimates: Sequence[tuple[int, Estimate]]) -> Figure:
    """The estimate of a study after each batch, by the number of the batch."""
    rows = [_row({"batch": f"{number}"}, estimate) for number, estimate in estimates]
    highest = max((estimate.high for _, estimate in estimates if estimate.high is not None), default=1.0)
    scale = vl.Scale(domain=[0.0, min(100.0, 10.0 * math.ceil(10.0 * highest) or 10.0)])
    y = vl.Y("batch:N", title="batch", scale=vl.Scale(domain=[f"{number}" for number, _ in estimates]))
    base = vl.Chart.from_rows(rows).encode(y=y)
    ends = vl.X("low:Q", title="%", scale=scale, axis=vl.Axis(format=".0f", tickCount=5))
    layers = (
        base.mark("rule", color=VALUE_COLOUR, strokeWidth=3).encode(x=ends, x2="high:Q"),
        base.mark("point", size=70, color=VALUE_COLOUR).encode(x=vl.X("value:Q")),
    )
    chart = vl.layer(*layers).properties(width=2 * WIDTH, height=ROW_HEIGHT * len(rows))
    return make_figure(
        "desk",
        DeskChart.STUDY,
        measure.title,
        "The estimate after each batch, with its interval.",
        vl.hconcat(chart, spacing=0),
        about={"measure": str(measure)},
    )


def draw_capacity_curve(measure: Measure, points: Sequence[CurvePoint], *, now: float, then: float) -> Figure:
    """A share at each capacity; lines at the capacity of now and at that with one more reviewer."""
    rows = [_row({"reviews": point.reviews}, point.estimate) for point in points]
    x = vl.X("reviews:Q", title="reviews a day", scale=vl.Scale(domain=[0.0, points[-1].reviews]))
    layers = [
        vl.Chart.from_rows(rows)
        .mark("line", color=colour, strokeWidth=width, **style)
        .encode(x=x, y=vl.Y(f"{part}:Q", title=f"{measure.title}, %", scale=PERCENT))
        for part, colour, width, style in (
            ("value", VALUE_COLOUR, 2.5, {}),
            ("low", VALUE_COLOUR, 1, {"strokeDash": DASHED}),
            ("high", VALUE_COLOUR, 1, {"strokeDash": DASHED}),
        )
    ]
    marks = [(now, INK, None), (then, ALARM_COLOUR, DASHED)]
    layers += [_line(at, colour, dash, column="reviews") for at, colour, dash in marks if at <= points[-1].reviews]
    chart = vl.layer(*layers).properties(width=2 * WIDTH, height=180)
    return make_figure(
        "desk",
        DeskChart.CAPACITY,
        measure.title,
        "Line: share of violations found; dashed curves: 95 % intervals. Upright line: now; dashed: one more reviewer.",
        vl.hconcat(chart, spacing=0),
    )


def draw_score_distribution(counts: Sequence[int], thresholds: Sequence[float]) -> Figure:
    """How many items have which score, in bins of equal width from 0 to 1, and where the thresholds are."""
    size = 1.0 / len(counts)
    corners = [(at, count) for bin_, count in enumerate(counts) for at, count in _corners(bin_, size, count)]
    rows = [{"score": at, "items": count, "order": place} for place, (at, count) in enumerate(corners)]
    x = vl.X("score:Q", title="score", scale=vl.Scale(domain=[0.0, 1.0]), axis=vl.Axis(format=".1f"))
    area = vl.Chart.from_rows(rows).mark("area", color=VALUE_COLOUR, opacity=0.5)
    shown = area.encode(x=x, y=vl.Y("items:Q", title="items"), order=vl.Y("order:Q"))
    lines = [_line(at, ALARM_COLOUR, column="score") for at in thresholds]
    chart = vl.layer(shown, *lines).properties(width=2 * WIDTH, height=140)
    return make_figure(
        "desk",
        DeskChart.SCORES,
        "Scores",
        "How many items have which score; upright lines: the thresholds.",
        vl.hconcat(chart, spacing=0),
    )


def _corners(number: int, size: float, count: int) -> list[tuple[float, int]]:
    return [(number * size, count), ((number + 1) * size, count)]


def _row(place: dict[str, object], estimate: Estimate) -> dict[str, object]:
    ends = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    return place | {name: None if end is None else round(100.0 * end, 1) for name, end in ends.items()}


def _line(at: float, colour: str, dash: list[int] | None = None, column: str = "value") -> vl.Chart:
    """An upright line through the panel."""
    style = {} if dash is None else {"strokeDash": dash}
    value = round(100.0 * at, 1) if column == "value" else at
    return vl.Chart.from_rows([{column: value}]).mark("rule", color=colour, **style).encode(x=vl.X(f"{column}:Q"))
