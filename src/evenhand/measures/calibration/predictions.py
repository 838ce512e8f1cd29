"""The class probabilities of a model, prepared once and compared with labels many times.

`WeightedPredictions` hold all that is counted without looking at a label. The reference of a calibrated model redraws
labels from the probabilities; with this kept, only the labels are counted again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats, class_probabilities
from evenhand.errors import InputError, Undefined
from evenhand.measures.calibration.grid import BinEdges, FloatColumn, Indices, ProbabilityGrid, product_sum, row_blocks


def two_class_probabilities(score: FloatColumn) -> Floats:
    """The two columns of a binary score: 1 − p for benign, p for violating."""
    p = np.asarray(score, dtype=np.float64)
    return np.column_stack((1.0 - p, p))


def predicted_classes(probabilities: npt.ArrayLike) -> Indices:
    """The likeliest class of each row; of equal ones the last, so that a binary ½ is flagged as it is everywhere."""
    table = np.asarray(probabilities)
    return np.asarray(table.shape[1] - 1 - np.argmax(table[:, ::-1], axis=1))


@dataclass(frozen=True)
class ModelPredictions:
    """Per class a scale of its probability; and of the largest one, the confidence, with the class `predicted`.

    Of equal probabilities the last class is predicted, so that a binary ½ is flagged as it is everywhere.
    """

    classes: tuple[ProbabilityGrid, ...]
    confidence: ProbabilityGrid
    predicted: Indices
    totals: Floats  # of each row: 1 but for rounding

    @classmethod
    def from_probabilities(cls, probabilities: npt.ArrayLike) -> ModelPredictions:
        """From a table of rows × classes, float32 or float64."""
        columns = _class_columns(probabilities)
        best, predicted = columns[0].copy(), np.zeros(len(columns[0]), dtype=np.intp)
        totals = columns[0].astype(np.float64)
        for number, column in enumerate(columns[1:], start=1):
            for block in row_blocks(len(best)):
                np.copyto(predicted[block], number, where=column[block] >= best[block])
                np.maximum(best[block], column[block], out=best[block])
                totals[block] += column[block]
        return cls(
            tuple(ProbabilityGrid.from_values(column) for column in columns),
            ProbabilityGrid.from_values(best),
            predicted,
            totals,
        )

    def __len__(self) -> int:
        return len(self.predicted)

    def redrawn(self, rng: np.random.Generator) -> Indices:
        """Labels drawn from the probabilities: those of a world in which the model is perfectly calibrated."""
        left = rng.random(len(self)) * self.totals
        labels = np.zeros(len(self), dtype=np.intp)
        for scale in self.classes[:-1]:
            left -= scale.values
            labels += left >= 0.0
        return labels


def _class_columns(probabilities: npt.ArrayLike) -> npt.NDArray[Any]:
    """Classes × rows."""
    return np.ascontiguousarray(class_probabilities(probabilities).T)


@dataclass(frozen=True)
class WeightedPredictions:
    """Predictions with a weight for each row, or one each (None)."""

    predictions: ModelPredictions
    weights: Floats | None
    cuts: dict[int, list[BinEdges]] = field(
        default_factory=dict, repr=False
    )  # by number of bins, kept for the next time

    @classmethod
    def from_predictions(
        cls, predictions: ModelPredictions, weights: npt.ArrayLike | None = None
    ) -> WeightedPredictions:
        """Weights must be finite and 0 or more, and not all be 0."""
        if weights is None:
            checked, total = None, float(len(predictions))
        else:
            checked = np.asarray(weights, dtype=np.float64)
            total = float(checked.sum())
            if checked.shape != (len(predictions),) or not np.isfinite(total) or (checked < 0.0).any():
                raise InputError("there must be one weight per row, 0 or more")
        if not total > 0.0:
            raise Undefined("there are no items")
        return cls(predictions, checked)

    def on(self, rows: Indices) -> Floats:
        """The weights of some rows."""
        return np.ones(len(rows)) if self.weights is None else self.weights[rows]

    @property
    def factors(self) -> tuple[Floats, ...]:
        """The weights, where there are any."""
        return () if self.weights is None else (self.weights,)

    @cached_property
    def heaps(self) -> list[tuple[Floats, Floats]]:
        """Per class, by cells of its probability: the items and how many their probabilities expect."""
        scales, factors = self.predictions.classes, self.factors
        return [(scale.heap(*factors), scale.heap(scale.values, *factors)) for scale in scales]

    @cached_property
    def squares(self) -> Floats:
        """Per class Σ w p²."""
        columns = [scale.values for scale in self.predictions.classes]
        return np.array([product_sum(column, column, *self.factors) for column in columns])

    def widths(self, count: int) -> list[BinEdges]:
        """Equally wide bins of each class's probability."""
        return [BinEdges.by_width(scale, count) for scale in self.predictions.classes]

    def masses(self, count: int) -> list[BinEdges]:
        """Bins of each class's probability that hold equally much."""
        if count not in self.cuts:
            pairs = zip(self.predictions.classes, self.heaps, strict=True)
            self.cuts[count] = [BinEdges.by_mass(scale, count, items, self.on) for scale, (items, _) in pairs]
        return self.cuts[count]
