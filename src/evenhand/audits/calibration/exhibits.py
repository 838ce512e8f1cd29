"""What figures are drawn from beyond the estimates: reliability over all, per true class, and per probability."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evenhand.audits.calibration.sample import Sample
from evenhand.audits.calibration.settings import CalibrationSettings
from evenhand.errors import Undefined
from evenhand.finding import Exhibit
from evenhand.intervals import proportions
from evenhand.measures.calibration import Calibration
from evenhand.measures.probability import Reliability
from evenhand.tally import Amount


def exhibits(sample: Sample, model: str, settings: CalibrationSettings) -> Iterator[Exhibit]:
    """The paper's Figures 1 and 2, and how honest the probability of each class is."""
    found = sample.as_it_is()(settings.sorting())
    named = {"model": model}
    yield _exhibit("reliability", named, found.reliability(), settings)
    for number, name in enumerate(sample.classed.classes):
        if len(_class := _of_class(found, number)):
            yield _exhibit("class_reliability", {**named, "class": name}, _class[0], settings)
        yield _exhibit("column_reliability", {**named, "class": name}, found.column_reliability(number), settings)


def _of_class(found: Calibration, number: int) -> list[Reliability]:
    try:
        return [found.reliability(number)]
    except Undefined:
        return []


def _exhibit(kind: str, slice_: dict[str, str], found: Reliability, settings: CalibrationSettings) -> Exhibit:
    """Per bin also the interval of how often the model is right, as if a bin's items were drawn alone."""
    ends = [
        proportions.wilson(_plain(w * a), _plain(w * (1.0 - a))).interval(settings.level) if w else (0.0, 1.0)
        for w, a in zip(found.weight.tolist(), found.accuracy.tolist(), strict=True)
    ]
    columns = {name: np.asarray(getattr(found, name)).tolist() for name in found._fields}
    low, high = (list(side) for side in zip(*ends, strict=True))
    return Exhibit(kind, slice_, {**columns, "low": low, "high": high})


def _plain(items: float) -> Amount:
    return Amount(items, items, items)
