"""The ways to calibrate: one row each. Commands, comparisons and the reading of files follow from the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from evenhand.calibrators.binary import Beta, Platt, beta, platt
from evenhand.calibrators.calibrator import Calibrator, Curve
from evenhand.calibrators.predictions import Predictions
from evenhand.calibrators.steps import BINS, Histogram, Isotonic, histogram, isotonic
from evenhand.calibrators.temperature import Temperature, temperature, weighted_temperature
from evenhand.calibrators.validation import Validation
from evenhand.calibrators.vector import Vector, vector
from evenhand.errors import InputError, nearest

Fit = Callable[[Validation, Mapping[str, Any]], tuple[Curve, list[str]]]


@dataclass(frozen=True)
class Method:
    """`curve` is what it leaves, `few` the number of items of a class below which it warns, `options` its defaults."""

    name: str
    title: str
    curve: type[Any]
    fit: Fit
    binary: bool = False
    keeps_argmax: bool = False
    few: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)


HISTOGRAM = {"bins": BINS, "equal": "width"}
METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("ts", "temperature scaling", Temperature, temperature, keeps_argmax=True, few=10),
        Method("wts", "weighted temperature scaling", Temperature, weighted_temperature, keeps_argmax=True, few=10),
        Method("vector", "vector scaling", Vector, vector, few=20),
        Method("platt", "Platt scaling", Platt, platt, binary=True, few=20),
        Method("beta", "beta calibration", Beta, beta, binary=True, few=20),
        Method("isotonic", "isotonic regression", Isotonic, isotonic, few=50),
        Method("histogram", "histogram binning", Histogram, histogram, few=50, options=HISTOGRAM),
    )
}


def fit(
    probabilities: npt.ArrayLike,
    labels: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    method: str = "ts",
    classes: Sequence[str] | None = None,
    logits: bool = False,
    data: str = "",
    columns: Sequence[str] = (),
    scale: str = "probability",
    **options: Any,
) -> Calibrator:
    """Fit a calibrator to probabilities [items, classes], or logits, and the column number of each true class.

    A row with a weight counts as so many equal rows. `data` is a fingerprint of where the rows came from,
    `columns` what the probabilities were called there, and `scale` how they were written.
    """
    chosen = named(method)
    validation = Validation.of(Predictions.of(probabilities, logits=logits), labels, weights, classes)
    if chosen.binary and len(validation.classes) != 2:
        raise InputError(f"{chosen.title} is for two classes, and there are {len(validation.classes)}")
    settings = {**chosen.options, **_known(chosen, options)}
    passing = _passing(chosen, validation)
    curve, notes = _curve(chosen, validation, settings, passing)
    return Calibrator(
        method=method,
        classes=validation.classes,
        curve=curve,
        items=tuple(validation.counts.tolist()),
        passing=passing,
        keeps_argmax=chosen.keeps_argmax,
        options=settings,
        data=data,
        columns=tuple(columns),
        scale=scale,
        warnings=(*_absent(validation, passing), *_few(chosen, validation), *notes),
    )


def named(method: str) -> Method:
    """The row of the table."""
    if method not in METHODS:
        raise InputError(f"there is no way to calibrate called '{method}'; {nearest(method, METHODS)}")
    return METHODS[method]


def _known(method: Method, options: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in options:
        if name not in method.options:
            raise InputError(f"{method.title} has no option '{name}'; {nearest(name, method.options)}")
    return options


def _passing(method: Method, validation: Validation) -> tuple[int, ...]:
    """Classes that keep their probability. A temperature belongs to no class, so it takes in all of them."""
    everything, present = range(len(validation.classes)), validation.present
    if len(present) < 2:
        return tuple(everything)
    return () if method.keeps_argmax else tuple(k for k in everything if k not in present)


def _curve(
    method: Method, validation: Validation, settings: Mapping[str, Any], passing: tuple[int, ...]
) -> tuple[Curve | None, list[str]]:
    others = [k for k in range(len(validation.classes)) if k not in passing]
    return method.fit(validation.among(others), settings) if others else (None, [])


def _absent(validation: Validation, passing: tuple[int, ...]) -> list[str]:
    present = validation.present
    if len(present) < 2:
        only = validation.classes[present[0]]
        return [f"every validation item is '{only}': nothing can be fitted, and all probabilities stay as they are"]
    lacking = [k for k in range(len(validation.classes)) if k not in present]
    kept = "its probability is kept, and the other classes share what is left"
    told = {k: kept if k in passing else "the temperature of the other classes is applied to it" for k in lacking}
    return [f"no validation item is '{validation.classes[k]}': {told[k]}" for k in lacking]


def _few(method: Method, validation: Validation) -> list[str]:
    return [
        f"only {count:.4g} validation items are '{name}': {method.title} is unstable below {method.few}"
        for name, count in zip(validation.classes, validation.counts.tolist(), strict=True)
        if 0.0 < count < method.few
    ]
