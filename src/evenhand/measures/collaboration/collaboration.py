"""One model with one order of review: its outcome at any capacity, and its path over all capacities.

A `ReviewPath` holds, for growing capacity, how many items of each kind (correctly or wrongly predicted, violating or
benign) have been reviewed. Between its knots it is linear, because ties are split, so whatever is linear in the kinds
is known at every capacity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Floats
from evenhand.measures.collaboration.areas import ReviewedAreas
from evenhand.measures.collaboration.capacity import Capacity, CapacityKind, UnreviewedShares
from evenhand.measures.collaboration.outcome import ORACLE, Reviewer, ReviewOutcome
from evenhand.measures.collaboration.stages import ReviewStage, spend_capacity
from evenhand.measures.score_cells import ScoreCells

PATH_KNOTS = 200  # capacities at which several stages are looked at, closer together where they are small

# of (predicted benign & benign, predicted violating & benign, predicted benign & violating, both violating)
TN, FP, FN, TP = range(4)


@dataclass(frozen=True, slots=True)
class ReviewPath:
    """Items reviewed, from 0 to all, and of each kind how many of them (a row per knot)."""

    reviewed: Floats
    kinds: Floats

    @classmethod
    def from_stages(
        cls, cells: ScoreCells, stages: tuple[ReviewStage, ...], threshold: float, *, knots: int = PATH_KNOTS
    ) -> ReviewPath:
        """One stage is exact at every capacity; several are looked at in so many places."""
        cut = cells.cut(threshold)
        return _path_by_ties(cells, stages[0], cut) if len(stages) == 1 else _path_at_knots(cells, stages, cut, knots)

    def at(self, items: Floats) -> Floats:
        """The kinds reviewed at other capacities."""
        return np.stack([np.interp(items, self.reviewed, column) for column in self.kinds.T], axis=1)

    def on(self, shares: Floats) -> ReviewPath:
        """The same curve with knots at these shares of all items; what lies between them is lost."""
        items = shares * self.reviewed[-1]
        return ReviewPath(items, self.at(items))

    def after(self, reviewer: Reviewer = ORACLE) -> Floats:
        """What is decided in the end, at each knot: who was not reviewed is as the model said."""
        rest = self.kinds[-1] - self.kinds
        benign, violating = self.kinds[:, [TN, FP]].sum(axis=1), self.kinds[:, [FN, TP]].sum(axis=1)
        e0, e1 = reviewer.benign_error, reviewer.violating_error
        decided = [(1.0 - e0) * benign, e0 * benign, e1 * violating, (1.0 - e1) * violating]
        whole: Floats = rest + np.stack(decided, axis=1)
        return whole


def _path_by_ties(cells: ScoreCells, stage: ReviewStage, cut: int) -> ReviewPath:
    """One knot after each tie."""
    violating, benign = (mass.weight for mass in cells.classes)
    before, after = slice(None, cut), slice(cut, None)
    parts = ((benign, before), (benign, after), (violating, before), (violating, after))
    mass = np.stack([np.bincount(stage.ties[some], of[some], stage.groups) for of, some in parts])
    kinds = np.zeros((4, stage.groups + 1))  # a row a kind, because that is how sums are fast
    np.cumsum(mass, axis=1, out=kinds[:, 1:])
    there = np.concatenate(([True], mass.any(axis=0)))
    kinds = kinds if there.all() else kinds[:, there]
    return ReviewPath(kinds.sum(axis=0), kinds.T)


def _path_at_knots(cells: ScoreCells, stages: tuple[ReviewStage, ...], cut: int, knots: int) -> ReviewPath:
    total = cells.weight
    capacities = np.unique(np.append(np.floor(total * np.linspace(0.0, 1.0, knots) ** 2), total))
    rows = [_kinds(spend_capacity(stages, cells.prefix, float(amount)), cells, cut) for amount in capacities]
    return ReviewPath(capacities, np.array(rows))


def _kinds(pieces: UnreviewedShares, cells: ScoreCells, cut: int) -> list[float]:
    """How much of each kind is reviewed."""
    pieces = pieces.cut(cut)
    reviewed, at = 1.0 - pieces.left, int(np.searchsorted(pieces.edges, cut))
    violating, benign = (reviewed * np.diff(mass.prefixes[0][pieces.edges]) for mass in cells.classes)
    return [float(part.sum()) for part in (benign[:at], benign[at:], violating[:at], violating[at:])]


@dataclass(frozen=True)
class Collaboration:
    """Items in cells, the stages by which they are reviewed, and the threshold of the model's own predictions."""

    cells: ScoreCells
    stages: tuple[ReviewStage, ...]
    threshold: float

    @classmethod
    def from_stages(cls, cells: ScoreCells, *stages: ReviewStage, threshold: float = 0.5) -> Collaboration:
        """The review scores must be aligned with the cells, and the shares of the stages add up to 1."""
        if any(len(stage.score) != len(cells) for stage in stages):
            raise ValueError("a stage needs one review score per cell")
        if not math.isclose(sum(stage.share for stage in stages), 1.0, abs_tol=1e-9):
            raise ValueError("the shares of the stages must add up to 1")
        return cls(cells, stages, threshold)

    def at(self, capacity: Capacity) -> ReviewOutcome:
        """What comes out at one capacity."""
        return self._outcome(self.cells, self._left(capacity))

    def path(self, *, knots: int = PATH_KNOTS) -> ReviewPath:
        """What is reviewed at every capacity; several stages are looked at in so many places."""
        return ReviewPath.from_stages(self.cells, self.stages, self.threshold, knots=knots)

    def among(self, group: ScoreCells, capacity: Capacity) -> ReviewOutcome:
        """What comes out for the members of a group when the capacity is everybody's.

        With a `Collaboration` of the group's own cells, the group has a capacity to itself.
        """
        if group.where is None or self.cells.where is not None:
            raise ValueError("these are not a group's cells and everybody's")
        return self._outcome(group, self._left(capacity).among(group.where))

    def _outcome(self, cells: ScoreCells, left: UnreviewedShares) -> ReviewOutcome:
        return ReviewOutcome(
            *left.confusions(cells.classes, cells.cut(self.threshold)), left, ReviewedAreas.from_cells(cells)
        )

    def _left(self, capacity: Capacity) -> UnreviewedShares:
        if capacity.kind is CapacityKind.THRESHOLD:
            if len(self.stages) > 1:
                raise ValueError("a threshold needs a single review score")
            return self.stages[0].take_from(UnreviewedShares.untouched(len(self.cells)), capacity.value)
        return spend_capacity(self.stages, self.cells.prefix, capacity.amount(self.cells.weight))
