"""Predictions compared with labels: counted once, then binned in any way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats, class_numbers
from evenhand.measures.calibration.binned_errors import BinnedSums, Bins
from evenhand.measures.calibration.calibration import Calibration, SumsOnDemand
from evenhand.measures.calibration.grid import BinEdges, Indices, ProbabilityGrid, grouped_sums, product_sum
from evenhand.measures.calibration.predictions import ModelPredictions, WeightedPredictions

LEAST_PROBABILITY = float(
    np.finfo(np.float64).eps
)  # in the log loss, a probability of 0 for what is true counts as this
DEFAULT_BINS = Bins()


def measure_calibration(
    predictions: ModelPredictions,
    labels: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    bins: Bins = DEFAULT_BINS,
) -> Calibration:
    """Every calibration number of predictions beside labels, the column of each row's true class.

    Weights are counts, design weights or a draw of the bootstrap; None is one each.
    """
    return JudgedPredictions.from_labels(WeightedPredictions.from_predictions(predictions, weights), labels).measure(
        bins
    )


class ClassSums(NamedTuple):
    """The items of one class: by cells of its probability, by the class predicted, and three sums over them."""

    cells: Floats
    predicted: Floats
    true_mass: float  # the probability that they gave to their class
    total: float  # and to all classes
    surprise: float  # −log of the first


@dataclass(frozen=True)
class JudgedPredictions:
    """Weighed predictions beside the true classes."""

    weighed: WeightedPredictions
    labels: Indices

    @classmethod
    def from_labels(cls, weighed: WeightedPredictions, labels: npt.ArrayLike) -> JudgedPredictions:
        """Labels are columns of the probabilities, one per row."""
        rows, classes = len(weighed.predictions), len(weighed.predictions.classes)
        return cls(weighed, class_numbers(labels, rows=rows, classes=classes).astype(np.intp, copy=False))

    def measure(self, bins: Bins = DEFAULT_BINS) -> Calibration:
        """Every number, with these bins."""
        sums = self._by_width(bins.count) if bins.by == "width" else self._by_mass(bins.count)
        truths = self._truths
        return Calibration(
            bins=bins,
            overall=BinnedSums.from_columns(*sums[:, -1]),
            on_demand=SumsOnDemand(
                lambda: BinnedSums.from_columns(*sums[:, :-1]),
                lambda: self._probabilities(self.weighed.widths(bins.count)),
                lambda: self._probabilities(self.weighed.masses(bins.count)),
            ),
            confusion=np.array([truth.predicted for truth in truths]),
            true_mass=np.array([truth.true_mass for truth in truths]),
            totals=np.array([truth.total for truth in truths]),
            squares=self.weighed.squares,
            surprise=np.array([truth.surprise for truth in truths]),
        )

    @cached_property
    def _truths(self) -> list[ClassSums]:
        return [self._truth(number) for number in range(len(self.weighed.predictions.classes))]

    def _truth(self, number: int) -> ClassSums:
        predictions, rows = self.weighed.predictions, np.flatnonzero(self.labels == number)
        scale, weights = predictions.classes[number], self.weighed.on(rows)
        probabilities = scale.values[rows].astype(np.float64)
        return ClassSums(
            grouped_sums(scale.cells[rows], scale.size, weights),
            grouped_sums(predictions.predicted[rows], len(predictions.classes), weights),
            product_sum(probabilities, weights),
            product_sum(predictions.totals[rows], weights),
            -product_sum(np.log(np.maximum(probabilities, LEAST_PROBABILITY)), weights),
        )

    def _probabilities(self, cuts: list[BinEdges]) -> BinnedSums:
        """Classes × bins of each class's probability."""
        sums = []
        for number, (cut, (items, expected)) in enumerate(zip(cuts, self.weighed.heaps, strict=True)):
            rows = cut.inside.rows
            weights, true = self.weighed.on(rows), self.labels[rows] == number
            heaped = np.stack((items, expected, self._truths[number].cells))
            sums.append(cut.sums(heaped, np.stack((weights, weights * cut.inside.values, weights * true))))
        return BinnedSums.from_columns(*np.stack(sums, axis=1))

    def _by_width(self, count: int) -> Floats:
        """Items, expected and observed × true class and, last, all of them × bins of the confidence."""
        cuts = BinEdges.by_width(self._confidence, count)
        return cuts.sums(self._heaps, self._inside(cuts))

    def _by_mass(self, count: int) -> Floats:
        """The same, where every class has bins of its own, which hold equally much of it."""
        sums = []
        for number, heaped in enumerate(self._heaps[0]):
            cuts = BinEdges.by_mass(self._confidence, count, heaped, partial(self._weights, number))
            sums.append(cuts.sums(self._heaps[:, number], self._inside(cuts)[:, number]))
        return np.stack(sums, axis=1)

    @cached_property
    def _heaps(self) -> Floats:
        """By cells of the confidence."""
        classes, size = len(self.weighed.predictions.classes), self._confidence.size
        index = (2 * self.labels + self._right) * size
        index += self._confidence.cells
        factors, shape = self.weighed.factors, (classes, 2, size)
        items = grouped_sums(index, 2 * classes * size, *factors).reshape(shape)
        expected = grouped_sums(index, 2 * classes * size, self._confidence.values, *factors).reshape(shape)
        by_class = np.stack((items.sum(axis=1), expected.sum(axis=1), items[:, 1]))
        return np.concatenate((by_class, by_class.sum(axis=1, keepdims=True)), axis=1)

    def _inside(self, cuts: BinEdges) -> Floats:
        """By rows inside the cells of edges."""
        members, rows = self._members(cuts.inside.rows), cuts.inside.rows
        return np.stack((members, members * cuts.inside.values, members * self._right[rows]))

    def _members(self, rows: Indices) -> Floats:
        """Weights of rows as members of each class and, last, of all."""
        classes = np.arange(len(self.weighed.predictions.classes))
        members = np.vstack((self.labels[rows] == classes[:, None], np.ones(len(rows), dtype=bool)))
        return np.asarray(members * self.weighed.on(rows))

    def _weights(self, number: int, rows: Indices) -> Floats:
        return np.asarray(self._members(rows)[number])

    @property
    def _confidence(self) -> ProbabilityGrid:
        return self.weighed.predictions.confidence

    @cached_property
    def _right(self) -> npt.NDArray[np.bool_]:
        return np.equal(self.weighed.predictions.predicted, self.labels)
