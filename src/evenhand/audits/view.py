"""One model on one part of the evidence: the tally, and what measures of it are taken from, made once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from evenhand.errors import Undefined
from evenhand.intervals import auc as auc_interval
from evenhand.intervals.bounded import Bounded
from evenhand.intervals.influence import Influence
from evenhand.measures.ranking import auroc, share
from evenhand.tally import Classes, Confusion, FloatArray, Placed, Sample, Split, Tally, dot


@dataclass(frozen=True)
class View:
    """A tally with the threshold that items are flagged at (None: there is no natural one) and the rows behind it."""

    tally: Tally
    threshold: float | None
    placed: Placed | None = None
    unsure: FloatArray | None = None  # how unsure the model says it is of each row
    scale: str = "probability"  # of the score

    @property
    def rows(self) -> Placed:
        """The rows behind the tally."""
        if self.placed is None:
            raise ValueError("this tally was counted elsewhere: its rows are not at hand")
        return self.placed

    @property
    def everything(self) -> Scope:
        """All items."""
        return Scope(self)

    def group(self, name: str) -> Scope:
        """One group."""
        return Scope(self, name)

    def split(self, group: str) -> Split:
        """The four samples of a group, made once."""
        if group not in self._splits:
            self._splits[group] = self.tally.split(group)
        return self._splits[group]

    def confusion(self, group: str | None, *, background: bool = False) -> Confusion:
        """What the threshold does to everybody, to a group or to its background, counted once."""
        if self.threshold is None:
            raise Undefined("the score has no threshold: give one with --threshold")
        key = (group, background)
        if key not in self._confusions:
            if group is not None and background:
                found = self.tally.universe_confusion(self.threshold, group) - self.confusion(group)
            else:
                found = self.tally.confusion(self.threshold, group)
            self._confusions[key] = found
        return self._confusions[key]

    @cached_property
    def overall(self) -> Bounded:
        """The AUC over everything."""
        if not all(mass.total.weight for mass in self.tally.everyone):
            raise Undefined("there are items of one class only")
        split = self.tally.base(violating=True).split
        violating, benign = Sample(inside=True, violating=True), Sample(inside=False, violating=False)
        mass = split.sample(violating)
        auc = share(dot(mass.weight, split.placements(violating, benign)) / mass.total.weight)
        return auc_interval.of_split(split, violating, benign, auc)

    def reference(self, group: str) -> Bounded:
        """What the AUCs of a group are held against: the AUC over everybody annotated for it."""
        universe = self.tally.groups[group].universe
        if universe is self.tally.everyone:
            return self.overall
        if id(universe) not in self._references:
            self._references[id(universe)] = auc_interval.of_classes(universe, auroc(universe))
        return self._references[id(universe)]

    @cached_property
    def values(self) -> dict[tuple[str, str | None], float]:
        """Values of quantities that others are made of, kept once they are known: by quantity and group."""
        return {}

    @cached_property
    def bounds(self) -> dict[tuple[str, str | None], Bounded]:
        """How sure quantities are, kept once it is known: by quantity and group."""
        return {}

    @cached_property
    def influences(self) -> dict[tuple[str, str | None], Influence]:
        """Influences of rows on quantities, kept once they are known: by quantity and group."""
        return {}

    @cached_property
    def kept(self) -> dict[Hashable, Any]:
        """What an audit makes of the tally once and uses again."""
        return {}

    @cached_property
    def _references(self) -> dict[int, Bounded]:
        return {}

    @cached_property
    def _confusions(self) -> dict[tuple[str | None, bool], Confusion]:
        return {}

    @cached_property
    def _splits(self) -> dict[str, Split]:
        return {}


class Scope(NamedTuple):
    """What a quantity is taken of: everything, or one group against its background."""

    view: View
    group: str | None = None

    @property
    def classes(self) -> Classes:
        """The items themselves."""
        tally = self.view.tally
        return tally.everyone if self.group is None else tally.groups[self.group].inside

    @property
    def items(self) -> int:
        """How many there are."""
        return round(sum(mass.total.count for mass in self.classes))

    @property
    def split(self) -> Split:
        """The four samples of the group."""
        assert self.group is not None, "only a group has a background"
        return self.view.split(self.group)

    @property
    def inside(self) -> Confusion:
        """What the threshold does to the items."""
        return self.view.confusion(self.group)

    @property
    def outside(self) -> Confusion:
        """What the threshold does to the background of the group."""
        return self.view.confusion(self.group, background=True)


Views = Mapping[str, View]  # by model
