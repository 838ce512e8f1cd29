"""What review does at every capacity at once: a piecewise linear curve for each kind of item.

A `Path` holds, for growing capacity, how many items of each kind (rightly or wrongly predicted, violating or not) have
been reviewed. Between its knots it is linear, because ties are split, so whatever is linear in the kinds is known at
every capacity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.measures.cells import Cells
from evenhand.measures.collaboration.outcome import ORACLE, Reviewer
from evenhand.measures.collaboration.pieces import Pieces
from evenhand.measures.collaboration.stages import Stage, spend
from evenhand.tally import FloatArray

KNOTS = 200  # capacities at which several stages are looked at, closer together where they are small

# of (predicted benign & benign, predicted violating & benign, predicted benign & violating, both violating)
TN, FP, FN, TP = range(4)


@dataclass(frozen=True, slots=True)
class Path:
    """Items reviewed, from 0 to all, and of each kind how many of them (a row per knot)."""

    reviewed: FloatArray
    kinds: FloatArray

    @classmethod
    def of(cls, cells: Cells, stages: tuple[Stage, ...], threshold: float, *, knots: int = KNOTS) -> Path:
        """One stage is exact at every capacity; several are looked at in so many places."""
        cut = cells.cut(threshold)
        return _by_ties(cells, stages[0], cut) if len(stages) == 1 else _looked_at(cells, stages, cut, knots)

    def at(self, items: FloatArray) -> FloatArray:
        """The kinds reviewed at other capacities."""
        return np.stack([np.interp(items, self.reviewed, column) for column in self.kinds.T], axis=1)

    def on(self, shares: FloatArray) -> Path:
        """The same curve with knots at these shares of all items; what lies between them is lost."""
        items = shares * self.reviewed[-1]
        return Path(items, self.at(items))

    def after(self, reviewer: Reviewer = ORACLE) -> FloatArray:
        """What is decided in the end, at each knot: who was not reviewed is as the model said."""
        rest = self.kinds[-1] - self.kinds
        benign, violating = self.kinds[:, [TN, FP]].sum(axis=1), self.kinds[:, [FN, TP]].sum(axis=1)
        e0, e1 = reviewer.benign_error, reviewer.violating_error
        decided = [(1.0 - e0) * benign, e0 * benign, e1 * violating, (1.0 - e1) * violating]
        whole: FloatArray = rest + np.stack(decided, axis=1)
        return whole


def _by_ties(cells: Cells, stage: Stage, cut: int) -> Path:
    """One knot after each tie."""
    violating, benign = (mass.weight for mass in cells.classes)
    before, after = slice(None, cut), slice(cut, None)
    parts = ((benign, before), (benign, after), (violating, before), (violating, after))
    mass = np.stack([np.bincount(stage.ties[some], of[some], stage.groups) for of, some in parts])
    kinds = np.zeros((4, stage.groups + 1))  # a row a kind, because that is how sums are fast
    np.cumsum(mass, axis=1, out=kinds[:, 1:])
    there = np.concatenate(([True], mass.any(axis=0)))
    kinds = kinds if there.all() else kinds[:, there]
    return Path(kinds.sum(axis=0), kinds.T)


def _looked_at(cells: Cells, stages: tuple[Stage, ...], cut: int, knots: int) -> Path:
    total = cells.weight
    capacities = np.unique(np.append(np.floor(total * np.linspace(0.0, 1.0, knots) ** 2), total))
    rows = [_kinds(spend(stages, cells.prefix, float(amount)), cells, cut) for amount in capacities]
    return Path(capacities, np.array(rows))


def _kinds(pieces: Pieces, cells: Cells, cut: int) -> list[float]:
    """How much of each kind is reviewed."""
    pieces = pieces.cut(cut)
    reviewed, at = 1.0 - pieces.left, int(np.searchsorted(pieces.edges, cut))
    violating, benign = (reviewed * np.diff(mass.prefixes[0][pieces.edges]) for mass in cells.classes)
    return [float(part.sum()) for part in (benign[:at], benign[at:], violating[:at], violating[at:])]
