"""Areas under curves after review: reviewed violating items rank above every other, reviewed benign ones below.

Only cells that hold violating items move the areas. For each of them it is known once and for all how much of each
class lies below. Over a piece of cells of which an equal share is left, the sums that an area is made of are
differences of prefix sums, so that few pieces cost next to nothing.
"""

from __future__ import annotations

import numpy as np

from evenhand.measures.cells import Cells
from evenhand.measures.collaboration.pieces import Pieces
from evenhand.measures.ranking import auroc, average_precision, share
from evenhand.tally import Classes, FloatArray, Mass

FEW = 64  # pieces; beyond, the areas are taken from all cells anew


class Areas:
    """Of one tally, for any pieces that are left. Both classes must be there for the ROC, violating items for both."""

    @classmethod
    def of(cls, cells: Cells) -> Areas:
        """Made once for all strategies that are compared on the same cells."""
        known: Areas = cells.__dict__.get("_areas") or cls(cells)
        cells.__dict__["_areas"] = known
        return known

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        violating, benign = (mass.prefixes[0] for mass in cells.classes)
        self.at = np.flatnonzero(violating[1:] != violating[:-1])
        self.below, self.benign_below = violating[self.at].astype(np.float64), benign[self.at].astype(np.float64)
        self.own = violating[self.at + 1] - self.below
        won = self.own * 0.5 * (self.benign_below + benign[self.at + 1])  # benign items below, a tie counting half
        self.won = np.concatenate(([0.0], np.cumsum(won)))

    def auroc(self, pieces: Pieces) -> float:
        """The area under the ROC curve."""
        if not self._is_simple(pieces):
            return auroc(_reviewed(self.cells, pieces))
        violating, benign = self._sizes(pieces)
        totals = tuple(mass.total.weight for mass in self.cells.classes)
        hits, misses = violating * (1.0 - pieces.left), benign * (1.0 - pieces.left)
        pairs = hits.sum() * totals[1] + float(np.dot(violating, pieces.left)) * misses.sum()
        return share(float(pairs + self._won(pieces, violating, benign)) / (totals[0] * totals[1]))

    def average_precision(self, pieces: Pieces) -> float:
        """Average precision."""
        if not self._is_simple(pieces):
            return average_precision(_reviewed(self.cells, pieces))
        violating, benign = self._sizes(pieces)
        hits, misses = float(np.dot(violating, 1.0 - pieces.left)), 0.0
        area = hits  # what is reviewed and violating comes first, with a precision of 1
        for i in range(len(pieces.left) - 1, -1, -1):
            left = float(pieces.left[i])
            if left > 0.0:
                area += left * self._piece(pieces, i, hits, misses)
            hits, misses = hits + left * float(violating[i]), misses + left * float(benign[i])
        return share(area / self.cells.classes.violating.total.weight)

    def after(self, pieces: Pieces) -> Classes:
        """The ranking after review, whole."""
        return _reviewed(self.cells, pieces)

    def _piece(self, pieces: Pieces, i: int, hits: float, misses: float) -> float:
        """Σ violating items · precision at them over a piece, `hits` and `misses` ranking above it."""
        left, stop = float(pieces.left[i]), pieces.edges[i + 1]
        chosen = slice(*np.searchsorted(self.at, pieces.edges[i : i + 2]))
        ends = (float(mass.prefixes[0][stop]) for mass in self.cells.classes)
        violating, benign = ((hits + left * next(ends)), (misses + left * next(ends)))
        found = violating - left * self.below[chosen]
        flagged = found + (benign - left * self.benign_below[chosen])
        found /= flagged
        found *= self.own[chosen]
        return float(found.sum())  # not a dot product: its threads wait for one another on a busy machine

    def _won(self, pieces: Pieces, violating: FloatArray, benign: FloatArray) -> float:
        """Pairs of items left that are in the right order: within each piece, and with the pieces below it."""
        start = self.cells.classes.benign.prefixes[0][pieces.edges[:-1]].astype(np.float64)
        within = np.diff(self.won[np.searchsorted(self.at, pieces.edges)]) - violating * start
        left = pieces.left * benign
        lower = np.cumsum(left) - left
        return float(np.dot(pieces.left, pieces.left * within + violating * lower))

    def _sizes(self, pieces: Pieces) -> tuple[FloatArray, FloatArray]:
        sizes = (np.diff(mass.prefixes[0][pieces.edges]).astype(np.float64) for mass in self.cells.classes)
        return next(sizes), next(sizes)

    def _is_simple(self, pieces: Pieces) -> bool:
        return self.cells.column is None and len(pieces.left) <= FEW


def _reviewed(cells: Cells, pieces: Pieces) -> Classes:
    """The ranking after review, from the definition: two more cells, below and above all."""
    left = pieces.per_cell()
    first, second = (
        Mass(*(_beyond(cells, part, left, above=above) for part in mass.parts), heaviest=mass.heaviest)
        for mass, above in zip(cells.classes, (True, False), strict=True)
    )
    return Classes(first, second)


def _beyond(cells: Cells, part: FloatArray, left: FloatArray, *, above: bool) -> FloatArray:
    """What is left at each score, and what is reviewed above or below all of it."""
    reviewed = float(np.dot(part, 1.0 - left))
    ends = (0.0, reviewed) if above else (reviewed, 0.0)
    return np.concatenate(([ends[0]], cells.heaped(part * left), [ends[1]]))
