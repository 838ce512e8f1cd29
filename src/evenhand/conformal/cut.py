"""Where a set ends: the quantile of calibration scores that keeps the promise with finitely many of them.

Of n scores and a new one, all ranks of the new one are equally likely. So the ⌈(n + 1)(1 − α)⌉-th smallest is high
enough in at least 1 − α of all cases. To meet 1 − α exactly, what lies at the edge is let in by chance: below `low`
always, above `high` never, and between and at them with the chances kept here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand.errors import InputError
from evenhand.tally import FloatArray

SLACK = 1e-9  # α (n + 1) is meant to be whole where it nearly is


@dataclass(frozen=True)
class Cut:
    """A label is in the set if its score is at most `high`, which is infinite where there are too few scores."""

    low: float
    high: float
    at_low: float
    between: float
    at_high: float
    n: float

    @classmethod
    def of(cls, scores: npt.ArrayLike, alpha: float) -> Cut:
        """From the scores of the calibration rows' own labels."""
        ordered = np.sort(np.asarray(scores, dtype=np.float64))
        n = len(ordered)
        above = _whole(_checked(alpha) * (n + 1))  # how many of n + 1 may be left out
        rank = n - math.floor(above)  # of the score that is let in without doubt; the next one is the quantile
        low = float(ordered[rank - 1]) if rank > 0 else -math.inf
        high = float(ordered[rank]) if rank < n else math.inf
        between = 1.0 - (above - math.floor(above))
        chances = [_chance(ordered, value, above) for value in (low, high)]
        return cls(low, high, chances[0], between, chances[1], n)

    @classmethod
    def of_clusters(cls, scores: npt.ArrayLike, cluster: npt.ArrayLike, alpha: float) -> Cut:
        """The same promise for a new item, when several rows are of one item: items count, not rows.

        Every item weighs one, shared by its rows, and one more item is still to come.
        """
        given = np.asarray(scores, dtype=np.float64)
        _, place, rows = np.unique(np.asarray(cluster), return_inverse=True, return_counts=True)
        order = np.argsort(given, kind="stable")
        reached = np.cumsum((1.0 / rows[place])[order])
        rank = int(np.searchsorted(reached, (1.0 - _checked(alpha)) * (len(rows) + 1) - SLACK))
        high = float(given[order[rank]]) if rank < len(given) else math.inf
        return cls(-math.inf, high, 1.0, 1.0, 1.0, len(rows))

    def holds(self, scores: FloatArray, chance: FloatArray | None = None) -> npt.NDArray[np.bool_]:
        """Which scores are let in; with a random number from 0 to 1 for each, exactly as often as promised."""
        if chance is None:
            return np.asarray(scores <= self.high)
        cases = [scores < self.low, scores == self.low, scores < self.high, scores == self.high]
        return np.asarray(chance < np.select(cases, [1.0, self.at_low, self.between, self.at_high], 0.0))


def _chance(ordered: FloatArray, value: float, above: float) -> float:
    """That a score equal to `value` is let in: it takes a random place among its equals."""
    first, last = (int(np.searchsorted(ordered, value, side=side)) for side in ("left", "right"))
    equal, larger = last - first, len(ordered) - last
    return min(max((larger + 1.0 + equal - above) / (1.0 + equal), 0.0), 1.0)


def _whole(number: float) -> float:
    return float(round(number)) if abs(number - round(number)) < SLACK else number


def _checked(alpha: float) -> float:
    if not 0.0 < alpha < 1.0:
        raise InputError("alpha, the share that may be missed, must lie between 0 and 1")
    return alpha
