"""Items of two classes counted by their probability: what many redraws of them are measured from at once.

A cell holds the items of one probability; with many distinct ones, items of so nearly one that redrawing their number
is redrawing them. No cell lies in two bins of equal width, so that sums per bin are those of the items.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats, Ints
from evenhand.measures.calibration.grid import ProbabilityGrid
from evenhand.measures.score_cells import TIED

LEAST_PROBABILITY = float(np.finfo(np.float64).eps)  # in the log loss, 0 for what is true counts as this
SMALL_CELLS = 512  # probabilities up to which each has a cell; with more, cells of equal mass
LARGE_CELLS = 60  # the same where bins of equal mass need not be cut within a cell; a multiple of the usual bins
FEW_ITEMS = 10_000  # up to which the edges of bins of equal mass move so far that they must be cut anew in each draw
SUMS = 4  # items, Σ p, Σ p², Σ −log p of the true class


@dataclass(frozen=True)
class FinePlaces:
    """Rows on a fine grid of the probability whose cells end at the edges of bins."""

    place: npt.NDArray[np.int32]  # of each row
    part: Ints  # of each fine cell, between which edges it lies
    edges: Floats
    partial: bool = False  # of some of the rows that the grid was made for

    @classmethod
    def from_grid(cls, grid: ProbabilityGrid, edges: Floats) -> FinePlaces:
        """Cells of the grid that an edge goes through are divided there."""
        if grid.distinct is not None:
            return cls(grid.cells.astype(np.int32), np.searchsorted(edges, grid.distinct), edges)
        pieces = 1 + np.bincount(grid.place(edges), minlength=grid.size)
        first = np.cumsum(pieces) - pieces
        place = first.astype(np.int32)[grid.cells]
        rows = np.flatnonzero((pieces > 1)[grid.cells])
        place[rows] = grid.cells[rows] + np.searchsorted(edges, grid.values[rows]).astype(np.int32)
        return cls(place, np.arange(int(pieces.sum())) - np.repeat(np.arange(grid.size), pieces), edges)

    def take(self, rows: npt.NDArray[np.int32]) -> FinePlaces:
        """Of some rows."""
        return replace(self, place=self.place[rows], partial=True)

    def between(self, edges: Floats) -> FinePlaces:
        """Divided only at some of the edges."""
        lower = np.concatenate(([-np.inf], self.edges))
        return replace(self, part=np.searchsorted(edges, lower, side="right")[self.part], edges=edges)


def bin_edges(counts: Iterable[int]) -> Floats:
    """Where bins of the probability or of the confidence end, for each of several numbers of bins."""
    inner = [np.arange(1, count) / count for count in counts]
    both = [one + TIED for one in inner] + [1.0 - one - TIED for one in inner]
    return np.unique(np.concatenate([*both, [0.5 - TIED]]))


@dataclass(frozen=True)
class PredictionCells:
    """Per cell, ascending, and class (benign, violating): how many items, and means of p, p² and −log p of the true."""

    items: Floats  # cells × 2
    p: Floats
    squares: Floats
    surprise: Floats
    part: Ints  # between which edges of bins each cell lies
    small: bool = False  # so that bins of equal mass can be cut anew in each draw

    @classmethod
    def from_rows(cls, fine: FinePlaces, p: Floats, label: Ints, weight: Floats | None) -> PredictionCells:
        """The rows of a sample in fine cells; `p` is the probability of being violating."""
        size, place = len(fine.part), fine.place * 2 + label
        own = np.maximum(np.where(label == 1, p, 1.0 - p), LEAST_PROBABILITY)
        columns = (None, p, p * p, -np.log(own))
        counted = (np.bincount(place, _product(column, weight), 2 * size) for column in columns)
        sums = np.array([one.astype(np.float64) for one in counted])
        return cls._from_sums(sums.reshape(SUMS, size, 2), fine.part)

    @classmethod
    def _from_sums(cls, sums: Floats, part: Ints) -> PredictionCells:
        some = sums[0].any(axis=1)
        items, *others = sums[:, some]
        p, squares, surprise = (
            np.divide(other, items, out=np.zeros_like(other), where=items > 0.0) for other in others
        )
        return cls(items, p, squares, surprise, part[some])

    def merged(self, most: int) -> PredictionCells:
        """Neighbouring cells between the same edges together, until each holds its share of so many."""
        if len(self.items) <= most:
            return self
        middle = np.cumsum(self.total) - self.total / 2.0
        slot = np.floor(middle * (most / self.total.sum())).astype(np.int64)
        starts = np.flatnonzero((np.diff(slot, prepend=-1) != 0) | (np.diff(self.part, prepend=-1) != 0))
        sums = np.stack((self.items, *(self.items * one for one in (self.p, self.squares, self.surprise))))
        return self._from_sums(np.add.reduceat(sums, starts, axis=1), self.part[starts])

    def for_redraws(self, *, cut_anew: bool) -> PredictionCells:
        """As few cells as redraws of items need; `cut_anew` where any bins hold equally much of the confidence."""
        few = cut_anew or self.total.sum() <= FEW_ITEMS or len(self.items) <= SMALL_CELLS
        return replace(self.merged(SMALL_CELLS if few else LARGE_CELLS), small=few)

    @cached_property
    def pooled(self) -> PredictionCells:
        """The same with one probability for all items of a cell, whatever their class."""
        means = [((self.items * mean).sum(axis=1) / self.total)[:, None] for mean in (self.p, self.squares)]
        chances = np.maximum(np.hstack((1.0 - means[0], means[0])), LEAST_PROBABILITY)
        return replace(self, p=np.tile(means[0], 2), squares=np.tile(means[1], 2), surprise=-np.log(chances))

    @cached_property
    def total(self) -> Floats:
        """Items of each cell."""
        return np.asarray(self.items.sum(axis=1))

    @cached_property
    def middle(self) -> Floats:
        """The mean probability of each cell."""
        return np.asarray((self.items * self.p).sum(axis=1) / self.total)

    @cached_property
    def predicted(self) -> Ints:
        """The class predicted in each cell."""
        return (self.middle >= 0.5).astype(np.int64)

    @cached_property
    def confidence(self) -> Floats:
        """Cells × classes: the mean of the largest probability."""
        return np.asarray(np.where(self.predicted[:, None] == 1, self.p, 1.0 - self.p))

    @cached_property
    def right(self) -> Floats:
        """Cells × classes: whether that class is the one predicted."""
        return np.equal(self.predicted[:, None], np.arange(2)).astype(np.float64)

    def confidence_bins(self, count: int) -> Ints:
        """The bin of equal width that the confidence of each cell lies in."""
        return _bins(np.where(self.predicted == 1, self.middle, 1.0 - self.middle), count)

    def column_bins(self, column: int, count: int) -> Ints:
        """The same of the probability of a class."""
        return _bins(self.middle if column else 1.0 - self.middle, count)

    def mass_shares(self, count: int) -> Floats:
        """Cells × edges of bins of equal mass: which share of a cell lies below."""
        reached = np.cumsum(self.total)
        targets = reached[-1] * np.arange(1, count) / count
        return np.asarray(np.clip((targets - (reached - self.total)[:, None]) / self.total[:, None], 0.0, 1.0))

    def mass_gap_influence(self, count: int) -> Floats:
        """Cells × classes × bins: how much one more item moves the gaps of bins of equal mass, times all items.

        An item counts in its bin, and moves the edges above it: across an edge come items like those at it.
        """
        below, n = self.mass_shares(count), self.total.sum()
        surplus = np.arange(2) - self.p
        gaps = np.diff(self._reached(below), prepend=0.0, append=float((self.items * surplus).sum())) / n
        inside = np.diff(below, prepend=0.0, append=1.0, axis=1)[:, None, :] * surplus[:, :, None]
        moved = self._surplus_at_edges(count) * (np.arange(1, count) / count - below)
        return np.asarray(inside - gaps + np.diff(moved, prepend=0.0, append=0.0, axis=1)[:, None, :])

    def _reached(self, below: Floats) -> Floats:
        """What came true beyond the promise, below each edge."""
        return np.asarray((self.items * (np.arange(2) - self.p)).sum(axis=1) @ below)

    def _surplus_at_edges(self, count: int) -> Floats:
        """Its mean among the items at each edge: as many to either side as redraws move it by."""
        n, shares = self.total.sum(), np.arange(1, count) / count
        reach = np.sqrt(n * shares * (1.0 - shares))
        mass = np.concatenate(([0.0], np.cumsum(self.total)))
        surplus = np.concatenate(([0.0], np.cumsum((self.items * (np.arange(2) - self.p)).sum(axis=1))))
        low, high = np.maximum(n * shares - reach, 0.0), np.minimum(n * shares + reach, n)
        return np.asarray((np.interp(high, mass, surplus) - np.interp(low, mass, surplus)) / (high - low))


def _bins(values: Floats, count: int) -> Ints:
    return np.searchsorted(np.arange(1, count) / count + TIED, values)


def _product(column: Floats | None, weight: Floats | None) -> Floats | None:
    if column is None or weight is None:
        return weight if column is None else column
    return column * weight
