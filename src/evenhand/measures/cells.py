"""Where items lie: score and class of everybody, or of the members of a group, heaped in cells of ascending score.

A tally has one cell per distinct score. Where a second column tells items of one score apart (a review score that is
no function of the score), there is one cell per pair of values, and neighbouring cells may share their score.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.errors import Undefined
from evenhand.tally import Classes, FloatArray, IntArray, Mass, Placed, Tally
from evenhand.tally.mass import Prefix
from evenhand.tally.order import Scores, first_from, ordered

TIED = 1e-12  # values closer than this are equal: p(1 − p) breaks the tie of p and 1 − p in floating point


@dataclass(frozen=True)
class Cells:
    """Scores, ascending, and the mass of each class at them; `column` is the second value of each cell, if any.

    `where` are the places of a group's cells among those of everybody; None for everybody.
    """

    scores: Scores
    classes: Classes
    column: Scores | None = None
    where: IntArray | None = None

    @classmethod
    def of(cls, tally: Tally, group: str | None = None) -> Cells:
        """One cell per distinct score, of everybody or of a group's members."""
        if tally.blurred is not None and tally.blurred.any():
            raise Undefined("scores were heaped in bins: this needs every distinct score")
        if group is None:
            return cls(tally.scores, tally.everyone)
        members = tally.groups[group]
        return cls(tally.scores[members.cells], members.inside, where=members.cells)

    @classmethod
    def paired(cls, placed: Placed, column: Scores, group: str | None = None) -> Cells:
        """One cell per pair of score and column, which is aligned with the rows."""
        second = ordered(column)
        kinds = len(second.scores)
        pair = placed.place.astype(np.float64) * kinds + second.place  # whole numbers: exact up to 2^53
        found = cls.of(Placed.of(pair, placed.rows).tally(), group)
        first, other = np.divmod(found.scores.astype(np.int64), max(kinds, 1))
        return cls(placed.scores[first], found.classes, second.scores[other], found.where)

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

    def cut(self, threshold: float) -> int:
        """The first cell that is flagged: its score is at or above the threshold, in the precision of the scores."""
        return first_from(self.scores, threshold)

    def heaped(self, parts: FloatArray) -> FloatArray:
        """An amount per cell, per distinct score."""
        if self.column is None or not len(self):
            return parts
        starts = np.flatnonzero(np.concatenate(([True], self.scores[1:] != self.scores[:-1])))
        heaps: FloatArray = np.add.reduceat(parts, starts)
        return heaps


def wrong_and_right(cells: Cells, threshold: float) -> tuple[Mass, Mass]:
    """Per cell, what the prediction at the threshold gets wrong and what right."""
    cut = cells.cut(threshold)
    violating, benign = cells.classes
    return _joined(violating, benign, cut), _joined(benign, violating, cut)


def ranked(values: FloatArray, high: Mass, low: Mass) -> Classes:
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
