"""Rank correlations: whether two sources put the same things in the same order, by Spearman's rho and Kendall's tau-b.

Spearman's has an interval (Bonett and Wright's). Kendall's counts pairs that both sources order alike, less those they
order differently; it is compared with what shuffling one of them gives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from evenhand.estimate import Estimate
from evenhand.intervals.significance import ROUNDING, student_quantile

SPEARMAN, KENDALL = "spearman_bonett_wright", "permutation"
FEWEST_PAIRS = 4
PERMUTATIONS = 1999
ValuePairs = Sequence[tuple[float, float]]


def spearman(pairs: ValuePairs, level: float) -> Estimate:
    """Spearman's rank correlation over what both sources have."""
    if (lacking := _undefined(pairs, level)) is not None:
        return lacking
    from scipy.stats import spearmanr

    value = float(spearmanr([one for one, _ in pairs], [two for _, two in pairs]).statistic)
    if abs(value) > 1.0 - ROUNDING:
        return _perfect(float(round(value)), len(pairs), level)
    reach = student_quantile(level) * math.sqrt((1.0 + value**2 / 2.0) / (len(pairs) - 3))
    low, high = math.tanh(math.atanh(value) - reach), math.tanh(math.atanh(value) + reach)
    return Estimate(value, low, high, level, SPEARMAN, len(pairs))


def kendall(pairs: ValuePairs, level: float, *, seed: int = 0) -> Estimate:
    """Kendall's tau-b, and how often shuffling gives as much, in either direction."""
    if (lacking := _undefined(pairs, level)) is not None:
        return lacking
    first, second = (_signs([pair[side] for pair in pairs]) for side in (0, 1))
    scale = math.sqrt(float(np.sum(first**2)) * float(np.sum(second**2)))
    value = float(np.sum(first * second)) / scale
    rng, reached = np.random.default_rng(seed), 0
    for _ in range(PERMUTATIONS):
        order = rng.permutation(len(pairs))
        reached += abs(float(np.sum(first * second[np.ix_(order, order)]))) / scale >= abs(value) - ROUNDING
    p = (1.0 + reached) / (1.0 + PERMUTATIONS)
    return Estimate.tested(min(max(value, -1.0), 1.0), p, level=level, method=KENDALL, n=len(pairs))


def _undefined(pairs: ValuePairs, level: float) -> Estimate | None:
    """Where there is no order to speak of."""
    why = (
        f"only {len(pairs)} groups are in both: at least {FEWEST_PAIRS} are needed"
        if len(pairs) < FEWEST_PAIRS
        else None
    )
    if why is None and any(len({pair[side] for pair in pairs}) < 2 for side in (0, 1)):
        why = "all groups have the same value in one finding"
    return None if why is None else Estimate.undefined(why, level=level, n=len(pairs))


def _signs(values: Sequence[float]) -> npt.NDArray[np.float64]:
    column = np.asarray(values, dtype=np.float64)
    return np.sign(column[:, None] - column[None, :])


def _perfect(value: float, n: int, level: float) -> Estimate:
    """Every rank the same: the interval that one exchange of neighbours would have."""
    near = math.copysign(1.0 - 6.0 * 2.0 / (n * (n**2 - 1.0)), value)
    reach = student_quantile(level) * math.sqrt((1.0 + near**2 / 2.0) / (n - 3))
    bound = math.tanh(math.atanh(near) - math.copysign(reach, value))
    return Estimate(value, min(value, bound), max(value, bound), level, SPEARMAN, n)
