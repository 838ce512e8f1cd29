"""The designs a plan can choose from, drawn on the cells of a population and estimated from its batches.

Each says how many labels its batches have, draws the next one, says what the labels show, and what one label is worth
before there are any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from evenhand import arrays
from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.intervals.survey import Sampled
from evenhand.sampling.adaptive import ScoreDriven, draw_batch
from evenhand.sampling.batches import Batch, Labelled, Spread, take
from evenhand.sampling.estimation import of_batches, row_weights
from evenhand.sampling.frame import Frame

NOBODY = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Done:
    """What was drawn and labelled so far; `gone` are all places drawn, those without a label among them."""

    past: Sequence[Labelled] = ()
    gone: Ints = field(default_factory=lambda: NOBODY)


class Design(Protocol):
    """A way to draw."""

    def sizes(self, frame: Frame, n: int) -> tuple[int, ...]:
        """Labels of each batch, as far as it can be said beforehand."""

    def fewest(self, frame: Frame) -> int:
        """Labels that it takes at least."""

    def draw(self, frame: Frame, done: Done, n: int, rng: np.random.Generator) -> Batch:
        """The next batch of a plan for n labels."""

    def sampled(self, frame: Frame, past: Sequence[Labelled], *, group: int | None = None) -> Sampled:
        """What the labels show, of all items or of a group."""

    def weights(self, frame: Frame, past: Sequence[Labelled]) -> list[Floats]:
        """How many items each label stands for, batch by batch."""

    def variance(self, frame: Frame, chance: Floats) -> float:
        """Of the estimate times the number of labels, if items of each cell violate with this chance."""


@dataclass(frozen=True, slots=True)
class Adaptive:
    """The default: where labels are least certain, recalibrated batch by batch."""

    settings: ScoreDriven = field(default_factory=ScoreDriven)

    def sizes(self, frame: Frame, n: int) -> tuple[int, ...]:
        """As in `Design`."""
        return self.settings.batches(n)

    def fewest(self, frame: Frame) -> int:
        """As in `Design`."""
        return self.settings.each * max(2, len(np.unique(frame.groups)))

    def draw(self, frame: Frame, done: Done, n: int, rng: np.random.Generator) -> Batch:
        """As in `Design`."""
        size = self.sizes(frame, n)[len(done.past)]
        return draw_batch(frame, done.past, size, rng, self.settings, gone=done.gone)

    def sampled(self, frame: Frame, past: Sequence[Labelled], *, group: int | None = None) -> Sampled:
        """As in `Design`."""
        return of_batches(frame, past, by_labels(past), group=group)

    def weights(self, frame: Frame, past: Sequence[Labelled]) -> list[Floats]:
        """As in `Design`."""
        return row_weights(past, by_labels(past))

    def variance(self, frame: Frame, chance: Floats) -> float:
        """As in `Design`; with the floor of the first batch, so rather too much."""
        share, floor = frame.sizes / len(frame), self.settings.floor[0]
        spread = np.sqrt(chance * (1.0 - chance))
        density = floor + (1.0 - floor) * spread / float(share @ spread)
        return float(np.sum(share * chance * (1.0 - chance) / density))


def by_labels(past: Sequence[Labelled]) -> Floats:
    """The weight of each batch: by the items drawn, known before any label is."""
    parts = np.array([done.batch.draw.counts.sum() for done in past], dtype=np.float64)
    shares: Floats = parts / parts.sum()
    return shares


@dataclass(frozen=True, slots=True)
class Random:
    """All items alike. A group's share is that of its own labels."""

    def sizes(self, frame: Frame, n: int) -> tuple[int, ...]:
        """As in `Design`."""
        return (n,)

    def fewest(self, frame: Frame) -> int:
        """As in `Design`."""
        return min(2, len(frame))

    def draw(self, frame: Frame, done: Done, n: int, rng: np.random.Generator) -> Batch:
        """As in `Design`."""
        if arrays.whole(n, "the number of labels", least=min(2, len(frame))) > len(frame):
            raise InputError(f"{n} labels are more than the {len(frame)} items: label all of them, a census")
        return take(frame, Spread(np.zeros(1, dtype=np.int64), np.array([n])), rng, taken=NOBODY)

    def sampled(self, frame: Frame, past: Sequence[Labelled], *, group: int | None = None) -> Sampled:
        """As in `Design`."""
        ((batch, label),) = ((done.batch, done.label) for done in past)
        inside = np.ones(len(label), dtype=np.bool_)
        items = len(frame)
        if group is not None:
            inside = frame.groups[frame.cell_of(batch.places)] == group
            items = int(frame.sizes[frame.groups == group].sum())
        if inside.sum() < min(2, items):
            raise InputError(f"{inside.sum()} labels of {items} items are too few to estimate from")
        found = Sampled.of(label[inside], np.zeros(int(inside.sum())), [items])
        return replace(found, hits=float(label[inside].sum()))

    def weights(self, frame: Frame, past: Sequence[Labelled]) -> list[Floats]:
        """As in `Design`."""
        return [np.full(len(done.label), len(frame) / len(done.label)) for done in past]

    def variance(self, frame: Frame, chance: Floats) -> float:
        """As in `Design`."""
        share = float(frame.sizes @ chance) / len(frame)
        return share * (1.0 - share)
