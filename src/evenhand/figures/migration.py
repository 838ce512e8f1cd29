"""The figures of a migration: the map of thresholds, what changes for each group, and old against new scores."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from evenhand.catalogue.migration import FLAG_RATE_RATIO
from evenhand.figures import vega_lite as vl
from evenhand.figures.figure import Figure, make_figure
from evenhand.figures.style import FAINT, INK, MODEL_COLOURS
from evenhand.finding import Exhibit, Finding, SliceKey
from evenhand.migration.exhibits import SCORE_BINS, MigrationExhibit

MOST_GROUPS = 40  # of which the changes are drawn, the largest first
MAP_COLOUR = MODEL_COLOURS[0]
SCORES = vl.Scale(domain=[0, 1])


class MigrationFigure(StrEnum):
    """The names of the figures."""

    MAP = "map"
    GROUPS = "groups"
    SCORES = "scores"


def draw_migration(finding: Finding) -> Iterator[Figure]:
    """The map first, then groups, then scores."""
    exhibits = {exhibit.kind: exhibit for exhibit in finding.exhibits}
    if (rows := exhibits.get(MigrationExhibit.THRESHOLD_MAP)) and any(
        value is not None for value in rows.columns["new"]
    ):
        yield _draw_map(finding, rows)
    tolerance = exhibits[MigrationExhibit.JUDGED_BY].numbers("tolerance")[0]
    for threshold in finding.values(SliceKey.THRESHOLD):
        if changes := _group_rows(finding, threshold):
            yield _draw_groups(finding, threshold, changes, tolerance)
    yield _draw_scores(finding, exhibits[MigrationExhibit.SCORE_GRID])


def _map_rows(exhibit: Exhibit) -> vl.ChartRows:
    names = ("old", "new", "low", "high")
    records = zip(*(exhibit.columns[name] for name in names), strict=True)
    return [dict(zip(names, row, strict=True)) for row in records if row[1] is not None]


def _draw_map(finding: Finding, exhibit: Exhibit) -> Figure:
    rows = _map_rows(exhibit)
    thresholds = {float(threshold) for threshold in finding.values(SliceKey.THRESHOLD)}
    base = vl.Chart.from_rows(rows).encode(x=vl.X("old:Q", title="threshold of the old model", scale=SCORES))
    y = vl.Y("new:Q", title="threshold of the new model", scale=SCORES)
    band = base.mark("area", opacity=0.25, color=MAP_COLOUR).encode(y=vl.Y("low:Q"), y2="high:Q")
    line = base.mark("line", color=MAP_COLOUR, strokeWidth=2).encode(y=y)
    points = [row for row in rows if row["old"] in thresholds]
    marked = vl.Chart.from_rows(points).encode(x="old:Q", y="new:Q")
    dots = marked.mark("point", filled=True, size=60, opacity=1, color=INK)
    words = marked.mark("text", align="right", dx=-8, dy=-6, color=INK).encode(text="new:Q")
    ends = [{"old": 0, "new": 0}, {"old": 1, "new": 1}]
    same = vl.Chart.from_rows(ends).mark("line", color=FAINT, strokeDash=[4, 3]).encode(x="old:Q", y="new:Q")
    return make_figure(
        finding.audit,
        MigrationFigure.MAP,
        "New thresholds with the same flag rate as the old ones",
        "Line: new threshold; band: its interval; dashed line: same threshold as before. There is no line where no "
        "comment or every comment reaches the threshold.",
        vl.layer(same, band, line, dots, words).properties(width=360, height=320),
        about={},
    )


def _group_rows(finding: Finding, threshold: str) -> vl.ChartRows:
    own = (SliceKey.THRESHOLD, SliceKey.MATCHED)
    rows = [
        {
            "group": ", ".join(value for key, value in m.slice.items() if key not in own),
            "value": m.estimate.value,
            "low": m.estimate.low,
            "high": m.estimate.high,
        }
        for m in finding
        if m.measure == FLAG_RATE_RATIO and m.slice[SliceKey.THRESHOLD] == threshold and m.estimate.value
    ]
    return sorted(rows, key=lambda row: -float(row["value"] or 0.0))[:MOST_GROUPS]


def _draw_groups(finding: Finding, threshold: str, rows: vl.ChartRows, tolerance: float) -> Figure:
    lowest, highest = 1.0 / 16.0, 16.0
    shown = [row | {"low": max(row["low"], lowest), "high": min(row["high"], highest)} for row in rows]
    names = [row["group"] for row in shown]
    scale = vl.Scale(type="log", base=2, domain=[lowest, highest], clamp=True)
    y = vl.Y("group:N", sort=names, title=None, axis=vl.Axis(ticks=False, domain=False, grid=True, labelPadding=6))
    x = vl.X("low:Q", title="ratio of flag rates, new to old", scale=scale, axis=vl.Axis(format="~g"))
    base = vl.Chart.from_rows(shown).encode(y=y)
    within = [{"from": 1.0 / tolerance, "to": tolerance}]
    band = (
        vl.Chart.from_rows(within)
        .mark("rect", color=FAINT, opacity=0.25)
        .encode(x=vl.X("from:Q", scale=scale), x2="to:Q")
    )
    rule = base.mark("rule", strokeWidth=2, color=MAP_COLOUR).encode(x=x, x2="high:Q")
    dots = base.mark("point", filled=True, size=42, opacity=1, color=MAP_COLOUR).encode(x=vl.X("value:Q", scale=scale))
    return make_figure(
        finding.audit,
        MigrationFigure.GROUPS,
        f"Changes by group, old threshold {threshold}",
        "Dots: ratios of flag rates; lines: intervals that hold for all groups together, truncated at 16. Grey: within "
        "the tolerance. Groups without a flagged comment before are not shown.",
        vl.layer(band, rule, dots).properties(width=420, height=max(2, len(rows)) * 16),
        about={SliceKey.THRESHOLD: threshold},
    )


def _draw_scores(finding: Finding, exhibit: Exhibit) -> Figure:
    step = 1.0 / SCORE_BINS
    cells = zip(*(exhibit.numbers(name) for name in ("old", "new", "comments")), strict=True)
    rows = [
        {"old": old, "old_to": old + step, "new": new, "new_to": new + step, "comments": count}
        for old, new, count in cells
    ]
    colour = vl.Color("comments:Q", scale=vl.Scale(type="log", scheme="blues"), title="comments")
    chart = (
        vl.Chart.from_rows(rows)
        .mark("rect")
        .encode(
            x=vl.X("old:Q", title="score of the old model", scale=SCORES),
            x2="old_to:Q",
            y=vl.Y("new:Q", title="score of the new model", scale=SCORES),
            y2="new_to:Q",
            color=colour,
        )
        .properties(width=320, height=320)
    )
    return make_figure(
        finding.audit,
        MigrationFigure.SCORES,
        "Old and new scores",
        "Number of comments by both scores, in bins of 0.05; logarithmic colour scale.",
        chart,
        about={},
    )
