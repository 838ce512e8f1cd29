"""Predictions held against labels: counted once, binned in any way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evenhand.errors import InputError
from evenhand.measures.calibration.bins import Binned, Bins
from evenhand.measures.calibration.calibration import Calibration
from evenhand.measures.calibration.cuts import Cuts
from evenhand.measures.calibration.predictions import Labels, Predictions
from evenhand.measures.calibration.scale import Rows, Scale, heap, summed
from evenhand.measures.calibration.weighed import Weighed
from evenhand.tally import FloatArray

CLIP = float(np.finfo(np.float64).eps)  # in the log loss, a probability of 0 for what is true counts as this
DEFAULT = Bins()


def measure(
    predictions: Predictions, labels: npt.ArrayLike, weights: npt.ArrayLike | None = None, *, bins: Bins = DEFAULT
) -> Calibration:
    """Every calibration number of predictions beside labels, the column of each row's true class.

    Weights are counts, design weights or a draw of the bootstrap; None is one each.
    """
    return Judged.of(Weighed.of(predictions, weights), labels).measure(bins)


class Truth(NamedTuple):
    """The items of one class: by cells of its probability, by the class predicted, and three sums over them."""

    cells: FloatArray
    predicted: FloatArray
    given: float  # the probability that they gave to their class
    total: float  # and to all classes
    surprise: float  # −log of the first


@dataclass(frozen=True)
class Judged:
    """Weighed predictions beside the true classes."""

    weighed: Weighed
    labels: Labels

    @classmethod
    def of(cls, weighed: Weighed, labels: npt.ArrayLike) -> Judged:
        """Labels are columns of the probabilities, one per row."""
        found, classes = np.asarray(labels), len(weighed.predictions.classes)
        if found.shape != (len(weighed.predictions),) or not np.issubdtype(found.dtype, np.integer):
            raise InputError("there must be one label per row, the number of its class")
        if not 0 <= found.min() <= found.max() < classes:
            raise InputError(f"a label must be the number of a class, from 0 to {classes - 1}")
        return cls(weighed, found.astype(np.intp, copy=False))

    def measure(self, bins: Bins = DEFAULT) -> Calibration:
        """Every number, with these bins."""
        found = self._by_width(bins.count) if bins.by == "width" else self._by_mass(bins.count)
        truths = self._truths
        return Calibration(
            bins=bins,
            overall=Binned.of(*found[:, -1]),
            by_class=Binned.of(*found[:, :-1]),
            wide=self._probabilities(self.weighed.widths(bins.count)),
            full=self._probabilities(self.weighed.masses(bins.count)),
            confusion=np.array([truth.predicted for truth in truths]),
            given=np.array([truth.given for truth in truths]),
            totals=np.array([truth.total for truth in truths]),
            squares=self.weighed.squares,
            surprise=np.array([truth.surprise for truth in truths]),
        )

    @cached_property
    def _truths(self) -> list[Truth]:
        return [self._truth(number) for number in range(len(self.weighed.predictions.classes))]

    def _truth(self, number: int) -> Truth:
        predictions, rows = self.weighed.predictions, np.flatnonzero(self.labels == number)
        scale, weights = predictions.classes[number], self.weighed.on(rows)
        given = scale.values[rows].astype(np.float64)
        return Truth(
            heap(scale.cells[rows], scale.size, weights),
            heap(predictions.predicted[rows], len(predictions.classes), weights),
            summed(given, weights),
            summed(predictions.totals[rows], weights),
            -summed(np.log(np.maximum(given, CLIP)), weights),
        )

    def _probabilities(self, cuts: list[Cuts]) -> Binned:
        """Classes × bins of each class's probability."""
        found = []
        for number, (cut, (items, promised)) in enumerate(zip(cuts, self.weighed.heaps, strict=True)):
            rows = cut.inside.rows
            weights, true = self.weighed.on(rows), self.labels[rows] == number
            heaped = np.stack((items, promised, self._truths[number].cells))
            found.append(cut.sums(heaped, np.stack((weights, weights * cut.inside.values, weights * true))))
        return Binned.of(*np.stack(found, axis=1))

    def _by_width(self, count: int) -> FloatArray:
        """Items, promised and kept × true class and, last, all of them × bins of the confidence."""
        cuts = Cuts.by_width(self._confidence, count)
        return cuts.sums(self._heaps, self._inside(cuts))

    def _by_mass(self, count: int) -> FloatArray:
        """The same, where every class has bins of its own, which hold equally much of it."""
        found = []
        for number, heaped in enumerate(self._heaps[0]):
            cuts = Cuts.by_mass(self._confidence, count, heaped, partial(self._weights, number))
            found.append(cuts.sums(self._heaps[:, number], self._inside(cuts)[:, number]))
        return np.stack(found, axis=1)

    @cached_property
    def _heaps(self) -> FloatArray:
        """By cells of the confidence."""
        classes, size = len(self.weighed.predictions.classes), self._confidence.size
        index = (2 * self.labels + self._right) * size
        index += self._confidence.cells
        factors, shape = self.weighed.factors, (classes, 2, size)
        items = heap(index, 2 * classes * size, *factors).reshape(shape)
        promised = heap(index, 2 * classes * size, self._confidence.values, *factors).reshape(shape)
        found = np.stack((items.sum(axis=1), promised.sum(axis=1), items[:, 1]))
        return np.concatenate((found, found.sum(axis=1, keepdims=True)), axis=1)

    def _inside(self, cuts: Cuts) -> FloatArray:
        """By rows inside the cells of edges."""
        members, rows = self._members(cuts.inside.rows), cuts.inside.rows
        return np.stack((members, members * cuts.inside.values, members * self._right[rows]))

    def _members(self, rows: Rows) -> FloatArray:
        """Weights of rows as members of each class and, last, of all."""
        classes = np.arange(len(self.weighed.predictions.classes))
        members = np.vstack((self.labels[rows] == classes[:, None], np.ones(len(rows), dtype=bool)))
        return np.asarray(members * self.weighed.on(rows))

    def _weights(self, number: int, rows: Rows) -> FloatArray:
        return np.asarray(self._members(rows)[number])

    @property
    def _confidence(self) -> Scale:
        return self.weighed.predictions.confidence

    @cached_property
    def _right(self) -> npt.NDArray[np.bool_]:
        return np.equal(self.weighed.predictions.predicted, self.labels)
