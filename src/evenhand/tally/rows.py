"""Items in memory, aligned row by row with their groups and weights, and their places on the grid of one score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Bools, Floats, Int32s
from evenhand.tally.clusters import Clusters
from evenhand.tally.mass import Classes, Mass
from evenhand.tally.order import ScoreArray, ScoreOrder, sort_scores
from evenhand.tally.tally import GroupTally, Tally


@dataclass(frozen=True)
class Weights:
    """What each row stands for. A count says "this row, so many times"; an inclusion probability is a design.

    An importance (views) is neither: the row is one item, drawn like any other, that matters so much.
    """

    weight: Floats
    spread: Floats
    count: Floats
    are_importances: bool = False

    @classmethod
    def from_columns(cls, *, count: Floats | None = None, inclusion: Floats | None = None) -> Weights | None:
        """From a count and an inclusion probability per row; None when every row is one plain item."""
        if count is None and inclusion is None:
            return None
        if inclusion is None:
            assert count is not None
            return cls(count, count, count)
        times = np.ones(len(inclusion)) if count is None else count
        return cls(times / inclusion, times * (1.0 - inclusion) / inclusion**2, times)

    @classmethod
    def from_importance(cls, importance: Floats) -> Weights:
        """From how much each row matters, above 0: another sample would have other items, with other weights."""
        return cls(importance, importance**2, np.ones(len(importance)), are_importances=True)

    @property
    def is_plain(self) -> bool:
        """Whether the rows are merely repeated."""
        return self.spread is self.weight

    def take(self, rows: npt.NDArray[np.intp]) -> Weights:
        """The weights of some rows."""
        if self.is_plain:
            some = self.weight[rows]
            return Weights(some, some, some)
        return replace(self, weight=self.weight[rows], spread=self.spread[rows], count=self.count[rows])

    @classmethod
    def resampled(
        cls, weights: Weights | None, size: int, rng: np.random.Generator, clusters: Clusters | None = None
    ) -> Weights:
        """A Poisson bootstrap draw: each item is there 0, 1, 2, … times, once on average.

        Independently, or whole clusters at a time.
        """
        if clusters is not None:
            return cls._redrawn(weights, clusters, rng)
        if weights is None or weights.is_plain:
            drawn = rng.poisson(1.0, size) if weights is None else rng.poisson(weights.count)
            times = drawn.astype(np.float64)
            return cls(times, times, times)
        if weights.are_importances:
            return weights._times(rng.poisson(1.0, size).astype(np.float64))
        count, weight = weights.count, weights.weight
        # what was sure to be drawn stays as it is: the draws then scatter by 1 − π, as the design did
        whole_rows = rng.binomial(count.astype(np.int64), count / weight)
        times = (whole_rows + rng.poisson(count - whole_rows)).astype(np.float64)
        each = times / count
        return cls(weight * each, weights.spread * each, times)

    @classmethod
    def _redrawn(cls, weights: Weights | None, clusters: Clusters, rng: np.random.Generator) -> Weights:
        """Whole clusters; a row that was sure to be drawn, by its inclusion probability, stays as it is."""
        each = clusters.redrawn(rng).astype(np.float64)
        if weights is None:
            return cls(each, each, each)
        if weights.are_importances:
            return weights._times(each)
        if not weights.is_plain:
            each = np.where(rng.random(len(each)) < weights.count / weights.weight, 1.0, each)
        weight = weights.weight * each
        return (
            cls(weight, weight, weight)
            if weights.is_plain
            else cls(weight, weights.spread * each, weights.count * each)
        )

    def _times(self, each: Floats) -> Weights:
        return replace(self, weight=self.weight * each, spread=self.spread * each, count=each)

    def parts(self) -> tuple[Floats, ...]:
        """The arrays that differ, as in `Mass.parts`."""
        return (self.weight,) if self.is_plain else (self.weight, self.spread, self.count)


@dataclass(frozen=True)
class Membership:
    """The rows that belong to a group. `annotated` marks the rows where that is known; None when it always is."""

    rows: Int32s
    annotated: Bools | None = None


@dataclass(frozen=True)
class Rows:
    """Labelled items with the groups they belong to and what each stands for. Any number of scores may go with them."""

    label: Bools
    groups: Mapping[str, Membership]
    weights: Weights | None = None
    clusters: Clusters | None = None  # where rows belong together

    def __len__(self) -> int:
        return len(self.label)

    def take(self, keep: Bools) -> Rows:
        """Only the rows that are kept, renumbered."""
        fresh = np.cumsum(keep, dtype=np.int32) - np.int32(1)
        shared: dict[int, Bools] = {}

        def annotated(mask: Bools | None) -> Bools | None:
            return None if mask is None else shared.setdefault(id(mask), mask[keep])

        groups = {
            name: Membership(fresh[m.rows[keep[m.rows]]], annotated(m.annotated)) for name, m in self.groups.items()
        }
        weights = None if self.weights is None else self.weights.take(np.flatnonzero(keep))
        clusters = None if self.clusters is None else self.clusters.take(keep)
        return Rows(self.label[keep], groups, weights, clusters)

    def resampled(self, rng: np.random.Generator) -> Rows:
        """The same rows, each drawn 0, 1, 2, … times: see `Weights.resampled`."""
        return replace(self, weights=Weights.resampled(self.weights, len(self), rng, self.clusters))


def _heaviest(weight: Floats, spread: Floats, _count: Floats) -> float:
    """(1 − π) / π at its largest."""
    some = weight > 0.0
    return float(np.max(spread[some] / weight[some], initial=0.0))


def _heaviest_by_cell(cells: Int32s, size: int, weight: Floats, spread: Floats, _count: Floats) -> Floats:
    """The same in each cell."""
    heaviest = np.zeros(size)
    some = weight > 0.0
    np.maximum.at(heaviest, cells[some], spread[some] / weight[some])
    return heaviest


class GroupCells(NamedTuple):
    """A group on the grid: the cells where it has somebody, and per class the members' rows and cell numbers."""

    cells: Int32s
    members: Mapping[bool, tuple[Int32s, Int32s]]


class GroupRows(NamedTuple):
    """Rows that belong to some group, or were not annotated for one; per group and class the members among them."""

    rows: Int32s
    label: Bools
    place: Int32s
    members: Mapping[str, Mapping[bool, Int32s]]


@dataclass(frozen=True)
class PlacedRows:
    """Rows on the grid of one score."""

    rows: Rows
    order: ScoreOrder
    known_slots: Mapping[str, GroupCells] | None = field(default=None, repr=False, compare=False)  # of the same groups

    @classmethod
    def from_rows(cls, score: ScoreArray, rows: Rows) -> PlacedRows:
        """Sort once; everything after is counting."""
        return cls(rows, sort_scores(score))

    @property
    def scores(self) -> ScoreArray:
        """The distinct scores, ascending."""
        return self.order.scores

    @property
    def place(self) -> Int32s:
        """The position of each row's score among them."""
        return self.order.place

    def with_rows(self, rows: Rows) -> PlacedRows:
        """The same places with the rows weighed anew; the groups must be the same."""
        return replace(self, rows=rows, known_slots=self.slots)

    def without_groups(self) -> PlacedRows:
        """The same places of everybody, where nobody asks about groups."""
        return replace(self, rows=replace(self.rows, groups={}), known_slots=None)

    @cached_property
    def slots(self) -> Mapping[str, GroupCells]:
        """Where the members of each group lie."""
        if self.known_slots is not None:
            return self.known_slots
        number = np.empty(len(self.scores), dtype=np.int32)
        return {name: self._slots(member.rows, number) for name, member in self.rows.groups.items()}

    def _slots(self, rows: Int32s, number: Int32s) -> GroupCells:
        place = self.place[rows]
        cells = np.sort(place)
        cells = cells[np.concatenate(([True], cells[1:] != cells[:-1]))] if len(cells) else cells
        number[cells] = np.arange(len(cells), dtype=np.int32)
        slot, label = number[place], self.rows.label[rows]
        return GroupCells(cells, {v: (rows[label == v], slot[label == v]) for v in (True, False)})

    @cached_property
    def touched(self) -> GroupRows:
        """The rows that stand apart from the crowd, for some group: its members, and rows not annotated for it."""
        apart = np.zeros(len(self.rows), dtype=bool)
        for member in self.rows.groups.values():
            apart[member.rows] = True
        for mask in {id(m.annotated): m.annotated for m in self.rows.groups.values()}.values():
            if mask is not None:
                apart |= ~mask
        rows = np.flatnonzero(apart).astype(np.int32)
        number = np.cumsum(apart, dtype=np.int32) - np.int32(1)
        members = {name: {v: number[slots.members[v][0]] for v in (True, False)} for name, slots in self.slots.items()}
        return GroupRows(rows, self.rows.label[rows], self.place[rows], members)

    def tally(self) -> Tally:
        """Count."""
        everyone = self._everyone(None)
        universes: dict[int, Classes] = {}
        groups = {}
        for name, member in self.rows.groups.items():
            universe = everyone
            if member.annotated is not None:
                key = id(member.annotated)
                universe = universes[key] = universes.get(key) or self._everyone(member.annotated)
            slots = self.slots[name]
            inside = Classes(*(self._mass(*slots.members[v], len(slots.cells)) for v in (True, False)))
            groups[name] = GroupTally(slots.cells, inside, universe)
        return Tally(self.scores, everyone, groups)

    def _everyone(self, keep: Bools | None) -> Classes:
        label = self.rows.label
        if self.rows.weights is None:
            return self._counted(label, keep)
        chosen = (label, ~label) if keep is None else (label & keep, keep & ~label)
        return Classes(*(self._mass(rows, self.place[rows], len(self.scores)) for rows in chosen))

    def _counted(self, label: Bools, keep: Bools | None) -> Classes:
        """Plain items: running counts along the sorted rows, read where each distinct score begins."""
        violating = self._running(label if keep is None else label & keep)
        everybody = np.append(self.order.starts, np.int32(len(label))) if keep is None else self._running(keep)
        return Classes(Mass.before(violating), Mass.before(everybody - violating))

    def _running(self, mask: Bools) -> Int32s:
        running = np.zeros(len(mask) + 1, dtype=np.int32)
        np.cumsum(mask[self.order.rows], dtype=np.int32, out=running[1:])
        distinct = len(self.scores) == len(mask)
        return running if distinct else running[np.append(self.order.starts, len(mask))]

    def _mass(self, rows: Bools | Int32s, cells: Int32s, size: int) -> Mass:
        weights = self.rows.weights
        if weights is None:
            return Mass(np.bincount(cells, minlength=size).astype(np.float64))
        own = tuple(part[rows] for part in weights.parts())
        heaps = (np.bincount(cells, part, size).astype(np.float64, copy=False) for part in own)
        if weights.is_plain:
            return Mass(*heaps)
        mass = Mass(*heaps, heaviest=_heaviest(*own))
        mass.heaviest_by_cell = _heaviest_by_cell(cells, size, *own)
        mass.are_importances = weights.are_importances
        return mass
