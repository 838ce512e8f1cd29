"""The probabilities a model gave, made ready once to be held against labels again and again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.errors import InputError
from evenhand.measures.calibration.scale import Scale, Values, blocks
from evenhand.tally import FloatArray

Labels = npt.NDArray[np.intp]  # the column of each row's class


def two_classes(score: Values) -> FloatArray:
    """The two columns of a binary score: 1 − p for benign, p for violating."""
    p = np.asarray(score, dtype=np.float64)
    return np.column_stack((1.0 - p, p))


def predicted(probabilities: npt.ArrayLike) -> Labels:
    """The likeliest class of each row; of equal ones the last, so that a binary ½ is flagged as it is everywhere."""
    table = np.asarray(probabilities)
    return np.asarray(table.shape[1] - 1 - np.argmax(table[:, ::-1], axis=1))


@dataclass(frozen=True)
class Predictions:
    """Per class a scale of its probability; and of the largest one, the confidence, with the class `predicted`.

    Of equal probabilities the last class is predicted, so that a binary ½ is flagged as it is everywhere.
    """

    classes: tuple[Scale, ...]
    confidence: Scale
    predicted: Labels
    totals: FloatArray  # of each row: 1 but for rounding

    @classmethod
    def of(cls, probabilities: npt.ArrayLike) -> Predictions:
        """From a table of rows × classes, float32 or float64."""
        columns = _columns(probabilities)
        best, predicted = columns[0].copy(), np.zeros(len(columns[0]), dtype=np.intp)
        totals = columns[0].astype(np.float64)
        for number, column in enumerate(columns[1:], start=1):
            for block in blocks(len(best)):
                np.copyto(predicted[block], number, where=column[block] >= best[block])
                np.maximum(best[block], column[block], out=best[block])
                totals[block] += column[block]
        return cls(tuple(Scale.of(column) for column in columns), Scale.of(best), predicted, totals)

    def __len__(self) -> int:
        return len(self.predicted)

    def redrawn(self, rng: np.random.Generator) -> Labels:
        """Labels drawn from the probabilities: those of a world in which the model is perfectly calibrated."""
        left = rng.random(len(self)) * self.totals
        labels = np.zeros(len(self), dtype=np.intp)
        for scale in self.classes[:-1]:
            left -= scale.values
            labels += left >= 0.0
        return labels


def _columns(probabilities: npt.ArrayLike) -> npt.NDArray[Any]:
    """Classes × rows."""
    table = np.asarray(probabilities)
    if table.ndim != 2 or table.shape[1] < 2:
        raise InputError("probabilities are a table with a row per item and a column per class, two or more")
    if table.dtype not in (np.float32, np.float64):
        table = table.astype(np.float64)
    columns = np.ascontiguousarray(table.T)
    if columns.size and not (columns.min() >= 0.0 and columns.max() <= 1.0):  # not a number fails both
        raise InputError("a probability must lie from 0 to 1")
    return columns
