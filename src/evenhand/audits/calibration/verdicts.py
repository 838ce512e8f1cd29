"""The conclusions of a calibration finding: whether a model is calibrated, for which classes it is not, what to do.

Readings describe each slice: over- or underconfidence, classes, the number of bins. Verdicts summarise each model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import reduce
from typing import NamedTuple

import numpy as np

from evenhand.audits.calibration.quantities import CALIBRATED, OVERALL_ERRORS
from evenhand.audits.calibration.settings import BIN_COUNTS, chosen_bins
from evenhand.audits.calibration.statements import CALIBRATE, region_statements
from evenhand.audits.views import model_slice
from evenhand.catalogue import Measure
from evenhand.catalogue.calibration import CLASS_ACE, CLASS_ECE
from evenhand.catalogue.shared import ECE
from evenhand.estimate import Estimate
from evenhand.evidence import ClassedEvidence, ClassedRows
from evenhand.finding import Finding, Reading, Slice, SliceKey, Status, Verdict
from evenhand.formatting import format_number, format_points, names_in_sentence
from evenhand.measures.calibration import predicted_classes

EVEN_GAP = 0.005  # a difference of confidence and accuracy below which a model is neither over- nor underconfident
ALL_BINS = "all"  # the slice of readings about all numbers of bins
SIGNIFICANT = "statistically significant after correction for multiple comparisons"
NOT_SIGNIFICANT = f"not {SIGNIFICANT}"


class CalibrationTopic(StrEnum):
    """What a reading is about."""

    OVERALL = "overall"
    CLASS = "class"
    BINS = "bins"


class CalibrationTendency(StrEnum):
    """Which way a model errs over all, and whether the items of a class show more error than chance."""

    EVEN = "even"
    OVERCONFIDENT = "too sure"
    UNDERCONFIDENT = "too modest"
    OFF = "off"
    AS_EXPECTED = "as expected"


def calibration_readings(finding: Finding, evidence: ClassedEvidence) -> Iterator[Reading]:
    """Per model: over all, then the classes with the largest errors first, then what the bins do."""
    for classed in evidence.classed(evidence.parts[0]):
        named = model_slice(evidence.models, classed.model)
        yield _overall(finding, classed, named)
        yield from sorted(_classes(finding, classed, named), key=lambda reading: -_value(finding, reading.slice))
        yield _bins(finding, named)


def _overall(finding: Finding, classed: ClassedRows, named: Slice) -> Reading:
    confidence, accuracy = _means(classed)
    words, tendency = _direction(confidence - accuracy)
    ece, reference = finding.get(ECE, **named), finding.get(ECE, **named, **CALIBRATED)
    text = (
        f"Mean confidence is {100.0 * confidence:.1f} % and accuracy {100.0 * accuracy:.1f} %: {words}. The expected "
        f"calibration error ({ECE.title}) is {ece.value:.4f}, compared with about {reference.value:.4f} "
        f"({reference.low:.4f} to {reference.high:.4f}) for a perfectly calibrated model with the same probabilities "
        f"and number of items: {_compare_overall(ece, reference)}."
    )
    if hidden := hidden_errors(finding, named):
        titles = names_in_sentence([measure.title for measure in hidden])
        text += f" Errors over the probabilities of all classes are {SIGNIFICANT}: {titles}."
    return Reading(named, text, tendency=tendency, topic=CalibrationTopic.OVERALL)


def _means(classed: ClassedRows) -> tuple[float, float]:
    """Mean confidence, and accuracy."""
    weights = None if classed.weights is None else classed.weights.weight
    confidence = reduce(np.maximum, classed.probabilities.T)
    correct = predicted_classes(classed.probabilities) == classed.label
    return float(np.average(confidence, weights=weights)), float(np.average(correct, weights=weights))


def _direction(gap: float) -> tuple[str, CalibrationTendency]:
    points = format_points(abs(gap))
    if abs(gap) < EVEN_GAP:
        return f"a difference of {points}", CalibrationTendency.EVEN
    if gap > 0.0:
        return f"overconfident by {points} on average", CalibrationTendency.OVERCONFIDENT
    return f"underconfident by {points} on average", CalibrationTendency.UNDERCONFIDENT


def _classes(finding: Finding, classed: ClassedRows, named: Slice) -> Iterator[Reading]:
    for name in classed.classes:
        slice_ = {**named, SliceKey.CLASS: name}
        error, reference = finding.get(CLASS_ECE, **slice_), finding.get(CLASS_ECE, **slice_, **CALIBRATED)
        if not error.defined or not reference.defined:
            continue
        text = (
            f"Items of true class '{name}' ({error.n:,}): class ECE {error.value:.4f}, compared with "
            f"{reference.value:.4f} ({reference.low:.4f} to {reference.high:.4f}) for a calibrated model: "
            f"{_compare_class(error, reference)}."
        )
        tendency = CalibrationTendency.OFF if error.stands_out else CalibrationTendency.AS_EXPECTED
        yield Reading(slice_, text, tendency=tendency, topic=CalibrationTopic.CLASS)


def _compare_overall(error: Estimate, reference: Estimate) -> str:
    if error.stands_out:
        return f"the error is {SIGNIFICANT}"
    if (error.value or 0.0) > (reference.high or 0.0):
        return f"above the range of a calibrated model, but {NOT_SIGNIFICANT}"
    return "no larger than expected by chance"


def _compare_class(error: Estimate, reference: Estimate) -> str:
    if error.stands_out:
        return f"the probabilities are miscalibrated for this class ({SIGNIFICANT})"
    if (error.value or 0.0) > (reference.high or 0.0):
        return f"above the range of a calibrated model, but {NOT_SIGNIFICANT}"
    if (error.value or 0.0) < (reference.low or 0.0):
        return "lower than for a calibrated model, at the expense of other classes"
    return "as expected for a calibrated model"


def _value(finding: Finding, slice_: Slice) -> float:
    return finding.get(CLASS_ECE, **slice_).value or 0.0


def _bins(finding: Finding, named: Slice) -> Reading:
    """The lowest and the highest ECE over the numbers of bins, including the chosen one."""
    values = {count: finding.get(ECE, **named, bins=str(count)).value or 0.0 for count in BIN_COUNTS}
    values[int(chosen_bins(finding))] = finding.get(ECE, **named).value or 0.0
    low, high = (pick(sorted(values), key=values.__getitem__) for pick in (min, max))
    counts = f"{names_in_sentence([str(count) for count in sorted(values)], len(values))} bins"
    if f"{values[low]:.4f}" == f"{values[high]:.4f}":
        text = f"With {counts}, the {ECE.title} is the same: {values[low]:.4f}."
    else:
        text = (
            f"With {counts}, the {ECE.title} ranges from {values[low]:.4f} ({low} bins) to {values[high]:.4f} "
            f"({high} bins). Compare models only at the same number of bins."
        )
    return Reading({**named, SliceKey.BINS: ALL_BINS}, text, topic=CalibrationTopic.BINS)


class ClassCalibration(NamedTuple):
    """A class: its error, the error of a calibrated model, and whether its ACE is significant."""

    name: str
    error: Estimate
    reference: Estimate
    ace_stands_out: bool

    @property
    def defined(self) -> bool:
        """Whether both have a value."""
        return self.error.defined and self.reference.defined

    @property
    def excess(self) -> float:
        """How far beyond a calibrated model."""
        return (self.error.value or 0.0) - (self.reference.value or 0.0)

    @property
    def off(self) -> bool:
        """Beyond chance."""
        return self.error.stands_out

    @property
    def is_outside(self) -> bool:
        """Beyond the range of a calibrated model, on either side."""
        low, high = self.reference.low or 0.0, self.reference.high or 0.0
        return not low <= (self.error.value or 0.0) <= high

    @property
    def off_by_ace_alone(self) -> bool:
        """Beyond chance by its ACE, which looks at every probability, and not by its ECE."""
        return self.ace_stands_out and not self.off


def classes_by_excess(finding: Finding, slice_: Slice) -> list[ClassCalibration]:
    """The classes of a slice, the one furthest beyond a calibrated model first; those without a value last."""
    classes = [
        ClassCalibration(
            name,
            finding.get(CLASS_ECE, **own),
            finding.get(CLASS_ECE, **own, **CALIBRATED),
            finding.has(CLASS_ACE, **own) and finding.get(CLASS_ACE, **own).stands_out,
        )
        for name in finding.values(SliceKey.CLASS)
        for own in ({**slice_, SliceKey.CLASS: name},)
        if finding.has(CLASS_ECE, **own)
    ]
    return sorted(classes, key=lambda one: (not one.error.defined, -one.excess))


def errors_beyond_chance(finding: Finding, named: Slice) -> list[Measure]:
    """The errors over all items that are significant."""
    return [m for m in OVERALL_ERRORS if finding.has(m, **named) and finding.get(m, **named).stands_out]


def hidden_errors(finding: Finding, named: Slice) -> list[Measure]:
    """Errors that are significant where the ECE, which uses the largest probability only, is not."""
    off = errors_beyond_chance(finding, named)
    return [] if ECE in off else off


DIRECTIONS: dict[str | None, str] = {
    CalibrationTendency.OVERCONFIDENT: "Overconfident",
    CalibrationTendency.UNDERCONFIDENT: "Underconfident",
    CalibrationTendency.EVEN: "Overconfident for some items, underconfident for others",
}
COLUMNS_OFF = "The confidence is calibrated, but the class probabilities are not"  # what the ECE does not detect
OF_CONFIDENCE = "Confidence, the largest probability of an item"
CLASSES_OFF = "Calibrated overall, but not for every class"


def calibration_verdicts(finding: Finding) -> Iterator[Verdict]:
    """Of each model: where scores are off and where not, then calibration errors; without regions the latter alone."""
    for _, named in finding.models:
        regions = list(region_statements(finding, named))
        yield from regions
        yield from _error_verdicts(finding, named, explaining=bool(regions))


def _error_verdicts(finding: Finding, named: Slice, *, explaining: bool) -> Iterator[Verdict]:
    """Significant calibration errors, or that there are none, or that they are not measurable.

    Where regions of scores come first this explains them: it is no news of its own, and nothing is quiet.
    """
    ece, significant = finding.get(ECE, **named), errors_beyond_chance(finding, named)
    classes = [one for one in classes_by_excess(finding, named) if one.defined]
    wrong = [one.name for one in classes if one.off] + [one.name for one in classes if one.off_by_ace_alone]
    if not ece.defined:
        yield Verdict(Status.OPEN, named, f"Calibration could not be measured: {ece.note}.")
    elif significant or wrong:
        statement = _miscalibration(finding, named, significant, wrong)
        if explaining and ECE in significant:
            statement = f"{OF_CONFIDENCE}: {statement[0].lower()}{statement[1:]}"
        status, action = (Status.MEASURED, "") if explaining else (Status.STANDS_OUT, CALIBRATE)
        yield Verdict(status, named, statement, _mean_distance(finding, named), action)
    elif not explaining:
        highest = format_number(ECE, ece.high or 0.0)
        certainty = f"An {ECE.title} of up to {highest} is compatible with the data."
        yield Verdict(Status.QUIET, named, f"No miscalibration detected in {ece.n:,} items.", certainty)


def _miscalibration(finding: Finding, named: Slice, significant: Sequence[Measure], classes: Sequence[str]) -> str:
    overall = COLUMNS_OFF if significant else CLASSES_OFF
    if ECE in significant:
        readings = finding.readings_about(CalibrationTopic.OVERALL, **named)
        overall = DIRECTIONS[readings[0].tendency] if readings else "Miscalibrated"
    kind = "class" if len(classes) == 1 else "classes"
    return f"{overall}{f'; miscalibrated for {kind} {names_in_sentence(classes)}' if classes else ''}."


def _mean_distance(finding: Finding, named: Slice) -> str:
    ece, reference = finding.get(ECE, **named), finding.get(ECE, **named, **CALIBRATED)
    chance = "" if reference.value is None else f" (expected by chance: {format_points(reference.value)})"
    return f"On average, confidence and accuracy differ by {format_points(ece.value or 0.0)}{chance}."
