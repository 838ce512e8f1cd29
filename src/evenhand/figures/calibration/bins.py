"""What the number of bins does to the calibration error (the paper's Table 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import altair as alt

from evenhand.figures.data import data
from evenhand.figures.figure import FAINT, INK, MODELS, Figure
from evenhand.figures.naming import figure, named
from evenhand.finding import Finding


def against_bins(finding: Finding, model: str | None) -> Figure | None:
    """The ECE over all, and as if calibrated, against the number of bins; None when there is nothing to show."""
    found, honest = (list(_rows(finding, model, **as_if)) for as_if in ({}, {"as_if": "calibrated"}))
    if not found:
        return None
    x = alt.X("bins:O", sort=[row["bins"] for row in found], title="number of bins", axis=alt.Axis(labelAngle=0))
    y = alt.Y("value:Q", title="ECE", scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=4))
    low = alt.Y("low:Q", title="ECE")
    grey, blue = (alt.Chart(data(rows)).encode(x=x, y=y) for rows in (honest, found))
    chart = alt.layer(
        grey.mark_area(color=FAINT, opacity=0.35).encode(y=low, y2="high:Q"),
        grey.mark_line(color=INK, opacity=0.5, strokeWidth=1.5),
        blue.mark_rule(color=MODELS[0], strokeWidth=1.5, opacity=0.55).encode(y=low, y2="high:Q"),
        blue.mark_line(color=MODELS[0], strokeWidth=2),
        blue.mark_point(color=MODELS[0], filled=True, size=44, opacity=1),
    ).properties(width=260, height=150)
    return figure(
        "calibration",
        "bins",
        "ECE against the number of bins",
        "Blue: the ECE found, with its interval. Grey: what a calibrated model would show by chance. More bins find "
        "more error, also where there is none.",
        chart,
        model,
    )


def _rows(finding: Finding, model: str | None, **as_if: str) -> Iterator[dict[str, Any]]:
    """One a number of bins, the chosen one among them, which has no slice of its own."""
    chosen = str(finding.provenance.get("settings", {}).get("bins", ""))
    others = finding.values("bins")
    for count in sorted({*others, *([chosen] if chosen and others else [])}, key=int):
        slice_ = {} if count == chosen else {"bins": count}
        e = finding.get("ece", **named(model), **slice_, **as_if)
        if e.defined:
            yield {"bins": count, "value": e.value, "low": e.low, "high": e.high}
