"""How much each row moves a number made of AUCs: the way to the variance of anything that mixes groups or models.

The influence of a row on an AUC is its placement among the other sample, less the AUC, over the weight of its own
sample. For most rows that is a function of their score and class alone: what a group does to its background is a step
function of the score, and the steps of all groups add up on the grid before any row is touched. Only the members of
groups, and rows not annotated for one, differ from it one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from evenhand.tally import FloatArray, IntArray, Mass, Placed, Sample, Split, Tally


@dataclass(frozen=True)
class Influence:
    """Of every row on one number, per unit of weight: by class and score, and what rows have beyond that."""

    by_score: Mapping[bool, FloatArray]  # violating or not; a class that plays no part is left out
    beyond: FloatArray  # for the rows of `Placed.touched`

    def __add__(self, other: Influence) -> Influence:
        by_score = dict(self.by_score)
        for violating, values in other.by_score.items():
            by_score[violating] = by_score[violating] + values if violating in by_score else values
        return Influence(by_score, self.beyond + other.beyond)

    def __mul__(self, factor: float) -> Influence:
        return Influence({v: factor * values for v, values in self.by_score.items()}, factor * self.beyond)

    def rows(self, placed: Placed) -> FloatArray:
        """Row by row."""
        influence = np.zeros(len(placed.rows))
        for violating, values in self.by_score.items():
            chosen = placed.rows.label == violating
            influence[chosen] = values[placed.place[chosen]]
        influence[placed.touched.rows] += self.beyond
        return influence

    def variance(self, placed: Placed, tally: Tally) -> float:
        """The variance of the number: a sum of squares, as if no row went beyond, then mended for those that do."""
        touched, total, common = placed.touched, 0.0, np.zeros(len(self.beyond))
        for violating, values in self.by_score.items():
            total += float(np.dot(tally.everyone.of(violating=violating).spread, values * values))
            chosen = touched.label == violating
            common[chosen] = values[touched.place[chosen]]
        mend = self.beyond * (self.beyond + 2.0 * common)
        weights = placed.rows.weights
        return total + float(mend.sum() if weights is None else np.dot(weights.spread[touched.rows], mend))


def correlation(first: tuple[Placed, Influence], second: tuple[Placed, Influence]) -> float:
    """How two numbers taken on the same rows move together; 0 where one of them does not move."""
    one, two = (influence.rows(placed) for placed, influence in (first, second))
    weights = first[0].rows.weights
    spread = 1.0 if weights is None else weights.spread
    scale = float(np.dot(spread * one, one)) * float(np.dot(spread * two, two))
    return float(np.dot(spread * one, two)) / scale**0.5 if scale > 0.0 else 0.0


@dataclass(frozen=True)
class Term:
    """One AUC of a sum: coefficient · AUC(high over low) of a group. At least one of the two lies inside the group."""

    coefficient: float
    group: str
    high: Sample
    low: Sample
    auc: float


def of_everyone(placed: Placed, tally: Tally, auc: float) -> Influence:
    """On the overall AUC."""
    violating, benign = tally.everyone
    by_score = {
        True: (benign.below - auc) / violating.total.weight,
        False: (1.0 - auc - violating.below) / benign.total.weight,
    }
    return Influence(by_score, np.zeros(len(placed.touched.rows)))


def of_class(placed: Placed, by_score: FloatArray, group: str | None, *, violating: bool) -> Influence:
    """On a mean over one class, of everybody or of a group: `by_score` is what an item of each score brings."""
    beyond = np.zeros(len(placed.touched.rows))
    if group is None:
        return Influence({violating: by_score}, beyond)
    slots = placed.slots[group]
    beyond[placed.touched.members[group][violating]] = by_score[slots.cells][slots.members[violating][1]]
    return Influence({}, beyond)


def of_groups(placed: Placed, tally: Tally, terms: Iterable[Term], splits: Mapping[str, Split]) -> Influence:
    """On a sum of AUCs of groups."""
    beyond = np.zeros(len(placed.touched.rows))
    background: dict[bool, _Background] = {}
    for term in terms:
        for own, other, sign in ((term.high, term.low, 1.0), (term.low, term.high, -1.0)):
            part = _Part.of(term, splits[term.group], own, other, sign)
            at_members = part.at(placed.slots[term.group].members[own.violating][1])
            members = placed.touched.members[term.group][own.violating]
            if own.inside:
                beyond[members] += at_members
                continue
            if own.violating not in background:
                background[own.violating] = _Background(np.zeros(len(tally.scores)))
            background[own.violating].add(tally.groups[term.group].cells, part)
            beyond[members] -= at_members
            absent = _absent(placed, term.group, violating=own.violating)
            if len(absent):
                beyond[absent] -= part.anywhere(tally.groups[term.group].cells, placed.touched.place[absent])
    return Influence({violating: heap.by_score() for violating, heap in background.items()}, beyond)


@dataclass(frozen=True)
class _Part:
    """What a term does to the rows of one of its samples: ± slope · placement + start, a function of the score."""

    other: Mass
    slope: float
    start: float
    below: FloatArray  # share of the other sample below each cell of the group

    @classmethod
    def of(cls, term: Term, split: Split, own: Sample, other: Sample, sign: float) -> _Part:
        scale = term.coefficient / split.sample(own).total.weight
        start = -scale * term.auc if sign > 0 else scale * (1.0 - term.auc)
        inside = Sample(inside=True, violating=own.violating)
        return cls(split.sample(other), sign * scale, start, split.placements(inside, other))

    def at(self, slots: IntArray) -> FloatArray:
        """The value at cells of the group."""
        return self.slope * self.below[slots] + self.start

    def steps(self) -> FloatArray:
        """How much it rises at each cell of the group; the other sample lies inside it."""
        return self.slope / self.other.total.weight * self.other.weight

    def anywhere(self, cells: IntArray, place: IntArray) -> FloatArray:
        """The value at any place of the grid."""
        before = np.searchsorted(cells, place, side="left")
        values = np.concatenate(([0.0], np.cumsum(self.steps())))[before] + self.start
        hit = before < len(cells)
        hit[hit] = cells[before[hit]] == place[hit]
        values[hit] += 0.5 * self.steps()[before[hit]]
        return values


@dataclass
class _Background:
    """The steps that all groups make for one class of the rows outside them."""

    steps: FloatArray
    start: float = 0.0

    def add(self, cells: IntArray, part: _Part) -> None:
        self.steps[cells] += part.steps()
        self.start += part.start

    def by_score(self) -> FloatArray:
        level = np.cumsum(self.steps)
        level -= 0.5 * self.steps
        level += self.start
        return level


def _absent(placed: Placed, group: str, *, violating: bool) -> IntArray:
    """Which touched rows of one class were not annotated for a group: neither members nor background."""
    annotated, touched = placed.rows.groups[group].annotated, placed.touched
    if annotated is None:
        return np.empty(0, dtype=np.int32)
    return np.flatnonzero(~annotated[touched.rows] & (touched.label == violating)).astype(np.int32)
