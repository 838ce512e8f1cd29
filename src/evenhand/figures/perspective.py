"""The figures of a perspective finding: mean deltas of the groups of annotators, and models ranked by divergence.

None shows anything about a single annotator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from evenhand.audits.perspective.divergences import SHUFFLED
from evenhand.audits.perspective.standing import annotator_groups
from evenhand.catalogue.measure import Measure
from evenhand.catalogue.perspective import (
    ANNOTATOR_COUNT,
    CONFORMITY_DELTA,
    DEMOGRAPHIC_DIVERGENCE,
    UNCERTAINTY_DIVERGENCE,
)
from evenhand.estimate import Flag
from evenhand.figures import vega_lite as vl
from evenhand.figures.figure import Figure, make_figure
from evenhand.figures.perspective_annotators import draw_annotators, draw_clusters, draw_inertia
from evenhand.figures.style import FAINT, INK, MODEL_COLOURS
from evenhand.finding import Finding, Slice, SliceKey

EVERYBODY, MARKED, USUAL = "all annotators", Flag.STANDS_OUT.value, "usual"  # kinds of dots
WIDEST = 4.0  # times the usual width: such an interval is cut off
DELTA_TITLE = f"← fits better · {CONFORMITY_DELTA.title.lower()} · fits worse →"


def draw_deltas(finding: Finding) -> Figure | None:
    """A row for everybody and for each group, a colour for each model; None when there is nothing to show."""
    rows = list(_delta_rows(finding))
    if not rows:
        return None
    domain = _delta_domain(rows)
    rows = [row | {"low": max(row["low"], domain[0]), "high": min(row["high"], domain[1])} for row in rows]
    models = list(dict.fromkeys(row["model"] for row in rows))
    height = len({row["group"] for row in rows}) * (26 + 12 * (len(models) - 1))
    chart = vl.layer(*_reference_layers(rows, domain, models), *_delta_dots(rows, domain, models)).properties(
        width=400, height=height
    )
    return make_figure(
        "perspective",
        "deltas",
        "Mean delta by group of annotators",
        "Mean delta with its interval: to the right of 0, the model fits the labels of the group less well than the "
        "majority labels; to the left, better. Filled dots: statistically significant after correction for multiple "
        "comparisons. "
        + ("Squares: all annotators. " if len(models) > 1 else "Square and grey band: all annotators. ")
        + "Very wide intervals of groups with few annotators are truncated.",
        chart,
    )


def _delta_rows(finding: Finding) -> Iterator[dict[str, Any]]:
    parts: list[tuple[str, Slice]] = [(EVERYBODY, {})]
    parts += [(one.group, {SliceKey.ANNOTATORS: one.group}) for one in annotator_groups(finding)]
    for name, model in finding.models:
        for title, part in parts:
            e, people = finding.get(CONFORMITY_DELTA, **model, **part), finding.get(ANNOTATOR_COUNT, **part).value
            if e.defined:
                yield {
                    "group": f"{title} ({people or 0.0:,.0f})",
                    "model": name or "the model",
                    "kind": EVERYBODY if not part else MARKED if e.stands_out else USUAL,
                    "value": e.value,
                    "low": e.low,
                    "high": e.high,
                }


def _delta_domain(rows: vl.ChartRows) -> list[float]:
    """All values, and the intervals that are not far wider than usual, on either side of 0."""
    usual = WIDEST * median(row["high"] - row["low"] for row in rows)
    ends = [end for row in rows if row["high"] - row["low"] <= usual for end in (row["low"], row["high"])]
    ends += [0.0, *(row["value"] for row in rows)]
    room = 0.04 * (max(ends) - min(ends)) or 0.01
    return [min(ends) - room, max(ends) + room]


def _delta_axis(column: str, domain: list[float]) -> vl.Channel:
    axis = vl.Axis(tickCount=5, labelExpr="datum.value == 0 ? '0' : format(datum.value, '+.4~f')")
    return vl.X(f"{column}:Q", title=DELTA_TITLE, scale=vl.Scale(domain=domain, nice=False), axis=axis)


def _reference_layers(rows: vl.ChartRows, domain: list[float], models: list[str]) -> list[vl.Chart]:
    """The line of no difference; of one model also a band for everybody."""
    zero = (
        vl.Chart.from_rows([{"value": 0.0}])
        .mark("rule", color=INK, strokeDash=[4, 3])
        .encode(x=_delta_axis("value", domain))
    )
    if len(models) > 1:
        return [zero]
    band = vl.Chart.from_rows([row for row in rows if row["kind"] == EVERYBODY]).mark("rect", color=FAINT, opacity=0.25)
    return [band.encode(x=_delta_axis("low", domain), x2="high:Q"), zero]


def _delta_dots(rows: vl.ChartRows, domain: list[float], models: list[str]) -> list[vl.Chart]:
    order = list(dict.fromkeys(row["group"] for row in rows))
    axis = vl.Axis(ticks=False, domain=False, grid=False, labelPadding=8, labelFontSize=12, labelLimit=230)
    color = vl.Color(
        "model:N",
        scale=vl.Scale(domain=models, range=list(MODEL_COLOURS)),
        legend=None
        if len(models) == 1
        else vl.Legend(title=None, symbolType="circle", symbolStrokeWidth=0, symbolOpacity=1, labelLimit=160),
    )
    y, offset = vl.Y("group:N", sort=order, title=None, axis=axis), vl.YOffset("model:N", sort=models)

    def chart_of(kinds: tuple[str, ...]) -> vl.Chart:
        return vl.Chart.from_rows([row for row in rows if row["kind"] in kinds]).encode(
            y=y, yOffset=offset, color=color
        )

    line = (
        chart_of((EVERYBODY, MARKED, USUAL))
        .mark("rule", strokeWidth=2)
        .encode(x=_delta_axis("low", domain), x2="high:Q")
    )
    shapes = {EVERYBODY: ("square", True), MARKED: ("circle", True), USUAL: ("circle", False)}
    points = [
        chart_of((kind,))
        .mark("point", shape=shape, size=75, opacity=1, strokeWidth=2, **_marker_fill(filled=filled))
        .encode(x=_delta_axis("value", domain))
        for kind, (shape, filled) in shapes.items()
        if any(row["kind"] == kind for row in rows)
    ]
    return [line, *points]


def _marker_fill(*, filled: bool) -> dict[str, Any]:
    return {"filled": True} if filled else {"filled": False, "fill": "white"}


ROW_HEIGHT = 30  # pixels


def draw_ranking(finding: Finding) -> Figure | None:
    """Two panels, in each the largest divergence first; None for one model."""
    models = [model for name, model in finding.models if name]
    panels = [
        _ranking_panel(rows, title)
        for title, rows in (
            (f"{UNCERTAINTY_DIVERGENCE.title.lower()}: each dot is a group", list(_group_rows(finding, models))),
            (f"{DEMOGRAPHIC_DIVERGENCE.title.lower()}: of the clusters", list(_cluster_rows(finding, models))),
        )
        if rows
    ]
    if not panels:
        return None
    return make_figure(
        "perspective",
        "ranking",
        "Comparison of models",
        "Both divergences of each model, largest first. Grey: groups shuffled among annotators (bar: range, tick: "
        "mean). A divergence is above 0 by chance, so a dot within the bar shows no difference; filled dots: "
        "statistically significant after correction for multiple comparisons. Models are ordered by their largest "
        "divergence; groups with few annotators are shown only in the table.",
        vl.vconcat(*panels, spacing=18),
    )


def _group_rows(finding: Finding, models: Sequence[Slice]) -> Iterator[dict[str, Any]]:
    few = {one.group for one in annotator_groups(finding) if one.few}
    for model in models:
        for group in finding.values(SliceKey.ANNOTATORS):
            if group not in few:
                yield from _divergence_row(finding, UNCERTAINTY_DIVERGENCE, model, {SliceKey.ANNOTATORS: group})


def _cluster_rows(finding: Finding, models: Sequence[Slice]) -> Iterator[dict[str, Any]]:
    for model in models:
        yield from _divergence_row(finding, DEMOGRAPHIC_DIVERGENCE, model, {})


def _divergence_row(finding: Finding, measure: Measure, model: Slice, part: Slice) -> Iterator[dict[str, Any]]:
    e = finding.get(measure, **model, **part)
    chance = finding.get(measure, **model, **part, **SHUFFLED)
    if e.value is not None and chance.value is not None:
        shuffled = {"shuffled": chance.value, "low": chance.low, "high": chance.high}
        yield {"model": model[SliceKey.MODEL], "value": e.value, "full": e.stands_out, **shuffled}


def _ranking_panel(rows: vl.ChartRows, title: str) -> vl.Chart:
    largest = {model: max(row["value"] for row in rows if row["model"] == model) for model in _models_of(rows)}
    order = sorted(largest, key=lambda model: -largest[model])
    axis = vl.Axis(ticks=False, domain=False, grid=True, labelPadding=8, labelFontSize=12, labelLimit=170)
    y = vl.Y("model:N", sort=order, title=None, axis=axis)

    def x(column: str) -> vl.Channel:
        return vl.X(f"{column}:Q", title=title, scale=vl.Scale(zero=True), axis=vl.Axis(tickCount=5, grid=False))

    chance = [row for model in order for row in [_widest_chance([r for r in rows if r["model"] == model])]]
    grey = vl.Chart.from_rows(chance).encode(y=y)
    layers = [
        grey.mark("bar", size=14, color=FAINT, opacity=0.4, cornerRadius=2).encode(x=x("low"), x2="high:Q"),
        grey.mark("tick", color=INK, opacity=0.6, thickness=2, size=18).encode(x=x("shuffled")),
    ]
    for full, style in ((False, {"filled": False, "fill": "white"}), (True, {"filled": True})):
        if own := [row for row in rows if row["full"] is full]:
            dots = vl.Chart.from_rows(own).mark(
                "point", color=MODEL_COLOURS[0], size=75, opacity=1, strokeWidth=2, **style
            )
            layers.append(dots.encode(y=y, x=x("value")))
    return vl.layer(*layers).properties(width=400, height=ROW_HEIGHT * max(2, len(order)))


def _models_of(rows: vl.ChartRows) -> list[str]:
    return list(dict.fromkeys(row["model"] for row in rows))


def _widest_chance(rows: vl.ChartRows) -> dict[str, Any]:
    """Over the groups of one model, what shuffling gives at most."""
    return {
        "model": rows[0]["model"],
        "low": min(row["low"] for row in rows),
        "high": max(row["high"] for row in rows),
        "shuffled": sum(row["shuffled"] for row in rows) / len(rows),
    }


DRAWINGS_OF_ALL = (draw_deltas, draw_ranking, draw_annotators)
DRAWINGS_OF_EACH = (draw_clusters, draw_inertia)


def draw_perspective(finding: Finding) -> Iterator[Figure]:
    """Of all models together: deltas by group, their ranking, who the annotators are. Of each: clusters and bins."""
    yield from (drawn for draw in DRAWINGS_OF_ALL if (drawn := draw(finding)))
    for name, _ in finding.models:
        yield from (drawn for draw in DRAWINGS_OF_EACH if (drawn := draw(finding, name or None)))
