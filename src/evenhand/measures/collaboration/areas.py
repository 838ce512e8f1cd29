"""Areas under curves after review: reviewed violating items rank above every other item, reviewed benign ones below.

Only cells that hold violating items move the areas. For each of them it is known once how much of each class lies
below. Over a run of cells of which an equal share is left, the sums that an area is made of are differences of prefix
sums, so that few runs cost next to nothing.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.measures.collaboration.capacity import UnreviewedShares
from evenhand.measures.ranking import clip_share
from evenhand.measures.score_cells import ScoreCells
from evenhand.tally import Classes, Mass, dot, joined_edges, merged_edges, within_edges

MOST_PIECES = 64  # pieces; beyond, what is left is counted anew


class ReviewedAreas:
    """Of one tally, for any pieces that are left. Both classes must be there for the ROC, violating items for both."""

    @classmethod
    def from_cells(cls, cells: ScoreCells) -> ReviewedAreas:
        """Made once for all strategies that are compared on the same cells."""
        return cells.memo.once("reviewed areas", lambda: cls(cells))

    def __init__(self, cells: ScoreCells) -> None:
        self.cells = cells
        violating, benign = (mass.prefixes[0] for mass in cells.classes)
        self.at = np.flatnonzero(violating[1:] != violating[:-1])
        self.below, self.benign_below = violating[self.at].astype(np.float64), benign[self.at].astype(np.float64)
        self.own = violating[self.at + 1] - self.below
        won = self.own * 0.5 * (self.benign_below + benign[self.at + 1])  # benign items below, a tie counting half
        self.won = np.concatenate(([0.0], np.cumsum(won)))

    def auroc(self, pieces: UnreviewedShares) -> float:
        """The area under the ROC curve."""
        violating, benign = self._sizes(pieces)
        totals = tuple(mass.total.weight for mass in self.cells.classes)
        hits, misses = violating * (1.0 - pieces.left), benign * (1.0 - pieces.left)
        pairs = hits.sum() * totals[1] + (violating * pieces.left).sum() * misses.sum()
        won = self._won(pieces, violating, benign) if self._is_simple(pieces) else self._left(pieces).won()
        return clip_share(float(pairs + won) / (totals[0] * totals[1]))

    def average_precision(self, pieces: UnreviewedShares) -> float:
        """Average precision. What is reviewed and violating comes first, with a precision of 1."""
        hits = float((self._sizes(pieces)[0] * (1.0 - pieces.left)).sum())
        rest = self._precise(pieces, hits) if self._is_simple(pieces) else self._left(pieces).precise(hits)
        return clip_share((hits + rest) / self.cells.classes.violating.total.weight)

    def _precise(self, pieces: UnreviewedShares, hits: float) -> float:
        """Σ violating items left · precision at them, so many hits ranking above all, from the highest piece down."""
        area, misses = 0.0, 0.0
        violating, benign = self._sizes(pieces)
        for i in range(len(pieces.left) - 1, -1, -1):
            left = float(pieces.left[i])
            if left > 0.0:
                area += left * self._piece(pieces, i, hits, misses)
            hits, misses = hits + left * float(violating[i]), misses + left * float(benign[i])
        return area

    def after(self, pieces: UnreviewedShares) -> Classes:
        """The whole ranking after review; of very many scores, neighbours of which an equal share is left together."""
        edges = self._merged_edges if self._is_simple(pieces) else None
        if edges is None:
            return _reviewed(self.cells, self.cells.classes, pieces.per_cell())
        finer = joined_edges(edges, pieces.edges)
        left = pieces.left[np.searchsorted(pieces.edges, finer[:-1], side="right") - 1]
        return _reviewed(self.cells, within_edges(self.cells.classes, finer), left)

    @cached_property
    def _merged_edges(self) -> Ints | None:
        return merged_edges(self.cells.classes)

    def _piece(self, pieces: UnreviewedShares, i: int, hits: float, misses: float) -> float:
        """Σ violating items · precision at them over a piece, `hits` and `misses` ranking above it."""
        left, stop = float(pieces.left[i]), pieces.edges[i + 1]
        chosen = slice(*np.searchsorted(self.at, pieces.edges[i : i + 2]))
        ends = (float(mass.prefixes[0][stop]) for mass in self.cells.classes)
        violating, benign = ((hits + left * next(ends)), (misses + left * next(ends)))
        precise = violating - left * self.below[chosen]
        flagged = precise + (benign - left * self.benign_below[chosen])
        precise /= flagged
        precise *= self.own[chosen]
        return float(precise.sum())  # not a dot product: its threads wait for one another on a busy machine

    def _won(self, pieces: UnreviewedShares, violating: Floats, benign: Floats) -> float:
        """Pairs of items left that are in the right order: within each piece, and with the pieces below it."""
        start = self.cells.classes.benign.prefixes[0][pieces.edges[:-1]].astype(np.float64)
        within = np.diff(self.won[np.searchsorted(self.at, pieces.edges)]) - violating * start
        left = pieces.left * benign
        lower = np.cumsum(left) - left
        return dot(pieces.left, pieces.left * within + violating * lower)

    def _sizes(self, pieces: UnreviewedShares) -> tuple[Floats, Floats]:
        sizes = (np.diff(mass.prefixes[0][pieces.edges]).astype(np.float64) for mass in self.cells.classes)
        return next(sizes), next(sizes)

    def _is_simple(self, pieces: UnreviewedShares) -> bool:
        return self.cells.column is None and len(pieces.left) <= MOST_PIECES

    def _left(self, pieces: UnreviewedShares) -> _UnreviewedScores:
        """What is left at the scores that hold violating items, when it differs from cell to cell."""
        left = pieces.per_cell()
        violating, benign = (np.concatenate(([0.0], np.cumsum(mass.weight * left))) for mass in self.cells.classes)
        start, stop = self._groups
        own, ties = violating[stop] - violating[start], benign[stop] - benign[start]
        return _UnreviewedScores(own, violating[-1] - violating[start], benign[start], ties, float(benign[-1]))

    @cached_property
    def _groups(self) -> tuple[Ints, Ints]:
        """First cell, and the one after the last, of each distinct score that holds violating items."""
        if self.cells.column is None:
            return self.at, self.at + 1
        fresh = np.concatenate((self.cells.scores[1:] != self.cells.scores[:-1], [True]))
        edges = np.concatenate(([0], np.flatnonzero(fresh) + 1))
        groups = np.unique(np.searchsorted(edges, self.at, side="right") - 1)
        return edges[groups], edges[groups + 1]


class _UnreviewedScores(NamedTuple):
    """Per score: violating items there, and there or above; benign ones below, and there; all benign ones left."""

    own: Floats
    at_or_above: Floats
    below: Floats
    ties: Floats
    benign: float

    def won(self) -> float:
        """Pairs in the right order."""
        return float((self.own * (self.below + 0.5 * self.ties)).sum())

    def precise(self, hits: float) -> float:
        """Σ violating items · precision at them, so many hits ranking above all."""
        true_positives = hits + self.at_or_above
        flagged = true_positives + (self.benign - self.below)
        precision = np.divide(true_positives, flagged, out=np.zeros_like(true_positives), where=flagged > 0.0)
        return float((self.own * precision).sum())


def _reviewed(cells: ScoreCells, classes: Classes, left: Floats) -> Classes:
    """The ranking after review, from the definition: two more cells, below and above all."""
    first, second = (
        Mass(*(_beyond(cells, part, left, above=above) for part in mass.parts), heaviest=mass.heaviest)
        for mass, above in zip(classes, (True, False), strict=True)
    )
    return Classes(first, second)


def _beyond(cells: ScoreCells, part: Floats, left: Floats, *, above: bool) -> Floats:
    """What is left at each score, and what is reviewed above or below all of it."""
    reviewed = dot(part, 1.0 - left)
    ends = (0.0, reviewed) if above else (reviewed, 0.0)
    return np.concatenate(([ends[0]], cells.heaped(part * left), [ends[1]]))
