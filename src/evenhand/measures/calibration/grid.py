"""Probabilities on a fine grid, and bin edges on that grid: sums up to any value or any amount without sorting.

A cell of the grid is a range of values; a row's cell rises with its value. With few rows every distinct value has a
cell to itself. With many the cells are those of floating point, 256 to each halving of p below one half and of 1 − p
above it: fine at 0 and at 1, where most probabilities are.

The edge of a bin falls into one cell. The cells below it are taken whole. Of its own cell, either all rows have one
value and a share of them is taken (all or none of them when the edge is a value); or the rows of that cell, and only
these, are sorted, and taken one value after the other with a share of the last.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats
from evenhand.measures.score_cells import TIED
from evenhand.memo import Memo

FloatColumn = npt.NDArray[Any]  # float32 or float64
GridCells = npt.NDArray[np.uint16]
Indices = npt.NDArray[np.intp]

MOST_DISTINCT_ROWS = 1 << 16  # rows up to which each distinct value is a cell
BLOCK = 1 << 16  # rows that are worked on at a time: they stay in the cache, and sums stay exact
SHIFT = 15  # bits of a float32 that a cell leaves out: of 23 digits 8 are kept
OFFSET = (127 - 54) << 8  # cells end at 2⁻⁵⁴
HALF = ((127 - 1) << 8) - OFFSET  # the cell of one half
CELLS = 2 * HALF + 2


@dataclass(frozen=True)
class ProbabilityGrid:
    """The values and their cells; `distinct` are the values of the cells where each has one alone."""

    values: FloatColumn
    cells: GridCells
    distinct: Floats | None
    cuts: Memo = field(default_factory=Memo, repr=False)  # into bins of equal width, kept for the next time

    @classmethod
    def from_values(cls, values: FloatColumn) -> ProbabilityGrid:
        """Values from 0 to 1."""
        if len(values) <= MOST_DISTINCT_ROWS:
            distinct, place = np.unique(values, return_inverse=True)
            return cls(values, place.astype(np.uint16), distinct.astype(np.float64))
        cells = np.empty(len(values), dtype=np.uint16)
        for block in row_blocks(len(values)):
            cells[block] = _grid_cells(values[block])
        return cls(values, cells, None)

    @property
    def size(self) -> int:
        """How many cells there are."""
        return CELLS if self.distinct is None else len(self.distinct)

    def place(self, values: Floats) -> Indices:
        """The cells that any values fall into."""
        if self.distinct is None:
            return _grid_cells(values).astype(np.intp)
        return np.minimum(np.searchsorted(self.distinct, values), self.size - 1)

    def heap(self, *factors: FloatColumn) -> Floats:
        """Per cell the sum of a product of columns; without any, how many rows there are."""
        return grouped_sums(self.cells, self.size, *factors)


def grouped_sums(index: npt.NDArray[Any], size: int, *factors: FloatColumn) -> Floats:
    """Per number of the index the sum of a product of columns, in float64."""
    sums = np.zeros(size)
    for block in row_blocks(len(index)):
        sums += np.bincount(index[block], _product(block, *factors) if factors else None, size)
    return sums


def product_sum(*factors: FloatColumn) -> float:
    """The sum of a product of columns, in float64; no dot product: its threads wait for one another."""
    return math.fsum(float(_product(block, *factors).sum()) for block in row_blocks(len(factors[0])))


def row_blocks(rows: int) -> Iterator[slice]:
    """All rows, some at a time."""
    return (slice(start, start + BLOCK) for start in range(0, rows, BLOCK))


def _product(block: slice, first: FloatColumn, *others: FloatColumn) -> Floats:
    product = first[block].astype(np.float64, copy=False)
    for other in others:
        product = product * other[block]
    return product


def _grid_cells(values: FloatColumn) -> GridCells:
    near = np.minimum(values, 1.0 - values).astype(np.float32, copy=False)  # the distance to the nearer end
    cells = near.view(np.int32)
    cells >>= SHIFT
    cells -= OFFSET
    np.maximum(cells, 0, out=cells)
    np.subtract(CELLS - 1, cells, out=cells, where=values >= 0.5)
    return cells.astype(np.uint16)


WeightsOfRows = Callable[[Indices], Floats]


@dataclass(frozen=True)
class EdgeRows:
    """The rows of the edges' cells, by ascending value. Cells of one value have none: `single` is it, else NaN."""

    rows: Indices
    values: Floats
    starts: Indices  # where each edge's cell starts among the rows, and where it stops
    stops: Indices
    single: Floats

    @classmethod
    def from_cells(cls, scale: ProbabilityGrid, cells: Indices) -> EdgeRows:
        """Of the cells that edges fall into."""
        if scale.distinct is not None:
            none = np.zeros(len(cells), dtype=np.intp)
            return cls(none[:0], np.empty(0), none, none, scale.distinct[cells])
        wanted = np.zeros(scale.size, dtype=bool)
        wanted[cells] = True
        rows = np.flatnonzero(wanted[scale.cells])
        own, values, one = scale.cells[rows], scale.values[rows], np.full(scale.size, np.nan)
        one[own] = values
        one[own[values != one[own]]] = np.nan
        mixed = np.isnan(one[own])
        rows, own, values = rows[mixed], own[mixed], values[mixed]
        order = np.argsort(values, kind="stable")
        rows, own, values = rows[order], own[order], values[order].astype(np.float64)
        starts, stops = np.searchsorted(own, cells, "left"), np.searchsorted(own, cells, "right")
        return cls(rows, values, starts, stops, one[cells])


@dataclass(frozen=True)
class BinEdges:
    """Per edge: its cell, the share taken of it, and of the rows `inside` it the first ones and a share of the next."""

    cells: Indices
    share: Floats
    inside: EdgeRows
    taken: Indices  # rows inside that are taken whole, counted from the first of all
    next: Indices  # where the value that is shared ends
    next_share: Floats

    @classmethod
    def by_width(cls, scale: ProbabilityGrid, count: int) -> BinEdges:
        """Bins (lo, hi] of equal width, a hair above an edge counting as on it."""
        return scale.cuts.once(count, lambda: cls._by_value(scale, np.arange(1, count) / count + TIED))

    @classmethod
    def _by_value(cls, scale: ProbabilityGrid, edges: Floats) -> BinEdges:
        cells = scale.place(edges)
        inside = EdgeRows.from_cells(scale, cells)
        taken = np.searchsorted(inside.values, edges, "right")
        share = (inside.single <= edges).astype(np.float64)
        return cls(cells, share, inside, taken, taken, np.zeros(len(edges)))

    @classmethod
    def by_mass(cls, scale: ProbabilityGrid, count: int, heaped: Floats, weights: WeightsOfRows) -> BinEdges:
        """Bins that hold equally much of what is heaped in the cells, with the weights of any rows."""
        before = np.concatenate(([0.0], np.cumsum(heaped)))
        targets = before[-1] * np.arange(1, count) / count
        cells = np.minimum(np.searchsorted(before[1:], targets), scale.size - 1)
        missing = targets - before[cells]
        inside = EdgeRows.from_cells(scale, cells)
        share = np.where(np.isnan(inside.single), 0.0, _clipped_ratio(missing, heaped[cells]))
        sums = _running_sums(weights(inside.rows))
        targets = sums[inside.starts] + missing
        taken, after = inside.starts.copy(), inside.starts.copy()
        mixed = inside.stops > inside.starts
        last = np.clip(np.searchsorted(sums[1:], targets[mixed]), inside.starts[mixed], inside.stops[mixed] - 1)
        taken[mixed] = np.searchsorted(inside.values, inside.values[last], "left")
        after[mixed] = np.searchsorted(inside.values, inside.values[last], "right")
        return cls(cells, share, inside, taken, after, _clipped_ratio(targets - sums[taken], sums[after] - sums[taken]))

    def sums(self, heaped: Floats, inside: Floats) -> Floats:
        """Per bin, of anything that adds up: heaped per cell, and per row inside the cells of edges."""
        running = _running_sums(inside)
        starts, own = np.unique(np.append(0, self.cells), return_inverse=True)
        before = _running_sums(np.add.reduceat(heaped, starts, axis=-1))
        upto = before[..., own[1:]] + self.share * heaped[..., self.cells]
        upto += running[..., self.taken] - running[..., self.inside.starts]
        upto += self.next_share * (running[..., self.next] - running[..., self.taken])
        ends = (np.zeros_like(before[..., :1]), upto, before[..., -1:])
        return np.diff(np.concatenate(ends, axis=-1), axis=-1)


def _running_sums(amounts: Floats) -> Floats:
    sums = np.zeros((*amounts.shape[:-1], amounts.shape[-1] + 1))
    np.cumsum(amounts, axis=-1, out=sums[..., 1:])
    return sums


def _clipped_ratio(part: Floats, whole: Floats) -> Floats:
    ratio = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0.0)
    return np.clip(ratio, 0.0, 1.0)
