"""A fitted calibrator, and the table of methods that fit one.

A `Calibrator` is for the classes it was fitted on and no others. `METHODS` has one row for each method; commands,
comparisons and the reading of files follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats
from evenhand.calibrators.logistic import Beta, Platt, Vector, fit_beta, fit_platt, fit_vector
from evenhand.calibrators.nonparametric import BINS, Histogram, Isotonic, fit_histogram, fit_isotonic
from evenhand.calibrators.predictions import OptionValue, UncalibratedPredictions, Validation
from evenhand.calibrators.temperature import Temperature, fit_temperature, fit_weighted_temperature
from evenhand.errors import InputError, nearest
from evenhand.pandas_frames import rows_as_given


class CalibrationMap(Protocol):
    """What was fitted, as a frozen dataclass of plain numbers: from predictions to probabilities."""

    def __call__(self, predictions: UncalibratedPredictions) -> Floats: ...

    def fits(self, width: int) -> bool:
        """Whether the numbers make sense for so many classes."""
        ...


@dataclass(frozen=True)
class Calibrator:
    """`passing` classes had no validation data: their probability is kept, the others share what is left.

    `curve` is fitted to the probabilities of the other classes, given that it is one of them. It is None where fewer
    than two classes had data; then every class passes. `data` names what it was fitted on, `columns` and `scale` say
    where in it and how the probabilities were written, `items` how many there were of each class; `warnings` are
    sentences for people.

    >>> p = np.array([[0.1, 0.9], [0.2, 0.8], [0.7, 0.3], [0.4, 0.6], [0.05, 0.95], [0.9, 0.1]])
    >>> labels = [1, 0, 0, 1, 1, 0]
    >>> calibrator = eh.calibrators.fit(p, labels)
    >>> calibrator
    <Calibrator ts: 0, 1; fitted to 6 items>
    >>> calibrator.apply(p).shape
    (6, 2)
    """

    method: str
    classes: tuple[str, ...]
    curve: CalibrationMap | None
    items: tuple[float, ...]
    passing: tuple[int, ...] = ()
    keeps_argmax: bool = False
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    data: str = ""
    columns: tuple[str, ...] = ()
    scale: str = "probability"
    warnings: tuple[str, ...] = ()

    @rows_as_given
    def apply(
        self, probabilities: npt.ArrayLike, *, classes: Sequence[str] | None = None, logits: bool = False
    ) -> Floats:
        """Calibrated probabilities, one row for each row; `classes` are the names of the columns, if they are known.

        A pandas frame comes back as pandas, with its index and columns.
        """
        predictions = UncalibratedPredictions.from_values(probabilities, logits=logits)
        if classes is not None:
            self.require(classes)
        if predictions.values.shape[1] != len(self.classes):
            raise InputError(f"{predictions.values.shape[1]} columns for a calibrator of {len(self.classes)} classes")
        calibrated = self._applied(predictions)
        return _keep_argmax(calibrated, predictions.values) if self.keeps_argmax else calibrated

    def __repr__(self) -> str:
        return f"<Calibrator {self.method}: {', '.join(self.classes)}; fitted to {sum(self.items):,.6g} items>"

    def require(self, classes: Sequence[str]) -> None:
        """Refuse other classes, or the same in another order."""
        if tuple(classes) == self.classes:
            return
        ours, theirs = (", ".join(map(str, names)) for names in (self.classes, classes))
        same = "in another order" if sorted(map(str, classes)) == sorted(self.classes) else "other classes"
        raise InputError(f"the calibrator was fitted for the classes {ours}; these are {same}: {theirs}")

    def _applied(self, predictions: UncalibratedPredictions) -> Floats:
        if self.curve is None:
            return predictions.probabilities.copy()
        if not self.passing:
            return self.curve(predictions)
        others = [k for k in range(len(self.classes)) if k not in self.passing]
        calibrated = predictions.probabilities.copy()
        left = np.maximum(0.0, 1.0 - calibrated[:, list(self.passing)].sum(axis=1, keepdims=True))
        calibrated[:, others] = self.curve(predictions.among(others)) * left
        return calibrated


def _keep_argmax(calibrated: Floats, original: Floats) -> Floats:
    """Where rounding made the first of the largest another class than before, lift the right one by a last digit."""
    before = original.argmax(axis=1)
    moved = np.flatnonzero(calibrated.argmax(axis=1) != before)
    calibrated[moved, before[moved]] = np.nextafter(calibrated[moved].max(axis=1), 2.0)
    return calibrated


FitFunction = Callable[[Validation, Mapping[str, OptionValue]], tuple[CalibrationMap, list[str]]]


@dataclass(frozen=True)
class CalibrationMethod:
    """`curve` is what it leaves, `few` the number of items of a class below which it warns, `options` its defaults.

    >>> method = eh.calibrators.METHODS["isotonic"]
    >>> method.title, method.binary
    ('isotonic regression', False)
    """

    name: str
    title: str
    curve: type[Any]
    fit: FitFunction
    binary: bool = False
    keeps_argmax: bool = False
    few: int = 0
    options: Mapping[str, OptionValue] = field(default_factory=dict)


HISTOGRAM: dict[str, OptionValue] = {"bins": BINS, "equal": "width"}
TEMPERATURE, WEIGHTED_TEMPERATURE = "ts", "wts"
METHODS: dict[str, CalibrationMethod] = {
    method.name: method
    for method in (
        CalibrationMethod(TEMPERATURE, "temperature scaling", Temperature, fit_temperature, keeps_argmax=True, few=10),
        CalibrationMethod(
            WEIGHTED_TEMPERATURE,
            "weighted temperature scaling",
            Temperature,
            fit_weighted_temperature,
            keeps_argmax=True,
            few=10,
        ),
        CalibrationMethod("vector", "vector scaling", Vector, fit_vector, few=20),
        CalibrationMethod("platt", "Platt scaling", Platt, fit_platt, binary=True, few=20),
        CalibrationMethod("beta", "beta calibration", Beta, fit_beta, binary=True, few=20),
        CalibrationMethod("isotonic", "isotonic regression", Isotonic, fit_isotonic, few=50),
        CalibrationMethod("histogram", "histogram binning", Histogram, fit_histogram, few=50, options=HISTOGRAM),
    )
}


def fit(
    probabilities: npt.ArrayLike,
    labels: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    method: str = TEMPERATURE,
    classes: Sequence[str] | None = None,
    logits: bool = False,
    data: str = "",
    columns: Sequence[str] = (),
    scale: str = "probability",
    **options: OptionValue,
) -> Calibrator:
    """Fit a calibrator to probabilities [items, classes], or logits, and the column number of each true class.

    A row with a weight counts as so many equal rows. `data` is a fingerprint of where the rows came from,
    `columns` what the probabilities were called there, and `scale` how they were written.

    >>> p = np.array([[0.1, 0.9], [0.2, 0.8], [0.7, 0.3], [0.4, 0.6], [0.05, 0.95], [0.9, 0.1]])
    >>> labels = [1, 0, 0, 1, 1, 0]
    >>> eh.calibrators.fit(p, labels, method="ts", classes=["benign", "violating"])
    <Calibrator ts: benign, violating; fitted to 6 items>
    """
    chosen = find_method(method)
    validation = Validation.from_predictions(
        UncalibratedPredictions.from_values(probabilities, logits=logits), labels, weights, classes
    )
    if chosen.binary and len(validation.classes) != 2:
        raise InputError(f"{chosen.title} is for two classes, and there are {len(validation.classes)}")
    settings = {**chosen.options, **_known_options(chosen, options)}
    passing = _passing(chosen, validation)
    curve, notes = _fit_map(chosen, validation, settings, passing)
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
        warnings=(*_absent_warnings(validation, passing), *_few_warnings(chosen, validation), *notes),
    )


def find_method(method: str) -> CalibrationMethod:
    """The row of the table."""
    if method not in METHODS:
        raise InputError(f"there is no calibration method '{method}'; {nearest(method, METHODS)}")
    return METHODS[method]


def _known_options(method: CalibrationMethod, options: Mapping[str, OptionValue]) -> Mapping[str, OptionValue]:
    for name in options:
        if name not in method.options:
            hint = nearest(name, method.options) if method.options else "leave it out"
            raise InputError(f"{method.title} has no option '{name}'; {hint}")
    return options


def _passing(method: CalibrationMethod, validation: Validation) -> tuple[int, ...]:
    """Classes that keep their probability. A temperature belongs to no class, so it takes in all of them."""
    everything, present = range(len(validation.classes)), validation.present
    if len(present) < 2:
        return tuple(everything)
    return () if method.keeps_argmax else tuple(k for k in everything if k not in present)


def _fit_map(
    method: CalibrationMethod, validation: Validation, settings: Mapping[str, OptionValue], passing: tuple[int, ...]
) -> tuple[CalibrationMap | None, list[str]]:
    others = [k for k in range(len(validation.classes)) if k not in passing]
    return method.fit(validation.among(others), settings) if others else (None, [])


def _absent_warnings(validation: Validation, passing: tuple[int, ...]) -> list[str]:
    present = validation.present
    if len(present) < 2:
        only = validation.classes[present[0]]
        return [f"every validation item is '{only}': nothing can be fitted, and all probabilities stay as they are"]
    lacking = [k for k in range(len(validation.classes)) if k not in present]
    unchanged = "its probability is kept, and the other classes share what is left"
    effects = {
        k: unchanged if k in passing else "the temperature of the other classes is applied to it" for k in lacking
    }
    return [f"no validation item is '{validation.classes[k]}': {effects[k]}" for k in lacking]


def _few_warnings(method: CalibrationMethod, validation: Validation) -> list[str]:
    return [
        f"only {count:.4g} validation items are '{name}': {method.title} is unstable below {method.few}"
        for name, count in zip(validation.classes, validation.counts.tolist(), strict=True)
        if 0.0 < count < method.few
    ]
