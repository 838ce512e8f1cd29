"""One model on one part of the evidence: the tally, and what measures of it are taken from, made once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from evenhand.errors import Undefined
from evenhand.intervals import auc as auc_interval
from evenhand.intervals.bounded import Bounded
from evenhand.intervals.influence import Influence
from evenhand.measures.ranking import auroc
from evenhand.tally import Classes, Confusion, Placed, Split, Tally


@dataclass(frozen=True)
class View:
    """A tally with the threshold that items are flagged at (None: there is no natural one) and the rows behind it."""

    tally: Tally
    threshold: float | None
    placed: Placed | None = None

    @property
    def rows(self) -> Placed:
        """The rows behind the tally."""
        if self.placed is None:
            raise ValueError("this tally was counted elsewhere: its rows are not at hand")
        return self.placed

    @cached_property
    def influences(self) -> dict[tuple[str, str | None], Influence]:
        """Influences of rows on quantities, kept once they are known: by quantity and group."""
        return {}

    @cached_property
    def everything(self) -> Scope:
        """All items."""
        return Scope(self)

    @cached_property
    def groups(self) -> Mapping[str, Scope]:
        """Each group."""
        return {group: Scope(self, group) for group in self.tally.groups}

    @cached_property
    def overall(self) -> Bounded:
        """The AUC over everything, which the AUCs of groups are held against."""
        return auc_interval.of_classes(self.tally.everyone, auroc(self.tally.everyone))

    def scope(self, group: str | None) -> Scope:
        """A group, or everything."""
        return self.everything if group is None else self.groups[group]

    def confusion(self, group: str | None, *, universe: bool = False) -> Confusion:
        """What the threshold does to everybody, to a group, or to everybody annotated for it."""
        if self.threshold is None:
            raise Undefined("the score has no threshold: give one with --threshold")
        if group is not None and universe:
            return self.tally.universe_confusion(self.threshold, group)
        return self.tally.confusion(self.threshold, group)


@dataclass(frozen=True)
class Scope:
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

    @cached_property
    def split(self) -> Split:
        """The four samples of the group."""
        assert self.group is not None, "only a group has a background"
        return self.view.tally.split(self.group)

    @cached_property
    def inside(self) -> Confusion:
        """What the threshold does to the items."""
        return self.view.confusion(self.group)

    @cached_property
    def outside(self) -> Confusion:
        """What the threshold does to the background of the group."""
        return self.view.confusion(self.group, universe=True) - self.inside
