"""The order of review: a review score per cell, and how each stage of review spends its share of the capacity.

The items of highest review score are taken until the amount is reached. Items tied at the boundary are each split into
a reviewed and an unreviewed part, so that the order of rows does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats, Ints
from evenhand.measures.collaboration.capacity import UnreviewedShares, whole_items
from evenhand.measures.score_cells import TIED
from evenhand.tally.mass import Prefix
from evenhand.tally.order import ScoreArray, sort_scores

MOST_CELLS_SCANNED = 30_000  # cells; up to here going through all of them is faster than a search
ROUNDING = 1e-15  # by how much p(1 − p) may fall where it should rise


def uncertainty_score(scores: ScoreArray) -> Floats:
    """The variance p(1 − p) of the predicted label."""
    p: Floats = scores.astype(np.float64)
    return p * (1.0 - p)


def toxicity_score(scores: ScoreArray) -> ScoreArray:
    """The score itself."""
    return scores


@dataclass(frozen=True, eq=False)
class ReviewStage:
    """A review score per cell, and the share of the capacity that goes by it. The last stage takes what remains.

    Scores within `tied` of one another are equal: 0 for a column that came as it is, where a variance may be tiny.
    """

    score: npt.NDArray[Any]
    share: float = 1.0
    tied: float = TIED

    @cached_property
    def values(self) -> Floats:
        """The review score in double precision."""
        return np.asarray(self.score, dtype=np.float64)

    @cached_property
    def ties(self) -> Ints:
        """The number of each cell's tie, from 0 for the highest on. Neighbours that are tied are in one."""
        number = np.zeros(len(self.values), dtype=np.int64)
        falls = -np.diff(self.values[self._descending]) > self.tied
        number[self._descending[1:]] = np.cumsum(falls)
        return number

    @cached_property
    def groups(self) -> int:
        """How many ties there are."""
        return int(self.ties.max(initial=-1)) + 1

    def take(self, pieces: UnreviewedShares, prefix: Prefix, amount: float) -> UnreviewedShares:
        """Review an amount of what is left."""
        if amount <= 0.0:
            return pieces
        if amount >= pieces.before(prefix, pieces.size) * (1.0 - TIED):
            return UnreviewedShares(np.array([0, pieces.size]), np.zeros(1))
        hill = self._hill if len(self.values) > MOST_CELLS_SCANNED else None
        return self._from_anywhere(pieces, prefix, amount) if hill is None else hill.take(pieces, prefix, amount)

    def take_from(self, pieces: UnreviewedShares, level: float) -> UnreviewedShares:
        """Review whatever has this review score, in its own precision, or a higher one."""
        level = float(self.score.dtype.type(level)) - self.tied
        if self._hill is not None:
            return pieces.scaled(*self._hill.span(level, strict=False), 0.0)
        return UnreviewedShares.of_cells(np.where(self.values >= level, 0.0, pieces.per_cell()))

    @cached_property
    def _hill(self) -> _Hill | None:
        return _Hill.from_values(self.values, self.tied)

    @cached_property
    def _descending(self) -> npt.NDArray[np.intp]:
        return sort_scores(self.values).rows[::-1]

    def _from_anywhere(self, pieces: UnreviewedShares, prefix: Prefix, amount: float) -> UnreviewedShares:
        """The general way: tie after tie, all of each until the amount is reached."""
        left = pieces.per_cell()
        mass = np.bincount(self.ties, left * np.diff(prefix))
        reached = np.cumsum(mass)
        last = min(int(np.searchsorted(reached, amount * (1.0 - ROUNDING))), len(mass) - 1)
        share = _part(amount - float(reached[last] - mass[last]), float(mass[last]))
        left[self.ties == last] *= 1.0 - share
        left[self.ties < last] = 0.0
        return UnreviewedShares.of_cells(left)


def spend_capacity(stages: Sequence[ReviewStage], prefix: Prefix, amount: float) -> UnreviewedShares:
    """What is left when an amount is reviewed, stage after stage, each of its share in whole items."""
    pieces, spent = UnreviewedShares.untouched(len(prefix) - 1), 0.0
    for stage in stages[:-1]:
        own = min(whole_items(stage.share * amount), amount - spent)
        pieces, spent = stage.take(pieces, prefix, own), spent + own
    return stages[-1].take(pieces, prefix, amount - spent)


@dataclass(frozen=True)
class _Hill:
    """A review score that rises along the cells to its top and falls from there: what lies above a level is a span."""

    rising: Floats
    falling: Floats  # from the last cell back
    tied: float

    @classmethod
    def from_values(cls, values: Floats, tied: float) -> _Hill | None:
        top = int(np.argmax(values)) + 1 if len(values) else 0
        rounding = min(ROUNDING, tied)
        up, down = _ascending(values[:top], rounding), _ascending(np.ascontiguousarray(values[top:][::-1]), rounding)
        return None if up is None or down is None else cls(up, down, tied)

    @property
    def size(self) -> int:
        return len(self.rising) + len(self.falling)

    def span(self, level: float, *, strict: bool) -> tuple[int, int]:
        """The cells at or above a level, or strictly above it."""
        side: Literal["left", "right"] = "right" if strict else "left"
        start = int(np.searchsorted(self.rising, level, side=side))
        return start, self.size - int(np.searchsorted(self.falling, level, side=side))

    def take(self, pieces: UnreviewedShares, prefix: Prefix, amount: float) -> UnreviewedShares:
        """Review an amount of what is left, less than all of it."""

        def within(start: int, stop: int) -> float:
            return pieces.before(prefix, stop) - pieces.before(prefix, start)

        last = max(
            _highest(slope, lambda level: within(*self.span(level, strict=False)) >= amount)
            for slope in (self.rising, self.falling)
        )
        outer, inner = self.span(last - self.tied, strict=False), self.span(last + self.tied, strict=True)
        full = within(*inner)
        rest = 1.0 - _part(amount - full, within(*outer) - full)
        pieces = pieces.scaled(outer[0], inner[0], rest).scaled(inner[1], outer[1], rest)
        return pieces.scaled(*inner, 0.0)


def _highest(slope: Floats, enough: Callable[[float], bool]) -> float:
    """The highest level of an ascending slope at or above which there is enough; none: minus infinity."""
    low, high = -1, len(slope) - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if enough(float(slope[middle])) else (low, middle - 1)
    return float(slope[low]) if low >= 0 else -np.inf


def _ascending(values: Floats, rounding: float) -> Floats | None:
    """The values, if they never fall by more than rounding, rid of that."""
    if bool(np.all(values[1:] >= values[:-1])):
        return values
    raised = np.maximum.accumulate(values)
    return raised if float(np.max(raised - values)) <= rounding else None


def _part(wanted: float, tied: float) -> float:
    return min(max(wanted / tied, 0.0), 1.0) if tied > 0.0 else 0.0
