"""From a plan and labels to the share of violating items in each pool, with its variance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.arrays import Bools, Floats
from evenhand.audits.measurement.drawing import History
from evenhand.audits.measurement.matching import Labels, counted, missing, named
from evenhand.errors import InputError
from evenhand.intervals.anytime import Bets
from evenhand.intervals.clusters import clustered
from evenhand.intervals.survey import Figure
from evenhand.sampling.batches import Batch, Labelled
from evenhand.sampling.clusters import ClusterDraw
from evenhand.sampling.designs import Done
from evenhand.sampling.plan import Part, Plan, Pool
from evenhand.sampling.sequential import Answered, Draws, bets

NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Told:
    """A part of a batch with the labels that there are: which items have one, and the labels of those."""

    part: Part
    known: Bools
    label: Floats

    @classmethod
    def of(cls, part: Part, labels: Labels) -> Told:
        """From the labels of all items."""
        values = [labels.values.get(id_) for id_ in part.ids]
        known = np.array([value is not None for value in values], dtype=np.bool_)
        return cls(part, known, np.array([value for value in values if value is not None], dtype=np.float64))

    @property
    def labelled(self) -> Labelled:
        """A batch of strata, without the items that have no label."""
        assert isinstance(self.part.drawn, Batch)
        return Labelled(self.part.drawn.only(self.known), self.label)

    @property
    def answered(self) -> Answered:
        """Independent draws; of those without a label nothing is learned beyond what was expected."""
        drawn = self.part.drawn
        assert isinstance(drawn, Draws)
        label = drawn.expected
        label[self.known] = self.label
        return Answered(drawn, label)


@dataclass(frozen=True)
class Sample:
    """All batches of a plan that have labels, pool by pool."""

    plan: Plan
    told: Mapping[str, tuple[Told, ...]]

    @classmethod
    def of(cls, plan: Plan, labels: Labels, rounds: int) -> Sample:
        """From the first so many batches."""
        parts = [part for drawn in plan.rounds[:rounds] for part in drawn.parts]
        told = {p.name: tuple(Told.of(part, labels) for part in parts if part.pool == p.name) for p in plan.pools}
        return cls(plan, told)

    def histories(self) -> dict[str, History]:
        """What the next batch is drawn by."""
        return {name: self._history(told) for name, told in self.told.items()}

    def _history(self, told: Sequence[Told]) -> History:
        if told and isinstance(told[0].part.drawn, Draws):
            return History(answered=tuple(one.answered for one in told))
        gone = np.concatenate([NONE, *(one.part.places for one in told)])
        return History(Done(tuple(one.labelled for one in told), gone))

    def figure(self, pool: Pool, *, group: int | None = None) -> Figure:
        """The share of violating items in a pool, or in a group of it."""
        told = self.told[pool.name]
        if isinstance(told[0].part.drawn, ClusterDraw):
            return self._of_clusters(told[0], group)
        return self.plan.on_cells.sampled(pool.frame, self.past(pool), group=group).figure()

    def bets(self, pool: Pool) -> Bets:
        """The values of independent draws."""
        return bets([one.answered for one in self.told[pool.name]])

    def past(self, pool: Pool) -> list[Labelled]:
        """Labelled batches of strata."""
        return [one.labelled for one in self.told[pool.name]]

    def _of_clusters(self, told: Told, group: int | None) -> Figure:
        drawn = told.part.drawn
        assert isinstance(drawn, ClusterDraw)
        if group is not None:
            raise InputError("a plan by clusters is not estimated by groups")
        return clustered(told.label, drawn.clusters[told.known], clusters=drawn.total)


def rounds_with_labels(plan: Plan, labels: Labels) -> int:
    """How many batches have labels: all, or all but the last, which then waits for them."""
    lacking = missing(plan, labels)
    last = len(plan.rounds) - 1
    fresh = set(plan.rounds[last].ids) - {id_ for drawn in plan.rounds[:last] for id_ in drawn.ids}
    waits = last > 0 and fresh and fresh <= set(lacking[last])
    return last if waits else last + 1


def check_complete(plan: Plan, labels: Labels, rounds: int, *, unfinished: bool) -> None:
    """Every drawn item must have an answer; with `unfinished` strata with too few are joined to their neighbours."""
    lacking = missing(plan, labels)[:rounds]
    for number, ids in enumerate(lacking, start=1):
        if ids and len(ids) == len(plan.rounds[number - 1].ids):
            hint = ": give the sheets of all batches" if len(plan.rounds) > 1 else ""
            raise InputError(f"none of the {counted(ids, 'item')} of batch {number} has a label{hint}")
        if ids and not unfinished:
            problem = f"{counted(ids, 'item')} of batch {number} without a label ({named(ids)})"
            raise InputError(f"{problem}: label them, or take what is there with --unfinished")


def finished(plan: Plan, labels: Labels, rounds: int) -> Plan:
    """The plan with its draws cut where labels end: whole clusters, or draws in a row; strata stay as they are."""
    cut = [replace(d, parts=tuple(_cut(p, labels) for p in d.parts)) for d in plan.rounds[:rounds]]
    return replace(plan, rounds=(*cut, *plan.rounds[rounds:]))


def _cut(part: Part, labels: Labels) -> Part:
    has = np.array([id_ in labels.values for id_ in part.ids], dtype=np.bool_)
    drawn = part.drawn
    if has.all() or isinstance(drawn, Batch):
        return part
    if isinstance(drawn, Draws):
        keep = np.cumsum(~has) == 0
        kept: Draws | ClusterDraw = drawn.only(keep)
    else:
        keep = ~np.isin(drawn.clusters, np.unique(drawn.clusters[~has]))
        kept = replace(
            drawn, rows=drawn.rows[keep], clusters=drawn.clusters[keep], drawn=len(np.unique(drawn.clusters[keep]))
        )
    if not keep.any():
        raise InputError("too few labels to estimate from: annotators go through a batch from top to bottom")
    return Part(part.pool, tuple(np.array(part.ids)[keep].tolist()), kept)
