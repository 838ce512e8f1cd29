"""What figures are drawn from beyond the estimates: reliability over all, per true class, and per probability."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

import numpy as np

from evenhand.audits.calibration.examining import CALIBRATED
from evenhand.audits.calibration.sample import Sample, draws
from evenhand.audits.calibration.settings import CalibrationSettings
from evenhand.errors import Undefined
from evenhand.finding import Exhibit
from evenhand.intervals import proportions
from evenhand.measures.calibration import Calibration
from evenhand.measures.probability import Reliability
from evenhand.tally import Amount

DRAWS = 40  # of labels, for the mean of what a calibrated model would show


def exhibits(sample: Sample, model: str, settings: CalibrationSettings) -> Iterator[Exhibit]:
    """The paper's Figures 1 and 2, and how honest the probability of each class is.

    Items of one true class would not lie on the diagonal if the model were calibrated, so that is shown beside.
    """
    found = sample.as_it_is()(settings.sorting())
    honest = [measure(settings.sorting()) for measure in draws(sample.labels_redrawn, DRAWS, settings.seed + 1)]
    named = {"model": model}
    yield _exhibit("reliability", named, found.reliability(), settings)
    for number, name in enumerate(sample.classed.classes):
        slice_ = {**named, "class": name}
        for one in _of_class([found], number):
            yield _exhibit("class_reliability", slice_, one, settings)
        if drawn := _of_class(honest, number):
            yield Exhibit("class_reliability", {**slice_, **CALIBRATED}, _columns(_together(drawn)))
        yield _exhibit("column_reliability", slice_, found.column_reliability(number), settings)


def _of_class(found: Sequence[Calibration], number: int) -> list[Reliability]:
    """Of those draws in which the class has items."""
    kept = []
    for one in found:
        with suppress(Undefined):
            kept.append(one.reliability(number))
    return kept


def _together(drawn: Sequence[Reliability]) -> Reliability:
    """Of all draws, bin by bin."""
    weight = np.sum([one.weight for one in drawn], axis=0)
    promised, kept = (
        np.sum([one.weight * getattr(one, name) for one in drawn], axis=0) for name in ("confidence", "accuracy")
    )
    means = (np.divide(sums, weight, out=np.zeros_like(weight), where=weight > 0.0) for sums in (promised, kept))
    return Reliability(weight / len(drawn), *means)


def _exhibit(kind: str, slice_: dict[str, str], found: Reliability, settings: CalibrationSettings) -> Exhibit:
    """Per bin also the interval of how often the model is right, as if a bin's items were drawn alone."""
    ends = [
        proportions.wilson(_plain(w * a), _plain(w * (1.0 - a))).interval(settings.level) if w else (0.0, 1.0)
        for w, a in zip(found.weight.tolist(), found.accuracy.tolist(), strict=True)
    ]
    low, high = (list(side) for side in zip(*ends, strict=True))
    return Exhibit(kind, slice_, {**_columns(found), "low": low, "high": high})


def _columns(found: Reliability) -> dict[str, list[float]]:
    return {name: np.asarray(getattr(found, name)).tolist() for name in found._fields}


def _plain(items: float) -> Amount:
    return Amount(items, items, items)
