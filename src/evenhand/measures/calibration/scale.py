"""One probability of every row on a fine grid, so that sums up to any value or any amount need no sorting.

A cell of the grid is a range of values; a row's cell rises with its value. With few rows every distinct value has a
cell to itself. With many the cells are those of floating point, 256 to each halving of p below one half and of 1 − p
above it: fine where probabilities crowd, at 0 and at 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.tally import FloatArray

Values = npt.NDArray[Any]  # float32 or float64
CellArray = npt.NDArray[np.uint16]
Rows = npt.NDArray[np.intp]

FEW = 1 << 16  # rows up to which each distinct value is a cell
BLOCK = 1 << 16  # rows that are worked on at a time: they stay in the cache, and sums stay exact
SHIFT = 15  # bits of a float32 that a cell leaves out: of 23 digits 8 are kept
OFFSET = (127 - 54) << 8  # cells end at 2⁻⁵⁴
HALF = ((127 - 1) << 8) - OFFSET  # the cell of one half
CELLS = 2 * HALF + 2


@dataclass(frozen=True)
class Scale:
    """The values and their cells; `distinct` are the values of the cells where each has one alone."""

    values: Values
    cells: CellArray
    distinct: FloatArray | None
    cuts: dict[int, Any] = field(default_factory=dict, repr=False)  # into bins of equal width, kept for the next time

    @classmethod
    def of(cls, values: Values) -> Scale:
        """Values from 0 to 1."""
        if len(values) <= FEW:
            distinct, place = np.unique(values, return_inverse=True)
            return cls(values, place.astype(np.uint16), distinct.astype(np.float64))
        cells = np.empty(len(values), dtype=np.uint16)
        for block in blocks(len(values)):
            cells[block] = _cells(values[block])
        return cls(values, cells, None)

    @property
    def size(self) -> int:
        """How many cells there are."""
        return CELLS if self.distinct is None else len(self.distinct)

    def place(self, values: FloatArray) -> Rows:
        """The cells that any values fall into."""
        if self.distinct is None:
            return _cells(values).astype(np.intp)
        return np.minimum(np.searchsorted(self.distinct, values), self.size - 1)

    def heap(self, *factors: Values) -> FloatArray:
        """Per cell the sum of a product of columns; without any, how many rows there are."""
        return heap(self.cells, self.size, *factors)


def heap(index: npt.NDArray[Any], size: int, *factors: Values) -> FloatArray:
    """Per number of the index the sum of a product of columns, in float64."""
    sums = np.zeros(size)
    for block in blocks(len(index)):
        sums += np.bincount(index[block], _product(block, *factors) if factors else None, size)
    return sums


def summed(*factors: Values) -> float:
    """The sum of a product of columns, in float64; no dot product: its threads wait for one another."""
    return math.fsum(float(_product(block, *factors).sum()) for block in blocks(len(factors[0])))


def blocks(rows: int) -> Iterator[slice]:
    """All rows, some at a time."""
    return (slice(start, start + BLOCK) for start in range(0, rows, BLOCK))


def _product(block: slice, first: Values, *others: Values) -> FloatArray:
    product = first[block].astype(np.float64, copy=False)
    for other in others:
        product = product * other[block]
    return product


def _cells(values: Values) -> CellArray:
    near = np.minimum(values, 1.0 - values).astype(np.float32, copy=False)  # the distance to the nearer end
    cells = near.view(np.int32)
    cells >>= SHIFT
    cells -= OFFSET
    np.maximum(cells, 0, out=cells)
    np.subtract(CELLS - 1, cells, out=cells, where=values >= 0.5)
    return cells.astype(np.uint16)
