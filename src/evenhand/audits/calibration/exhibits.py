"""The data of the calibration figures, and example texts where they were asked for.

Figures show reliability over all items, per true class and per probability. Examples are the items on which the model
is most confident and wrong, the rarest class first (the paper's Appendix B).
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import numpy as np

from evenhand.audits.calibration.quantities import CALIBRATED
from evenhand.audits.calibration.sample import ClassedSample, seeded_draws
from evenhand.audits.calibration.settings import CalibrationSettings
from evenhand.audits.views import model_slice
from evenhand.evidence import ClassedEvidence
from evenhand.finding import Example, Exhibit, Slice, SliceKey
from evenhand.intervals import proportions
from evenhand.measures.binary_calibration import Reliability
from evenhand.measures.calibration import Calibration, predicted_classes
from evenhand.tally import Amount


class CalibrationExhibit(StrEnum):
    """Reliability diagrams: bins of how sure the model is, and how often it is right in each."""

    RELIABILITY = "reliability"  # of all items
    CLASS_RELIABILITY = "class_reliability"  # of the items of one true class; also as if calibrated
    COLUMN_RELIABILITY = "column_reliability"  # of the probability of one class, over all items


REFERENCE_DRAWS = 40  # of labels, for the mean of what a calibrated model would show


def calibration_exhibits(sample: ClassedSample, named: Slice, settings: CalibrationSettings) -> Iterator[Exhibit]:
    """The paper's Figures 1 and 2, and the reliability of the probability of each class.

    Items of one true class would not lie on the diagonal if the model were calibrated, so that is shown beside.
    """
    calibration = sample.as_it_is()(settings.sorting())
    reference = _reference(sample, settings)
    yield _exhibit(CalibrationExhibit.RELIABILITY, named, calibration.reliability(), settings)
    for number, name in enumerate(sample.classed.classes):
        slice_ = {**named, SliceKey.CLASS: name}
        if calibration.sizes[number] > 0.0:
            yield _exhibit(CalibrationExhibit.CLASS_RELIABILITY, slice_, calibration.reliability(number), settings)
        if (calibrated := _together(reference, number)) is not None:
            yield Exhibit(CalibrationExhibit.CLASS_RELIABILITY, {**slice_, **CALIBRATED}, _columns(calibrated))
        yield _exhibit(CalibrationExhibit.COLUMN_RELIABILITY, slice_, calibration.column_reliability(number), settings)


def _reference(sample: ClassedSample, settings: CalibrationSettings) -> Calibration:
    """Draws of what a calibrated model would show."""
    bins = settings.sorting()
    if (counted := sample.counted([bins], settings.seed)) is not None:
        return counted.labels(REFERENCE_DRAWS).measure(bins)
    drawn = seeded_draws(sample.labels_redrawn, REFERENCE_DRAWS, settings.seed + 1)
    return Calibration.stacked([measure(bins) for measure in drawn])


def _together(reference: Calibration, number: int) -> Reliability | None:
    """Of the items of a class, in all draws that have some, bin by bin."""
    some = reference.sizes[:, number] > 0.0
    if not some.any():
        return None
    sums = reference.by_class
    weight, expected, observed = (
        part[some, number].sum(axis=0) for part in (sums.weight, sums.expected, sums.observed)
    )
    means = (np.divide(part, weight, out=np.zeros_like(weight), where=weight > 0.0) for part in (expected, observed))
    return Reliability(weight / some.sum(), *means)


def _exhibit(
    kind: CalibrationExhibit, slice_: Slice, reliability: Reliability, settings: CalibrationSettings
) -> Exhibit:
    """Per bin also the interval of how often the model is right, as if a bin's items were drawn alone."""
    ends = [
        proportions.wilson(_plain(w * a), _plain(w * (1.0 - a))).interval(settings.level) if w else (None, None)
        for w, a in zip(reliability.weight.tolist(), reliability.accuracy.tolist(), strict=True)
    ]
    low, high = (list(side) for side in zip(*ends, strict=True))
    return Exhibit(kind, slice_, {**_columns(reliability), "low": low, "high": high})


def _columns(reliability: Reliability) -> dict[str, list[float]]:
    return {name: np.asarray(getattr(reliability, name)).tolist() for name in reliability._fields}


def _plain(items: float) -> Amount:
    return Amount(items, items, items)


def calibration_examples(evidence: ClassedEvidence, number: int) -> tuple[Example, ...]:
    """Per model, the rarest class first: items of the class of which the model is surest that they are another."""
    if not number:
        return ()
    examples: list[tuple[dict[str, str], str, float, int]] = []
    for classed in evidence.classed(evidence.parts[0]):
        named = model_slice(evidence.models, classed.model)
        taken_for, confidence = predicted_classes(classed.probabilities), classed.probabilities.max(axis=1)
        sizes = np.bincount(classed.label, minlength=len(classed.classes))
        for column in np.argsort(sizes, kind="stable"):
            wrong = np.flatnonzero((classed.label == column) & (taken_for != column))
            for row in wrong[np.argsort(-confidence[wrong], kind="stable")][:number]:
                kind = f"predicted '{classed.classes[taken_for[row]]}'"
                examples.append(
                    ({**named, SliceKey.CLASS: classed.classes[column]}, kind, float(confidence[row]), int(row))
                )
    texts = evidence.texts([row for *_, row in examples])
    return tuple(
        Example(slice_, kind, score, text) for (slice_, kind, score, _), text in zip(examples, texts, strict=True)
    )
