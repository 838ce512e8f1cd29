"""How sure a calibration number is, from the same number with items redrawn.

An error is a sum of absolute gaps, which noise can only make larger: its interval is asked gap by gap. Scores are
means, for which percentiles of the draws do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from evenhand.audits.calibration.numbers import Number
from evenhand.intervals import bootstrap
from evenhand.intervals.calibration import METHOD, Errors, combined
from evenhand.measures.calibration import Calibration, cece, ece_variance
from evenhand.tally import FloatArray

SUMS = ("ece", "sce", "ace", "msece", "wsece")


class Sure(NamedTuple):
    """An interval that holds the value, and how it was made; None where too few draws had a value."""

    ends: tuple[float, float] | None
    method: str


def sure(number: Number, plain: Calibration, drawn: Sequence[Calibration], level: float) -> Sure:
    """The interval of one number."""
    if number.measure in SUMS:
        draws = drawn if number.measure in ("ece", "sce", "ace") else _with_all(plain, drawn)
        return Sure(_sum(number.measure, plain, draws).interval(level), METHOD)
    if number.measure == "class_ece":
        assert number.column is not None
        return Sure(_class(number.column, plain, drawn).interval(level), METHOD)
    if number.measure == "cece":
        return Sure(combined(cece, _classes(plain, drawn), level=level), METHOD)
    if number.measure == "ece_variance":
        some = _with_all(plain, drawn)
        return Sure(combined(ece_variance, _classes(plain, some), _sum("ece", plain, some), level=level), METHOD)
    values = [value for one in drawn if (value := number.value_or_none(one)) is not None]
    return Sure(bootstrap.percentile(values, number.value(plain), level), bootstrap.METHOD)


def _sum(measure: str, plain: Calibration, drawn: Sequence[Calibration]) -> Errors:
    gaps = plain.gaps[measure]
    return _errors(gaps, np.array([one.gaps[measure] for one in drawn]).reshape(-1, *gaps.shape))


def _class(column: int, plain: Calibration, drawn: Sequence[Calibration]) -> Errors:
    some = [one.by_class.gaps[column] for one in drawn if one.sizes[column] > 0.0]
    gaps = plain.by_class.gaps[column]
    return _errors(gaps, np.array(some).reshape(-1, *gaps.shape))


def _classes(plain: Calibration, drawn: Sequence[Calibration]) -> Errors:
    gaps = plain.by_class.gaps[plain.present]
    some = [one.by_class.gaps[plain.present] for one in _with_all(plain, drawn)]
    return _errors(gaps, np.array(some).reshape(-1, *gaps.shape))


def _errors(gaps: FloatArray, draws: FloatArray) -> Errors:
    """Of gaps between shares: no error of that kind is above 1."""
    found = Errors.of(gaps, draws)
    return replace(found, most=np.minimum(found.most, np.maximum(found.value, 1.0)))


def _with_all(plain: Calibration, drawn: Sequence[Calibration]) -> list[Calibration]:
    """Draws in which every class that has items still has some."""
    return [one for one in drawn if len(one.present) == len(plain.present)]
