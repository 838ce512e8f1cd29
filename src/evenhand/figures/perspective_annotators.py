"""The figures of a perspective finding about its annotators: how many, how much they labelled, their clusters.

A bar or a number stands for at least five people.
"""

from __future__ import annotations

import math
from typing import Any

from evenhand.audits.perspective.exhibits import PerspectiveExhibit
from evenhand.audits.settings import SMALLEST_GROUP as FEWEST
from evenhand.catalogue.perspective import ANNOTATOR_COUNT
from evenhand.figures import vega_lite as vl
from evenhand.figures.figure import Figure, make_figure, model_slice
from evenhand.figures.style import FAINT, INK, MODEL_COLOURS
from evenhand.finding import Exhibit, Finding, Slice, SliceKey
from evenhand.measures.perspective.conformity import FINGERPRINT_BINS


def _exhibits(finding: Finding, kind: PerspectiveExhibit, model: Slice) -> list[Exhibit]:
    return [e for e in finding.exhibits if e.kind == kind and e.slice.items() >= model.items()]


def draw_annotators(finding: Finding) -> Figure | None:
    """Annotators by group, and by how many labels they gave; None when there is nothing to show."""
    panels = [_by_group(finding)]
    if loads := _load_rows(finding):
        panels.append(_by_load(loads))
    return make_figure(
        "perspective",
        "annotators",
        "Annotators and number of labels",
        "Annotators by group and by number of labels. Each bar represents at least five annotators; smaller bars "
        "are merged with a neighbouring bar.",
        vl.vconcat(*panels, spacing=18),
    )


def _by_group(finding: Finding) -> vl.Chart:
    groups = finding.values(SliceKey.ANNOTATORS)
    people = {group: finding.get(ANNOTATOR_COUNT, annotators=group).value or 0.0 for group in groups}
    rows = [{"group": group, "people": count, "text": f"{count:,.0f}"} for group, count in people.items()]
    axis = vl.Axis(ticks=False, domain=False, labelPadding=6, labelFontSize=12, labelLimit=230)
    y = vl.Y("group:N", sort=list(people), title=None, axis=axis)
    scale = vl.Scale(domain=[0.0, 1.15 * max(people.values())], nice=False)
    x = vl.X("people:Q", title=ANNOTATOR_COUNT.title.lower(), scale=scale, axis=vl.Axis(tickCount=4, grid=False))
    return _count_bars(rows, x=x, y=y, text={"align": "left", "dx": 4}).properties(
        width=330, height=22 * max(2, len(rows))
    )


def _by_load(rows: list[dict[str, Any]]) -> vl.Chart:
    order = [row["labels"] for row in rows]
    x = vl.X("labels:N", sort=order, title="labels per annotator", axis=vl.Axis(labelAngle=0, ticks=False))
    y = vl.Y("people:Q", title=ANNOTATOR_COUNT.title.lower(), axis=vl.Axis(tickCount=3, grid=False))
    return _count_bars(rows, x=x, y=y, text={"dy": -8}).properties(width=58 * max(2, len(rows)), height=110)


def _count_bars(rows: list[dict[str, Any]], *, x: vl.Channel, y: vl.Channel, text: dict[str, Any]) -> vl.Chart:
    base = vl.Chart.from_rows(rows).encode(x=x, y=y)
    return vl.layer(
        base.mark("bar", color=MODEL_COLOURS[0], opacity=0.75),
        base.mark("text", color=INK, **text).encode(text="text:N"),
    )


def _load_rows(finding: Finding) -> list[dict[str, Any]]:
    """How many people gave so many labels, of all groups together; every bar at least five."""
    exhibits = _exhibits(
        finding, PerspectiveExhibit.LOADS, finding.models[0][1]
    )  # everybody labelled for all models alike
    if not exhibits:
        return []
    people = [sum(column) for column in zip(*(e.numbers("annotators") for e in exhibits), strict=True)]
    starts = [*exhibits[0].numbers("labels"), math.inf]
    bars = [[start, end, count] for start, end, count in zip(starts, starts[1:], people, strict=False)]
    return [
        {"labels": _range_text(start, end), "people": count, "text": f"{count:,.0f}"}
        for start, end, count in _joined_bars(bars)
    ]


def _joined_bars(bars: list[list[float]]) -> list[list[float]]:
    """Without empty ends; a bar of fewer than five is joined with the one before it, the first with the next."""
    while bars and not bars[-1][2]:
        bars.pop()
    while bars and not bars[0][2]:
        bars.pop(0)
    joined: list[list[float]] = []
    for start, end, count in bars:
        if joined and (count < FEWEST or joined[-1][2] < FEWEST):
            joined[-1] = [joined[-1][0], end, joined[-1][2] + count]
        else:
            joined.append([start, end, count])
    return joined


def _range_text(start: float, end: float) -> str:
    if math.isinf(end):
        return f"{start:,.0f} or more"
    return f"{start:,.0f}" if end - start == 1 else f"{start:,.0f}–{end - 1:,.0f}"


WORSE, BETTER = "fits worse than the majority", "fits better"
FIT_COLOURS = {WORSE: "#d55e00", BETTER: "#0072b2"}
FEWER_TEXT = f"fewer than {FEWEST}"
PANELS_ACROSS = 2  # panels in a row: as many as a phone has room for
ROW_HEIGHT = 20  # pixels


def draw_clusters(finding: Finding, model: str | None) -> Figure | None:
    """A panel for each cluster: the share of each group in it, and its mean delta; None without clusters."""
    exhibits = _exhibits(finding, PerspectiveExhibit.CLUSTER, model_slice(model))
    if not exhibits:
        return None
    groups = finding.values(SliceKey.ANNOTATORS)
    overall = [sum(column) for column in zip(*(e.numbers("annotators") for e in exhibits), strict=True)]
    rows = [_cluster_rows(exhibit, groups, overall) for exhibit in exhibits]
    most = max(max(row["share"], row["expected"] or 0.0) for panel in rows for row in panel)
    panels = [
        _cluster_panel(panel, exhibit, list(groups), most, first=number % PANELS_ACROSS == 0)
        for number, (panel, exhibit) in enumerate(zip(rows, exhibits, strict=True))
    ]
    chart = vl.concat(*panels, columns=PANELS_ACROSS, spacing=18).resolve(scale={"color": "shared"})
    return make_figure(
        "perspective",
        "clusters",
        "Clusters of annotators",
        "Annotators clustered by how well the model fits their labels, regardless of their groups. Bars: share of each "
        "group in the cluster; black line: its share over all clusters. If bars and lines agree everywhere, the fit "
        "does not depend on the group. The number is the mean delta. Values for fewer than five annotators are not "
        "shown.",
        chart,
        model,
    )


def _cluster_rows(exhibit: Exhibit, groups: tuple[str, ...], overall: list[float]) -> list[dict[str, Any]]:
    people, means = exhibit.numbers("annotators"), exhibit.columns["delta"]
    rows = []
    for group, some, delta, everywhere in zip(groups, people, means, overall, strict=True):
        mean = None if delta is None else float(delta)
        rows.append(
            {
                "group": group,
                "share": some / sum(people) if mean is not None else 0.0,
                "expected": everywhere / sum(overall) if everywhere >= FEWEST else None,
                "kind": WORSE if mean is not None and mean > 0.0 else BETTER,
                "said": f"{mean:+.3f}".replace("-", "−") if mean is not None else FEWER_TEXT,
            }
        )
    return rows


def _cluster_panel(
    rows: list[dict[str, Any]], exhibit: Exhibit, groups: list[str], most: float, *, first: bool
) -> vl.Chart:
    axis = vl.Axis(labels=first, ticks=False, domain=False, grid=False, labelPadding=6, labelLimit=170)
    y = vl.Y("group:N", sort=groups, title=None, axis=axis)
    scale = vl.Scale(domain=[0.0, 1.3 * most], nice=False)
    ticks = vl.Axis(tickCount=3, format="~%", grid=False)

    def x(column: str) -> vl.Channel:
        return vl.X(f"{column}:Q", title="share of the cluster", scale=scale, axis=ticks)

    legend = vl.Legend(title=None, symbolType="square", symbolStrokeWidth=0, labelLimit=300, columns=2)
    color = vl.Color(
        "kind:N", scale=vl.Scale(domain=list(FIT_COLOURS), range=list(FIT_COLOURS.values())), legend=legend
    )
    base = vl.Chart.from_rows(rows).encode(y=y)
    people = sum(exhibit.numbers("annotators"))
    title = (
        f"Cluster {exhibit.slice[SliceKey.CLUSTER]}: {f'{people:,.0f}' if people >= FEWEST else FEWER_TEXT} annotators"
    )
    return (
        vl.layer(
            base.mark("bar", size=12, opacity=0.75).encode(x=x("share"), color=color),
            base.mark("tick", color=INK, thickness=2, size=16).encode(x=x("expected")),
            base.mark("text", align="left", dx=6, fontSize=11, color=INK).encode(x=x("end"), text="said:N"),
        )
        .calculate("end", "max(datum.share, datum.expected || 0)")
        .properties(width=190, height=ROW_HEIGHT * len(groups), title=vl.title(title, fontSize=12, offset=4))
    )


def draw_inertia(finding: Finding, model: str | None) -> Figure | None:
    """How far annotators are from the middle of their cluster, by the number of bins; None without clusters."""
    exhibits = _exhibits(finding, PerspectiveExhibit.INERTIA, model_slice(model))
    if not exhibits:
        return None
    pairs = zip(exhibits[0].numbers("bins"), exhibits[0].numbers("inertia"), strict=True)
    rows = [{"bins": bins, "inertia": inertia} for bins, inertia in pairs]
    x = vl.X("bins:Q", title="number of bins", axis=vl.Axis(tickCount=5, grid=False))
    y = vl.Y("inertia:Q", title="inertia per annotator", scale=vl.Scale(zero=True), axis=vl.Axis(tickCount=4))
    base = vl.Chart.from_rows(rows).encode(x=x, y=y)
    used = vl.Chart.from_rows([{"bins": FINGERPRINT_BINS}]).mark("rule", color=FAINT, strokeDash=[4, 3]).encode(x=x)
    chart = vl.layer(
        used,
        base.mark("line", color=MODEL_COLOURS[0], strokeWidth=2),
        base.mark("point", color=MODEL_COLOURS[0], filled=True, size=36, opacity=1),
    ).properties(width=230, height=120)
    return make_figure(
        "perspective",
        "inertia",
        "Effect of the number of bins",
        f"Mean distance of annotators from the centre of their cluster, by number of bins of the deltas. It grows with "
        f"the number of bins; the paper used {FINGERPRINT_BINS} (dashed), where it grows little. Clusters are a way to "
        "explore the data, not natural groups.",
        chart,
        model,
    )
