"""What is left of the items when some are reviewed: a share per cell, equal over runs of neighbouring cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand.tally import Amount, Classes, Confusion, FloatArray, IntArray, Mass
from evenhand.tally.mass import Prefix

Edges = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Pieces:
    """`left[i]` is the share that is left, not reviewed, in the cells from `edges[i]` up to `edges[i + 1]`."""

    edges: Edges
    left: FloatArray

    @classmethod
    def untouched(cls, size: int) -> Pieces:
        """Nothing is reviewed yet."""
        return cls(np.array([0, size]), np.ones(1))

    @classmethod
    def of_cells(cls, left: FloatArray) -> Pieces:
        """From a share per cell."""
        starts = np.flatnonzero(np.concatenate((np.ones(min(len(left), 1), dtype=bool), left[1:] != left[:-1])))
        return cls(np.append(starts, len(left)), left[starts])

    @property
    def size(self) -> int:
        """How many cells there are."""
        return int(self.edges[-1])

    def per_cell(self) -> FloatArray:
        """The share left of each cell."""
        return np.repeat(self.left, np.diff(self.edges))

    def before(self, prefix: Prefix, cell: int) -> float:
        """How much is left before a cell, of what the prefix counts."""
        return float(np.dot(self.left, np.diff(prefix[np.minimum(self.edges, cell)])))

    def cut(self, cell: int) -> Pieces:
        """The same, with an edge at this cell."""
        at = int(np.searchsorted(self.edges, cell))
        if self.edges[at] == cell:
            return self
        return Pieces(np.insert(self.edges, at, cell), np.insert(self.left, at, self.left[at - 1]))

    def among(self, cells: IntArray) -> Pieces:
        """The same shares of some of the cells only."""
        return Pieces(np.searchsorted(cells, self.edges), self.left)

    def scaled(self, start: int, stop: int, factor: float) -> Pieces:
        """Of some cells, only this share of what was left."""
        if start >= stop:
            return self
        pieces = self.cut(start).cut(stop)
        chosen = (pieces.edges[:-1] >= start) & (pieces.edges[:-1] < stop)
        return Pieces(pieces.edges, np.where(chosen, factor * pieces.left, pieces.left))

    def confusions(self, classes: Classes, cut: int) -> tuple[Confusion, Confusion]:
        """What flagging from a cell on makes of the items that are reviewed, and of those that are left."""
        pieces = self.cut(cut)
        at = int(np.searchsorted(pieces.edges, cut))
        reviewed, left = (
            Confusion(
                _amount(classes.violating, pieces.edges, shares, at, None),
                _amount(classes.violating, pieces.edges, shares, 0, at),
                _amount(classes.benign, pieces.edges, shares, at, None),
                _amount(classes.benign, pieces.edges, shares, 0, at),
            )
            for shares in (1.0 - pieces.left, pieces.left)
        )
        return reviewed, left


def _amount(mass: Mass, edges: Edges, shares: FloatArray, start: int, stop: int | None) -> Amount:
    """The shares of the pieces from start to stop."""
    chosen = slice(start, stop)
    weight, *other = (float(np.dot(shares[chosen], np.diff(p[edges])[chosen])) for p in mass.prefixes)
    spread, count = other or (weight, weight)
    return Amount(weight, spread, count, mass.heaviest)
