"""A fitted calibrator: makes a model's probabilities honest, for the classes it was fitted on and no others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from evenhand.calibrators.predictions import Predictions
from evenhand.errors import InputError
from evenhand.tally import FloatArray


class Curve(Protocol):
    """What was fitted, as a frozen dataclass of plain numbers: from predictions to probabilities."""

    def __call__(self, predictions: Predictions) -> FloatArray: ...

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
    """

    method: str
    classes: tuple[str, ...]
    curve: Curve | None
    items: tuple[float, ...]
    passing: tuple[int, ...] = ()
    keeps_argmax: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    data: str = ""
    columns: tuple[str, ...] = ()
    scale: str = "probability"
    warnings: tuple[str, ...] = ()

    def apply(
        self, probabilities: npt.ArrayLike, *, classes: Sequence[str] | None = None, logits: bool = False
    ) -> FloatArray:
        """Calibrated probabilities, one row for each row; `classes` are the names of the columns, if they are known."""
        predictions = Predictions.of(probabilities, logits=logits)
        if classes is not None:
            self.require(classes)
        if predictions.given.shape[1] != len(self.classes):
            raise InputError(f"{predictions.given.shape[1]} columns for a calibrator of {len(self.classes)} classes")
        found = self._applied(predictions)
        return _deciding_alike(found, predictions.given) if self.keeps_argmax else found

    def require(self, classes: Sequence[str]) -> None:
        """Refuse other classes, or the same in another order."""
        if tuple(classes) == self.classes:
            return
        ours, theirs = (", ".join(map(str, names)) for names in (self.classes, classes))
        same = "in another order" if sorted(map(str, classes)) == sorted(self.classes) else "other classes"
        raise InputError(f"the calibrator was fitted for the classes {ours}; these are {same}: {theirs}")

    def _applied(self, predictions: Predictions) -> FloatArray:
        if self.curve is None:
            return predictions.probabilities.copy()
        if not self.passing:
            return self.curve(predictions)
        others = [k for k in range(len(self.classes)) if k not in self.passing]
        found = predictions.probabilities.copy()
        left = np.maximum(0.0, 1.0 - found[:, list(self.passing)].sum(axis=1, keepdims=True))
        found[:, others] = self.curve(predictions.among(others)) * left
        return found


def _deciding_alike(found: FloatArray, given: FloatArray) -> FloatArray:
    """Where rounding made the first of the largest another class than before, lift the right one by a last digit."""
    before = given.argmax(axis=1)
    moved = np.flatnonzero(found.argmax(axis=1) != before)
    found[moved, before[moved]] = np.nextafter(found[moved].max(axis=1), 2.0)
    return found
