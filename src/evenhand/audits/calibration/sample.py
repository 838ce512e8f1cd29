"""Items with the probabilities of their classes: measured as they are, with items redrawn, and with labels redrawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.evidence import Classed
from evenhand.measures.calibration import Bins, Calibration, Judged, Predictions, Weighed
from evenhand.tally import IntArray, Weights

Measured = Callable[[Bins], Calibration]  # with these bins


@dataclass(frozen=True)
class Sample:
    """One model on some items."""

    classed: Classed

    @classmethod
    def of(cls, classed: Classed, group: str | None = None) -> Sample:
        """Of all items, or of those of a group."""
        if group is None:
            return cls(classed)
        rows = classed.groups[group].rows
        weights = None if classed.weights is None else classed.weights.take(rows.astype(np.intp))
        return cls(
            classed._replace(
                probabilities=classed.probabilities[rows], label=classed.label[rows], weights=weights, groups={}
            )
        )

    @property
    def items(self) -> int:
        """How many there are."""
        weights = self.classed.weights
        return len(self.classed.label) if weights is None else round(float(weights.count.sum()))

    @cached_property
    def counts(self) -> IntArray:
        """How many there are of each class."""
        weights = None if self.classed.weights is None else self.classed.weights.count
        found = np.bincount(self.classed.label, weights, len(self.classed.classes))
        return np.rint(found).astype(np.int32)

    @cached_property
    def predictions(self) -> Predictions:
        """The probabilities, made ready once."""
        return Predictions.of(self.classed.probabilities)

    @cached_property
    def weighed(self) -> Weighed:
        """With what each item stands for."""
        weights = self.classed.weights
        return Weighed.of(self.predictions, None if weights is None else weights.weight)

    def as_it_is(self) -> Measured:
        """The labels as they are."""
        return Judged.of(self.weighed, self.classed.label).measure

    def items_redrawn(self, rng: np.random.Generator) -> Measured:
        """A draw of the bootstrap; of a handful of items one may come out empty, and is drawn again."""
        drawn = Weights.resampled(self.classed.weights, len(self.classed.label), rng)
        while len(self.classed.label) and not drawn.weight.any():
            drawn = Weights.resampled(self.classed.weights, len(self.classed.label), rng)
        return Judged.of(Weighed.of(self.predictions, drawn.weight), self.classed.label).measure

    def labels_redrawn(self, rng: np.random.Generator) -> Measured:
        """The same items with labels that are as likely as the model says: what a calibrated model would show."""
        return Judged.of(self.weighed, self.predictions.redrawn(rng)).measure


def draws(draw: Callable[[np.random.Generator], Measured], number: int, seed: int) -> Iterator[Measured]:
    """A seeded draw, many times."""
    return (draw(np.random.default_rng(child)) for child in np.random.SeedSequence(seed).spawn(number))
