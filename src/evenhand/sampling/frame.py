"""The population as score-driven sampling sees it: items in the order of their score, in cells of nearly equal score.

A design is made on the cells, of which there are a few thousand however many items there are. A cell is a step of the
score on the logit scale; with `by`, items of different languages or communities are in different cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import logit

from evenhand import arrays
from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.sampling.strata import Strata

EDGE = 36.0  # logits: where scores next to 1 end in double precision
CELLS = 8192


@dataclass(frozen=True)
class Frame:
    """`order` are the rows; cell c holds those from place starts[c] up to starts[c + 1]."""

    order: Ints
    starts: Ints
    logits: Floats
    groups: Ints

    @classmethod
    def of(cls, score: npt.ArrayLike, *, by: Strata | None = None, cells: int = CELLS) -> Frame:
        """From scores between 0 and 1."""
        p = arrays.probabilities(score, "score")
        if not len(p):
            raise InputError("there are no items to draw from")
        steps = arrays.whole(cells, "the number of cells")
        height = np.clip(logit(_inner(p)), -EDGE, EDGE)
        code = np.minimum(((height + EDGE) * (steps / (2.0 * EDGE))).astype(np.int64), steps - 1)
        if by is not None:
            code += steps * arrays.wholes(by.codes, "strata", size=len(p))
        present, cell, sizes = np.unique(code, return_inverse=True, return_counts=True)
        starts = np.concatenate(([0], np.cumsum(sizes)))
        logits = np.bincount(cell, height) / sizes
        return cls(np.argsort(cell, kind="stable"), starts, logits, present // steps)

    def __len__(self) -> int:
        return len(self.order)

    @property
    def sizes(self) -> Ints:
        """Items in each cell."""
        return np.diff(self.starts)

    def cell_of(self, places: Ints) -> Ints:
        """The cell of each place in the order."""
        return np.searchsorted(self.starts, places, side="right") - 1


def _inner(p: Floats) -> Floats:
    """Scores of exactly 0 or 1, which rounding makes, as half of the least that there is beside them."""
    within = p[(p > 0.0) & (p < 1.0)]
    low, high = (0.5 * within.min(), 0.5 + 0.5 * within.max()) if len(within) else (0.1, 0.9)
    return np.clip(p, low, high)
