"""The reliability diagram that calibration and collaboration share: observed frequency by stated probability."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.figures import vega_lite as vl
from evenhand.figures.style import FAINT, INK, MODEL_COLOURS

BinColumns = Mapping[str, Sequence[float | str | None]]  # of an exhibit
LEAST_SHARE = 0.01  # of the items, for a bin of what is expected


@dataclass(frozen=True)
class DiagramFrame:
    """What the axes say, where that of the model's certainty starts, and the size in pixels."""

    across: str
    up: str
    start: float = 0.0
    width: int = 300
    height: int = 200
    whole: bool = False  # up from 0, so that panels can be compared


def reliability_chart(
    columns: BinColumns, frame: DiagramFrame, *, title: str | None = None, expected: BinColumns | None = None
) -> vl.Chart:
    """The bins of an exhibit as dots, with their intervals where it has them, and the counts beneath.

    `expected` is a grey line beside the diagonal: what a calibrated model would show.
    """
    rows = list(_bin_rows(columns))
    parts = (_diagram(rows, frame, expected), _counts(rows, frame, len(columns["weight"])))
    above = {} if title is None else {"title": vl.title(title, fontSize=12, offset=4)}
    return vl.vconcat(*parts, spacing=6, **above).resolve(scale={"x": "shared"})


def _bin_rows(columns: BinColumns) -> Iterator[dict[str, float]]:
    """One for each bin that holds anything."""
    parts = {"items": "weight", "sure": "confidence", "correct": "accuracy", "low": "low", "high": "high"}
    known = {name: columns[column] for name, column in parts.items() if column in columns}
    for values in zip(*known.values(), strict=True):
        row = {name: value for name, value in zip(known, values, strict=True) if isinstance(value, int | float)}
        if row["items"]:
            yield row


def _across(frame: DiagramFrame, *, labels: bool) -> vl.Channel:
    axis = vl.Axis(labels=labels, ticks=labels, tickCount=5 if frame.width > 200 else 4, format="~%")
    domain = vl.Scale(domain=[frame.start, 1.0], nice=False, zero=False)
    return vl.X("sure:Q", title=frame.across if labels else None, scale=domain, axis=axis)


def _diagram(rows: list[dict[str, float]], frame: DiagramFrame, expected: BinColumns | None) -> vl.Chart:
    ends = [0.0 if frame.whole else frame.start, *(row.get("low", row["correct"]) for row in rows)]
    scale = vl.Scale(domain=[min(ends), 1.0], nice=False)
    ticks = vl.Axis(tickCount=5 if frame.height > 150 else 4, format="~%")
    x, y = _across(frame, labels=False), vl.Y("correct:Q", title=frame.up, scale=scale, axis=ticks)
    even = [{"sure": end, "correct": end} for end in (frame.start, 1.0)]
    base = vl.Chart.from_rows(rows).encode(x=x, y=y)
    layers = [_line(even, x, y, strokeDash=[4, 3], color=INK, strokeWidth=1)]
    if expected is not None:
        layers.append(_line(_populated_bins(expected), x, y, color=FAINT, strokeWidth=3, opacity=0.8))
    if rows and "low" in rows[0]:
        within = base.mark("rule", color=MODEL_COLOURS[0], strokeWidth=1.5, opacity=0.55)
        layers.append(within.encode(y=vl.Y("low:Q", title=frame.up, scale=scale), y2="high:Q"))
    else:
        layers.append(base.mark("line", color=MODEL_COLOURS[0], strokeWidth=2))
    layers.append(
        base.mark("point", color=MODEL_COLOURS[0], filled=True, size=44 if frame.width > 200 else 26, opacity=1)
    )
    return vl.layer(*layers).properties(width=frame.width, height=frame.height)


def _populated_bins(expected: BinColumns) -> list[dict[str, float]]:
    """Without the bins that hardly anything falls into: their mean is noise."""
    rows = list(_bin_rows(expected))
    return [row for row in rows if row["items"] >= LEAST_SHARE * sum(other["items"] for other in rows)]


def _line(rows: list[dict[str, float]], x: vl.Channel, y: vl.Channel, **style: Any) -> vl.Chart:
    return vl.Chart.from_rows(rows).mark("line", **style).encode(x=x, y=y)


def _counts(rows: list[dict[str, float]], frame: DiagramFrame, bins: int) -> vl.Chart:
    """A bar beneath each dot."""
    axis = vl.Axis(tickCount=2, labelExpr="format(datum.value, '~s')", grid=False)
    y = vl.Y("items:Q", title="items", scale=vl.Scale(type="sqrt"), axis=axis)
    wide = max(2.0, 0.66 * frame.width / bins / (1.0 - frame.start))
    bars = vl.Chart.from_rows(rows).mark("bar", color=FAINT, stroke="white", strokeWidth=0.5, size=wide, clip=True)
    return vl.layer(bars.encode(x=_across(frame, labels=True), y=y, y2=vl.datum(0))).properties(
        width=frame.width, height=max(36, frame.height // 4)
    )
