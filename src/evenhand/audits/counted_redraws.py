"""Redraws of items with two classes, on counts: all draws of a sample at once, in milliseconds for any number of items.

Where items are independent and merely counted, a redraw is a number of items for each probability and class, and what a
calibrated model would show a number of violating ones for each probability. Clusters, sampling weights and more than
two classes are redrawn row by row (`audits/calibration/sample.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.intervals.redrawn_counts import redrawn_items, redrawn_labels
from evenhand.measures.calibration import Bins
from evenhand.measures.calibration.cells import LARGE_CELLS, FinePlaces, PredictionCells, bin_edges
from evenhand.measures.calibration.grid import ProbabilityGrid
from evenhand.measures.calibration.redrawn import RedrawnCells
from evenhand.tally import Clusters, Weights

ITEM_DRAWS = 4000  # of items, for intervals; half of them where bins are cut anew in each
LABEL_DRAWS = 10_000  # of labels at least, for p-values
COMPARED_BINS = (5, 10, 15, 20, 40)  # numbers of bins whose edges cells of all items keep to


def are_countable(weights: Weights | None, clusters: Clusters | None) -> bool:
    """Whether rows are independent and stand for nothing but themselves or equal rows."""
    return clusters is None and (weights is None or weights.is_plain)


def fine_places(p: Floats, bins: Sequence[int] = ()) -> FinePlaces:
    """Probabilities of all items on a fine grid that keeps to the edges of the usual bins, and of others."""
    values = np.asarray(p, dtype=np.float64)
    return FinePlaces.from_grid(ProbabilityGrid.from_values(values), bin_edges({*COMPARED_BINS, *bins}))


@dataclass(frozen=True)
class CountedRedraws:
    """Items of one sample in cells, and their redraws by a seed."""

    cells: PredictionCells
    seed: int
    cut_anew: bool = False  # some bins hold equally much of the confidence

    @classmethod
    def from_rows(
        cls, fine: FinePlaces, p: Floats, label: Ints, weights: Weights | None, bins: Sequence[Bins], seed: int
    ) -> CountedRedraws:
        """`p` and `label` are those of the rows of `fine`; weights are counts."""
        own = fine.between(bin_edges({one.count for one in bins})) if fine.partial else fine
        cells = PredictionCells.from_rows(own, p, label, None if weights is None else weights.count)
        return cls(cells, seed, any(one.by == "mass" for one in bins))

    @cached_property
    def items(self) -> RedrawnCells:
        """Items redrawn."""
        cells = self.cells.for_redraws(cut_anew=self.cut_anew)
        draws = ITEM_DRAWS // 2 if cells.small else ITEM_DRAWS
        drawn = redrawn_items(cells.items.T.ravel(), draws, self.seed)
        some = drawn.any(axis=0)  # of a handful of items a draw may come out empty
        return RedrawnCells.from_items(cells, drawn if some.all() else drawn[:, some])

    def labels(self, draws: int) -> RedrawnCells:
        """Labels as a calibrated model would have them."""
        cells = self.cells.merged(LARGE_CELLS)
        violating = redrawn_labels(cells.total, cells.middle, max(draws, LABEL_DRAWS), self.seed + 1)
        return RedrawnCells.from_labels(cells, violating)


def violating_probability(probabilities: Floats) -> Floats | None:
    """Of two classes, where the two columns say the same; None else."""
    if probabilities.shape[1] != 2:
        return None
    p = probabilities[:, 1]
    return p if bool(np.all(np.abs(probabilities[:, 0] + p - 1.0) <= 1e-9)) else None
