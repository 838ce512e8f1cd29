"""A batch: items drawn stratum by stratum from the cells of a population, and what labels of it teach.

Strata are runs of cells. All designs that go by score or by columns draw such batches, one of them or several.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Bools, Floats, Ints
from evenhand.sampling.drawing import Draw, Ranges, without_replacement
from evenhand.sampling.frame import Frame
from evenhand.sampling.recalibration import AS_IT_IS, Recalibration, recalibrated


@dataclass(frozen=True)
class Batch:
    """One draw among the items not yet labelled: `places` are those of the frame, `expected` is q of each of them."""

    draw: Draw
    places: Ints
    expected: Floats
    firsts: Ints  # the first cell of each stratum
    means: Floats  # of q in each stratum
    recalibration: Recalibration
    floor: float

    def only(self, keep: Bools) -> Batch:
        """The same draw, of which only these items were labelled."""
        draw = replace(self.draw, rows=self.draw.rows[keep], strata=self.draw.strata[keep])
        return replace(self, draw=draw, places=self.places[keep], expected=self.expected[keep])


@dataclass(frozen=True)
class Labelled:
    """A batch with its labels, in the order of its rows."""

    batch: Batch
    label: Floats

    @classmethod
    def of(cls, batch: Batch, label: npt.ArrayLike) -> Labelled:
        """Checked."""
        return cls(batch, arrays.labels(label, size=len(batch.draw.rows)))


@dataclass(frozen=True)
class Spread:
    """Strata as runs of cells, by the first cell of each, and how many labels each of them gets."""

    firsts: Ints
    counts: Ints


def take(
    frame: Frame,
    spread: Spread,
    rng: np.random.Generator,
    *,
    taken: Ints,
    meaning: Recalibration = AS_IT_IS,
    floor: float = 1.0,
) -> Batch:
    """Draw, in random order, none of the places that are `taken` (sorted)."""
    firsts, left = spread.firsts, left_in(frame, taken)
    chance, sizes = meaning.chance(frame.logits), np.add.reduceat(left, firsts)
    ranges = Ranges(frame.starts[firsts], np.append(frame.starts[firsts[1:]], len(frame)))
    places, of = without_replacement(ranges, spread.counts, rng, taken=taken)
    mixed = rng.permutation(len(places))
    places, draw = places[mixed], Draw(frame.rows(places[mixed]), of[mixed], sizes, spread.counts)
    means = np.add.reduceat(chance * left, firsts) / np.maximum(sizes, 1)
    return Batch(draw, places, chance[frame.cell_of(places)], firsts, means, meaning, floor)


def left_in(frame: Frame, taken: Ints) -> Ints:
    """Items of each cell that are not taken."""
    return frame.sizes - np.bincount(frame.cell_of(taken), minlength=len(frame.sizes))


def learned(frame: Frame, places: Ints, label: Floats) -> Recalibration:
    """What labels of the items at these places say of the score."""
    if not len(places):
        return AS_IT_IS
    cells = frame.cell_of(places)
    labelled = np.bincount(cells).astype(np.float64)
    violating: Floats = np.bincount(cells, label).astype(np.float64)
    seen = np.flatnonzero(labelled)
    return recalibrated(frame.logits[seen], violating[seen], labelled[seen])


def gathered(past: Sequence[Labelled]) -> tuple[Ints, Floats]:
    """The places of all labelled items, and their labels."""
    places = np.concatenate([np.empty(0, dtype=np.int64), *(done.batch.places for done in past)])
    return places, np.concatenate([np.empty(0), *(done.label for done in past)])
