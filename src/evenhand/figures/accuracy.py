"""The figures of an accuracy finding: recall, precision and prevalence, also by part, and labels still needed."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any

from evenhand.audits.accuracy.settings import planned_for
from evenhand.audits.accuracy.verdicts import VISIBLE, parts_by_prevalence, sliced_columns
from evenhand.catalogue.accuracy import LABELS_NEEDED, LABELS_NEEDED_RANDOM, POPULATION, PREVALENCE
from evenhand.catalogue.shared import F1, PRECISION, RECALL
from evenhand.figures import vega_lite as vl
from evenhand.figures.figure import Figure, make_figure
from evenhand.figures.style import INK, MODEL_COLOURS
from evenhand.finding import Finding, Slice
from evenhand.formatting import format_share

DECISION_MEASURES = (RECALL, PRECISION, F1)
PREVALENCE_SLICES: dict[str, Slice] = {"of all items": {}, "of visible items": VISIBLE}


def draw_accuracy_overview(finding: Finding) -> Figure | None:
    """How good the decisions are on the left, how much violates on the right; None when nothing has a value."""
    panels = [
        _overview_panel(rows, title, hue, domain)
        for rows, title, hue, domain in (
            (list(_decision_rows(finding)), "share (%)", MODEL_COLOURS[0], [0.0, 100.0]),
            (list(_prevalence_rows(finding)), "prevalence (%)", MODEL_COLOURS[1], None),
        )
        if rows
    ]
    if not panels:
        return None
    several = len(panels) > 1
    caption = (
        "Left: share of violating items removed (recall) and share of removed items that are violating (precision). "
        if several
        else ""
    )
    return make_figure(
        "accuracy",
        "overview",
        "Overview",
        f"{caption}{'Right: prevalence' if several else 'Prevalence'}. Dots: estimates; lines: intervals.",
        vl.hconcat(*panels, spacing=36),
    )


def _decision_rows(finding: Finding) -> Iterator[dict[str, Any]]:
    for measure in DECISION_MEASURES:
        if finding.has(measure) and finding.get(measure).defined:
            yield interval_row(measure.title, finding, measure, {})


def _prevalence_rows(finding: Finding) -> Iterator[dict[str, Any]]:
    for name, slice_ in PREVALENCE_SLICES.items():
        if finding.has(PREVALENCE, **slice_) and finding.get(PREVALENCE, **slice_).defined:
            yield interval_row(name, finding, PREVALENCE, slice_)


def interval_row(name: str, finding: Finding, measure: str, slice_: Slice) -> dict[str, Any]:
    """A dot and its line, in per cent."""
    e = finding.get(measure, **slice_)
    value, low, high = (100.0 * (end or 0.0) for end in (e.value, e.low, e.high))
    return {"name": name, "value": value, "low": low, "high": high, "small": e.small}


def interval_dots(rows: vl.ChartRows, title: str, hue: str, domain: list[float] | None) -> list[vl.Chart]:
    """Lines for the intervals, full dots, and hollow ones where few violations were seen."""
    scale = vl.Scale(domain=domain) if domain else vl.Scale(zero=True)
    x = vl.X("value:Q", title=title, scale=scale, axis=vl.Axis(tickCount=5))
    names = [one["name"] for one in rows]
    y = vl.Y(
        "name:N",
        sort=names,
        title=None,
        axis=vl.Axis(ticks=False, domain=False, grid=True, labelPadding=8),
    )
    base = vl.Chart.from_rows(rows).encode(y=y)
    line = base.mark("rule", strokeWidth=2.5, color=hue).encode(x=vl.X("low:Q", title=title, scale=scale), x2="high:Q")
    full = base.mark("point", filled=True, size=75, opacity=1, color=hue).encode(x=x)
    hollow = base.mark("point", filled=False, fill="white", size=65, opacity=1, strokeWidth=2, color=hue).encode(x=x)
    return [line, full.filter("!datum.small"), hollow.filter("datum.small")]


def _overview_panel(rows: vl.ChartRows, title: str, hue: str, domain: list[float] | None) -> vl.Chart:
    texts = vl.Chart.from_rows(rows).mark("text", align="left", dx=10, dy=-9, fontSize=12, color=INK)
    text = texts.encode(
        y=vl.Y("name:N", sort=[one["name"] for one in rows]), x="value:Q", text=vl.Text("value:Q", format=".3~r")
    )
    return vl.layer(*interval_dots(rows, title, hue, domain), text).properties(width=300, height=max(2, len(rows)) * 42)


MOST_PARTS = 40  # parts in one picture


def draw_parts(finding: Finding, column: str) -> Figure | None:
    """A row a part; recall beside the prevalence where there are decisions. None when nothing has a value."""
    names = [n for n in parts_by_prevalence(finding, column) if finding.get(PREVALENCE, **{column: n}).defined]
    shown = names[:MOST_PARTS]
    if not shown:
        return None
    panels = [_parts_panel(finding, column, shown, PREVALENCE, "prevalence (% of all items)")]
    if finding.has(RECALL) and any(finding.get(RECALL, **{column: name}).defined for name in shown):
        panels.append(_parts_panel(finding, column, shown, RECALL, "recall (% of violating items removed)"))
    hidden = len(names) - len(shown)
    left = f" The {hidden} with the lowest prevalence are not shown." if hidden else ""
    return make_figure(
        "accuracy",
        "parts",
        f"By {column}",
        "Dots: estimates; lines: intervals; highest prevalence first. Hollow dots: few violating items, conservative "
        f"intervals.{left}",
        vl.hconcat(*panels, spacing=30),
        about={"by": column},
    )


def _parts_panel(finding: Finding, column: str, names: list[str], measure: str, title: str) -> vl.Chart:
    parts = [(name, {column: name}) for name in names]
    rows = [interval_row(n, finding, measure, part) for n, part in parts if finding.get(measure, **part).defined]
    hue, domain = (MODEL_COLOURS[1], None) if measure == PREVALENCE else (MODEL_COLOURS[0], [0.0, 100.0])
    return vl.layer(*interval_dots(rows, title, hue, domain)).properties(width=300, height=max(2, len(names)) * 24)


HAVE, LIKE_THESE, AT_RANDOM = "current labels", "drawn in the same way", "random sampling"
LABEL_KINDS = {HAVE: INK, LIKE_THESE: MODEL_COLOURS[0], AT_RANDOM: MODEL_COLOURS[4]}


def draw_labels_needed(finding: Finding, column: str) -> Figure | None:
    """Labels there are, and the range of those needed; None when nothing has a value."""
    shown = parts_by_prevalence(finding, column)[:MOST_PARTS]
    rows = [row for name in shown for row in _needed_rows(finding, column, name)]
    if not rows:
        return None
    names = list(dict.fromkeys(row["name"] for row in rows))
    return make_figure(
        "accuracy",
        "needed",
        f"Labels needed, by {column}",
        f"To estimate the prevalence to within {format_share(planned_for(finding).target)} of its value. Dots: labels "
        "needed; lines: their range over the interval of the prevalence, at most all items; bars: current labels. "
        "Logarithmic scale.",
        _needed_chart(rows, names),
        about={"by": column},
    )


def _needed_rows(finding: Finding, column: str, name: str) -> list[dict[str, Any]]:
    part = {column: name}
    pool = VISIBLE if finding.has(LABELS_NEEDED, **part, **VISIBLE) else {}
    if not finding.has(LABELS_NEEDED, **part, **pool):
        return []
    sizes = {
        LIKE_THESE: finding.get(LABELS_NEEDED, **part, **pool),
        AT_RANDOM: finding.get(LABELS_NEEDED_RANDOM, **part, **pool),
    }
    most = _population(finding, part)  # nobody can label more
    rows = [
        {"name": name, "kind": kind, **{end: min(most, getattr(e, end) or most) for end in ("value", "low", "high")}}
        for kind, e in sizes.items()
        if e.value is not None
    ]
    have = float(sizes[LIKE_THESE].n)
    return [*rows, {"name": name, "kind": HAVE, "value": have, "low": have, "high": have}] if rows else []


def _population(finding: Finding, part: dict[str, str]) -> float:
    return finding.get(POPULATION, **part).value or inf if finding.has(POPULATION, **part) else inf


def _needed_chart(rows: list[dict[str, Any]], names: list[str]) -> vl.Chart:
    kinds = list(LABEL_KINDS)
    y = vl.Y("name:N", sort=names, title=None, axis=vl.Axis(ticks=False, domain=False, grid=True, labelPadding=8))
    color = vl.Color(
        "kind:N", title="labels", scale=vl.Scale(domain=kinds, range=list(LABEL_KINDS.values())), sort=kinds
    )
    scale = vl.Scale(type="log", nice=False)
    axis = vl.Axis(format="~s", tickCount=6, labelOverlap="greedy")
    base = vl.Chart.from_rows(rows).encode(y=y, color=color, yOffset=vl.YOffset("kind:N", sort=kinds))
    x = vl.X("value:Q", title="labels", scale=scale, axis=axis)
    line = base.mark("rule", strokeWidth=2.5).encode(
        x=vl.X("low:Q", title="labels", scale=scale, axis=axis), x2="high:Q"
    )
    dot = base.mark("point", filled=True, size=55, opacity=1).encode(x=x).filter(f"datum.kind != '{HAVE}'")
    have = base.mark("tick", thickness=3, size=14).encode(x=x).filter(f"datum.kind == '{HAVE}'")
    return vl.layer(line, dot, have).properties(width=560, height=max(2, len(names)) * 36)


def draw_accuracy(finding: Finding) -> Iterator[Figure]:
    """Everything at a glance; then, for each column that was sliced by, its parts and the labels they still need."""
    if drawn := draw_accuracy_overview(finding):
        yield drawn
    for column in sliced_columns(finding):
        yield from (drawn for drawn in (draw_parts(finding, column), draw_labels_needed(finding, column)) if drawn)
