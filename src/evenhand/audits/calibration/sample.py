"""Items with class probabilities: measured as they are, with items redrawn, and with labels redrawn.

Redrawn items give the interval of a number, redrawn labels what a calibrated model would show. Items of two classes
that are merely counted are redrawn on counts, all draws at once; others row by row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.arrays import Floats, Int32s, Ints
from evenhand.audits.calibration.dependence import LabelDependence
from evenhand.audits.counted_redraws import (
    COMPARED_BINS,
    CountedRedraws,
    are_countable,
    fine_places,
    violating_probability,
)
from evenhand.evidence import ClassedRows
from evenhand.intervals.clusters import RowInfluence, equal_clusters
from evenhand.measures.calibration import Bins, Calibration, JudgedPredictions, ModelPredictions, WeightedPredictions
from evenhand.measures.calibration.cells import FinePlaces
from evenhand.tally import Weights

BinnedMeasurement = Callable[[Bins], Calibration]  # with these bins


@dataclass(frozen=True)
class ClassedSample:
    """One model on some items."""

    classed: ClassedRows
    fine: FinePlaces | None = None  # on a grid of the probability, where these are part of other items

    @classmethod
    def from_rows(cls, classed: ClassedRows) -> ClassedSample:
        """Of all items."""
        return cls(classed)

    def of_group(self, group: str) -> ClassedSample:
        """Of the items of a group."""
        classed = self.classed
        rows = classed.groups[group].rows
        weights = None if classed.weights is None else classed.weights.take(rows.astype(np.intp))
        clusters = None if classed.clusters is None else classed.clusters.take(rows)
        p, label = classed.probabilities[rows], classed.label[rows]
        own = classed._replace(probabilities=p, label=label, weights=weights, groups={}, clusters=clusters)
        return ClassedSample(own, None if self._fine is None else self._fine.take(rows))

    @cached_property
    def _probability(self) -> Floats | None:
        """Of the second of two classes, where redraws can be made on counts."""
        if not are_countable(self.classed.weights, self.classed.clusters):
            return None
        return violating_probability(self.classed.probabilities)

    @cached_property
    def _fine(self) -> FinePlaces | None:
        return self.fine or (None if self._probability is None else fine_places(self._probability))

    def counted(self, bins: Sequence[Bins], seed: int) -> CountedRedraws | None:
        """Redraws on counts, for these bins; None where rows must be redrawn."""
        p, usual = self._probability, {one.count for one in bins} <= set(COMPARED_BINS)
        if p is None or not len(p):
            return None
        fine = self._fine if usual and self._fine is not None else fine_places(p, [one.count for one in bins])
        return CountedRedraws.from_rows(fine, p, self.classed.label.astype(np.int64), self.classed.weights, bins, seed)

    @property
    def items(self) -> int:
        """How many there are."""
        weights = self.classed.weights
        return len(self.classed.label) if weights is None else round(float(weights.count.sum()))

    @cached_property
    def counts(self) -> Int32s:
        """How many there are of each class."""
        weights = None if self.classed.weights is None else self.classed.weights.count
        class_weights = np.bincount(self.classed.label, weights, len(self.classed.classes))
        return np.rint(class_weights).astype(np.int32)

    @cached_property
    def predictions(self) -> ModelPredictions:
        """The probabilities, made ready once."""
        return ModelPredictions.from_probabilities(self.classed.probabilities)

    @cached_property
    def weighed(self) -> WeightedPredictions:
        """With what each item stands for."""
        weights = self.classed.weights
        return WeightedPredictions.from_predictions(self.predictions, None if weights is None else weights.weight)

    def as_it_is(self) -> BinnedMeasurement:
        """The labels as they are."""
        return self._judged_as_it_is.measure

    @cached_property
    def _judged_as_it_is(self) -> JudgedPredictions:
        """Counted once for any bins."""
        return JudgedPredictions.from_labels(self.weighed, self.classed.label)

    def items_redrawn(self, rng: np.random.Generator) -> BinnedMeasurement:
        """A draw of the bootstrap; of a handful of items one may come out empty, and is drawn again."""
        drawn = self._resampled(rng)
        while len(self.classed.label) and not drawn.weight.any():
            drawn = self._resampled(rng)
        return JudgedPredictions.from_labels(
            WeightedPredictions.from_predictions(self.predictions, drawn.weight), self.classed.label
        ).measure

    def _resampled(self, rng: np.random.Generator) -> Weights:
        return Weights.resampled(self.classed.weights, len(self.classed.label), rng, self.classed.clusters)

    def labels_redrawn(self, rng: np.random.Generator) -> BinnedMeasurement:
        """The same items with labels that are as likely as the model says: what a calibrated model would show.

        Items of one cluster are as alike as they are here, and each of the items that a row stands for has a label.
        """
        if self.classed.clusters is None and (self.count == 1.0).all():
            return JudgedPredictions.from_labels(self.weighed, self.predictions.redrawn(rng)).measure
        return self._judged(self.dependence.redrawn(rng))

    def _judged(self, numbers: Floats) -> BinnedMeasurement:
        """With so many items of each class in every row."""
        if (self.count == 1.0).all():
            return JudgedPredictions.from_labels(self.weighed, numbers.argmax(axis=1)).measure
        weights = self.classed.weights
        each = 1.0 if weights is None else (weights.weight / weights.count)[:, None]
        predictions, labels = self._each_class
        weighed = WeightedPredictions.from_predictions(predictions, (numbers * each).ravel())
        return JudgedPredictions.from_labels(weighed, labels).measure

    @cached_property
    def _each_class(self) -> tuple[ModelPredictions, Ints]:
        """Every row once for each class that its items may be of."""
        classes = len(self.classed.classes)
        repeated = np.repeat(self.classed.probabilities, classes, axis=0)
        return ModelPredictions.from_probabilities(repeated), np.tile(np.arange(classes), len(self.classed.label))

    @cached_property
    def count(self) -> Floats:
        """How many items each row stands for, of those that were looked at."""
        weights = self.classed.weights
        return np.ones(len(self.classed.label)) if weights is None else weights.count

    @cached_property
    def dependence(self) -> LabelDependence:
        """How alike the labels of one cluster are."""
        labels = np.eye(len(self.classed.classes))[self.classed.label] * self.count[:, None]
        return LabelDependence(self.classed.probabilities, self.count, self.classed.clusters).fitted(labels)

    @property
    def accuracy_influence(self) -> RowInfluence:
        """Of every row on the share of items whose class is predicted."""
        right = np.equal(self.predictions.predicted, self.classed.label)
        weights = self.classed.weights
        weight = np.ones(len(right)) if weights is None else weights.weight
        share = float(weight @ right / weight.sum())
        parts = np.zeros(len(right), dtype=np.int32)
        return RowInfluence((right - share) / weight.sum(), parts, weights, max(share, 1.0 - share))

    @cached_property
    def effective_clusters(self) -> float:
        """As many equal clusters; infinite where items are independent."""
        return math.inf if self.classed.clusters is None else equal_clusters(self.classed.clusters, self.count)


def seeded_draws(
    draw: Callable[[np.random.Generator], BinnedMeasurement], number: int, seed: int
) -> Iterator[BinnedMeasurement]:
    """A seeded draw, many times."""
    return (draw(np.random.default_rng(child)) for child in np.random.SeedSequence(seed).spawn(number))
