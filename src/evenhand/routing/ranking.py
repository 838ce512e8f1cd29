"""Who is reviewed when not everybody can be: ranks without an order among ties, and selection in stages.

A tie at the boundary is split: each of the tied items is reviewed in part, so that the order of rows never matters.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.routing.columns import Places
from evenhand.tally import FloatArray

TIE = 1e-12  # computed scores nearer than this are equal: p(1 − p) tells p from 1 − p in floating point only
ROUNDING = 1e-9  # .29 · 100 is 28.999…


@dataclass(frozen=True, slots=True)
class Ranking:
    """The tie group of each item; group 0 is reviewed first."""

    group: Places
    groups: int

    @classmethod
    def of(cls, score: FloatArray, *, tie: float = TIE) -> Ranking:
        """From a review score, higher first. Neighbours within `tie` of one another are one group."""
        order = np.argsort(-score, kind="stable")
        falls = -np.diff(score[order]) > tie
        group = np.empty(len(score), dtype=np.int64)
        group[order] = np.concatenate(([0], np.cumsum(falls))) if len(score) else 0
        return cls(group, int(group.max()) + 1 if len(score) else 0)

    def shares(self, weight: FloatArray, capacity: float) -> FloatArray:
        """The share of each item that is reviewed when items of `capacity` in all can be."""
        mass = np.bincount(self.group, weight, minlength=self.groups)
        room = capacity - (np.cumsum(mass) - mass)
        some = mass > 0.0
        filled = np.divide(room, mass, out=(room > 0.0).astype(np.float64), where=some)
        whole: FloatArray = np.clip(filled, 0.0, 1.0)[self.group]
        return whole

    def order(self) -> Places:
        """All items, first to be reviewed first; ties as they came."""
        return np.argsort(self.group, kind="stable").astype(np.int64)


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of the capacity, in whole items, and the ranking by which it is spent on what is left."""

    part: float
    ranking: Ranking


def select(stages: Sequence[Stage], weight: FloatArray, capacity: float) -> FloatArray:
    """The share of each item that is reviewed, stage after stage; the last stage gets the rest of the capacity."""
    taken, spent = np.zeros(len(weight)), 0.0
    for number, stage in enumerate(stages, start=1):
        rest = capacity - spent
        part = rest if number == len(stages) else min(rest, float(math.floor(stage.part * capacity + ROUNDING)))
        taken = taken + (1.0 - taken) * stage.ranking.shares(weight * (1.0 - taken), part)
        spent += part
    return taken
