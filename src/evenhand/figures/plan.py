"""The figures of a plan: what each threshold does, and what each number of reviewers finds."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from evenhand.catalogue.collaboration import REVIEWERS
from evenhand.figures import vega_lite as vl
from evenhand.figures.figure import Figure, make_figure
from evenhand.figures.style import FAINT, INK, MODEL_COLOURS
from evenhand.finding import Exhibit, Finding, SliceKey
from evenhand.staffing.exhibits import StaffingExhibit

WRONG_COLOUR, FOUND_COLOUR = MODEL_COLOURS[1], MODEL_COLOURS[0]
WRONG_TITLE, FOUND_TITLE = "removals that are wrong", "violations found"
SHARE = vl.Axis(format="~%")


class PlanFigure(StrEnum):
    """The names of the figures."""

    FRONTIER = "frontier"
    PEOPLE = "people"


def draw_plan(finding: Finding) -> Iterator[Figure]:
    """Both, for each model; none where no policy was planned."""
    limits = {_model(e): e.columns["limit"][0] for e in finding.exhibits if e.kind == StaffingExhibit.POLICY}
    for exhibit in finding.exhibits:
        if exhibit.kind == StaffingExhibit.FRONTIER and any(v is not None for v in exhibit.columns["threshold"]):
            yield _draw_frontier(finding, exhibit, limits[_model(exhibit)])
        elif exhibit.kind == StaffingExhibit.PEOPLE:
            yield _draw_people(finding, exhibit)


def _model(exhibit: Exhibit) -> str | None:
    return exhibit.slice.get(SliceKey.MODEL)


def _rows(exhibit: Exhibit, head: str) -> vl.ChartRows:
    names = list(exhibit.columns)
    rows = [dict(zip(names, row, strict=True)) for row in zip(*exhibit.columns.values(), strict=True)]
    return [row for row in rows if row[head] is not None]


def _panel(rows: vl.ChartRows, head: str, part: str, title: str, colour: str, x_title: str) -> vl.Chart:
    known = [row for row in rows if row[part] is not None]
    x = vl.X(f"{head}:Q", title=x_title, scale=vl.Scale(zero=False))
    base = vl.Chart.from_rows(known).encode(x=x)
    y = vl.Y(f"{part}:Q", title=title, axis=SHARE)
    band = base.mark("area", opacity=0.25, color=colour).encode(
        y=vl.Y(f"{part}_low:Q", title=title), y2=f"{part}_high:Q"
    )
    line = base.mark("line", color=colour, strokeWidth=2).encode(y=y)
    chosen = vl.Chart.from_rows([row for row in known if row["chosen"]]).encode(x=x, y=y)
    return vl.layer(band, line, chosen.mark("point", filled=True, size=70, opacity=1, color=INK))


def _draw_frontier(finding: Finding, exhibit: Exhibit, limit: float | str | None) -> Figure:
    rows = _rows(exhibit, "threshold")
    head = "score" if "score" in exhibit.columns else "threshold"  # of findings that were written earlier
    wrongly_removed = _panel(rows, head, "wrong", WRONG_TITLE, WRONG_COLOUR, "remove from this score")
    if limit is not None:
        rule = vl.Chart.from_rows([{"limit": limit}]).mark("rule", color=FAINT, strokeDash=[4, 3])
        wrongly_removed = vl.layer(wrongly_removed, rule.encode(y="limit:Q"))
    removed = _panel(rows, head, "found", FOUND_TITLE, FOUND_COLOUR, "remove from this score")
    chart = vl.vconcat(wrongly_removed.properties(width=420, height=150), removed.properties(width=420, height=150))
    return make_figure(
        finding.audit,
        PlanFigure.FRONTIER,
        "What each threshold does",
        "Lines: shares on this history at the same number of reviews; bands: interval of each threshold by itself. "
        "Dot: the plan; dashed line: the limit of wrong removals.",
        chart,
        _model(exhibit),
    )


def _draw_people(finding: Finding, exhibit: Exhibit) -> Figure:
    chart = _panel(_rows(exhibit, REVIEWERS), REVIEWERS, "found", FOUND_TITLE, FOUND_COLOUR, REVIEWERS.title.lower())
    return make_figure(
        finding.audit,
        PlanFigure.PEOPLE,
        "What more or fewer reviewers find",
        "Line: share of violations found at the same threshold; band: interval. Dot: the plan.",
        chart.properties(width=420, height=180),
        _model(exhibit),
    )
