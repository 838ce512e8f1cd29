"""Intervals of two shares of the same items, and of any number that is read from their table of four counts.

Two decisions about one item rise and fall together, so the difference and the ratio of their shares are known better
than those of two samples. Both intervals are Bonett and Price's: of the difference (2012) with one item added to each
kind that differs, of the ratio (2006) from two Wilson intervals whose width allows for what the shares have in common.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from evenhand.intervals.proportions import WilsonInterval
from evenhand.intervals.significance import normal_quantile

PAIRED_DIFFERENCE = "paired_difference"
PAIRED_RATIO = "paired_ratio"
TABLE_WILSON = "table_wilson"
HALF_AN_ITEM = 0.5  # added to each count, so that a table without disagreement is not taken for certainty
NUDGE = 1e-4  # share of the items by which a count is moved to see what the number does

TableStatistic = Callable[..., float]


def paired_difference_interval(
    first_only: int, second_only: int, items: int, level: float, *, fitted: float = 0.0
) -> tuple[float, float]:
    """Of the second share less the first; `fitted` is the variance of what was chosen on other items."""
    centre = (second_only - first_only) / (items + 2.0)
    variance = difference_variance(first_only, second_only, items) + fitted
    reach = normal_quantile(level) * math.sqrt(variance)
    return max(-1.0, centre - reach), min(1.0, centre + reach)


def difference_variance(first_only: int, second_only: int, items: int) -> float:
    """The variance of the difference of two paired shares."""
    first, second = (first_only + 1.0) / (items + 2.0), (second_only + 1.0) / (items + 2.0)
    return (first + second - (second - first) ** 2) / (items + 2.0)


def paired_ratio_interval(both: int, first_only: int, second_only: int, level: float) -> tuple[float, float]:
    """Of the second share over the first, which must not be 0. Items in neither tell nothing about it."""
    first, second, either = both + first_only, both + second_only, both + first_only + second_only
    together = math.sqrt((first_only + second_only + 2.0) / ((first + 1.0) * (second + 1.0)))
    alone = [math.sqrt((1.0 - (part + 1.0) / (either + 2.0)) / (part + 1.0)) for part in (first, second)]
    narrowed = (together / sum(alone) * normal_quantile(level)) ** 2 / either
    (low, high), (other_low, other_high) = (_wilson_ends(part / either, narrowed) for part in (second, first))
    return low / other_high, high / other_low


def _wilson_ends(value: float, reach: float) -> tuple[float, float]:
    centre = (value + reach / 2.0) / (1.0 + reach)
    half = math.sqrt(reach * value * (1.0 - value) + reach**2 / 4.0) / (1.0 + reach)
    return max(0.0, centre - half), min(1.0, centre + half)


def table_interval(statistic: TableStatistic, counts: Sequence[int], level: float) -> tuple[float, float]:
    """Of a number from −1 to 1 read from the counts of a table: Wilson's, by how much each count moves the number."""
    filled = np.asarray(counts, dtype=np.float64) + HALF_AN_ITEM
    items = float(filled.sum())
    centre, step = statistic(*filled), NUDGE * items
    moved = [statistic(*(filled + step * (np.arange(len(filled)) == place))) for place in range(len(filled))]
    influence = (np.asarray(moved) - centre) * (items + step) / step
    variance = float(np.dot(filled / items, influence**2)) / items
    value = statistic(*counts)
    form = WilsonInterval.from_variance((1.0 + value) / 2.0, variance / 4.0, shift=(centre - value) / 2.0)
    low, high = form.interval(level)
    return 2.0 * low - 1.0, 2.0 * high - 1.0
