"""Thresholds that are tried for automatic removal, and the order of testing them.

The share of wrong removals need not fall as the threshold rises, so no single order statistic will do. The thresholds
are fixed before any label is seen and tested from the highest down, each with a level of its own. A threshold that
passes hands its level on to the next (the fallback procedure of Wiens, with fixed-sequence testing as the case of one
start). The chance that any threshold passes wrongly is at most the sum of the levels at the starts, whatever the scores
look like. Several starts are needed because few items may lie above the highest threshold, too few to show anything.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.errors import InputError
from evenhand.routing.columns import BoolArray, Places
from evenhand.routing.exact import items_to_reject, p_not_above
from evenhand.tally import FloatArray

STARTS = 3


@dataclass(frozen=True, slots=True)
class Grid:
    """Thresholds, falling, and the share of the allowed chance of error that each of them starts with."""

    thresholds: tuple[float, ...]
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        falling = all(a > b for a, b in zip(self.thresholds, self.thresholds[1:], strict=False))
        if not self.thresholds or not falling or not 0.0 < self.thresholds[-1] <= self.thresholds[0] <= 1.0:
            raise InputError("the thresholds of a grid must fall from at most 1 to above 0")
        fair = len(self.weights) == len(self.thresholds) and min(self.weights) >= 0.0
        if not fair or not 0.0 < sum(self.weights) <= 1.0 + 1e-12:
            raise InputError("a grid needs one weight per threshold, from 0 up, and at most 1 in all")

    @classmethod
    def of(cls, thresholds: npt.ArrayLike, *, starts: int = STARTS) -> Grid:
        """Thresholds with equally weighted starts, spread evenly from the highest to the middle one.

        Thresholds may come from scores, such as quantiles of last week's traffic, but never from the labelled sample
        that is to choose among them.
        """
        values = np.unique(arrays.numbers(thresholds, "thresholds"))[::-1]
        places = np.unique(np.linspace(0, len(values) // 2, max(1, starts)).round().astype(int)[: len(values)])
        weights = np.zeros(len(values))
        weights[places] = 1.0 / len(places)
        return cls(tuple(values.tolist()), tuple(weights.tolist()))

    def count(self, p: FloatArray, wrong: BoolArray) -> tuple[Places, Places]:
        """How many items lie at or above each threshold, and how many of these it would be wrong to remove."""
        rising = np.asarray(self.thresholds)[::-1]
        above = [_at_or_above(scores, rising) for scores in (p, p[wrong])]
        return above[0], above[1]

    def passed(self, items: Places, wrong: Places, allowed: float, delta: float) -> BoolArray:
        """Which thresholds were shown to keep the share of wrong removals at or below what is allowed."""
        chance, level = p_not_above(wrong, items, allowed), 0.0
        found = np.zeros(len(chance), dtype=np.bool_)
        for number, weight in enumerate(self.weights):
            level += delta * weight
            found[number] = level > 0.0 and chance[number] <= level
            level = level if found[number] else 0.0
        return found

    def needed(self, items: Places, wrong: Places, sample: int, allowed: float, delta: float) -> int | None:
        """How many labelled items would do if the rates seen at the starts stayed; None if no number would."""
        found = []
        for weight, above, bad in zip(self.weights, items.tolist(), wrong.tolist(), strict=True):
            enough = items_to_reject(bad / above, allowed, delta * weight) if weight and above else None
            found += [-(-enough * sample // above)] if enough else []
        return min(found, default=None)


def _at_or_above(scores: FloatArray, rising: FloatArray) -> Places:
    counts: Places = (len(scores) - np.searchsorted(np.sort(scores), rising, side="left"))[::-1].astype(np.int64)
    return counts


_DEFAULT = (0.999, 0.995, *(hundredth / 100 for hundredth in range(99, 0, -1)))
_STARTS = {0.95: 0.4, 0.8: 0.4, 0.5: 0.2}  # by simulation: more starts cost more than they find
GRID = Grid(_DEFAULT, tuple(_STARTS.get(threshold, 0.0) for threshold in _DEFAULT))
