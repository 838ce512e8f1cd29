"""The numbers of one sample, each with its interval and beside it what a calibrated model would show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special

from evenhand.audits.calibration.numbers import Number
from evenhand.audits.calibration.sample import Sample, draws
from evenhand.audits.calibration.sure import sure
from evenhand.audits.settings import Settings
from evenhand.errors import Undefined
from evenhand.estimate import Estimate
from evenhand.finding import Slice
from evenhand.measures.calibration import Bins, Calibration

REFERENCE = "redrawn_labels"
CALIBRATED = {"as_if": "calibrated"}


class Asked(NamedTuple):
    """A number, with which bins, and the slice it is filed under."""

    number: Number
    bins: Bins
    slice: Slice


class Found(NamedTuple):
    """What was found of it, what a calibrated model would show, and how likely such a one would show as much."""

    asked: Asked
    estimate: Estimate
    calibrated: Estimate
    p_value: float | None


@dataclass(frozen=True)
class Drawn:
    """All that was drawn of one sample, by bins: as it is, items redrawn, labels redrawn."""

    plain: dict[Bins, Calibration]
    items: list[dict[Bins, Calibration]]
    labels: list[dict[Bins, Calibration]]


def draw(sample: Sample, bins: Sequence[Bins], settings: Settings, progress: Callable[[int, int], None]) -> Drawn:
    """Measure with all bins: once as it is, then with items and with labels redrawn."""
    times, total = settings.replicates, 2 * settings.replicates
    kept: list[list[dict[Bins, Calibration]]] = [[], []]
    for number, way in enumerate((sample.items_redrawn, sample.labels_redrawn)):
        for done, measure in enumerate(draws(way, times, settings.seed + number), start=1):
            kept[number].append({one: measure(one) for one in bins})
            progress(number * times + done, total)
    return Drawn({one: sample.as_it_is()(one) for one in bins}, *kept)


def found(sample: Sample, drawn: Drawn, asked: Asked, level: float) -> Found:
    """One number of what was drawn."""
    number, n = asked.number, sample.items if asked.number.column is None else int(sample.counts[asked.number.column])
    try:
        value = number.value(drawn.plain[asked.bins])
    except Undefined as why:
        nothing = Estimate.undefined(str(why), level=level, n=n)
        return Found(asked, nothing, nothing, None)
    honest = [v for one in drawn.labels if (v := number.value_or_none(one[asked.bins])) is not None]
    how = sure(number, drawn.plain[asked.bins], [one[asked.bins] for one in drawn.items], level)
    if how.ends is None:
        nothing = Estimate.undefined("too few bootstrap draws have a value", level=level, n=n)
        return Found(asked, nothing, _calibrated(honest, level, n), None)
    estimate = Estimate(value, *how.ends, level, how.method, n)
    return Found(asked, estimate, _calibrated(honest, level, n), _chance(value, honest) if number.error else None)


def _calibrated(honest: Sequence[float], level: float, n: int) -> Estimate:
    if len(honest) < 20:
        return Estimate.undefined("labels drawn from the probabilities seldom have this class", level=level, n=n)
    mean = float(np.mean(honest))
    low, high = np.quantile(honest, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return Estimate(mean, min(float(low), mean), max(float(high), mean), level, REFERENCE, n)


def _chance(value: float, honest: Sequence[float]) -> float | None:
    """How likely a calibrated model shows as much or more; beyond all draws, by the normal tail of their spread."""
    if len(honest) < 20:
        return None
    as_much = int((np.asarray(honest) >= value).sum())
    if as_much:
        return (1 + as_much) / (1 + len(honest))
    spread = float(np.std(honest, ddof=1))
    tail = float(special.ndtr((float(np.mean(honest)) - value) / spread)) if spread else 0.0
    return min(tail, 1.0 / (1 + len(honest)))
