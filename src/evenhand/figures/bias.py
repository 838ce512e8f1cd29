"""The figures of a bias finding: all groups beside one another, then score distributions and rate curves of each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from evenhand.audits.bias.exhibits import BiasExhibit
from evenhand.audits.bias.verdicts import worst_first
from evenhand.catalogue import Measure, Unit, find_measure
from evenhand.catalogue.bias import BNSP_AUC, BPSN_AUC, NEGATIVE_AEG, POSITIVE_AEG, SUBGROUP_AUC
from evenhand.catalogue.shared import COUNT
from evenhand.figures import vega_lite as vl
from evenhand.figures.figure import Figure
from evenhand.figures.style import BENIGN_COLOUR, FAINT, INK, MODEL_COLOURS, VIOLATING_COLOUR
from evenhand.finding import Exhibit, Finding, Slice, SliceKey


class BiasFigure(StrEnum):
    """The names of the figures of a bias finding."""

    GROUPS = "groups"
    DISTRIBUTION = "distribution"
    CURVE = "curve"


def group_exhibits(finding: Finding, kind: BiasExhibit, group: str) -> list[Exhibit]:
    """The exhibits of one kind that are drawn for a group."""
    own = [exhibit for exhibit in finding.exhibits if exhibit.kind == kind]
    return [exhibit for exhibit in own if exhibit.slice[SliceKey.GROUP] == group and _is_shown(exhibit.slice)]


def _is_shown(slice_: Slice) -> bool:
    """Everything and short comments have a panel; other slices would be too many."""
    return set(slice_) <= {SliceKey.GROUP, SliceKey.MODEL, SliceKey.LENGTH}


def panel_name(slice_: Mapping[str, str]) -> str:
    """The name of a panel or line: the model, and the part of the items."""
    model, length = slice_[SliceKey.MODEL], slice_.get(SliceKey.LENGTH)
    return f"{model}, {length} items only" if length else model


WHOLE = {SliceKey.GROUP, SliceKey.MODEL}  # keys of slices of everything
MOST_CHARTED = 12  # groups, small ones among them
OVERVIEW_MEASURES = (SUBGROUP_AUC, BPSN_AUC, BNSP_AUC, NEGATIVE_AEG, POSITIVE_AEG)


def draw_bias_overview(finding: Finding, groups: list[str]) -> Figure | None:
    """All groups in one figure; None when there is nothing to show."""
    rows = _overview_rows(finding)
    if not rows:
        return None
    models = list(dict.fromkeys(str(row["model"]) for row in rows))
    measures = [measure for measure in OVERVIEW_MEASURES if any(row["measure"] == measure.title for row in rows)]
    named = [group for group in groups if any(row["group"] == group for row in rows)]
    shown = _charted_groups(finding, named)
    rows = [row for row in rows if row["group"] in shown]
    panels = [_overview_panel(rows, measure, shown, models, first=measure is measures[0]) for measure in measures]
    chart = vl.hconcat(*panels, spacing=14).resolve(scale={"color": "shared", "yOffset": "shared"})
    return Figure(
        finding.audit,
        BiasFigure.GROUPS,
        "All groups",
        "Dots: estimates; lines: intervals, truncated where those of a small group are very wide; lowest AUC at the "
        "top. AUCs: 1 is best. AEGs: 0 is best; to the right, items in the group are scored higher than other items."
        + (" Small groups are left out." if len(shown) < len(named) else ""),
        chart.to_dict(),
    )


def _charted_groups(finding: Finding, groups: list[str]) -> list[str]:
    """All of them, or where there are many only those that are not small: wide intervals would hide the others."""
    small = {
        m.slice[SliceKey.GROUP]
        for m in finding
        if m.measure == COUNT and {SliceKey.GROUP} <= set(m.slice) <= WHOLE and m.estimate.small
    }
    large = [group for group in groups if group not in small]
    return large if large and len(groups) > MOST_CHARTED else groups


def _overview_rows(finding: Finding) -> list[dict[str, Any]]:
    return [
        {
            "group": m.slice[SliceKey.GROUP],
            "model": m.slice.get(SliceKey.MODEL, "model"),
            "measure": find_measure(m.measure).title,
            "value": m.estimate.value,
            "low": m.estimate.low,
            "high": m.estimate.high,
            "small": m.estimate.small,
        }
        for m in finding
        if m.measure in OVERVIEW_MEASURES and m.estimate.defined and {SliceKey.GROUP} <= set(m.slice) <= WHOLE
    ]


def _overview_panel(
    rows: list[dict[str, Any]], measure: Measure, groups: list[str], models: list[str], *, first: bool
) -> vl.Chart:
    lowest, highest = domain = _overview_domain(rows, measure)
    own = [
        row | {"low": max(row["low"], lowest), "high": min(row["high"], highest)}
        for row in rows
        if row["measure"] == measure.title and row["low"] <= highest and row["high"] >= lowest
    ]
    names = vl.Axis(labels=first, ticks=False, domain=False, grid=True, labelPadding=6)
    y = vl.Y("group:N", scale=vl.Scale(domain=groups), title=None, axis=names)
    hues = vl.Scale(domain=models, range=list(MODEL_COLOURS[: len(models)]))
    legend = None if len(models) == 1 else vl.Legend()
    color = vl.Color("model:N", title=None, scale=hues, legend=legend)
    base = vl.Chart.from_rows(own).encode(y=y, color=color, yOffset=vl.YOffset("model:N", sort=models))
    axis = vl.Axis(tickCount=3, format=".2~f", labelOverlap=True)
    scale = vl.Scale(domain=domain)
    ends: dict[str, str | vl.Channel] = {
        "x": vl.X("low:Q", title=measure.title, scale=scale, axis=axis),
        "x2": "high:Q",
    }
    dots = vl.Chart.from_rows([row for row in own if lowest <= row["value"] <= highest]).encode(**base.spec["encoding"])
    x = vl.X("value:Q", title=measure.title, scale=scale, axis=axis)
    layers = [base.mark("rule", strokeWidth=2).encode(**ends)]
    layers.append(dots.mark("point", filled=True, size=42, opacity=1).encode(x=x))
    if measure.unit is Unit.DIFFERENCE:
        zero = vl.Chart.from_rows([{"value": 0}]).mark("rule", color=FAINT, strokeDash=[4, 3]).encode(x="value:Q")
        layers.insert(0, zero)
    height = max(2, len(groups)) * (14 + 8 * (len(models) - 1))
    return vl.layer(*layers).properties(width=150, height=height)


def _overview_domain(rows: list[dict[str, Any]], measure: Measure) -> list[float]:
    """The same for all AUCs, and for both gaps, so that panels can be compared."""
    titles = [one.title for one in OVERVIEW_MEASURES if one.unit is measure.unit]
    alike = [row for row in rows if row["measure"] in titles]
    alike = [row for row in alike if not row["small"]] or alike  # few items have wide intervals, which are cut off
    if measure.unit is Unit.DIFFERENCE:
        furthest = max(max(abs(row["low"]), abs(row["high"])) for row in alike)
        return [-math.ceil(10.0 * furthest) / 10.0, math.ceil(10.0 * furthest) / 10.0]
    return [math.floor(10.0 * min(row["low"] for row in alike)) / 10.0, 1.0]


ELSEWHERE = "other items"


def draw_distributions(finding: Finding, group: str) -> Figure:
    """Everyone else above, the group below, a column for each model and for short items."""
    rows: list[dict[str, Any]] = []
    for exhibit in group_exhibits(finding, BiasExhibit.DISTRIBUTION, group):
        rows += _densities(exhibit, group)
    panels = list(dict.fromkeys(str(row["panel"]) for row in rows))
    chart = (
        vl.layer(*_distribution_layers(), rows=rows)
        .properties(width=_panel_width(len(panels)), height=70)
        .facet(
            row=vl.Row("who:N", sort=[ELSEWHERE, group], title=None, header=vl.Header(labelAngle=0, labelAlign="left")),
            column=vl.Column("panel:N", sort=panels, title=None),
            spacing=8,
        )
    )
    return Figure(
        finding.audit,
        BiasFigure.DISTRIBUTION,
        f"Scores of items in group '{group}' and of other items",
        "Share of items by score, for each label; square-root scale.",
        chart.to_dict(),
        {SliceKey.GROUP: group},
    )


def _distribution_layers() -> tuple[vl.Chart, vl.Chart]:
    """A class's shares by score, as an area and its edge."""
    bare = vl.Axis(labels=False, ticks=False, grid=False, domain=False)
    base = vl.Chart().encode(
        x=vl.X("score:Q", title="score"),
        y=vl.Y("share:Q", stack=None, title=None, scale=vl.Scale(type="sqrt"), axis=bare),
    )
    hue = vl.Scale(domain=["benign", "violating"], range=[BENIGN_COLOUR, VIOLATING_COLOUR])
    color = vl.Color("class:N", title=None, scale=hue)
    area = base.mark("area", interpolate="monotone", opacity=0.3).encode(color=color)
    return area, base.mark("line", interpolate="monotone", strokeWidth=1.5).encode(color=color)


def _densities(exhibit: Exhibit, group: str) -> Iterator[dict[str, Any]]:
    edges = list(zip(exhibit.numbers("low"), exhibit.numbers("high"), strict=True))
    for who, prefix in ((ELSEWHERE, "background"), (group, "group")):
        for kind in ("benign", "violating"):
            for (low, high), share in zip(edges, exhibit.numbers(f"{prefix}_{kind}"), strict=True):
                yield {
                    "panel": panel_name(exhibit.slice),
                    "who": who,
                    "class": kind,
                    "score": (low + high) / 2,
                    "share": share,
                }


def _panel_width(panels: int) -> int:
    return {1: 520, 2: 330, 3: 230}.get(panels, 190)


CURVE_PANELS = ((BiasExhibit.TPR_CURVE, "violating items"), (BiasExhibit.FPR_CURVE, "benign items"))


def draw_rate_curves(finding: Finding, group: str) -> Figure:
    """Rates of a group against those of everyone else over all thresholds."""
    rows = _curve_rows(finding, group)
    lines = list(dict.fromkeys(str(row["line"]) for row in rows))
    points = [row | {"even": False} for row in rows] + [row | {"even": True} for row in _diagonal(lines)]
    chart = (
        vl.layer(*_curve_layers(group, lines), rows=points)
        .properties(width=230, height=230)
        .facet(column=vl.Column("panel:N", sort=[panel for _, panel in CURVE_PANELS], title=None), spacing=40)
    )
    return Figure(
        finding.audit,
        BiasFigure.CURVE,
        f"Flag rates at every threshold: group '{group}' and other items",
        "On the dashed line, items in the group and other items are flagged equally often; above it, items in the "
        "group are flagged more often. The area between line and curve is the Positive AEG (violating items) and the "
        "Negative AEG (benign items).",
        chart.to_dict(),
        {SliceKey.GROUP: group},
    )


def _curve_layers(group: str, lines: list[str]) -> tuple[vl.Chart, vl.Chart]:
    """The curves, and where both would be flagged alike."""
    base = vl.Chart().encode(
        x=vl.X("elsewhere:Q", title="share of other items flagged", scale=vl.Scale(domain=[0, 1])),
        y=vl.Y("group:Q", title=f"share flagged in group '{group}'", scale=vl.Scale(domain=[0, 1])),
        order="step:O",
    )
    hues = vl.Scale(domain=lines, range=[MODEL_COLOURS[number % len(MODEL_COLOURS)] for number in range(len(lines))])
    curve = base.mark("line", strokeWidth=2).encode(color=vl.Color("line:N", title=None, scale=hues))
    even = base.mark("line", strokeDash=[4, 3], color=INK, strokeWidth=1)
    return curve.filter("!datum.even"), even.filter("datum.even")


def _curve_rows(finding: Finding, group: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for kind, panel in CURVE_PANELS:
        for exhibit in group_exhibits(finding, kind, group):
            points = zip(exhibit.numbers("background"), exhibit.numbers("group"), strict=True)
            rows += [
                {"panel": panel, "line": panel_name(exhibit.slice), "step": step, "elsewhere": x, "group": y}
                for step, (x, y) in enumerate(points)
            ]
    return rows


def _diagonal(lines: list[str]) -> list[dict[str, Any]]:
    """Where both are flagged alike; a line must have the name of some other, or it would get a colour of its own."""
    return [
        {"panel": panel, "line": line, "step": end, "elsewhere": end, "group": end}
        for line in lines[:1]
        for _, panel in CURVE_PANELS
        for end in (0, 1)
    ]


MOST_GROUPS = 40  # groups with figures of their own, the worst first; the overview has them all


def draw_bias(finding: Finding) -> Iterator[Figure]:
    """An overview of all groups, then two figures per group, the worst first."""
    groups = worst_first(finding)
    if drawn := draw_bias_overview(finding, groups):
        yield drawn
    for group in groups[:MOST_GROUPS]:
        if group_exhibits(finding, BiasExhibit.DISTRIBUTION, group):
            yield draw_distributions(finding, group)
        if any(group_exhibits(finding, kind, group) for kind, _ in CURVE_PANELS):
            yield draw_rate_curves(finding, group)
