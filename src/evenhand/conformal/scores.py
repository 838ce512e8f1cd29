"""Nonconformity scores, and the cut: the quantile of calibration scores at which a prediction set ends.

A score says how badly a label fits a model's probabilities; larger is worse. `lac` is 1 − p of the label: the smallest
sets on average. `aps` adds up the probabilities of all labels that are at least as likely: sets that grow where the
model is uncertain. Randomised, it counts a random part of the label's own.

Of n scores and a new one, all ranks of the new one are equally likely. So the ⌈(n + 1)(1 − α)⌉-th smallest is high
enough in at least 1 − α of all cases. To meet 1 − α exactly, what lies at the edge is let in by chance: below `low`
always, above `high` never, and between and at them with the chances kept in the `Cut`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats, class_probabilities, share
from evenhand.errors import InputError, nearest

ScoreFunction = Callable[[Floats, Floats], Floats]


def lac(table: Floats, _: Floats) -> Floats:
    """1 − p; there is nothing to randomise."""
    return 1.0 - table


def aps(table: Floats, part: Floats) -> Floats:
    """The probability of likelier labels and a part (0 to 1, one per row) of its own; of equals the first wins."""
    order = np.argsort(-table, axis=1, kind="stable")
    ranked = np.take_along_axis(table, order, axis=1)
    before = np.cumsum(ranked, axis=1) - ranked
    totals = np.empty_like(table)
    np.put_along_axis(totals, order, before + part[:, None] * ranked, axis=1)
    return totals


SCORES: dict[str, ScoreFunction] = {"lac": lac, "aps": aps}


def nonconformity(probabilities: npt.ArrayLike, *, score: str, part: Floats | None = None) -> Floats:
    """Rows × classes: the score of every label; without a part the label's own probability counts whole."""
    table = class_probabilities(probabilities).astype(np.float64, copy=False)
    if score not in SCORES:
        raise InputError(f"there is no score '{score}': {nearest(score, SCORES)}")
    return SCORES[score](table, np.ones(len(table)) if part is None else part)


SLACK = 1e-9  # α (n + 1) is meant to be whole where it nearly is


@dataclass(frozen=True)
class Cut:
    """A label is in the set if its score is at most `high`, which is infinite where there are too few scores.

    >>> p = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.3, 0.7]] * 10)
    >>> labels = np.array([0, 1, 1, 1] * 10)
    >>> eh.conformal.calibrate(p, labels, alpha=0.1).cuts[0].high
    0.6
    """

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
        above = _nearly_whole(share(alpha, "alpha") * (n + 1))  # how many of n + 1 may be left out
        rank = n - math.floor(above)  # of the score that is let in without doubt; the next one is the quantile
        low = float(ordered[rank - 1]) if rank > 0 else -math.inf
        high = float(ordered[rank]) if rank < n else math.inf
        between = 1.0 - (above - math.floor(above))
        chances = [_chance_of_ties(ordered, value, above) for value in (low, high)]
        return cls(low, high, chances[0], between, chances[1], n)

    @classmethod
    def of_clusters(cls, scores: npt.ArrayLike, cluster: npt.ArrayLike, alpha: float) -> Cut:
        """The same guarantee for a new item, when several rows are of one item: items count, not rows.

        Every item weighs one, shared by its rows, and one more item is still to come.
        """
        values = np.asarray(scores, dtype=np.float64)
        _, place, rows = np.unique(np.asarray(cluster), return_inverse=True, return_counts=True)
        order = np.argsort(values, kind="stable")
        reached = np.cumsum((1.0 / rows[place])[order])
        rank = int(np.searchsorted(reached, (1.0 - share(alpha, "alpha")) * (len(rows) + 1) - SLACK))
        high = float(values[order[rank]]) if rank < len(values) else math.inf
        return cls(-math.inf, high, 1.0, 1.0, 1.0, len(rows))

    def holds(self, scores: Floats, chance: Floats | None = None) -> npt.NDArray[np.bool_]:
        """Which scores are let in; with a random number from 0 to 1 for each, exactly as often as guaranteed."""
        if chance is None:
            return np.asarray(scores <= self.high)
        cases = [scores < self.low, scores == self.low, scores < self.high, scores == self.high]
        return np.asarray(chance < np.select(cases, [1.0, self.at_low, self.between, self.at_high], 0.0))


def _chance_of_ties(ordered: Floats, value: float, above: float) -> float:
    """That a score equal to `value` is let in: it takes a random place among its equals."""
    first, last = (int(np.searchsorted(ordered, value, side=side)) for side in ("left", "right"))
    equal, larger = last - first, len(ordered) - last
    return min(max((larger + 1.0 + equal - above) / (1.0 + equal), 0.0), 1.0)


def _nearly_whole(number: float) -> float:
    return float(round(number)) if abs(number - round(number)) < SLACK else number
