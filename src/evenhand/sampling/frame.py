"""The population as designs see it: items in the order of their score, in cells of nearly equal score.

A design is made on the cells, of which there are a few thousand however many items there are. A cell is a step of the
score on the logit scale; with `by`, items of different languages or communities are in different cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.sampling.cells import STEPS, Cells, Counting, Grid
from evenhand.sampling.strata import Strata


@dataclass(frozen=True)
class Frame:
    """Cell c holds the places from starts[c] up to starts[c + 1]; `order` are the rows there, if they are at hand."""

    order: Ints | None
    starts: Ints
    logits: Floats
    groups: Ints

    @classmethod
    def of(cls, score: npt.ArrayLike, *, by: Strata | None = None, cells: int = STEPS) -> Frame:
        """From scores between 0 and 1, all at hand."""
        p = arrays.probabilities(score, "score")
        if not len(p):
            raise InputError("there are no items to draw from")
        counting = Counting(Grid(arrays.whole(cells, "the number of cells")))
        group = np.zeros(len(p), dtype=np.int64) if by is None else arrays.wholes(by.codes, "strata", size=len(p))
        counting.add(p, group)
        code = group * counting.grid.width + counting.grid.places(p)[0]
        return cls.counted(counting.cells(), order=np.argsort(code, kind="stable"))

    @classmethod
    def counted(cls, cells: Cells, *, order: Ints | None = None) -> Frame:
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
