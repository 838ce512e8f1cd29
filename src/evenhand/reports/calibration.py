"""The calibration section of a report: what it shows, and in which order. Selects and sorts; computes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.audits.calibration.quantities import (
    CALIBRATED,
    CLASS_MEASURES,
    CLASSWISE_ERRORS,
    OVERALL_ERRORS,
    SCORES,
)
from evenhand.audits.calibration.score_regions import RegionVerdict, region_verdicts
from evenhand.audits.calibration.settings import chosen_bins
from evenhand.audits.calibration.statements import DIRECTIONS, region_words
from evenhand.audits.calibration.verdicts import CalibrationTopic, ClassCalibration, classes_by_excess, hidden_errors
from evenhand.audits.registry import verdicts_of
from evenhand.audits.tolerance import Comparison
from evenhand.catalogue import Measure
from evenhand.catalogue.calibration import ACE, CECE, CLASS_ACE, CLASS_ECE, WEIGHTED_F1
from evenhand.catalogue.shared import ACCURACY, BRIER, COUNT, ECE, LOG_LOSS
from evenhand.estimate import Estimate
from evenhand.evidence.scales import VIOLATING
from evenhand.finding import Example, Finding, Slice, SliceKey, Status, Verdict
from evenhand.formatting import format_number, format_share
from evenhand.reports.section import (
    EstimateGrid,
    EstimateRow,
    Section,
    evidence_slices,
    find_estimate,
    slice_title,
)

GROUP_COLUMNS = (COUNT, ACCURACY, LOG_LOSS)
ALL_MEASURES = (*SCORES, *OVERALL_ERRORS, *CLASSWISE_ERRORS)
BRIEF_MEASURES = (ACCURACY, LOG_LOSS, ECE, ACE)  # in a narrow terminal
GLOSSARY = (*OVERALL_ERRORS, *CLASS_MEASURES, *CLASSWISE_ERRORS, BRIER, LOG_LOSS, WEIGHTED_F1)
OWN_KEYS = (  # not the evidence's
    *(SliceKey.MODEL, SliceKey.GROUP, SliceKey.CLASS, SliceKey.BINS, SliceKey.AS_IF, SliceKey.SCORED),
)
IF_CALIBRATED = "if calibrated"
REGION_WORDS = {
    **{comparison: f"▲ {way}" for comparison, way in DIRECTIONS.items()},
    Comparison.RULED_OUT: "within the tolerance",
    Comparison.UNDETERMINED: "undetermined",
}


def template_context(finding: Finding) -> dict[str, Any]:
    """Everything that the template needs."""
    named = finding.models
    return {
        "cards": [ModelCard.from_finding(finding, title, model) for title, model in named],
        "classes": [(title, _class_grid(finding, title, model)) for title, model in named],
        "overall": _overall_rows(finding, named, {}),
        "groups": [_group_grid(finding, title, model) for title, model in named if finding.values(SliceKey.GROUP)],
        "slices": [
            (
                slice_title(part),
                _overall_rows(finding, named, part),
                [_class_grid(finding, title, {**model, **part}) for title, model in named],
            )
            for part in evidence_slices(finding, OWN_KEYS)
        ],
        "bins": [(title, _bins_table(finding, model)) for title, model in named],
        "chosen": chosen_bins(finding),
        "titles": [title for title, _ in named],
        "examples": [(title, _model_examples(finding, model)) for title, model in named if finding.examples],
        "class_error": CLASS_ECE,
        "class_key": SliceKey.CLASS,
        "violating": VIOLATING,
        "region_words": region_words,
        "words": REGION_WORDS,
        "directions": DIRECTIONS,
        "share": format_share,
        "outside": OUTSIDE,
        "within": WITHIN,
        "marked": {flag for m in finding for flag in m.estimate.flags},
        "glossary": GLOSSARY,
    }


@dataclass(frozen=True)
class ModelCard:
    """The verdicts on one model, and what they rest on."""

    model: str
    verdicts: list[Verdict]
    regions: dict[str, list[RegionVerdict]]  # of scores, by class, in their order
    hidden: str  # errors that the ECE does not see
    classes: list[ClassCalibration]
    reading: str
    bins: str

    @classmethod
    def from_finding(cls, finding: Finding, title: str, model: Slice) -> ModelCard:
        """What the finding carries about the model."""
        verdicts = [verdict for verdict in verdicts_of(finding) if dict(verdict.slice) == dict(model)]
        regions: dict[str, list[RegionVerdict]] = {}
        for one in region_verdicts(finding, model):
            regions.setdefault(one.class_name, []).append(one)
        for rows in regions.values():
            rows.sort(key=lambda one: (one.region.is_whole, one.region))
        hidden = [_error_in_words(finding, measure, model) for measure in hidden_errors(finding, model)]
        classes = [one for one in classes_by_excess(finding, model) if one.defined]
        texts = [_text(finding, topic, model) for topic in (CalibrationTopic.OVERALL, CalibrationTopic.BINS)]
        return cls(title, verdicts, regions, " and ".join(hidden), classes, *texts)

    @property
    def key(self) -> str | None:
        """Of its figures."""
        return self.model or None

    @property
    def off(self) -> list[ClassCalibration]:
        """Classes that are significantly miscalibrated."""
        return [one for one in self.classes if one.off]

    @property
    def off_by_ace(self) -> list[str]:
        """Classes that are so by their ACE only."""
        return [one.name for one in self.classes if one.off_by_ace_alone]

    @property
    def outside(self) -> list[str]:
        """Classes with an error beyond the range of a calibrated model that is not significant."""
        return [one.name for one in self._others if one.is_outside]

    @property
    def within(self) -> list[str]:
        """Classes with an error that a calibrated model would show."""
        return [one.name for one in self._others if not one.is_outside]

    @property
    def _others(self) -> list[ClassCalibration]:
        return [one for one in self.classes if not one.off and not one.off_by_ace_alone]

    def lines(self) -> list[str]:
        """The same as sentences for a terminal."""
        off = [f"{one.name} ({_class_error_in_words(one)})" for one in self.off]
        lines = [
            f"{self.model}: {self.reading}" if self.model and self.reading else self.reading,
            f"Miscalibrated over the probabilities of all classes: {self.hidden}." if self.hidden else "",
            f"Miscalibrated classes: {', '.join(off)}." if off else "",
            f"Miscalibrated by class ACE only: {', '.join(self.off_by_ace)}." if self.off_by_ace else "",
            f"{OUTSIDE}: {', '.join(self.outside)}." if self.outside else "",
            f"{WITHIN}: {', '.join(self.within)}." if self.within else "",
        ]
        return [line for line in lines if line]


OUTSIDE = "Class ECE outside the range of a calibrated model, not statistically significant"
WITHIN = "Class ECE within the range of a calibrated model"


def _text(finding: Finding, topic: CalibrationTopic, model: Slice) -> str:
    return next((reading.text for reading in finding.readings_about(topic, **model)), "")


def _error_in_words(finding: Finding, measure: Measure, model: Slice) -> str:
    value, reference = (
        format_number(measure, e.value or 0.0) for e in _paired_estimates(finding, model, (measure,)) if e is not None
    )
    return f"{measure.title} {value} ({reference} {IF_CALIBRATED})"


def _class_error_in_words(one: ClassCalibration) -> str:
    error, reference = (format_number(CLASS_ECE, e.value or 0.0) for e in (one.error, one.reference))
    return f"class ECE {error}, {reference} {IF_CALIBRATED}"


def _paired_columns(measures: Sequence[Measure]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Columns for measures, each followed by what a calibrated model would show; and their heads."""
    columns = tuple(measure for measure in measures for _ in range(2))
    return columns, tuple(head for measure in measures for head in (measure.title, IF_CALIBRATED))


def _paired_estimates(finding: Finding, slice_: Slice, measures: Sequence[str]) -> list[Estimate | None]:
    return [find_estimate(finding, measure, {**slice_, **as_if}) for measure in measures for as_if in ({}, CALIBRATED)]


def _class_grid(finding: Finding, title: str, slice_: Slice) -> EstimateGrid:
    columns, heads = _paired_columns(CLASS_MEASURES)
    rows: list[EstimateRow] = []
    for one in classes_by_excess(finding, slice_):
        own = {**slice_, SliceKey.CLASS: one.name}
        numbers = [find_estimate(finding, COUNT, own), *_paired_estimates(finding, own, CLASS_MEASURES)]
        rows.append((one.name, numbers, None))
    brief = (COUNT, CLASS_ECE, CLASS_ACE)
    return EstimateGrid(title, (COUNT, *columns), rows, heads=(COUNT.title, *heads), brief=brief)


def _overall_rows(
    finding: Finding, named: Sequence[tuple[str, Slice]], part: Slice
) -> list[tuple[str, list[Estimate | None]]]:
    """One row a measure; of each model what was found and what a calibrated one would show."""
    return [
        (measure, [e for _, model in named for e in _paired_estimates(finding, {**model, **part}, (measure,))])
        for measure in ALL_MEASURES
    ]


def _group_grid(finding: Finding, title: str, model: Slice) -> EstimateGrid:
    columns, heads = _paired_columns(OVERALL_ERRORS)
    rows: list[EstimateRow] = []
    for group in finding.values(SliceKey.GROUP):
        slice_ = {**model, SliceKey.GROUP: group}
        plain = [find_estimate(finding, measure, slice_) for measure in GROUP_COLUMNS]
        rows.append((group, [*plain, *_paired_estimates(finding, slice_, OVERALL_ERRORS)], None))
    labels = tuple(measure.title for measure in GROUP_COLUMNS)
    return EstimateGrid(title, (*GROUP_COLUMNS, *columns), rows, heads=(*labels, *heads))


def _bins_table(finding: Finding, model: Slice) -> dict[str, Any]:
    """ECE, CECE and class ECEs by the number of bins, the chosen number among them."""
    chosen = chosen_bins(finding)
    counts = sorted({*finding.values(SliceKey.BINS), *([chosen] if chosen else [])}, key=int)
    rows = []
    for label, measure, named in measures_by_bins(finding):
        pairs = []
        for count in counts:
            slice_ = {**model, **named} if count == chosen else {**model, **named, SliceKey.BINS: count}
            pairs.append(tuple(_paired_estimates(finding, slice_, (measure,))))
        rows.append((label, measure, pairs))
    return {"counts": counts, "rows": rows}


def measures_by_bins(finding: Finding) -> list[tuple[str, Measure, Slice]]:
    """What is shown against the number of bins: a title, the measure, and the slice of its class."""
    rows: list[tuple[str, Measure, Slice]] = [(ECE.title, ECE, {}), (CECE.title, CECE, {})]
    for name in finding.values(SliceKey.CLASS):
        rows.append((f"{CLASS_ECE.title}: {name}", CLASS_ECE, {SliceKey.CLASS: name}))
    return rows


def _model_examples(finding: Finding, model: Slice) -> list[Example]:
    return [x for x in finding.examples if x.slice.items() >= model.items()]


def _terminal_grids(finding: Finding) -> list[EstimateGrid]:
    """For a terminal: everything over all, what the classes add up to, then the classes of each model."""
    named = finding.models
    over_all = (*SCORES, *OVERALL_ERRORS)
    grids = [
        EstimateGrid("All items", over_all, _terminal_rows(finding, named, over_all), brief=BRIEF_MEASURES),
        EstimateGrid("Summary of the class ECEs", CLASSWISE_ERRORS, _terminal_rows(finding, named, CLASSWISE_ERRORS)),
    ]
    for title, model in named:
        grids.append(_class_grid(finding, f"{title}: items by true class" if title else "Items by true class", model))
    return grids


def _terminal_rows(finding: Finding, named: Sequence[tuple[str, Slice]], measures: Sequence[str]) -> list[EstimateRow]:
    rows: list[EstimateRow] = []
    for title, model in named:
        for name, as_if in ((title or "the model", {}), (f"  {IF_CALIBRATED}", CALIBRATED)):
            rows.append((name, [find_estimate(finding, measure, {**model, **as_if}) for measure in measures], None))
    return rows


def _terminal_lines(finding: Finding) -> list[str]:
    lines = [line for title, model in finding.models for line in ModelCard.from_finding(finding, title, model).lines()]
    if any(verdict.status is Status.STANDS_OUT for verdict in finding.verdicts):
        lines.append(
            "Next step: evenhand calibrate file, or evenhand calibrate compare to see which calibrator is best."
        )
    more = ["groups"] if finding.values(SliceKey.GROUP) else []
    more += [slice_title(part) for part in evidence_slices(finding, OWN_KEYS)][:4]
    more += ["reliability diagrams"] if finding.exhibits else []
    also = [f"Also in the report: {'; '.join(more)}."] if more else []
    return [*lines, *also]


def _file_grids(finding: Finding) -> list[EstimateGrid]:
    """Everything, for files: also groups, and the classes in each part of the evidence."""
    named = finding.models
    grids = _terminal_grids(finding)
    if finding.values(SliceKey.GROUP):
        grids += [_group_grid(finding, f"{title}: groups" if title else "Groups", model) for title, model in named]
    for part in evidence_slices(finding, OWN_KEYS):
        for title, model in named:
            name = f"{title}: {slice_title(part)}" if title else slice_title(part)
            grids.append(_class_grid(finding, name, {**model, **part}))
    return grids


SECTION = Section(
    "calibration.html",
    template_context,
    _terminal_grids,
    _terminal_lines,
    _file_grids,
    answers_first=True,
    brief_table="calibration_regions.html",
    brief_figure="column_reliability",
)
