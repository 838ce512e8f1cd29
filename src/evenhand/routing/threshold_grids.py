"""Grids of thresholds, tested from the highest down, and the starts of these tests.

A threshold that passes hands its level on to the next (the fallback procedure of Wiens, with fixed-sequence testing as
the case of one start), so that the chance that any passes wrongly is at most the sum of the levels at the starts.
Several starts are needed because few items may lie above the highest threshold, too few to show anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import InputError
from evenhand.routing.safety_p_values import items_to_rank, p_value_below_share

STARTS = 3


@dataclass(frozen=True, slots=True)
class ThresholdGrid:
    """Thresholds, falling, and the share of the allowed chance of error that each of them starts with.

    >>> grid = eh.routing.ThresholdGrid((0.9, 0.8), (0.5, 0.5))
    >>> grid.thresholds
    (0.9, 0.8)
    """

    thresholds: tuple[float, ...]
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        falling = all(a > b for a, b in zip(self.thresholds, self.thresholds[1:], strict=False))
        if not self.thresholds or not falling or not 0.0 < self.thresholds[-1] <= self.thresholds[0] <= 1.0:
            raise InputError("the thresholds of a grid must decrease, from at most 1 to above 0")
        fair = len(self.weights) == len(self.thresholds) and min(self.weights) >= 0.0
        if not fair or not 0.0 < sum(self.weights) <= 1.0 + 1e-12:
            raise InputError("a grid needs one weight per threshold, none negative, and a sum of at most 1")

    @classmethod
    def of(cls, thresholds: npt.ArrayLike, *, starts: int = STARTS) -> ThresholdGrid:
        """Thresholds with equally weighted starts, spread evenly from the highest to the middle one.

        Thresholds may come from scores, such as quantiles of last week's traffic, but never from the labelled sample
        that is to choose among them.
        """
        values = np.unique(arrays.numbers(thresholds, "thresholds"))[::-1]
        places = np.unique(np.linspace(0, len(values) // 2, max(1, starts)).round().astype(int)[: len(values)])
        weights = np.zeros(len(values))
        weights[places] = 1.0 / len(places)
        return cls(tuple(values.tolist()), tuple(weights.tolist()))

    def count(self, p: Floats, wrong: Bools) -> tuple[Ints, Ints]:
        """How many items lie at or above each threshold, and how many of these it would be wrong to remove."""
        rising = np.asarray(self.thresholds)[::-1]
        above = [_at_or_above(scores, rising) for scores in (p, p[wrong])]
        return above[0], above[1]

    def passed(self, items: Ints, wrong: Ints, allowed: float, delta: float) -> Bools:
        """Which thresholds were shown to keep the share of wrong removals at or below what is allowed."""
        return self.accepted(p_value_below_share(wrong, items, allowed), delta)

    def accepted(self, chance: Floats, delta: float) -> Bools:
        """Which thresholds pass, by their p-values."""
        level, passed = 0.0, np.zeros(len(chance), dtype=np.bool_)
        for number, weight in enumerate(self.weights):
            level += delta * weight
            passed[number] = level > 0.0 and chance[number] <= level
            level = level if passed[number] else 0.0
        return passed


def _at_or_above(scores: Floats, rising: Floats) -> Ints:
    counts: Ints = (len(scores) - np.searchsorted(np.sort(scores), rising, side="left"))[::-1].astype(np.int64)
    return counts


_DEFAULT_THRESHOLDS = (0.999, 0.995, *(hundredth / 100 for hundredth in range(99, 0, -1)))
_DEFAULT_STARTS = {0.95: 0.4, 0.8: 0.4, 0.5: 0.2}  # by simulation: more starts cost more than they find
DEFAULT_GRID = ThresholdGrid(
    _DEFAULT_THRESHOLDS, tuple(_DEFAULT_STARTS.get(threshold, 0.0) for threshold in _DEFAULT_THRESHOLDS)
)

NEAR = 0.01  # of a score
STEPS = 16  # thresholds for each doubling of the items above


def grid_from_scores(p: Floats, allowed: float, delta: float, *, times: float = 1.0) -> ThresholdGrid | None:
    """Starts at the n₀, 2 n₀, 4 n₀, … highest scores, each with half the level of the one before.

    n₀ is the fewest items that can show anything. From each start the thresholds go down by 4 % more items at a time. A
    later start has more items, to which a small level makes little difference. None if there are fewer than n₀ items.
    Given the scores, the labels decide nothing about where the thresholds lie. `times` is how many items show as much
    as one independent item.
    """
    falling = np.sort(p)[::-1]
    starts = _start_levels(len(falling), allowed, delta, times)
    counts = sorted({*starts, *_steps(min(starts, default=1), len(falling))} if starts else ())
    weights: dict[float, float] = {}
    for count in counts:
        threshold = _simplest_threshold(falling, count)
        if threshold > 0.0:
            weights[threshold] = weights.get(threshold, 0.0) + starts.get(count, 0.0)
    return ThresholdGrid(tuple(weights), tuple(weights.values())) if any(weights.values()) else None


def _start_levels(items: int, allowed: float, delta: float, times: float) -> dict[int, float]:
    """The share of delta by the number of items at each start."""
    fewest = math.ceil(times * items_to_rank(allowed, delta))
    while fewest <= items:
        number = int(math.log2(items / fewest)) + 1
        levels = 0.5 ** np.arange(1, number + 1)
        levels /= levels.sum()
        enough = math.ceil(times * items_to_rank(allowed, delta * float(levels[0])))
        if enough <= fewest:
            return {fewest * 2**place: float(level) for place, level in enumerate(levels)}
        fewest = enough
    return {}


def _steps(first: int, last: int, steps: int = STEPS) -> Iterator[int]:
    number = 0
    while (count := round(first * 2.0 ** (number / steps))) <= last:
        yield count
        number += 1


def _simplest_threshold(falling: Floats, count: int) -> float:
    """The shortest decimal with so many items at or above it, or up to half a step more; near a score, not in a gap."""
    most = min(int(count * 2.0 ** (0.5 / STEPS)), len(falling) - 1)
    high, low = float(falling[count - 1]), float(falling[most])
    for digits in range(1, 17):
        rounded = math.floor(high * 10.0**digits) / 10.0**digits
        if low < rounded <= high and high - rounded < NEAR:
            return rounded
    return high


FEWEST_REMOVED = 10  # items above a threshold that is worth trying
COARSE_STEPS = 8


def thresholds_by_count(p: Floats) -> list[float]:
    """Thresholds with more and more of the highest scores above them, by 9 % at a time, falling."""
    falling = np.sort(p)[::-1]
    counts = _steps(min(FEWEST_REMOVED, len(falling)), len(falling), COARSE_STEPS)
    thresholds = (_simplest_threshold(falling, count) for count in dict.fromkeys(counts))
    return [threshold for threshold in dict.fromkeys(thresholds) if threshold > 0.0]
