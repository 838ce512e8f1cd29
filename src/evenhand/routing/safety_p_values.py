"""Tests behind guarantees: is the share of wrong removals, or of missed violations, below a limit?

Of items drawn alike, exact binomial tests and order statistics. Of items drawn with unequal probabilities, bets: each
item multiplies a wealth by 1 + stake · (limit − error) · weight, which is fair or worse if the share is at the limit or
above it, so that a wealth of 1 / delta is reached with probability delta at most (Ville's inequality). Stakes are fixed
beforehand and the wealth is spread over several, so that the order of the items does not matter.

Items that belong together (the comments of one author) count as the independent items they are worth, by their design
effect. That is an approximation; studies/results/clustered_promises.csv has how often such a guarantee is broken.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import bdtr, betainc

from evenhand.arrays import Bools, Floats, Ints
from evenhand.intervals.clusters import RowInfluence
from evenhand.intervals.significance import student_quantile
from evenhand.tally.clusters import ClusterWay

LEVEL = 0.95  # at which Student and normal are compared, for how few clusters a variance is known from
MOST_ITEMS = 10**8  # items: beyond, no number would do
STAKES = np.array([0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95])  # of the stake at which all could be lost


def p_value_below_share(hits: Ints, items: Ints, share: float) -> Floats:
    """P-value of "the share is above this one": the chance of so few hits if it were. No items, no evidence: 1."""
    some = items > 0
    chance = np.ones(np.shape(items))
    chance[some] = bdtr(hits[some].astype(np.float64), items[some], share)
    return chance


def safe_rank(items: int, share: float, delta: float) -> int:
    """The largest k such that the k-th smallest of so many values has, with chance 1 − delta, at most this share of
    all values below it; 0 when even the smallest does not. Ties only make it safer.
    """
    ranks = np.arange(items)
    return int(np.searchsorted(bdtr(ranks.astype(np.float64), items, share), delta, side="right")) if items else 0


def items_to_rank(share: float, delta: float) -> int:
    """How many values it takes until `safe_rank` is 1."""
    return math.ceil(math.log(delta) / math.log1p(-share) - 1e-12)


def items_to_reject(rate: float, share: float, delta: float) -> int | None:
    """How many items would show, at this observed rate, that it is below the share; None if no number would."""
    if rate >= share:
        return None
    low, high = 0, 1
    while not _shows(rate, high, share, delta):
        low, high = high, 2 * high
        if low > MOST_ITEMS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _shows(rate, middle, share, delta) else (middle, high)
    return high


def _shows(rate: float, items: int, share: float, delta: float) -> bool:
    return bool(bdtr(float(math.ceil(rate * items - 1e-9)), items, share) <= delta)


def betting_p_value(error: Bools | Floats, weights: Floats, share: float) -> float:
    """P-value of "the weighted share of errors is above this one" among these items, or clusters; 1 without any."""
    if not len(weights):
        return 1.0
    gains = weights / weights.max() * (share - error)
    stakes = STAKES / (1.0 - share)
    wealth = np.log1p(stakes[:, None] * gains).sum(axis=1)
    return float(np.exp(-max(float(np.logaddexp.reduce(wealth)) - math.log(len(stakes)), 0.0)))


def betting_rank(weights: Floats, share: float, delta: float) -> int:
    """As `safe_rank`, for values in rising order that were drawn with unequal probabilities."""
    if not len(weights):
        return 0
    part = weights / weights.max()
    stakes = (STAKES / (1.0 - share))[:, None]
    below, others = np.log1p(-stakes * (1.0 - share) * part), np.log1p(stakes * share * part)
    lost = np.cumsum(below, axis=1) - below  # by the items before each
    won = others.sum(axis=1, keepdims=True) - (np.cumsum(others, axis=1) - others)
    wealth = np.logaddexp.reduce(lost + won, axis=0) - math.log(len(STAKES))
    safe = wealth >= -math.log(delta)
    return int(np.argmin(safe)) if not safe.all() else len(safe)


def clustered_p_value(error: Bools | Floats, weights: Floats, cluster: Ints, share: float) -> float:
    """As `p_value_below_share`, of items that belong together: on as many items as they are worth.

    That is their number divided by the design effect of the share of errors, which allows for an error that was not
    seen, with all of its cluster, and for how few clusters it is known from.
    """
    if not len(cluster):
        return 1.0
    total = float(weights.sum())
    rate = float(weights @ error) / total
    codes = np.unique(cluster, return_inverse=True)[1].astype(np.int32)
    influence = RowInfluence((error - rate) * weights / total, np.zeros(len(codes), np.int32), unseen_move=1.0)
    way = ClusterWay(codes, int(codes.max()) + 1)
    alone, together = influence.unseen(way)
    clusters = max(influence.effective_clusters(way), 2.0)
    spread = max(influence.clustered_variance([way]), influence.variance) + together
    plain = rate * (1.0 - rate) / len(codes) + alone
    effect = spread / plain * (student_quantile(LEVEL, clusters - 1.0) / student_quantile(LEVEL)) ** 2
    worth = len(codes) / max(effect, 1.0)
    return float(betainc(max(worth * (1.0 - rate), 1e-300), worth * rate + 1.0, 1.0 - share))


def clustered_rank(values: Floats, weights: Floats, cluster: Ints, share: float, delta: float) -> int:
    """As `safe_rank`, for values in rising order that belong together; equal values are not below one another."""

    def is_safe(rank: int) -> bool:
        return clustered_p_value(values < values[rank - 1], weights, cluster, share) <= delta

    low, high = 0, len(weights) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_safe(middle) else (low, middle)
    return low
