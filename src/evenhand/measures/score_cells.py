"""Items counted by score: the mass of each class at every distinct score, for all items or for the members of a group.

A tally has one cell per distinct score. Where a second column separates items of one score (a review score that is not
a function of the score), there is one cell per pair of values, and neighbouring cells may share their score.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.arrays import Floats, Int32s
from evenhand.errors import Undefined
from evenhand.memo import Memo
from evenhand.tally import Classes, Mass, PlacedRows, Tally
from evenhand.tally.mass import Prefix
from evenhand.tally.order import ScoreArray, ScoreOrder, first_from, sort_scores

TIED = 1e-12  # values closer than this are equal: p(1 − p) breaks the tie of p and 1 − p in floating point


@dataclass(frozen=True)
class ScoreCells:
    """Scores, ascending, and the mass of each class at them; `column` is the second value of each cell, if any.

    `where` are the places of a group's cells among those of everybody; None for everybody.
    """

    scores: ScoreArray
    classes: Classes
    column: ScoreArray | None = None
    where: Int32s | None = None

    @classmethod
    def from_tally(cls, tally: Tally, group: str | None = None) -> ScoreCells:
        """One cell per distinct score, of everybody or of a group's members."""
        if tally.lowest is not None and tally.blurred is not None and tally.blurred.any():
            raise Undefined("scores were grouped into bins: this needs every distinct score")
        if group is None:
            return cls(tally.scores, tally.everyone)
        members = tally.groups[group]
        return cls(tally.scores[members.cells], members.inside, where=members.cells)

    @classmethod
    def paired(cls, placed: PlacedRows, column: ScoreArray, group: str | None = None) -> ScoreCells:
        """One cell per pair of score and column, which is aligned with the rows."""
        second, pair = _pairs(placed, column)
        kinds = len(second.scores)
        cells = cls.from_tally(PlacedRows.from_rows(pair, placed.rows).tally(), group)
        first, other = np.divmod(cells.scores.astype(np.int64), max(kinds, 1))
        return cls(placed.scores[first], cells.classes, second.scores[other], cells.where)

    @classmethod
    def row_cells(cls, placed: PlacedRows, column: ScoreArray) -> Int32s:
        """Where each row lies among the cells of `paired`."""
        return sort_scores(_pairs(placed, column)[1]).place

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def weight(self) -> float:
        """How many items there are."""
        return self.classes.violating.total.weight + self.classes.benign.total.weight

    @cached_property
    def prefix(self) -> Prefix:
        """How much of both classes lies before each cell."""
        violating, benign = self.classes
        both: Prefix = violating.prefixes[0] + benign.prefixes[0]
        return both

    @cached_property
    def memo(self) -> Memo:
        """What was made of these cells once and is used again."""
        return Memo()

    def cut(self, threshold: float) -> int:
        """The first cell that is flagged: its score is at or above the threshold, in the precision of the scores."""
        return first_from(self.scores, threshold)

    def heaped(self, parts: Floats) -> Floats:
        """An amount per cell, per distinct score."""
        if self.column is None or not len(self):
            return parts
        starts = np.flatnonzero(np.concatenate(([True], self.scores[1:] != self.scores[:-1])))
        heaps: Floats = np.add.reduceat(parts, starts)
        return heaps


def _pairs(placed: PlacedRows, column: ScoreArray) -> tuple[ScoreOrder, Floats]:
    """The order of the column, and a number for each pair of score and column."""
    second = sort_scores(column)
    pair = placed.place.astype(np.float64) * len(second.scores) + second.place  # whole numbers: exact up to 2^53
    return second, pair


def wrong_and_right(cells: ScoreCells, threshold: float) -> tuple[Mass, Mass]:
    """Per cell, what the prediction at the threshold gets wrong and what right."""
    cut = cells.cut(threshold)
    violating, benign = cells.classes
    return _joined(violating, benign, cut), _joined(benign, violating, cut)


def ranked(values: Floats, high: Mass, low: Mass) -> Classes:
    """Two masses per cell, heaped in the order of some other value of the cells."""
    rows = np.argsort(values, kind="stable")
    if not len(rows):
        return Classes(high, low)
    along = values[rows]
    starts = np.flatnonzero(np.concatenate(([True], along[1:] - along[:-1] > TIED)))
    first, second = (
        Mass(*(np.add.reduceat(part[rows], starts) for part in mass.parts), heaviest=mass.heaviest)
        for mass in (high, low)
    )
    return Classes(first, second)


def _joined(before: Mass, after: Mass, cut: int) -> Mass:
    """One mass up to a cell, another from there on."""
    parts = (np.concatenate((a[:cut], b[cut:])) for a, b in zip(before.parts, after.parts, strict=True))
    return Mass(*parts, heaviest=max(before.heaviest, after.heaviest))
