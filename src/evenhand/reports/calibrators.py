"""The section on compared calibrators: the paper's four tables, one row for each calibrator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from evenhand.audits.calibration.quantities import CLASSWISE_ERRORS, OVERALL_ERRORS
from evenhand.calibrators import METHODS
from evenhand.catalogue import Measure
from evenhand.catalogue.calibration import ACE, CLASS_ACE, CLASS_ECE, WEIGHTED_F1
from evenhand.catalogue.shared import ACCURACY, BRIER, ECE, LOG_LOSS
from evenhand.estimate import Flag
from evenhand.finding import Finding, Slice, SliceKey
from evenhand.recalibration.recommendation import UNCALIBRATED, RecalibrationTopic
from evenhand.reports.calibration import measures_by_bins
from evenhand.reports.section import EstimateGrid, EstimateRow, Section, estimate_row, find_estimate

OVERALL_MEASURES = (*OVERALL_ERRORS, LOG_LOSS, BRIER, ACCURACY, WEIGHTED_F1)
BRIEF_MEASURES = tuple(measure for measure in OVERALL_MEASURES if measure != ACCURACY)  # in a narrow terminal
GLOSSARY = (CLASS_ECE, CLASS_ACE, *OVERALL_MEASURES, *CLASSWISE_ERRORS)
CLASSES_ACROSS = 4  # so many classes beside one another in a terminal
CalibratorTitle = Callable[[str], str]  # a calibrator by its name


class GridColumn(NamedTuple):
    """A measure on a slice, and what stands above it."""

    head: str
    measure: Measure
    slice: Slice


def template_context(finding: Finding) -> dict[str, Any]:
    """Everything that the template needs."""
    classes = finding.values(SliceKey.CLASS)
    return {
        "readings": [r.text for r in finding.readings if r.topic != RecalibrationTopic.RECOMMENDED],
        "class_eces": _column_grid(finding, "", _class_columns(CLASS_ECE, ECE, classes), calibrator_title),
        "class_aces": _column_grid(finding, "", _class_columns(CLASS_ACE, ACE, classes), calibrator_title),
        "over_all": _measure_grid(finding, "", OVERALL_MEASURES, calibrator_title),
        "of_classes": _measure_grid(finding, "", (*CLASSWISE_ERRORS, WEIGHTED_F1), calibrator_title),
        "bins": _bins_grid(finding),
        "marked": any(Flag.BEST in m.estimate.flags for m in finding),
        "glossary": GLOSSARY,
    }


def _calibrators(finding: Finding) -> Sequence[str]:
    return finding.values(SliceKey.CALIBRATOR)


def calibrator_title(name: str) -> str:
    """How a calibrator is called in a table."""
    if name == UNCALIBRATED:
        return "uncalibrated"
    return f"{METHODS[name].title} ({name})" if name in METHODS else name


def _short_title(name: str) -> str:
    return "uncalibrated" if name == UNCALIBRATED else name


def _class_columns(of_class: Measure, of_all: Measure, classes: Sequence[str]) -> list[GridColumn]:
    """The measure of each class, then over all, and how good the decisions are."""
    overall = GridColumn(f"all items ({of_all.title})", of_all, {})
    decisions = GridColumn(WEIGHTED_F1.title, WEIGHTED_F1, {})
    return [*(GridColumn(name, of_class, {SliceKey.CLASS: name}) for name in classes), overall, decisions]


def _column_grid(
    finding: Finding, title: str, columns: Sequence[GridColumn], called: CalibratorTitle, **options: Any
) -> EstimateGrid:
    rows: list[EstimateRow] = []
    for name in _calibrators(finding):
        own: Slice = {SliceKey.CALIBRATOR: name}
        estimates = [find_estimate(finding, column.measure, {**own, **column.slice}) for column in columns]
        rows.append((called(name), estimates, None))
    measures, heads = tuple(column.measure for column in columns), tuple(column.head for column in columns)
    return EstimateGrid(title, measures, rows, heads=heads, **options)


def _bins_grid(finding: Finding) -> EstimateGrid:
    """Against the number of bins, before any calibrator (Table 4)."""
    counts = finding.values(SliceKey.BINS)
    rows: list[EstimateRow] = []
    for label, measure, slice_ in measures_by_bins(finding):
        own = {SliceKey.CALIBRATOR: UNCALIBRATED, **slice_}
        estimates = [find_estimate(finding, measure, {**own, SliceKey.BINS: count}) for count in counts]
        rows.append((label, [e and replace(e, flags=()) for e in estimates], None))
    return EstimateGrid("", (ECE,) * len(counts), rows, heads=tuple(f"{count} bins" for count in counts))


def _terminal_grids(finding: Finding) -> list[EstimateGrid]:
    """For a terminal: the same tables, narrower."""
    return [
        *_class_chunks(finding, CLASS_ECE.title, _class_columns(CLASS_ECE, ECE, finding.values(SliceKey.CLASS))),
        *_class_chunks(finding, CLASS_ACE.title, _class_columns(CLASS_ACE, ACE, finding.values(SliceKey.CLASS))),
        _measure_grid(finding, "All items", OVERALL_MEASURES, _short_title, brief=BRIEF_MEASURES, bare=True),
        _measure_grid(finding, "Summary of the class ECEs", CLASSWISE_ERRORS, _short_title, bare=True),
        replace(_bins_grid(finding), title="Uncalibrated, by number of bins"),
    ]


def _class_chunks(finding: Finding, title: str, columns: Sequence[GridColumn]) -> Iterator[EstimateGrid]:
    *classes, overall, f1 = columns
    for start in range(0, len(classes), CLASSES_ACROSS):
        last = start + CLASSES_ACROSS >= len(classes)
        shown = [*classes[start : start + CLASSES_ACROSS], *((overall, f1) if last else ())]
        brief = (columns[0].measure, overall.measure)
        yield _column_grid(finding, title, shown, _short_title, brief=brief, bare=True)


def _measure_grid(
    finding: Finding, title: str, measures: tuple[str, ...], called: CalibratorTitle, **options: Any
) -> EstimateGrid:
    names = _calibrators(finding)
    rows = [estimate_row(finding, called(name), {SliceKey.CALIBRATOR: name}, measures) for name in names]
    return EstimateGrid(title, measures, rows, **options)


def _terminal_lines(finding: Finding) -> list[str]:
    actions = [f"Next step: {verdict.action}" for verdict in finding.verdicts if verdict.action]
    return [*(reading.text for reading in finding.readings), *actions]


SECTION = Section("calibrators.html", template_context, _terminal_grids, _terminal_lines)
