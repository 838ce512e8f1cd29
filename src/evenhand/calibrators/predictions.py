"""What calibrators work on: class probabilities of many items, alone or with the true classes they are fitted to.

A model may give logits instead of probabilities. Their softmax is meant, so a calibrator gives the same answer to
either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import special

from evenhand.arrays import Floats, Ints, class_numbers, class_table
from evenhand.errors import InputError

FLOOR = 1e-16  # where logarithms are taken, smaller probabilities count as this much; 1 less this is 1
SLACK = 0.01  # how far a row may be from summing to one; it is divided by its sum
ROUNDING = 1e-6  # how far a value may be beyond 0 and 1
OptionValue = int | str  # of an option that a method has, such as its number of bins
EXACT = 1e-13  # rows this near to one are left as they are


@dataclass(frozen=True)
class UncalibratedPredictions:
    """What a model says of each item: `values` [items, classes] are probabilities, or logits."""

    values: Floats
    logits: bool = False

    @classmethod
    def from_values(cls, values: npt.ArrayLike, *, logits: bool = False) -> UncalibratedPredictions:
        """Checked, and in double precision."""
        table = class_table(values).astype(np.float64, copy=False)
        if not np.isfinite(table).all():
            raise InputError("a value is missing or infinite", row=_first_row(~np.isfinite(table).all(axis=1)))
        return cls(table, logits=True) if logits else cls(_checked_probabilities(table))

    @cached_property
    def probabilities(self) -> Floats:
        """Rows sum to one."""
        if self.logits:
            shares: Floats = special.softmax(self.values, axis=1)
            return shares
        total = self.values.sum(axis=1, keepdims=True)
        return self.values if (np.abs(total - 1.0) <= EXACT).all() else self.values / total

    @cached_property
    def logs(self) -> Floats:
        """Logarithms of the probabilities; those of probabilities below the floor are that of the floor."""
        if self.logits:
            log_shares: Floats = special.log_softmax(self.values, axis=1)
            return log_shares
        lifted = np.maximum(self.values, FLOOR)
        return np.asarray(np.log(lifted / lifted.sum(axis=1, keepdims=True)))

    def among(self, classes: Sequence[int]) -> UncalibratedPredictions:
        """The probabilities of some classes, given that it is one of them; equal where none of them can be."""
        columns = self.values[:, list(classes)]
        if self.logits:
            return UncalibratedPredictions(columns, logits=True)
        total = columns.sum(axis=1, keepdims=True)
        return UncalibratedPredictions(
            np.where(total > 0.0, columns / np.where(total > 0.0, total, 1.0), 1.0 / len(classes))
        )


def _checked_probabilities(probabilities: Floats) -> Floats:
    beyond = ((probabilities < -ROUNDING) | (probabilities > 1.0 + ROUNDING)).any(axis=1)
    if beyond.any():
        raise InputError("a probability must be from 0 to 1 (for logits pass logits=True)", row=_first_row(beyond))
    off = np.abs(probabilities.sum(axis=1) - 1.0)
    if (off > SLACK).any():
        worst = int(off.argmax())
        problem = f"the probabilities sum to {probabilities[worst].sum():.4g}, not to one"
        raise InputError(f"{problem}, as in {int((off > SLACK).sum())} of {len(probabilities)} rows", row=worst + 1)
    within = not len(probabilities) or (probabilities.min() >= 0.0 and probabilities.max() <= 1.0)
    return probabilities if within else np.clip(probabilities, 0.0, 1.0)


def _first_row(rows: npt.ArrayLike) -> int:
    return int(np.argmax(rows)) + 1


@dataclass(frozen=True)
class Validation:
    """Predictions, the true class of each item as a column number, and how many items each row stands for."""

    predictions: UncalibratedPredictions
    labels: Ints
    weights: Floats
    classes: tuple[str, ...]

    @classmethod
    def from_predictions(
        cls,
        predictions: UncalibratedPredictions,
        labels: npt.ArrayLike,
        weights: npt.ArrayLike | None = None,
        classes: Sequence[str] | None = None,
    ) -> Validation:
        """Checked; classes without a name are called by their number."""
        items, width = predictions.values.shape
        names = tuple(str(k) for k in range(width)) if classes is None else tuple(classes)
        if len(names) != width or len(set(names)) != width:
            raise InputError(f"{len(set(names))} names of classes for {width} columns of probabilities")
        if not items:
            raise InputError("there are no rows")
        numbers = class_numbers(labels, rows=items, classes=width)
        return cls(predictions, numbers, _checked_weights(weights, items), names)

    @cached_property
    def counts(self) -> Floats:
        """Items of each class."""
        return np.bincount(self.labels, self.weights, len(self.classes)).astype(np.float64, copy=False)

    @property
    def present(self) -> tuple[int, ...]:
        """Classes of which there is an item."""
        return tuple(np.flatnonzero(self.counts > 0.0).tolist())

    @cached_property
    def shares(self) -> Floats:
        """The weight of each row; they sum to one."""
        return np.asarray(self.weights / self.weights.sum())

    def of_truth(self, values: Floats) -> Floats:
        """For each row the value of its true class."""
        return values[np.arange(len(self.labels)), self.labels]

    def truth(self) -> Floats:
        """One column for each class: 1 where it is the true one."""
        return np.asarray(self.labels[:, None] == np.arange(len(self.classes)), dtype=np.float64)

    def among(self, classes: Sequence[int]) -> Validation:
        """Only some classes, which must hold the true ones."""
        if len(classes) == len(self.classes):
            return self
        counted = self.weights > 0.0  # a row that counts for nothing may be of another class
        place = np.zeros(len(self.classes), dtype=np.int64)
        place[list(classes)] = np.arange(len(classes))
        inside = self.predictions.among(classes)
        rows = UncalibratedPredictions(inside.values[counted], inside.logits)
        names = tuple(self.classes[k] for k in classes)
        return Validation(rows, place[self.labels[counted]], self.weights[counted], names)


def _checked_weights(values: npt.ArrayLike | None, items: int) -> Floats:
    weights = np.ones(items) if values is None else np.asarray(values, dtype=np.float64)
    if weights.shape != (items,):
        raise InputError(f"{weights.size} weights for {items} rows of probabilities: there must be one for each")
    if not np.isfinite(weights).all() or weights.min() < 0.0 or not weights.any():
        raise InputError("weights must be finite, none below 0, and not all 0")
    return weights
