"""The figures of a calibration finding: miscalibrated classes, reliability diagrams, the error by number of bins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from evenhand.audits.calibration.exhibits import CalibrationExhibit
from evenhand.audits.calibration.quantities import CALIBRATED
from evenhand.audits.calibration.settings import chosen_bins
from evenhand.audits.calibration.verdicts import classes_by_excess
from evenhand.catalogue.shared import ECE
from evenhand.figures import reliability as drawing
from evenhand.figures import vega_lite as vl
from evenhand.figures.figure import Figure, make_figure, model_slice
from evenhand.figures.style import FAINT, INK, MODEL_COLOURS, VIOLATING_COLOUR
from evenhand.finding import Exhibit, Finding, SliceKey

OFF, FINE = "miscalibrated (statistically significant)", "no miscalibration detected"
CLASS_COLOURS = {OFF: VIOLATING_COLOUR, FINE: MODEL_COLOURS[0]}
IF_CALIBRATED = "calibrated model"
ROW_HEIGHT = 34  # pixels


def draw_class_errors(finding: Finding, model: str | None) -> Figure | None:
    """The class ECE of each class, beside what a calibrated model would give; None when there is nothing to show."""
    rows = list(_class_rows(finding, model))
    if not rows:
        return None
    kinds = [*(kind for kind in CLASS_COLOURS if any(row["kind"] == kind for row in rows)), IF_CALIBRATED]
    hues = [{**CLASS_COLOURS, IF_CALIBRATED: FAINT}[kind] for kind in kinds]
    legend = vl.Legend(
        title=None, symbolType="circle", symbolSize=90, symbolStrokeWidth=0, symbolOpacity=1, labelLimit=300
    )
    color = vl.Color("kind:N", scale=vl.Scale(domain=kinds, range=hues), sort=kinds, legend=legend)
    furthest = min(1.0, 1.05 * max(max(row["high"], row["reference_high"]) for row in rows))
    y = vl.Y(
        "class:N",
        sort=[row["class"] for row in rows],
        title=None,
        axis=vl.Axis(ticks=False, domain=False, grid=False, labelPadding=8, labelFontSize=12, labelLimit=150),
    )
    chart = vl.layer(*_class_layers(rows, furthest, y, color)).properties(
        width=360, height=ROW_HEIGHT * max(2, len(rows))
    )
    return make_figure(
        "calibration",
        "class_errors",
        "Which classes are miscalibrated?",
        "Grey: a perfectly calibrated model with the same probabilities and number of items (bar: range, tick: mean). "
        "Dot and line: this model, with its interval. A dot to the right of the grey bar is a miscalibrated class; "
        "the distance from the bar matters, not the distance from 0. Largest distance first.",
        chart,
        model,
    )


def _class_rows(finding: Finding, model: str | None) -> Iterator[dict[str, Any]]:
    for one in classes_by_excess(finding, model_slice(model)):
        if one.defined:
            yield {
                "class": f"{one.name} ({one.error.n:,})",
                "kind": OFF if one.off else FINE,
                "excess": one.excess,
                "value": one.error.value,
                "low": one.error.low,
                "high": one.error.high,
                "reference": one.reference.value,
                "reference_low": one.reference.low,
                "reference_high": one.reference.high,
            }


def _class_axis(column: str, furthest: float) -> vl.Channel:
    return vl.X(
        f"{column}:Q",
        title="class ECE of the items of the class",
        scale=vl.Scale(domain=[0.0, furthest], nice=False),
        axis=vl.Axis(tickCount=6, format=".2~f"),
    )


def _class_layers(rows: list[dict[str, Any]], furthest: float, y: vl.Channel, color: vl.Channel) -> list[vl.Chart]:
    reference = [
        {"class": row["class"], "kind": IF_CALIBRATED, "value": row["reference"]}
        | {"low": row["reference_low"], "high": row["reference_high"]}
        for row in rows
    ]
    x = _class_axis("value", furthest)
    grey, dots = (vl.Chart.from_rows(records).encode(x=x, y=y, color=color) for records in (reference, rows))
    ends: dict[str, str | vl.Channel] = {"x": _class_axis("low", furthest), "x2": "high:Q"}
    return [
        grey.mark("bar", size=16, opacity=0.45, cornerRadius=2).encode(**ends),
        grey.mark("tick", thickness=2.5, size=22, opacity=1),
        dots.mark("rule", strokeWidth=2.5).encode(**ends),
        dots.mark("point", filled=True, size=90, opacity=1),
    ]


PANELS_ACROSS = 2  # panels in a row: as many as a phone has room for
OVERALL_FRAME = drawing.DiagramFrame("confidence", "accuracy")
CLASS_FRAME = replace(OVERALL_FRAME, width=170, height=130, whole=True)
COLUMN_FRAME = replace(CLASS_FRAME, across="probability of the class", up="observed share")


def draw_reliability(finding: Finding, model: str | None) -> Figure | None:
    """All items together (Figure 1)."""
    exhibits = _model_exhibits(finding, CalibrationExhibit.RELIABILITY, model)
    if not exhibits:
        return None
    frame = replace(OVERALL_FRAME, start=_chance_level(finding))
    return make_figure(
        "calibration",
        "reliability",
        "Does confidence match accuracy?",
        "All items. On the dashed line, accuracy equals confidence; above it the model is underconfident, below it "
        "overconfident. Each dot is a bin, the line its interval, the bar below it the number of items (square-root "
        "scale). The axis starts at the confidence of random guessing.",
        drawing.reliability_chart(exhibits[0].columns, frame),
        model,
    )


def draw_class_reliability(finding: Finding, model: str | None) -> Figure | None:
    """The items of each true class by themselves (Figure 2)."""
    exhibits = _model_exhibits(finding, CalibrationExhibit.CLASS_RELIABILITY, model)
    plain = {exhibit.slice[SliceKey.CLASS]: exhibit for exhibit in exhibits if SliceKey.AS_IF not in exhibit.slice}
    reference = {
        exhibit.slice[SliceKey.CLASS]: exhibit.columns for exhibit in exhibits if SliceKey.AS_IF in exhibit.slice
    }
    if not plain:
        return None
    frame = replace(CLASS_FRAME, start=_chance_level(finding))
    panels = [
        drawing.reliability_chart(exhibit.columns, frame, title=name, expected=reference.get(name))
        for name, exhibit in plain.items()
    ]
    return make_figure(
        "calibration",
        "class_reliability",
        "Items by true class",
        "Only items of this true class. The true class is unknown at prediction time, so even calibrated "
        "probabilities deviate from the dashed line here: compare the dots with the grey line of a calibrated model.",
        vl.concat(*panels, columns=PANELS_ACROSS, spacing=22),
        model,
    )


def draw_column_reliability(finding: Finding, model: str | None) -> Figure | None:
    """The probability of each class, over all items."""
    panels = [
        drawing.reliability_chart(exhibit.columns, COLUMN_FRAME, title=exhibit.slice[SliceKey.CLASS])
        for exhibit in _model_exhibits(finding, CalibrationExhibit.COLUMN_RELIABILITY, model)
    ]
    if not panels:
        return None
    return make_figure(
        "calibration",
        "column_reliability",
        "Probability of each class",
        "All items, by the predicted probability of the class. On the dashed line the probability is calibrated: of "
        "the items with a probability of 30 %, 30 % belong to the class. Below it the probability is too "
        "high, above it too low.",
        vl.concat(*panels, columns=PANELS_ACROSS, spacing=22),
        model,
    )


def _model_exhibits(finding: Finding, kind: CalibrationExhibit, model: str | None) -> list[Exhibit]:
    return [e for e in finding.exhibits if e.kind == kind and e.slice.items() >= model_slice(model).items()]


def _chance_level(finding: Finding) -> float:
    """The confidence of random guessing."""
    return 1.0 / max(2, len(finding.values(SliceKey.CLASS)))


def draw_error_by_bins(finding: Finding, model: str | None) -> Figure | None:
    """The ECE over all, and as if calibrated, against the number of bins; None when there is nothing to show."""
    errors, reference = (list(_rows_by_bins(finding, model, **as_if)) for as_if in ({}, CALIBRATED))
    if not errors:
        return None
    x = vl.X("bins:O", sort=[row["bins"] for row in errors], title="number of bins", axis=vl.Axis(labelAngle=0))
    y = vl.Y("value:Q", title=ECE.title, scale=vl.Scale(zero=True), axis=vl.Axis(tickCount=4))
    low = vl.Y("low:Q", title=ECE.title)
    grey, blue = (vl.Chart.from_rows(rows).encode(x=x, y=y) for rows in (reference, errors))
    chart = vl.layer(
        grey.mark("area", color=FAINT, opacity=0.35).encode(y=low, y2="high:Q"),
        grey.mark("line", color=INK, opacity=0.5, strokeWidth=1.5),
        blue.mark("rule", color=MODEL_COLOURS[0], strokeWidth=1.5, opacity=0.55).encode(y=low, y2="high:Q"),
        blue.mark("line", color=MODEL_COLOURS[0], strokeWidth=2),
        blue.mark("point", color=MODEL_COLOURS[0], filled=True, size=44, opacity=1),
    ).properties(width=260, height=150)
    return make_figure(
        "calibration",
        "bins",
        f"{ECE.title} by number of bins",
        "Blue: ECE of this model, with its interval. Grey: ECE of a calibrated model. The ECE tends to grow with the "
        "number of bins, even for a calibrated model.",
        chart,
        model,
    )


def _rows_by_bins(finding: Finding, model: str | None, **as_if: str) -> Iterator[dict[str, Any]]:
    """One a number of bins, the chosen one among them, which has no slice of its own."""
    chosen, others = chosen_bins(finding), finding.values(SliceKey.BINS)
    for count in sorted({*others, *([chosen] if chosen and others else [])}, key=int):
        slice_ = {} if count == chosen else {SliceKey.BINS: count}
        e = finding.get(ECE, **model_slice(model), **slice_, **as_if)
        if e.defined:
            yield {"bins": count, "value": e.value, "low": e.low, "high": e.high}


DRAWINGS = (draw_class_errors, draw_reliability, draw_class_reliability, draw_column_reliability, draw_error_by_bins)


def draw_calibration(finding: Finding) -> Iterator[Figure]:
    """For each model: miscalibrated classes, reliability overall and by class, and the effect of the number of bins."""
    for model in finding.values(SliceKey.MODEL) or (None,):
        yield from (drawn for draw in DRAWINGS if (drawn := draw(finding, model)))
