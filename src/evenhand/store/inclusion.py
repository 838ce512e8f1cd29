"""How likely the verdict of an item was to be known: what weighs it where verdicts stand for all items.

A verdict in the policy's own order is known for certain, and stands for its item alone. The verdict of a drawn item is
known with the recorded probability of its draw, times the share of the drawn that reviewers have come to: the order is
random, so that this share is the same for all that arrived in one week.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Bools, Floats, Ints
from evenhand.store.measured import NOT_JUDGED, MeasuredItems

WEEK = 7 * 86_400_000_000  # microseconds


@dataclass(frozen=True)
class VerdictInclusion:
    """Of each item, in the order of arrival: the inclusion probability of its verdict, and whether its week counts.

    The probability is not a number where no verdict counts. Items of a week in which none of the drawn was judged are
    `open`: nothing stands for those that the policy left alone, so that they are no part of what is estimated. With
    `from_settled_items` so are those of a week that arrived too recently.
    """

    chance: Floats
    open: Bools

    @classmethod
    def from_items(cls, items: MeasuredItems, arrived: Ints) -> VerdictInclusion:
        """Week by week since the first arrival (microseconds)."""
        chance = np.where(items.reached & (items.verdict != NOT_JUDGED), 1.0, np.nan)
        is_open = np.zeros(len(chance), dtype=np.bool_)
        for inside in weeks_of(arrived):
            candidates, sampled = _drawn(items.take(inside))
            chance[inside[sampled]] = items.probability[inside[sampled]] * sampled.sum() / max(candidates.sum(), 1)
            is_open[inside] = not sampled.any() and not items.reached[inside].all()
        return cls(np.where(is_open, np.nan, chance), is_open)

    @classmethod
    def from_settled_items(cls, items: MeasuredItems, arrived: Ints) -> VerdictInclusion:
        """The same while items still arrive: the latest are open, where that at least doubles the sample."""
        settled = np.zeros(len(arrived), dtype=np.bool_)
        for inside in weeks_of(arrived):
            settled[inside] = items.take(inside).settled(arrived[inside])
        known = cls.from_items(items.take(settled), arrived[settled])
        chance, is_open = np.full(len(arrived), np.nan), ~settled
        chance[settled], is_open[settled] = known.chance, known.open
        return cls(chance, is_open)

    def adjudicated(self, items: MeasuredItems, arrived: Ints) -> VerdictInclusion:
        """The same of the panel's verdicts: of drawn items, times the probability of the panel and the share answered.

        Only drawn items come before the panel, so that they stand for those that the policy's order reached too.
        """
        first = np.where(items.reached, items.probability, self.chance) * items.panel_probability
        asked = self.known & items.drawn & items.panel & (first > 0.0)
        answered = asked & (items.panel_verdict != NOT_JUDGED)
        chance, is_open = np.full(len(first), np.nan), np.zeros(len(first), dtype=np.bool_)
        for inside in weeks_of(arrived):
            share = answered[inside].sum() / max(asked[inside].sum(), 1)
            chance[inside] = np.where(answered[inside], first[inside] * share, np.nan)
            is_open[inside] = not answered[inside].any()
        return VerdictInclusion(chance, is_open)

    @property
    def known(self) -> Bools:
        """The items whose verdict counts."""
        return ~np.isnan(self.chance)


def weeks_of(arrived: Ints) -> Iterator[Ints]:
    """The places of the items of each week since the first arrival (microseconds)."""
    week = (arrived - (arrived.min() if len(arrived) else 0)) // WEEK
    for number in np.unique(week).tolist():
        yield np.flatnonzero(week == number)


def _drawn(items: MeasuredItems) -> tuple[Bools, Bools]:
    """What was drawn and not reached by the policy, and of these what was judged in time."""
    return items.drawn & ~items.reached, items.sampled
