"""Predictions with weights: all that is counted without looking at a label.

The reference of a calibrated model redraws labels from the probabilities: with this kept, it only counts what came
true.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from evenhand.errors import InputError, Undefined
from evenhand.measures.calibration.cuts import Cuts
from evenhand.measures.calibration.predictions import Predictions
from evenhand.measures.calibration.scale import Rows, summed
from evenhand.tally import FloatArray


@dataclass(frozen=True)
class Weighed:
    """Predictions with a weight for each row, or one each (None)."""

    predictions: Predictions
    weights: FloatArray | None
    cuts: dict[int, list[Cuts]] = field(default_factory=dict, repr=False)  # by number of bins, kept for the next time

    @classmethod
    def of(cls, predictions: Predictions, weights: npt.ArrayLike | None = None) -> Weighed:
        """Weights must be finite and 0 or more, and not all be 0."""
        if weights is None:
            found, total = None, float(len(predictions))
        else:
            found = np.asarray(weights, dtype=np.float64)
            total = float(found.sum())
            if found.shape != (len(predictions),) or not np.isfinite(total) or (found < 0.0).any():
                raise InputError("there must be one weight per row, 0 or more")
        if not total > 0.0:
            raise Undefined("there are no items")
        return cls(predictions, found)

    def on(self, rows: Rows) -> FloatArray:
        """The weights of some rows."""
        return np.ones(len(rows)) if self.weights is None else self.weights[rows]

    @property
    def factors(self) -> tuple[FloatArray, ...]:
        """The weights, where there are any."""
        return () if self.weights is None else (self.weights,)

    @cached_property
    def heaps(self) -> list[tuple[FloatArray, FloatArray]]:
        """Per class, by cells of its probability: the items and what was promised."""
        scales, factors = self.predictions.classes, self.factors
        return [(scale.heap(*factors), scale.heap(scale.values, *factors)) for scale in scales]

    @cached_property
    def squares(self) -> FloatArray:
        """Per class Σ w p²."""
        columns = [scale.values for scale in self.predictions.classes]
        return np.array([summed(column, column, *self.factors) for column in columns])

    def widths(self, count: int) -> list[Cuts]:
        """Equally wide bins of each class's probability."""
        return [Cuts.by_width(scale, count) for scale in self.predictions.classes]

    def masses(self, count: int) -> list[Cuts]:
        """Bins of each class's probability that hold equally much."""
        if count not in self.cuts:
            pairs = zip(self.predictions.classes, self.heaps, strict=True)
            self.cuts[count] = [Cuts.by_mass(scale, count, items, self.on) for scale, (items, _) in pairs]
        return self.cuts[count]
