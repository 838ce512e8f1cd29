"""Two decisions about the same items, side by side: what an old model flagged and what a new one flags.

Everything is read from four counts: items that both flag, only the old one, only the new one, and neither.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Bools
from evenhand.errors import Undefined

NO_ITEMS = "there are no items"
NONE_FLAGGED_BEFORE = "the old model flags none of these comments"


@dataclass(frozen=True, slots=True)
class DecisionTable:
    """How many items were flagged by both, by the old model only, by the new one only, and by neither."""

    both: int
    old_only: int
    new_only: int
    neither: int

    @classmethod
    def from_decisions(cls, old: Bools, new: Bools) -> DecisionTable:
        """From whether each item is flagged."""
        cells = np.bincount(2 * ~old + ~new, minlength=4)
        return cls(*(int(count) for count in cells))

    @property
    def items(self) -> int:
        """All of them."""
        return self.both + self.old_only + self.new_only + self.neither

    @property
    def old(self) -> int:
        """Flagged by the old model."""
        return self.both + self.old_only

    @property
    def new(self) -> int:
        """Flagged by the new one."""
        return self.both + self.new_only

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """The four counts."""
        return self.both, self.old_only, self.new_only, self.neither


def agreement(table: DecisionTable) -> float:
    """The share of items on which both decide alike."""
    if not table.items:
        raise Undefined(NO_ITEMS)
    return (table.both + table.neither) / table.items


def flag_rate_change(table: DecisionTable) -> float:
    """The share that the new model flags less the share that the old one flags."""
    if not table.items:
        raise Undefined(NO_ITEMS)
    return (table.new - table.old) / table.items


def flag_rate_ratio(table: DecisionTable) -> float:
    """How many times as often as the old model the new one flags."""
    if not table.old:
        raise Undefined(NONE_FLAGGED_BEFORE)
    return table.new / table.old


def still_flagged(table: DecisionTable) -> float:
    """Of what the old model flags, the share that the new one flags too."""
    if not table.old:
        raise Undefined(NONE_FLAGGED_BEFORE)
    return table.both / table.old


def decision_ac1(both: float, old_only: float, new_only: float, neither: float) -> float:
    """Gwet's AC1 of the two decisions: agreement beyond a chance that stays small where hardly anything is flagged.

    Takes amounts, so that an interval can be made from tables that were moved a little.
    """
    items = both + old_only + new_only + neither
    if not items:
        raise Undefined(NO_ITEMS)
    flagged = (2.0 * both + old_only + new_only) / (2.0 * items)
    chance = 2.0 * flagged * (1.0 - flagged)
    return ((both + neither) / items - chance) / (1.0 - chance)
