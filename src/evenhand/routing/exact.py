"""Exact statements about shares of independent items: tails of the binomial, and what they promise."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import bdtr, betaincinv

from evenhand.estimate import Estimate
from evenhand.routing.columns import Places
from evenhand.tally import FloatArray

METHOD = "clopper_pearson"
MOST = 10**8  # items: beyond, no number would do


def p_not_above(hits: Places, items: Places, share: float) -> FloatArray:
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
        if low > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _shows(rate, middle, share, delta) else (middle, high)
    return high


def clopper_pearson(hits: int, items: int, level: float, *, nothing: str) -> Estimate:
    """A share with its exact interval; `nothing` is the reason where there are no items."""
    if not items:
        return Estimate.undefined(nothing, level=level, n=0)
    tail = (1.0 - level) / 2.0
    low = float(betaincinv(hits, items - hits + 1.0, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1.0, items - hits, 1.0 - tail)) if hits < items else 1.0
    value = hits / items
    return Estimate(value, min(low, value), max(high, value), level, METHOD, items)


def _shows(rate: float, items: int, share: float, delta: float) -> bool:
    return bool(bdtr(float(math.ceil(rate * items - 1e-9)), items, share) <= delta)
