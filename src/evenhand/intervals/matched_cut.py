"""Where to cut one score so that it flags as many items as another decision does, and how sure that place is.

A cut of the score and the decision are held against one another item by item: the cut flags too many if more items
are flagged by it alone than by the decision alone. Where both flag the same share, an item on which they differ is as
likely to be of either kind, whatever the scores look like: McNemar's test, which is exact. The interval goes from the
last cut that clearly flags more to the first that clearly flags fewer, so that it holds the place where the shares
cross at least as often as it says, with ties and with few items too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import betainc

from evenhand.arrays import Bools, Ints
from evenhand.tally.order import ScoreArray, ScoreOrder, sort_scores

INVERTED_MCNEMAR = "inverted_mcnemar"


@dataclass(frozen=True, slots=True)
class MatchedCut:
    """Places among the distinct scores: the cut that flags most nearly as many, and the ends of its interval.

    `low` is None where no cut clearly flags more, `high` where none clearly flags fewer.
    """

    place: int
    low: int | None
    high: int | None


@dataclass(frozen=True)
class CutScores:
    """The scores of some items, sorted once, to be matched with any number of decisions about the same items."""

    order: ScoreOrder

    @classmethod
    def from_scores(cls, scores: ScoreArray) -> CutScores:
        """Finite scores."""
        return cls(sort_scores(scores))

    @property
    def distinct(self) -> ScoreArray:
        """The distinct scores, ascending: a cut at one flags it and all above."""
        return self.order.scores

    @cached_property
    def flagged(self) -> Ints:
        """How many items a cut at each distinct score flags."""
        return len(self.order.rows) - self.order.starts.astype(np.int64)

    def match(self, decision: Bools, level: float) -> MatchedCut:
        """The cut that flags as many items as the decision, nearly; of two that are as near the higher one."""
        missed = self._missed(decision)
        extra = self.flagged - (int(decision.sum()) - missed)
        surplus = extra - missed  # falls from cut to cut
        at_least = int(np.searchsorted(-surplus, 0, side="right")) - 1  # the last that flags as many or more
        place = _nearer(surplus, max(at_least, 0))
        alpha = (1.0 - level) / 2.0
        more = _last(lambda cut: _tail(extra[cut], missed[cut]) <= alpha, len(surplus))
        fewer = _last(lambda cut: _tail(missed[cut], extra[cut]) > alpha, len(surplus)) + 1
        low = min(more, place) if more >= 0 else None
        return MatchedCut(place, low, max(fewer, place) if fewer < len(surplus) else None)

    def _missed(self, decision: Bools) -> Ints:
        """Items that the decision flags and a cut at each distinct score does not."""
        running = np.concatenate(([0], np.cumsum(decision[self.order.rows], dtype=np.int64)))
        return running[self.order.starts]


def _nearer(surplus: Ints, at_least: int) -> int:
    """Of the last cut that flags as many or more and the next one, the one that is nearer."""
    after = at_least + 1
    if after < len(surplus) and abs(int(surplus[after])) <= abs(int(surplus[at_least])):
        return after
    return at_least


def _tail(hits: int, misses: int) -> float:
    """The probability of so many hits or more, where hits and misses are equally likely."""
    return 1.0 if hits == 0 else float(betainc(float(hits), misses + 1.0, 0.5))


def _last(holds: Callable[[int], bool], size: int) -> int:
    """The last place where a condition holds that holds up to some place and not after; −1 where it never does."""
    low, high = -1, size
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
