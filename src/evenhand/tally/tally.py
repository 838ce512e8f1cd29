"""The counts of one score, for all items and for each group. Tallies of two shards add up to the tally of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats, Int32s
from evenhand.memo import Memo
from evenhand.tally.mass import Classes, Confusion, Mass, dot
from evenhand.tally.order import ScoreArray, first_from
from evenhand.tally.split import Split


@dataclass(frozen=True)
class GroupTally:
    """A group on the grid of a tally. Sparse: only the cells where somebody is.

    `universe` is everybody who was annotated for this group, so group and background together. It is the very object
    `Tally.everyone` where nobody is left out.
    """

    cells: Int32s
    inside: Classes
    universe: Classes


@dataclass(frozen=True)
class ClassView:
    """All items seen from one class: it is the inside of a split, the other class lies at its cells and between them.

    `rank` is, for each cell of the tally, how many cells of the class come before it; `is_own` marks those cells.
    """

    split: Split
    violating: bool
    rank: Int32s
    is_own: npt.NDArray[np.bool_]

    @property
    def cells(self) -> Int32s:
        """The cells of the class."""
        return self.split.members.cells


@dataclass(frozen=True)
class Tally:
    """Distinct scores in ascending order with the mass of each class, for everybody and for each group.

    On a grid of bins, `scores` are the lower edges and `lowest` and `highest` the scores really seen in each bin.

    >>> table = {"p": [0.9, 0.2, 0.7, 0.2], "toxic": [True, False, True, False]}
    >>> evidence = eh.open_evidence(table, eh.Declaration(score="p", label="toxic"))
    >>> tally = next(evidence.tallies(evidence.parts[0], {})).tally
    >>> tally.scores.tolist()
    [0.2, 0.7, 0.9]
    """

    scores: ScoreArray
    everyone: Classes
    groups: Mapping[str, GroupTally]
    lowest: Floats | None = None
    highest: Floats | None = None
    mixed: npt.NDArray[np.bool_] | None = None  # cells of scores that were taken together before anything was counted

    @property
    def blurred(self) -> npt.NDArray[np.bool_] | None:
        """Which cells hold more than one score; None where every distinct score has its own."""
        if self.lowest is None or self.highest is None:
            return self.mixed
        mixed: npt.NDArray[np.bool_] = self.highest > self.lowest
        return mixed

    def base(self, *, violating: bool) -> ClassView:
        """All items seen from one class, made once."""
        return self._kept.once(("base", violating), lambda: self._base(violating))

    @cached_property
    def _kept(self) -> Memo:
        return Memo()

    def _base(self, violating: bool) -> ClassView:
        own = self.everyone.mass(violating=violating)
        is_own = own.prefixes[0][1:] != own.prefixes[0][:-1]
        cells = np.flatnonzero(is_own).astype(np.int32)
        mass = own.at(cells)
        nothing = Mass(*(np.zeros(len(cells)) for _ in mass.parts), heaviest=mass.heaviest)
        inside = Classes(mass, nothing) if violating else Classes(nothing, mass)
        rank = np.cumsum(is_own, dtype=np.int32)
        rank -= is_own
        return ClassView(Split(GroupTally(cells, inside, self.everyone)), violating, rank, is_own)

    def split(self, group: str) -> Split:
        """The four samples of one group."""
        members, blurred = self.groups[group], self.blurred
        return Split(members, None if blurred is None else blurred[members.cells])

    def confusion(self, threshold: float, group: str | None = None) -> Confusion:
        """What flagging every score at or above the threshold does to everybody, or to the members of a group."""
        cut = self._cut(threshold)
        if group is None:
            return _confusion(self.everyone, cut)
        members = self.groups[group]
        return _confusion(members.inside, int(np.searchsorted(members.cells, cut)))

    def flagged(self, threshold: float) -> Floats:
        """1 for each score at or above the threshold, 0 below."""
        flags = np.zeros(len(self.scores))
        flags[self._cut(threshold) :] = 1.0
        return flags

    def unresolved(self) -> float:
        """How far the overall AUC may be off because scores were binned; see `Split.unresolved`."""
        if self.blurred is None:
            return 0.0
        violating, benign = self.everyone
        shared = dot(violating.weight[self.blurred], benign.weight[self.blurred])
        pairs = violating.total.weight * benign.total.weight
        return 0.5 * shared / pairs if shared else 0.0

    def universe_confusion(self, threshold: float, group: str) -> Confusion:
        """The same for everybody annotated for a group: the group and its background together."""
        return _confusion(self.groups[group].universe, self._cut(threshold))

    def histogram(self, edges: Floats, group: str, *, universe: bool = False) -> dict[str, Floats]:
        """Weight of each class between the edges (the last one included), for a group or its whole universe."""
        at = np.searchsorted(self.scores, edges.astype(self.scores.dtype), side="left")
        at[-1] = len(self.scores)
        members = self.groups[group]
        classes = members.universe if universe else members.inside
        if not universe:
            at = np.searchsorted(members.cells, at)
        return {
            "violating": np.diff(classes.violating.prefixes[0][at]),
            "benign": np.diff(classes.benign.prefixes[0][at]),
        }

    def _cut(self, threshold: float) -> int:
        cut = first_from(self.scores, threshold)
        straddled = self.highest is not None and cut > 0 and bool(self.highest[cut - 1] >= threshold)
        if straddled:
            raise ValueError(f"the threshold {threshold} lies inside a score bin: bin with it as an edge")
        return cut

    def __add__(self, other: Tally) -> Tally:
        if set(self.groups) != set(other.groups):
            raise ValueError("tallies add only when they have the same groups")
        scores = np.union1d(self.scores, other.scores)
        first = _Moved(self, np.searchsorted(scores, self.scores).astype(np.int32), len(scores))
        second = _Moved(other, np.searchsorted(scores, other.scores).astype(np.int32), len(scores))
        everyone = _add(first.dense(self.everyone), second.dense(other.everyone))
        groups = {}
        for name in self.groups:
            cells = np.union1d(first.cells(name), second.cells(name)).astype(np.int32)
            inside = _add(first.sparse(name, cells), second.sparse(name, cells))
            whole = self.groups[name].universe is self.everyone and other.groups[name].universe is other.everyone
            parts = (first.dense(self.groups[name].universe), second.dense(other.groups[name].universe))
            groups[name] = GroupTally(cells, inside, everyone if whole else _add(*parts))
        if self.lowest is None and other.lowest is None:
            return Tally(scores, everyone, groups)
        lowest = np.minimum(first.edge(self.lowest, np.inf), second.edge(other.lowest, np.inf))
        highest = np.maximum(first.edge(self.highest, -np.inf), second.edge(other.highest, -np.inf))
        if np.any(highest[:-1] >= lowest[1:]):
            raise ValueError("these tallies lie on different grids: their bins overlap")
        return Tally(scores, everyone, groups, lowest, highest)


def _confusion(classes: Classes, cut: int) -> Confusion:
    size = len(classes.violating.prefixes[0]) - 1
    return Confusion(
        true_positive=classes.violating.amount(cut, size),
        false_negative=classes.violating.amount(0, cut),
        false_positive=classes.benign.amount(cut, size),
        true_negative=classes.benign.amount(0, cut),
    )


@dataclass(frozen=True)
class _Moved:
    """A tally whose cells have moved to a finer grid."""

    tally: Tally
    to: Int32s
    size: int

    def cells(self, group: str) -> Int32s:
        moved: Int32s = self.to[self.tally.groups[group].cells]
        return moved

    def edge(self, values: Floats | None, empty: float) -> Floats:
        """An end of each cell; where scores were not binned that is the score itself."""
        moved = np.full(self.size, empty)
        moved[self.to] = self.tally.scores if values is None else values
        return moved

    def dense(self, classes: Classes) -> Classes:
        return Classes(*(_move(mass, self.to, self.size) for mass in classes))

    def sparse(self, group: str, cells: Int32s) -> Classes:
        at = np.searchsorted(cells, self.cells(group))
        return Classes(*(_move(mass, at, len(cells)) for mass in self.tally.groups[group].inside))


def _move(mass: Mass, to: npt.NDArray[Any], size: int) -> Mass:
    def scatter(part: Floats) -> Floats:
        moved = np.zeros(size)
        moved[to] = part
        return moved

    return Mass(*(scatter(part) for part in mass.parts), heaviest=mass.heaviest)


def _add(first: Classes, second: Classes) -> Classes:
    def add(a: Mass, b: Mass) -> Mass:
        if a.is_plain and b.is_plain:
            return Mass(a.weight + b.weight)
        parts = (a.weight + b.weight, a.spread + b.spread, a.count + b.count)
        return Mass(*parts, heaviest=max(a.heaviest, b.heaviest))

    return Classes(add(first.violating, second.violating), add(first.benign, second.benign))
