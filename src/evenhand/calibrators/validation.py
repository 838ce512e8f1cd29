"""What a calibrator is fitted on: predictions of items whose class is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from evenhand.calibrators.predictions import Predictions
from evenhand.errors import InputError
from evenhand.tally import FloatArray

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Validation:
    """Predictions, the true class of each item as a column number, and how many items each row stands for."""

    predictions: Predictions
    labels: IntArray
    weights: FloatArray
    classes: tuple[str, ...]

    @classmethod
    def of(
        cls,
        predictions: Predictions,
        labels: npt.ArrayLike,
        weights: npt.ArrayLike | None = None,
        classes: Sequence[str] | None = None,
    ) -> Validation:
        """Checked; classes without a name are called by their number."""
        items, width = predictions.given.shape
        names = tuple(str(k) for k in range(width)) if classes is None else tuple(classes)
        if len(names) != width or len(set(names)) != width:
            raise InputError(f"{len(set(names))} names of classes for {width} columns of probabilities")
        return cls(predictions, _labels(labels, items, width), _weights(weights, items), names)

    @cached_property
    def counts(self) -> FloatArray:
        """Items of each class."""
        return np.bincount(self.labels, self.weights, len(self.classes)).astype(np.float64, copy=False)

    @property
    def present(self) -> tuple[int, ...]:
        """Classes of which there is an item."""
        return tuple(np.flatnonzero(self.counts > 0.0).tolist())

    @cached_property
    def shares(self) -> FloatArray:
        """The weight of each row; they sum to one."""
        return np.asarray(self.weights / self.weights.sum())

    def of_truth(self, values: FloatArray) -> FloatArray:
        """For each row the value of its true class."""
        return values[np.arange(len(self.labels)), self.labels]

    def truth(self) -> FloatArray:
        """One column for each class: 1 where it is the true one."""
        return np.asarray(self.labels[:, None] == np.arange(len(self.classes)), dtype=np.float64)

    def among(self, classes: Sequence[int]) -> Validation:
        """Only some classes, which must hold the true ones."""
        if len(classes) == len(self.classes):
            return self
        kept = self.weights > 0.0  # a row that counts for nothing may be of another class
        place = np.zeros(len(self.classes), dtype=np.int64)
        place[list(classes)] = np.arange(len(classes))
        inside = self.predictions.among(classes)
        rows = Predictions(inside.given[kept], inside.logits)
        names = tuple(self.classes[k] for k in classes)
        return Validation(rows, place[self.labels[kept]], self.weights[kept], names)


def _labels(given: npt.ArrayLike, items: int, width: int) -> IntArray:
    labels = np.asarray(given)
    if labels.shape != (items,) or not items:
        raise InputError(f"{labels.size} labels for {items} rows: there must be one for each, and one at least")
    if labels.dtype.kind not in "iub":
        raise InputError("labels are the numbers of their columns: 0 for the first class")
    wrong = (labels < 0) | (labels >= width) if labels.dtype.kind != "b" else np.zeros(items, dtype=bool)
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(f"the label {labels[row]} is none of the {width} classes", row=row + 1)
    return labels.astype(np.int64)


def _weights(given: npt.ArrayLike | None, items: int) -> FloatArray:
    weights = np.ones(items) if given is None else np.asarray(given, dtype=np.float64)
    if weights.shape != (items,):
        raise InputError(f"{weights.size} weights for {items} rows of probabilities: there must be one for each")
    if not np.isfinite(weights).all() or weights.min() < 0.0 or not weights.any():
        raise InputError("weights must be finite, none below 0, and not all 0")
    return weights
