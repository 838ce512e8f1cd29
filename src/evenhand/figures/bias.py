"""The pictures of a bias finding."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import altair as alt

from evenhand.figures.figure import BENIGN, FAINT, INK, MODELS, VIOLATING, Figure
from evenhand.finding import Exhibit, Finding, Slice

ELSEWHERE = "everyone else"
MOST = 40  # groups with figures of their own, the worst first; the overview has them all
OVERVIEW = (
    ("subgroup_auc", "Subgroup AUC"),
    ("bpsn_auc", "BPSN AUC"),
    ("bnsp_auc", "BNSP AUC"),
    ("negative_aeg", "Negative AEG"),
    ("positive_aeg", "Positive AEG"),
)


def figures(finding: Finding) -> Iterator[Figure]:
    """An overview of all groups, then two figures per group, the worst first."""
    groups = worst_first(finding)
    rows = _values(finding)
    if rows:
        yield _overview(rows, groups)
    for group in groups[:MOST]:
        if _exhibits(finding, "distribution", group):
            yield _distributions(finding, group)
        if _exhibits(finding, "tpr_curve", group) or _exhibits(finding, "fpr_curve", group):
            yield _curves(finding, group)


def worst_first(finding: Finding) -> list[str]:
    """Groups by the lowest of their three AUCs in any model, over everything; small groups come last."""
    worst: dict[str, float] = {}
    small: set[str] = set()
    for measured in finding:
        group = measured.slice.get("group")
        if group is None:
            continue
        worst.setdefault(group, 2.0)
        whole = set(measured.slice) <= {"group", "model"}
        if whole and measured.measure == "count" and "small" in measured.estimate.flags:
            small.add(group)
        if (
            whole
            and measured.measure in ("subgroup_auc", "bpsn_auc", "bnsp_auc")
            and measured.estimate.value is not None
        ):
            worst[group] = min(worst[group], measured.estimate.value)
    return sorted(worst, key=lambda group: (group in small, worst[group]))


def _values(finding: Finding) -> list[dict[str, Any]]:
    names = dict(OVERVIEW)
    return [
        {
            "group": m.slice["group"],
            "model": m.slice.get("model", "model"),
            "measure": names[m.measure],
            "value": m.estimate.value,
            "low": m.estimate.low,
            "high": m.estimate.high,
            "small": "small" in m.estimate.flags,
        }
        for m in finding
        if m.measure in names and m.estimate.defined and set(m.slice) in ({"group"}, {"group", "model"})
    ]


def _overview(rows: list[dict[str, Any]], groups: list[str]) -> Figure:
    models = list(dict.fromkeys(str(row["model"]) for row in rows))
    titles = [title for _, title in OVERVIEW if any(row["measure"] == title for row in rows)]
    shown = [group for group in groups if any(row["group"] == group for row in rows)]
    panels = [_panel(rows, title, shown, models, first=title == titles[0]) for title in titles]
    chart = alt.hconcat(*panels, spacing=14).resolve_scale(color="shared", yOffset="shared")
    return Figure(
        "bias",
        "groups",
        "Every group at a glance",
        "Dots are values, lines their intervals, cut off where a small group's are very wide; the worst group is at "
        "the top. AUCs: 1 is best. AEGs: 0 is best, to the right the group is scored higher than everyone else.",
        chart.to_dict(),
    )


def _panel(
    rows: list[dict[str, Any]], title: str, groups: list[str], models: list[str], *, first: bool
) -> alt.LayerChart | alt.FacetChart:
    lowest, highest = domain = _domain(rows, title)
    own = [
        row | {"low": max(row["low"], lowest), "high": min(row["high"], highest)}
        for row in rows
        if row["measure"] == title and row["low"] <= highest and row["high"] >= lowest
    ]
    y = alt.Y(
        "group:N",
        scale=alt.Scale(domain=groups),
        title=None,
        axis=alt.Axis(labels=first, ticks=False, domain=False, grid=True, labelPadding=6),
    )
    color = alt.Color(
        "model:N",
        title=None,
        scale=alt.Scale(domain=models, range=list(MODELS[: len(models)])),
        legend=None if len(models) == 1 else alt.Legend(),
    )
    base = alt.Chart(_data(own)).encode(y=y, color=color, yOffset=alt.YOffset("model:N", sort=models))
    axis = alt.Axis(tickCount=3, format=".2~f", labelOverlap=True)
    x = alt.X("value:Q", title=title, scale=alt.Scale(domain=domain), axis=axis)
    layers = [base.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q").transform_calculate(value="datum.low")]
    within = f"datum.value >= {lowest} && datum.value <= {highest}"
    layers.append(base.mark_point(filled=True, size=42, opacity=1).encode(x=x).transform_filter(within))
    if title.endswith("AEG"):
        zero = alt.Chart(_data([{"value": 0}])).mark_rule(color=FAINT, strokeDash=[4, 3]).encode(x="value:Q")
        layers.insert(0, zero)
    height = max(2, len(groups)) * (14 + 8 * (len(models) - 1))
    return alt.layer(*layers).properties(width=150, height=height)


def _domain(rows: list[dict[str, Any]], title: str) -> list[float]:
    """The same for all AUCs, and for both gaps, so that panels can be compared."""
    alike = [row for row in rows if str(row["measure"])[-3:] == title[-3:]]
    alike = [row for row in alike if not row["small"]] or alike  # few items have wide intervals, which are cut off
    if title.endswith("AEG"):
        furthest = max(max(abs(row["low"]), abs(row["high"])) for row in alike)
        return [-math.ceil(10.0 * furthest) / 10.0, math.ceil(10.0 * furthest) / 10.0]
    return [math.floor(10.0 * min(row["low"] for row in alike)) / 10.0, 1.0]


def _distributions(finding: Finding, group: str) -> Figure:
    rows: list[dict[str, Any]] = []
    for exhibit in _exhibits(finding, "distribution", group):
        rows += _densities(exhibit, group)
    panels = list(dict.fromkeys(str(row["panel"]) for row in rows))
    hue = alt.Scale(domain=["benign", "violating"], range=[BENIGN, VIOLATING])
    base = alt.Chart().encode(
        x=alt.X("score:Q", title="score"),
        y=alt.Y(
            "share:Q",
            stack=None,
            title=None,
            scale=alt.Scale(type="sqrt"),
            axis=alt.Axis(labels=False, ticks=False, grid=False, domain=False),
        ),
    )
    color = alt.Color("class:N", title=None, scale=hue)
    area = base.mark_area(interpolate="monotone", opacity=0.3).encode(color=color)
    line = base.mark_line(interpolate="monotone", strokeWidth=1.5).encode(color=color)
    chart = (
        alt.layer(area, line, data=_data(rows))
        .properties(width=_width(len(panels)), height=70)
        .facet(
            row=alt.Row(
                "who:N", sort=[ELSEWHERE, group], title=None, header=alt.Header(labelAngle=0, labelAlign="left")
            ),
            column=alt.Column("panel:N", sort=panels, title=None),
            spacing=8,
        )
    )
    return Figure(
        "bias",
        "distribution",
        f"How '{group}' is scored beside everyone else",
        "Shares of each class by score, on a square-root scale so that small heaps stay visible.",
        chart.to_dict(),
        {"group": group},
    )


def _densities(exhibit: Exhibit, group: str) -> Iterator[dict[str, Any]]:
    columns = exhibit.columns
    for who, prefix in ((ELSEWHERE, "background"), (group, "group")):
        for kind in ("benign", "violating"):
            for low, high, share in zip(columns["low"], columns["high"], columns[f"{prefix}_{kind}"], strict=True):
                yield {
                    "panel": _panel_name(exhibit.slice),
                    "who": who,
                    "class": kind,
                    "score": (low + high) / 2,
                    "share": share,
                }


def _curves(finding: Finding, group: str) -> Figure:
    panels = (
        ("tpr_curve", "violating items"),
        ("fpr_curve", "benign items"),
    )
    rows: list[dict[str, Any]] = []
    for kind, panel in panels:
        for exhibit in _exhibits(finding, kind, group):
            points = zip(exhibit.columns["background"], exhibit.columns["group"], strict=True)
            rows += [
                {"panel": panel, "line": _panel_name(exhibit.slice), "step": step, "elsewhere": x, "group": y}
                for step, (x, y) in enumerate(points)
            ]
    lines = list(dict.fromkeys(str(row["line"]) for row in rows))
    diagonal: list[dict[str, Any]] = (
        [
            {"panel": panel, "line": lines[0], "step": end, "elsewhere": end, "group": end}
            for _, panel in panels
            for end in (0, 1)
        ]
        if lines
        else []
    )
    base = alt.Chart().encode(
        x=alt.X("elsewhere:Q", title="share flagged among everyone else", scale=alt.Scale(domain=[0, 1])),
        y=alt.Y("group:Q", title=f"share flagged in '{group}'", scale=alt.Scale(domain=[0, 1])),
        order="step:O",
    )
    curve = base.mark_line(strokeWidth=2).encode(
        color=alt.Color("line:N", title=None, scale=alt.Scale(domain=lines, range=_line_colors(lines)))
    )
    even = base.mark_line(strokeDash=[4, 3], color=INK, strokeWidth=1).transform_filter("datum.even")
    data = [row | {"even": False} for row in rows] + [row | {"even": True} for row in diagonal]
    chart = (
        alt.layer(curve.transform_filter("!datum.even"), even, data=_data(data))
        .properties(width=230, height=230)
        .facet(column=alt.Column("panel:N", sort=[panel for _, panel in panels], title=None), spacing=40)
    )
    return Figure(
        "bias",
        "curve",
        f"At every threshold: '{group}' against everyone else",
        "On the dashed line both are flagged alike; above it the group is flagged more often. The area between line "
        "and curve is the Positive AEG (violating items) and the Negative AEG (benign items).",
        chart.to_dict(),
        {"group": group},
    )


def _exhibits(finding: Finding, kind: str, group: str) -> list[Exhibit]:
    return [e for e in finding.exhibits if e.kind == kind and e.slice["group"] == group and _is_shown(e.slice)]


def _is_shown(slice_: Slice) -> bool:
    """Everything and short comments have a panel; other slices would be too many."""
    return set(slice_) <= {"group", "model", "length"}


def _panel_name(slice_: Mapping[str, str]) -> str:
    length = slice_.get("length")
    return f"{slice_['model']}, {length} items only" if length else slice_["model"]


def _line_colors(lines: list[str]) -> list[str]:
    return [MODELS[number % len(MODELS)] for number in range(len(lines))]


def _data(rows: list[dict[str, Any]]) -> alt.Data:
    return alt.Data(values=rows)  # type: ignore[no-untyped-call]


def _width(panels: int) -> int:
    return {1: 520, 2: 330, 3: 230}.get(panels, 190)
