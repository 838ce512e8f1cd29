"""A group's rates against everyone else's over all thresholds (the paper's Figure 2)."""

from __future__ import annotations

from typing import Any

import altair as alt

from evenhand.figures.bias.panels import exhibits, panel_name
from evenhand.figures.data import data
from evenhand.figures.figure import INK, MODELS, Figure
from evenhand.finding import Finding

PANELS = (("tpr_curve", "violating items"), ("fpr_curve", "benign items"))


def curves(finding: Finding, group: str) -> Figure:
    """Rates of a group against those of everyone else over all thresholds."""
    rows = _rows(finding, group)
    lines = list(dict.fromkeys(str(row["line"]) for row in rows))
    points = [row | {"even": False} for row in rows] + [row | {"even": True} for row in _diagonal(lines)]
    chart = (
        alt.layer(*_layers(group, lines), data=data(points))
        .properties(width=230, height=230)
        .facet(column=alt.Column("panel:N", sort=[panel for _, panel in PANELS], title=None), spacing=40)
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


def _layers(group: str, lines: list[str]) -> tuple[alt.Chart, alt.Chart]:
    """The curves, and where both would be flagged alike."""
    shown = group.replace("\\", "∖")  # a title is read as an expression, in which a backslash starts an escape
    base = alt.Chart().encode(
        x=alt.X("elsewhere:Q", title="share flagged among everyone else", scale=alt.Scale(domain=[0, 1])),
        y=alt.Y("group:Q", title=f"share flagged in '{shown}'", scale=alt.Scale(domain=[0, 1])),
        order="step:O",
    )
    hues = alt.Scale(domain=lines, range=[MODELS[number % len(MODELS)] for number in range(len(lines))])
    curve = base.mark_line(strokeWidth=2).encode(color=alt.Color("line:N", title=None, scale=hues))
    even = base.mark_line(strokeDash=[4, 3], color=INK, strokeWidth=1)
    return curve.transform_filter("!datum.even"), even.transform_filter("datum.even")


def _rows(finding: Finding, group: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for kind, panel in PANELS:
        for exhibit in exhibits(finding, kind, group):
            points = zip(exhibit.columns["background"], exhibit.columns["group"], strict=True)
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
        for _, panel in PANELS
        for end in (0, 1)
    ]
