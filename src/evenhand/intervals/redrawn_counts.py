"""Counts redrawn for all draws at once: how often a bootstrap draws each item, how many items a chance marks.

The number of draws is known beforehand, so the values of one cell are not left to chance: they are the quantiles of
its distribution, each once, in an order of its own that is random (a Latin hypercube). Sums over cells are distributed
as those of independent draws, and their quantiles scatter less. Orders are made once for a seed and serve all samples.

Small counts are exact. Large ones are normal with the skewness of their distribution (Cornish and Fisher).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, ndtri, pdtr

from evenhand.arrays import Floats

SMALL_VARIANCE = 25.0  # of a count, up to which its distribution is tabulated
REACH = 9.0  # standard deviations that a table reaches beyond the mean


def redrawn_items(counts: Floats, draws: int, seed: int) -> Floats:
    """Cells × draws: each item is there 0, 1, 2, … times, once on average (the Poisson bootstrap)."""
    mean = np.asarray(counts, dtype=np.float64)
    exact = mean <= SMALL_VARIANCE
    table = mean[:, None] + _normal(np.sqrt(mean), np.ones(len(mean)), draws)
    if exact.any():
        distinct, place = np.unique(mean[exact], return_inverse=True)
        most = int(SMALL_VARIANCE + REACH * np.sqrt(SMALL_VARIANCE)) + 1
        reached = np.asarray(pdtr(np.arange(most), distinct[:, None]), dtype=np.float64)
        table[exact] = _tabulated(reached, draws)[place]
    return _in_random_order(np.maximum(table, 0.0), draws, seed)


def redrawn_labels(items: Floats, chance: Floats, draws: int, seed: int) -> Floats:
    """Cells × draws: how many items of each cell are marked, each with the chance of its cell."""
    n, rarer = np.asarray(items, dtype=np.float64), np.minimum(chance, 1.0 - chance)
    variance = n * rarer * (1.0 - rarer)
    table = (n * rarer)[:, None] + _normal(np.sqrt(variance), 1.0 - 2.0 * rarer, draws)
    exact = variance <= SMALL_VARIANCE
    if exact.any():
        most = int(2.0 * SMALL_VARIANCE + REACH * np.sqrt(SMALL_VARIANCE)) + 1
        k = np.minimum(np.arange(most), n[exact, None])
        reached = np.asarray(bdtr(k, n[exact, None].astype(np.int64), rarer[exact, None]), dtype=np.float64)
        table[exact] = _tabulated(reached, draws)
    table = np.clip(table, 0.0, n[:, None])
    common = chance > 0.5
    table[common] = n[common, None] - table[common]
    return _in_random_order(table, draws, seed)


def _normal(deviation: Floats, skew: Floats, draws: int) -> Floats:
    """Quantiles about the mean; `skew` is the third central moment over the variance."""
    z = ndtri(_shares(draws))
    return deviation[:, None] * z + (skew / 6.0)[:, None] * (z * z - 1.0)


def _tabulated(reached: Floats, draws: int) -> Floats:
    """Quantiles from a table of how likely a count is at most 0, 1, 2, …."""
    first = np.clip(np.ceil(reached * draws - 0.5), 0, draws).astype(np.int64)  # the first draw that is above
    rows = np.arange(len(reached))[:, None] * (draws + 1)
    steps = np.bincount((rows + first).ravel(), minlength=len(reached) * (draws + 1))
    return np.cumsum(steps.reshape(len(reached), draws + 1)[:, :-1], axis=1).astype(np.float64)


def _shares(draws: int) -> Floats:
    return np.asarray((np.arange(draws) + 0.5) / draws)


def _in_random_order(table: Floats, draws: int, seed: int) -> Floats:
    cells = 1 << max(len(table) - 1, 0).bit_length()  # the orders of fewer cells are the first of those of more
    return np.take(table.ravel(), _orders(cells, draws, seed)[: len(table)])


@lru_cache(maxsize=4)
def _orders(cells: int, draws: int, seed: int) -> npt.NDArray[np.intp]:
    """Of each cell an order of its draws, as places in a table of cells × draws."""
    rng = np.random.default_rng([seed, draws])
    orders = np.empty((cells, draws), dtype=np.intp)
    for cell, row in enumerate(orders):
        row[:] = rng.permutation(draws)
        row += cell * draws
    return orders
