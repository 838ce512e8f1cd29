"""What the number of bins does to the fingerprints that clusters are made from."""

from __future__ import annotations

import altair as alt

from evenhand.figures.data import data
from evenhand.figures.figure import FAINT, MODELS, Figure
from evenhand.figures.naming import figure, named
from evenhand.finding import Finding
from evenhand.measures.perspective.fingerprints import BINS


def inertia(finding: Finding, model: str | None) -> Figure | None:
    """How far annotators are from the middle of their cluster, by the number of bins; None without clusters."""
    found = [e for e in finding.exhibits if e.kind == "inertia" and e.slice.items() >= named(model).items()]
    if not found:
        return None
    columns = found[0].columns
    rows = [{"bins": b, "inertia": i} for b, i in zip(columns["bins"], columns["inertia"], strict=True)]
    x = alt.X("bins:Q", title="number of bins", axis=alt.Axis(tickCount=5, grid=False))
    y = alt.Y("inertia:Q", title="inertia per annotator", scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=4))
    base = alt.Chart(data(rows)).encode(x=x, y=y)
    used = alt.Chart(data([{"bins": BINS}])).mark_rule(color=FAINT, strokeDash=[4, 3]).encode(x=x)
    chart = alt.layer(
        used,
        base.mark_line(color=MODELS[0], strokeWidth=2),
        base.mark_point(color=MODELS[0], filled=True, size=36, opacity=1),
    ).properties(width=230, height=120)
    return figure(
        "perspective",
        "inertia",
        "What the number of bins does",
        f"How far annotators are from the middle of their cluster, on average, by the bins that deltas are counted in. "
        f"More bins, more distance; the paper took {BINS} (dashed), where it grows little. Clusters are a way of "
        "looking, not something that is there.",
        chart,
        model,
    )
