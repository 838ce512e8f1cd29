"""The sampling frame: a population counted in cells, and drawn places found again, however many items stream by.

A cell is one group (a language, a community) and one step of the score on the logit scale, so that there are a few
thousand cells however many items there are; designs are made on the cells. Counting takes one pass. Place k of a cell
is the k-th item, in the order of the file, that falls into it: a second pass finds drawn places by counting again, and
no order of all items is ever held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import logit

from evenhand import arrays
from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.sampling.strata import Strata

EDGE = 36.0  # logits: where scores next to 1 end in double precision
STEPS = 8192
DIGITS = 6  # of a mean logit, so that it does not depend on the order of a sum


@dataclass(frozen=True, slots=True)
class ScoreGrid:
    """Steps of the score. Those of exactly 0 or 1, which rounding makes, have steps of their own at either end."""

    steps: int = STEPS

    @property
    def width(self) -> int:
        """Steps in all, both ends among them."""
        return self.steps + 2

    def places(self, score: Floats) -> tuple[Ints, Floats]:
        """The step of each score, and its logit."""
        height: Floats = np.asarray(logit(score))
        np.clip(height, -EDGE, EDGE, out=height)
        along = height + EDGE
        along *= self.steps / (2.0 * EDGE)
        step = along.astype(np.int64)
        np.minimum(step, self.steps - 1, out=step)
        step += 1
        step[score == 0.0] = 0
        step[score == 1.0] = self.steps + 1
        return step, height


@dataclass(frozen=True)
class CellCounts:
    """What was counted: group and step of each cell that has items, how many, and their mean logit; in order.

    >>> counter = eh.sampling.CellCounter()
    >>> counter.add(np.array([0.1, 0.1, 0.9]))
    >>> counter.cells().items.tolist()
    [2, 1]
    """

    groups: Ints
    steps: Ints
    items: Ints
    logits: Floats
    grid: ScoreGrid = ScoreGrid()

    @classmethod
    def from_columns(
        cls, groups: npt.ArrayLike, steps: npt.ArrayLike, items: npt.ArrayLike, logits: npt.ArrayLike, grid: ScoreGrid
    ) -> CellCounts:
        """Checked."""
        count = arrays.wholes(items, "items", least=1)
        group, step = (arrays.wholes(v, n, size=len(count)) for v, n in ((groups, "groups"), (steps, "steps")))
        arrays.refuse(step >= grid.width, "unknown step of the score grid", "steps")
        code = group * grid.width + step
        arrays.refuse(np.diff(code, prepend=-1) <= 0, "cells must be sorted and unique", "cells")
        return cls(group, step, count, arrays.numbers(logits, "logits", size=len(count)), grid)

    def __len__(self) -> int:
        return int(self.items.sum())

    @property
    def starts(self) -> Ints:
        """The first place of each cell, and the end."""
        return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(self.items)))

    def index(self) -> Ints:
        """The cell of each group and step, heaped up group by group; −1 where there is none."""
        groups = int(self.groups.max()) + 1
        index = np.full(groups * self.grid.width, -1, dtype=np.int64)
        index[self.groups * self.grid.width + self.steps] = np.arange(len(self.items))
        return index


class CellCounter:
    """Items counted piece after piece.

    >>> counter = eh.sampling.CellCounter()
    >>> counter.add(np.array([0.1, 0.1, 0.9]))
    >>> len(counter.cells())
    3
    """

    def __init__(self, grid: ScoreGrid | None = None) -> None:
        self.grid = grid or ScoreGrid()
        self._items = np.zeros((1, self.grid.width), dtype=np.int64)
        self._heights = np.zeros((1, self.grid.width))
        self._inner = (1.0, 0.0)  # the least and the greatest score beside 0 and 1

    def add(self, score: Floats, group: Ints | None = None) -> None:
        """One piece: scores from 0 to 1, and the number of the group of each item."""
        if not len(score):
            return
        step, height = self.grid.places(score)
        groups = 1 if group is None else int(group.max()) + 1
        self._grow(groups)
        code = step if group is None else group * self.grid.width + step
        size = groups * self.grid.width
        self._items[:groups] += np.bincount(code, minlength=size).reshape(groups, -1)
        self._heights[:groups] += np.bincount(code, height, minlength=size).reshape(groups, -1)
        low, high = float(score.min()), float(score.max())
        if low <= 0.0 or high >= 1.0:
            inside = (step > 0) & (step <= self.grid.steps)
            low, high = (float(end(score, where=inside, initial=none)) for end, none in ((np.min, 1.0), (np.max, 0.0)))
        self._inner = (min(self._inner[0], low), max(self._inner[1], high))

    def cells(self, order: Sequence[int] | None = None) -> CellCounts:
        """What there is; `order` says which group comes first, second and so on."""
        items, heights = self._items, self._heights
        if order is not None:
            self._grow(len(order))
            items, heights = self._items[list(order)], self._heights[list(order)]
        present = np.flatnonzero(items)
        if not len(present):
            raise InputError("there are no items to draw from")
        groups, steps = np.divmod(present, self.grid.width)
        logits = heights.ravel()[present] / items.ravel()[present]
        low, high = self._ends()
        logits[steps == 0], logits[steps == self.grid.steps + 1] = low, high
        return CellCounts(groups, steps, items.ravel()[present], np.round(logits, DIGITS), self.grid)

    def _ends(self) -> tuple[float, float]:
        """Scores of exactly 0 or 1 count as half of the least that there is beside them."""
        least, most = self._inner
        low, high = (0.5 * least, 0.5 + 0.5 * most) if least <= most else (0.1, 0.9)
        return max(-EDGE, float(logit(low))), min(EDGE, float(logit(high)))

    def _grow(self, groups: int) -> None:
        lacking = groups - len(self._items)
        if lacking > 0:
            self._items = np.pad(self._items, ((0, lacking), (0, 0)))
            self._heights = np.pad(self._heights, ((0, lacking), (0, 0)))


class PlaceSearch:
    """The items at some places, found piece after piece by counting how often each cell has come by.

    >>> counter = eh.sampling.CellCounter()
    >>> counter.add(np.array([0.1, 0.1, 0.9]))
    >>> search = eh.sampling.PlaceSearch(counter.cells(), np.array([1]))
    >>> [part.tolist() for part in search.add(np.array([0.1, 0.1, 0.9]))]
    [[1], [0]]
    """

    def __init__(self, cells: CellCounts, places: Ints) -> None:
        self._grid, self._index = cells.grid, cells.index()
        order = np.argsort(places, kind="stable")
        self._slots, self._places = order, places[order]
        self._passed = cells.starts[:-1].copy()  # the place of the next item of each cell

    def add(self, score: Floats, group: Ints | None = None) -> tuple[Ints, Ints]:
        """Of one piece: the rows that lie at a wanted place, and which of the places it is, by number."""
        step, _ = self._grid.places(score)
        code = step if group is None else group * self._grid.width + step
        known = code < len(self._index)
        cell = np.where(known, self._index[np.where(known, code, 0)], -1)
        if (cell < 0).any():
            raise InputError("an item has a score or group that no item had when the plan was made")
        counts = np.bincount(cell, minlength=len(self._passed))
        first, last = np.searchsorted(self._places, [self._passed, self._passed + counts])
        wanted = np.flatnonzero(last > first)
        rows, slots = self._rows(cell, wanted, first, last)
        self._passed += counts
        return rows, slots

    def _rows(self, cell: Ints, wanted: Ints, first: Ints, last: Ints) -> tuple[Ints, Ints]:
        """The rows of wanted cells in the order of cells, so that a rank is a position."""
        of_wanted = np.zeros(len(self._passed), dtype=np.bool_)
        of_wanted[wanted] = True
        rows = np.flatnonzero(of_wanted[cell])
        rows = rows[np.argsort(cell[rows], kind="stable")]
        starts = np.searchsorted(cell[rows], wanted)
        hits = [np.arange(first[c], last[c]) for c in wanted]
        at = [start + self._places[hit] - self._passed[c] for c, start, hit in zip(wanted, starts, hits, strict=True)]
        none = np.empty(0, dtype=np.int64)
        return rows[np.concatenate([none, *at])], self._slots[np.concatenate([none, *hits])]


@dataclass(frozen=True)
class SamplingFrame:
    """Cell c holds the places from starts[c] up to starts[c + 1]; `order` are the rows there, if they are at hand.

    >>> score = np.linspace(0.01, 0.99, 400)
    >>> frame = eh.sampling.SamplingFrame.of(score)
    >>> len(frame)
    400
    """

    order: Ints | None
    starts: Ints
    logits: Floats
    groups: Ints

    @classmethod
    def of(cls, score: npt.ArrayLike, *, by: Strata | None = None, cells: int = STEPS) -> SamplingFrame:
        """From scores between 0 and 1, all at hand."""
        p = arrays.probabilities(score, "score")
        if not len(p):
            raise InputError("there are no items to draw from")
        counting = CellCounter(ScoreGrid(arrays.whole(cells, "the number of cells")))
        group = np.zeros(len(p), dtype=np.int64) if by is None else arrays.wholes(by.codes, "strata", size=len(p))
        counting.add(p, group)
        code = group * counting.grid.width + counting.grid.places(p)[0]
        return cls.counted(counting.cells(), order=np.argsort(code, kind="stable"))

    @classmethod
    def counted(cls, cells: CellCounts, *, order: Ints | None = None) -> SamplingFrame:
        """From cells alone; rows stay where they are."""
        return cls(order, cells.starts, cells.logits, cells.groups)

    def __len__(self) -> int:
        return int(self.starts[-1])

    @property
    def sizes(self) -> Ints:
        """Items in each cell."""
        return np.diff(self.starts)

    def cell_of(self, places: Ints) -> Ints:
        """The cell of each place in the order."""
        return np.searchsorted(self.starts, places, side="right") - 1

    def rows(self, places: Ints) -> Ints:
        """The rows at these places; the places themselves where rows are not at hand."""
        return places if self.order is None else self.order[places]
