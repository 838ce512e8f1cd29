"""The populations of a simulation, how they are called, and what is needed on one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from evenhand.audits.simulation.bench import NEEDED
from evenhand.figures.figure import INK, MODELS
from evenhand.finding import Finding, Slice

STRATA_BY = {"equal_width": "equal-width strata", "quantile": "quantile strata", "oracle": "oracle strata"}
ACROSS = {"random sampling": (INK, [5, 4]), "default design": (MODELS[2], [1, 0])}
STEPS = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)  # of each power of ten that are written on the axis


def scenes(finding: Finding) -> list[Slice]:
    """What names each population: a model, a label threshold, both, or nothing where there is one."""
    return [m.slice for m in finding if m.measure == "prevalence"]


def by_scene(finding: Finding, scene: Slice) -> str:
    """How a population is called: the model where there are several, and its prevalence."""
    model, threshold = scene.get("model"), scene.get("label_threshold")
    share = f"prevalence {percent(finding.get('prevalence', **scene).value or 0.0)}"
    return ", ".join(part for part in (model, threshold and f"label threshold {threshold}", share) if part)


def percent(share: float) -> str:
    """A share as it is written for a reader."""
    return f"{100.0 * share:.3g} %"


def needed(finding: Finding, scene: Slice) -> Iterator[tuple[Slice, float, float, float]]:
    """Designs on one population with the labels they need and the Monte-Carlo range, for the first target."""
    here = {**scene, "within": finding.values("within")[0]}
    for m in finding:
        e = m.estimate
        if m.measure != NEEDED or not here.items() <= m.slice.items() or e.value is None:
            continue
        if set(m.slice) & {"as_if", "setting"}:
            continue
        design = {key: value for key, value in m.slice.items() if key not in here}
        yield design, e.value, e.low or e.value, e.high or e.value


def lines(finding: Finding, scene: Slice) -> dict[str, float]:
    """What is drawn as a line across: random sampling, and the default design."""
    found = {design["design"]: value for design, value, _, _ in needed(finding, scene) if len(design) == 1}
    return {"random sampling": found["random"], "default design": found["default"]}


def labels_axis(rows: Sequence[dict[str, Any]]) -> alt.Y:
    """Labels needed on a logarithmic scale, with ticks that can be read."""
    low, high = min(row["low"] for row in rows) / 1.1, max(row["high"] for row in rows) * 1.1
    ticks = [step * 10.0**power for power in range(9) for step in STEPS]
    axis = alt.Axis(values=[tick for tick in ticks if low <= tick <= high], format=",d")
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    return alt.Y("value:Q", title="labels needed", scale=scale, axis=axis)
