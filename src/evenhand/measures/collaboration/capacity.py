"""Review capacity, and the share of the items that it leaves unreviewed.

A `Capacity` is a share of the items, a number of items, or everything at or above a review score. `UnreviewedShares`
are what is left after review: a share per cell, equal over runs of neighbouring cells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from evenhand.arrays import Floats, Int32s, Ints
from evenhand.errors import InputError
from evenhand.tally import Amount, Classes, Confusion, Mass
from evenhand.tally.mass import Prefix

EXCESS = 1.0 + 1e-12  # 0.29 · 100 is 28.999… in floating point, and means 29


class CapacityKind(StrEnum):
    """How a capacity is given."""

    FRACTION = "fraction"
    ITEMS = "items"
    THRESHOLD = "threshold"


@dataclass(frozen=True, slots=True)
class Capacity:
    """One of the three. With weights, items are counted by weight: as many as the rows stand for."""

    kind: CapacityKind
    value: float

    @classmethod
    def fraction(cls, value: float) -> Capacity:
        """The ⌊value · n⌋ items of highest review score; all of them at 1."""
        if not 0.0 <= value <= 1.0:
            raise InputError(f"a capacity that is a share must be between 0 and 1, not {value}")
        return cls(CapacityKind.FRACTION, value)

    @classmethod
    def items(cls, value: float) -> Capacity:
        """So many items, or all if there are fewer."""
        if not 0.0 <= value < math.inf:
            raise InputError(f"a capacity in items must be 0 or more, not {value}")
        return cls(CapacityKind.ITEMS, value)

    @classmethod
    def threshold(cls, value: float) -> Capacity:
        """Whatever has this review score or a higher one."""
        if not math.isfinite(value):
            raise InputError(f"a review score is a finite number, not {value}")
        return cls(CapacityKind.THRESHOLD, value)

    def amount(self, total: float) -> float:
        """How much of a total is reviewed; a threshold does not say."""
        if self.kind is CapacityKind.THRESHOLD:
            raise ValueError("how much a threshold reviews depends on the review scores")
        if self.kind is CapacityKind.ITEMS:
            return min(whole_items(self.value), total)
        return total if self.value == 1.0 else whole_items(self.value * total)


def whole_items(amount: float) -> float:
    """Whole items, a hair below one counting as it."""
    return float(math.floor(amount * EXCESS))


@dataclass(frozen=True)
class UnreviewedShares:
    """`left[i]` is the share that is left, not reviewed, in the cells from `edges[i]` up to `edges[i + 1]`."""

    edges: Ints
    left: Floats

    @classmethod
    def untouched(cls, size: int) -> UnreviewedShares:
        """Nothing is reviewed yet."""
        return cls(np.array([0, size]), np.ones(1))

    @classmethod
    def of_cells(cls, left: Floats) -> UnreviewedShares:
        """From a share per cell."""
        starts = np.flatnonzero(np.concatenate((np.ones(min(len(left), 1), dtype=bool), left[1:] != left[:-1])))
        return cls(np.append(starts, len(left)), left[starts])

    @property
    def size(self) -> int:
        """How many cells there are."""
        return int(self.edges[-1])

    def per_cell(self) -> Floats:
        """The share left of each cell."""
        return np.repeat(self.left, np.diff(self.edges))

    def before(self, prefix: Prefix, cell: int) -> float:
        """How much is left before a cell, of what the prefix counts."""
        if len(self.left) == 1:  # as at first, and asked for many times
            return float(self.left[0] * (prefix[min(self.size, cell)] - prefix[0]))
        return float(np.dot(self.left, np.diff(prefix[np.minimum(self.edges, cell)])))

    def cut(self, cell: int) -> UnreviewedShares:
        """The same, with an edge at this cell."""
        at = int(np.searchsorted(self.edges, cell))
        if self.edges[at] == cell:
            return self
        edges, left = self.edges, self.left
        return UnreviewedShares(
            np.concatenate((edges[:at], [cell], edges[at:])), np.concatenate((left[:at], left[at - 1 : at], left[at:]))
        )

    def among(self, cells: Int32s) -> UnreviewedShares:
        """The same shares of some of the cells only."""
        return UnreviewedShares(np.searchsorted(cells, self.edges), self.left)

    def scaled(self, start: int, stop: int, factor: float) -> UnreviewedShares:
        """Of some cells, only this share of what was left."""
        if start >= stop:
            return self
        pieces = self.cut(start).cut(stop)
        chosen = (pieces.edges[:-1] >= start) & (pieces.edges[:-1] < stop)
        return UnreviewedShares(pieces.edges, np.where(chosen, factor * pieces.left, pieces.left))

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


def _amount(mass: Mass, edges: Ints, shares: Floats, start: int, stop: int | None) -> Amount:
    """The shares of the pieces from start to stop."""
    chosen = slice(start, stop)
    bounds = edges[start : None if stop is None else stop + 1]
    ends = (prefix[bounds] for prefix in mass.prefixes)
    weight, *other = (float(np.dot(shares[chosen], end[1:] - end[:-1])) for end in ends)
    spread, count = other or (weight, weight)
    return Amount(weight, spread, count, mass.heaviest)
