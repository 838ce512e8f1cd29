"""Is the model right as often as it says, over all and class by class? (the paper's Figures 1 and 2)"""

from __future__ import annotations

from dataclasses import replace

import altair as alt

from evenhand.figures import reliability as drawing
from evenhand.figures.figure import Figure
from evenhand.figures.naming import figure
from evenhand.finding import Exhibit, Finding

ACROSS = 2  # panels in a row: as many as a phone has room for
OVERALL = drawing.Frame("how sure the model is", "how often it is right")
SMALL = replace(OVERALL, width=170, height=130, whole=True)
COLUMN = replace(SMALL, across="probability of the class", up="how often it is true")


def reliability(finding: Finding, model: str | None) -> Figure | None:
    """All items together (Figure 1)."""
    found = _exhibits(finding, "reliability", model)
    if not found:
        return None
    frame = replace(OVERALL, start=_chance(finding))
    return figure(
        "calibration",
        "reliability",
        "Is it right as often as it says?",
        "All items. On the dashed line the model is right exactly as often as it says; above it the model is too "
        "modest, below it too sure of itself. Each dot is a bin, the line through it the interval, the bar beneath it "
        "the number of items (square-root scale). How sure the model is starts where it would be guessing.",
        drawing.reliability(found[0].columns, frame),
        model,
    )


def class_reliability(finding: Finding, model: str | None) -> Figure | None:
    """The items of each true class by themselves (Figure 2)."""
    found = _exhibits(finding, "class_reliability", model)
    plain = {exhibit.slice["class"]: exhibit for exhibit in found if "as_if" not in exhibit.slice}
    honest = {exhibit.slice["class"]: exhibit.columns for exhibit in found if "as_if" in exhibit.slice}
    if not plain:
        return None
    frame = replace(SMALL, start=_chance(finding))
    panels = [
        drawing.reliability(exhibit.columns, frame, title=name, expected=honest.get(name))
        for name, exhibit in plain.items()
    ]
    return figure(
        "calibration",
        "class_reliability",
        "The items of each true class",
        "Only items that truly are of the class. Nobody who sees an item knows its true class beforehand, so even "
        "honest probabilities leave the dashed line here: compare the dots with the grey line, which is what a "
        "calibrated model would show.",
        alt.concat(*panels, columns=ACROSS, spacing=22),
        model,
    )


def column_reliability(finding: Finding, model: str | None) -> Figure | None:
    """The probability of each class, over all items."""
    panels = [
        drawing.reliability(exhibit.columns, COLUMN, title=exhibit.slice["class"])
        for exhibit in _exhibits(finding, "column_reliability", model)
    ]
    if not panels:
        return None
    return figure(
        "calibration",
        "column_reliability",
        "The probability of each class",
        "All items, by the probability that the model gives to the class. Here the dashed line is the aim: of the "
        "items given 30 %, 30 % should be of the class. Below it the probability is too high, above it too low.",
        alt.concat(*panels, columns=ACROSS, spacing=22),
        model,
    )


def _exhibits(finding: Finding, kind: str, model: str | None) -> list[Exhibit]:
    return [e for e in finding.exhibits if e.kind == kind and model in (None, e.slice["model"])]


def _chance(finding: Finding) -> float:
    """How sure a model is that cannot tell the classes apart at all."""
    return 1.0 / max(2, len(finding.values("class")))
