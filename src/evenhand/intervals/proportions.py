"""How sure a share is: Wilson's interval, with an effective number of items under a design."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from evenhand.intervals.bounded import Bounded, p_value
from evenhand.tally import Amount, FloatArray

METHOD = "wilson"
DIFFERENCE = "newcombe"
ENOUGH = 20.0  # expected items, from which the normal approximation will do


def wilson(part: Amount, rest: Amount) -> Bounded:
    """The share of `part` in part and rest.

    Plain items: Wilson's own, 1 / n. Under a design: from the variance of the weighted share, and one heavy item of the
    rarer kind that was not drawn, so that an outcome nobody happened to see is not taken for impossible.
    """
    whole = part + rest
    share = part.weight / whole.weight
    if part.is_plain and rest.is_plain:
        return Bounded(share, 1.0 / whole.weight)
    rarer = 0.0 if share > 0.5 else 1.0
    variance = (part.spread * (1.0 - share) ** 2 + rest.spread * share**2) / whole.weight**2
    variance += (share - rarer) ** 2 * whole.unseen**2
    return Bounded.of(share, variance, shift=(rarer - share) * whole.unseen / (1.0 + whole.unseen))


def p_equal(first: Bounded, second: Bounded) -> float:
    """Two-sided test that two independent shares are equal: Fisher's where counts are small, Yates' chi-square else."""
    if not first.size or not second.size:
        return first.p_value(second.value) if first.size else second.p_value(first.value)
    sizes = (1.0 / first.size, 1.0 / second.size)
    common = (first.value * sizes[0] + second.value * sizes[1]) / sum(sizes)
    if min(sizes) * min(common, 1.0 - common) < ENOUGH:
        flip = common > 0.5
        hits = [(1.0 - b.value if flip else b.value) * n for b, n in zip((first, second), sizes, strict=True)]
        return _fisher(round(hits[0]), round(hits[1]), round(sizes[0]), round(sizes[1]))
    distance = max(0.0, abs(first.value - second.value) - 0.5 * (first.size + second.size))
    return p_value(distance, common * (1.0 - common) * (first.size + second.size), math.inf)


def _fisher(hits: int, other_hits: int, size: int, other_size: int) -> float:
    """Twice the smaller tail of the hypergeometric distribution. Under a design the counts are effective ones."""
    total = hits + other_hits
    possible = np.arange(max(0, total - other_size), min(size, total) + 1)
    logs = _log_choose(size, possible) + _log_choose(other_size, total - possible)
    chances = np.exp(logs - logs.max())
    chances /= chances.sum()
    at = hits - possible[0]
    return min(1.0, 2.0 * min(float(chances[: at + 1].sum()), float(chances[at:].sum())))


def _log_choose(n: int, k: npt.NDArray[np.int64]) -> FloatArray:
    logs: FloatArray = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return logs
