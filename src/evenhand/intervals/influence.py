"""The influence of each row on a number made of AUCs: the variance of anything that mixes groups or models.

The influence of a row on an AUC is its placement among the other sample, less the AUC, over the weight of its own
sample. For most rows that depends on their score and class alone: what a group does to its background is a step
function of the score, and the steps of all groups add up before any row is touched. They are held on a `Base`: for the
rows of one class at the cells of that class, for those of the other at these cells and between them. Only the members
of groups, and rows not annotated for one, differ from it one by one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats, Int32s
from evenhand.intervals.significance import ROUNDING
from evenhand.tally import ClassView, GroupSample, Mass, PlacedRows, Split, Tally, dot


@dataclass(frozen=True)
class Influence:
    """Of every row on one number, per unit of weight: by class and score, and what touched rows have beyond that."""

    base: ClassView
    by_score: Mapping[bool, Floats]  # violating or not; a class that plays no part is left out
    beyond: Floats  # for the rows of `Placed.touched`

    def __add__(self, other: Influence) -> Influence:
        if self.base is not other.base:
            raise ValueError("influences add only on the same base")
        by_score = dict(self.by_score)
        for violating, values in other.by_score.items():
            by_score[violating] = by_score[violating] + values if violating in by_score else values
        return Influence(self.base, by_score, self.beyond + other.beyond)

    def __mul__(self, factor: float) -> Influence:
        by_score = {violating: factor * values for violating, values in self.by_score.items()}
        return Influence(self.base, by_score, factor * self.beyond)

    def rows(self, placed: PlacedRows) -> Floats:
        """Row by row."""
        influence = self._common(placed.rows.label, placed.place)
        influence[placed.touched.rows] += self.beyond
        return influence

    def variance(self, placed: PlacedRows) -> float:
        """The variance of the number: a sum of squares, as if no row went beyond, then mended for those that do."""
        total = 0.0
        for violating, values in self.by_score.items():
            inside = violating == self.base.violating
            mass = self.base.split.sample(GroupSample(inside=inside, violating=violating))
            total += dot(mass.spread, values * values)
        touched, weights = placed.touched, placed.rows.weights
        common = self._common(touched.label, touched.place)
        mend = self.beyond * (self.beyond + 2.0 * common)
        return total + float(mend.sum() if weights is None else dot(weights.spread[touched.rows], mend))

    def _common(self, label: npt.NDArray[np.bool_], place: Int32s) -> Floats:
        """What rows of these classes and places have in common with all of their kind."""
        common = np.zeros(len(label))
        for violating, values in self.by_score.items():
            chosen = label == violating
            common[chosen] = values[_point(self.base, place[chosen], own=violating == self.base.violating)]
        return common


def influence_correlation(first: tuple[PlacedRows, Influence], second: tuple[PlacedRows, Influence]) -> float:
    """How two numbers taken on the same rows move together; 0 where one of them does not move."""
    one, two = (influence.rows(placed) for placed, influence in (first, second))
    weights = first[0].rows.weights
    spread = 1.0 if weights is None else weights.spread
    variances = [dot(spread * values, values) for values in (one, two)]
    if min(variances) < ROUNDING**2:
        return 0.0
    return dot(spread * one, two) / math.sqrt(variances[0] * variances[1])


@dataclass(frozen=True)
class AucTerm:
    """One AUC of a sum: coefficient · AUC(high over low) of a group. At least one of the two lies inside the group."""

    coefficient: float
    group: str
    high: GroupSample
    low: GroupSample
    auc: float

    @property
    def sides(self) -> tuple[tuple[GroupSample, GroupSample, float], ...]:
        """Each sample with the other, and +1 for the one that should be high."""
        return (self.high, self.low, 1.0), (self.low, self.high, -1.0)


def overall_auc_influence(placed: PlacedRows, tally: Tally, auc: float) -> Influence:
    """On the overall AUC."""
    base = tally.base(violating=True)
    violating, benign = GroupSample(inside=True, violating=True), GroupSample(inside=False, violating=False)
    above, below = base.split.placements(violating, benign), base.split.placements(benign, violating)
    by_score = {
        True: (above - auc) / base.split.sample(violating).total.weight,
        False: (1.0 - auc - below) / base.split.sample(benign).total.weight,
    }
    return Influence(base, by_score, np.zeros(len(placed.touched.rows)))


def class_mean_influence(
    placed: PlacedRows, tally: Tally, by_cell: Floats, group: str | None, *, violating: bool
) -> Influence:
    """On a mean over one class, of everybody or of a group: `by_cell` is what an item at each cell brings."""
    base, beyond = tally.base(violating=violating), np.zeros(len(placed.touched.rows))
    if group is None:
        return Influence(base, {violating: by_cell[base.cells]}, beyond)
    slots = placed.slots[group]
    beyond[placed.touched.members[group][violating]] = by_cell[slots.cells][slots.members[violating][1]]
    return Influence(base, {}, beyond)


def group_auc_influence(
    placed: PlacedRows, tally: Tally, terms: Iterable[AucTerm], splits: Mapping[str, Split]
) -> Influence:
    """On a sum of AUCs of groups."""
    terms = list(terms)
    base = tally.base(violating=not any(_needs_benign(term) for term in terms))
    beyond = np.zeros(len(placed.touched.rows))
    steps: dict[bool, _Steps] = {}
    for term in terms:
        for own, other, sign in term.sides:
            part = _Part.from_term(term, splits[term.group], own, other, sign)
            at_members = part.at(placed.slots[term.group].members[own.violating][1])
            members = placed.touched.members[term.group][own.violating]
            if own.inside:
                beyond[members] += at_members
                continue
            known = steps.setdefault(own.violating, _Steps.on(base, own=own.violating == base.violating))
            known.add(tally.groups[term.group].cells, part)
            beyond[members] -= at_members
            absent = _unannotated(placed, term.group, violating=own.violating)
            if len(absent):
                beyond[absent] -= part.anywhere(tally.groups[term.group].cells, placed.touched.place[absent])
    return Influence(base, {violating: heap.levels() for violating, heap in steps.items()}, beyond)


def _needs_benign(term: AucTerm) -> bool:
    """Benign rows outside the group are placed among benign members: only on the cells of benign rows is that exact."""
    return any(not own.inside and not own.violating and not other.violating for own, other, _ in term.sides)


@dataclass(frozen=True)
class _Part:
    """What a term does to the rows of one of its samples: ± slope · placement + start, a function of the score."""

    other: Mass
    slope: float
    start: float
    below: Floats  # share of the other sample below each cell of the group

    @classmethod
    def from_term(cls, term: AucTerm, split: Split, own: GroupSample, other: GroupSample, sign: float) -> _Part:
        scale = term.coefficient / split.sample(own).total.weight
        start = -scale * term.auc if sign > 0 else scale * (1.0 - term.auc)
        inside = GroupSample(inside=True, violating=own.violating)
        return cls(split.sample(other), sign * scale, start, split.placements(inside, other))

    def at(self, slots: Int32s) -> Floats:
        """The value at cells of the group."""
        return self.slope * self.below[slots] + self.start

    def steps(self) -> Floats:
        """How much it rises at each cell of the group; the other sample lies inside it."""
        return self.slope / self.other.total.weight * self.other.weight

    def anywhere(self, cells: Int32s, place: Int32s) -> Floats:
        """The value at any place of the grid."""
        steps = self.steps()
        before = np.searchsorted(cells, place, side="left")
        values = np.concatenate(([0.0], np.cumsum(steps)))[before] + self.start
        hit = before < len(cells)
        hit[hit] = cells[before[hit]] == place[hit]
        values[hit] += 0.5 * steps[before[hit]]
        return values


@dataclass
class _Steps:
    """The steps that all groups make for the rows of one class outside them, on the points of a base."""

    base: ClassView
    own: bool  # rows of the base's own class: only its cells are points; else also what lies between them
    whole: Floats  # what a point and all after it rise by
    half: Floats  # what a point alone has, less one half of a step at it
    start: float = 0.0

    @classmethod
    def on(cls, base: ClassView, *, own: bool) -> _Steps:
        points = len(base.cells) if own else 2 * len(base.cells) + 1
        return cls(base, own, np.zeros(points + 1), np.zeros(points + 1))

    def add(self, cells: Int32s, part: _Part) -> None:
        steps = part.steps()
        moving = steps != 0.0
        cells, steps = cells[moving], steps[moving]
        points = _point(self.base, cells, own=self.own)
        tied = self.base.is_own[cells]
        np.add.at(self.whole, points, steps)
        np.add.at(self.half, points[tied], -0.5 * steps[tied])
        self.start += part.start

    def levels(self) -> Floats:
        levels = np.cumsum(self.whole)
        levels += self.half
        levels += self.start
        return levels[:-1]


def _point(base: ClassView, cells: Int32s, *, own: bool) -> Int32s:
    """Where cells of the tally lie on a base: the first point at or after each."""
    rank = base.rank[cells]
    return rank if own else 2 * rank + base.is_own[cells]


def _unannotated(placed: PlacedRows, group: str, *, violating: bool) -> Int32s:
    """Which touched rows of one class were not annotated for a group: neither members nor background."""
    annotated, touched = placed.rows.groups[group].annotated, placed.touched
    if annotated is None:
        return np.empty(0, dtype=np.int32)
    return np.flatnonzero(~annotated[touched.rows] & (touched.label == violating)).astype(np.int32)
