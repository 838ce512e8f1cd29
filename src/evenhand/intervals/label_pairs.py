"""Pairs of labels of one item, weighted for many draws at once.

Labels that one item got from one stratum (a group and a label) are a cell. Pairs are counted between the cells that an
item has, so neither pairs of people nor empty cells cost anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy import sparse

from evenhand.arrays import Floats, Ints
from evenhand.intervals.poisson_weights import Counts

CELLS_AT_A_TIME = 1 << 11
Singles = npt.NDArray[np.float32]


@dataclass(frozen=True)
class LabelCells:
    """Cells in the order of their items.

    `order` are the labels by cell, `cell` the cell of each of them; `item` and `stratum` are those of each cell.
    """

    order: Ints
    cell: Ints
    item: Ints
    stratum: Ints
    strata: int

    @classmethod
    def from_labels(cls, item: Ints, stratum: Ints, strata: int) -> LabelCells:
        """By item and stratum of each label."""
        both = item * strata + stratum
        order = np.argsort(both)
        ordered = both[order]
        first = np.ones(len(ordered), dtype=bool)
        first[1:] = ordered[1:] != ordered[:-1]
        cell_item, cell_stratum = np.divmod(ordered[first], strata)
        return cls(order, np.cumsum(first) - 1, cell_item, cell_stratum, strata)

    def pairs(self, annotator: Ints, people: Counts, things: Counts) -> Floats:
        """Draws × strata × strata: pairs of two people of one item, both ways round, each by all three weights."""
        size, draws = self.strata, people.shape[1]
        sums = np.zeros((size * size, draws))
        for start, end in self._blocks():
            label = slice(*np.searchsorted(self.cell, [start, end]))
            block = _Block(self.item[start:end], self.stratum[start:end], self.cell[label] - start)
            for code, products in block.pairs(people[annotator[self.order[label]]], things, size):
                sums += ones_at(code, np.arange(len(code)), (size * size, len(code))) @ products
        both_ways = sums.reshape(size, size, draws)
        return np.moveaxis(both_ways + both_ways.transpose(1, 0, 2), -1, 0)

    def _blocks(self) -> Iterator[tuple[int, int]]:
        """Cells of whole items, not many more than fit near the processor."""
        if not len(self.item):
            return iter(())
        first = np.flatnonzero(np.diff(self.item, prepend=-1))  # the first cell of each item
        wanted = np.arange(0, len(self.item), CELLS_AT_A_TIME)
        starts = np.unique(first[np.searchsorted(first, wanted, side="right") - 1])
        return pairwise([*starts.tolist(), len(self.item)])


@dataclass(frozen=True)
class _Block:
    """Some cells, and the cell of each of their labels."""

    item: Ints
    stratum: Ints
    cell: Ints

    def pairs(self, weights: Counts, things: Counts, strata: int) -> Iterator[tuple[Ints, Singles]]:
        """The two strata as one number, and the weights of the pairs: pairs × draws.

        First those between two cells, then half of those within one, where nobody is paired with themselves.
        """
        counts = _sums(self.cell, weights, len(self.item))
        left, right = _cell_pairs(self.item)
        products = counts[left] * counts[right]
        products *= things[self.item[left]]
        yield self.stratum[left] * strata + self.stratum[right], products
        together = np.bincount(self.cell) > 1
        several, shared = np.flatnonzero(together), together[self.cell]
        if len(several):
            place = (np.cumsum(together) - 1)[self.cell[shared]]
            squares = _sums(place, np.square(weights[shared]), len(several))
            own = (np.square(counts[several]) - squares) * things[self.item[several]] / 2
            yield self.stratum[several] * (strata + 1), own.astype(np.float32, copy=False)


def _sums(cell: Ints, weights: Counts, cells: int) -> Singles:
    """Cells × draws."""
    return np.asarray(ones_at(cell, np.arange(len(cell)), (cells, len(cell))) @ weights.astype(np.float32))


def _cell_pairs(item: Ints) -> tuple[Ints, Ints]:
    """Two different cells of one item, each pair once: a cell with the next, with the one after that, and so on."""
    left, right = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for step in range(1, len(item)):
        same = np.flatnonzero(item[:-step] == item[step:])
        if not len(same):
            break
        left.append(same)
        right.append(same + step)
    return np.concatenate(left), np.concatenate(right)


def ones_at(rows: Ints, columns: Ints, shape: tuple[int, int]) -> sparse.csr_array:
    """A sparse matrix of ones."""
    return sparse.csr_array((np.ones(len(rows), np.float32), (rows, columns)), shape=shape)
