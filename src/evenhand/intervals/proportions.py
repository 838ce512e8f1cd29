"""Intervals and tests of proportions: Wilson's score interval with an effective number of items.

The interval holds every value v with |value − v| ≤ t · √(v(1 − v) · size), where `size` is one over the effective
number of items and t is Student's quantile. The p-value inverts the same inequality, so the two never disagree. Every
quantity between 0 and 1, an AUC too, has an interval of this form; what differs is where the effective number comes
from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, gammaln

from evenhand.arrays import TINIEST, Floats
from evenhand.intervals.mover import mover_difference
from evenhand.intervals.significance import student_quantile, two_sided_p_value
from evenhand.tally import Amount


@dataclass(frozen=True, slots=True)
class WilsonInterval:
    """`size` is 1 / (effective number of items); `freedom` are the degrees of freedom of its estimate."""

    value: float
    size: float
    freedom: float = math.inf
    error: float = math.nan  # the standard error, where it was made from one

    @classmethod
    def from_variance(
        cls, value: float, variance: float, *, shift: float = 0.0, freedom: float = math.inf
    ) -> WilsonInterval:
        """From a variance that belongs to the value moved by `shift`, which keeps it off 0 and 1."""
        moved = value + shift
        size = variance / (moved * (1.0 - moved)) if 0.0 < moved < 1.0 else 0.0
        return cls(value, size, freedom, math.sqrt(variance))

    def interval(self, level: float) -> tuple[float, float]:
        """Low and high."""
        reach = student_quantile(level, self.freedom) ** 2 * self.size
        centre = (self.value + reach / 2.0) / (1.0 + reach)
        half = math.sqrt(reach * self.value * (1.0 - self.value) + reach**2 / 4.0) / (1.0 + reach)
        return min(max(0.0, centre - half), self.value), max(min(1.0, centre + half), self.value)

    def tail_interval(self, level: float) -> tuple[float, float]:
        """Clopper and Pearson's, with the effective number of items (Korn and Graubard's under a design).

        Far in the tails, where many intervals are to hold at once, Wilson's misses rare outcomes of small samples: the
        normal approximation behind it knows no skewness.
        """
        if self.size <= 0.0:
            return self.value, self.value
        items = (student_quantile(level) / student_quantile(level, self.freedom)) ** 2 / self.size
        hits, tail = self.value * items, (1.0 - level) / 2.0
        low = float(betaincinv(hits, items - hits + 1.0, tail)) if self.value > 0.0 else 0.0
        high = float(betaincinv(hits + 1.0, items - hits, 1.0 - tail)) if self.value < 1.0 else 1.0
        return min(low, self.value), max(high, self.value)

    def p_value(self, null: float) -> float:
        """Two-sided test that the quantity is `null`."""
        return two_sided_p_value(abs(self.value - null), null * (1.0 - null) * self.size, self.freedom)

    def p_difference(self, other: WilsonInterval) -> float:
        """Two-sided test that this quantity equals the other, taken as independent of it.

        Where the two share items they rise and fall together, so the test is cautious.
        """
        return two_sided_p_value(
            abs(self.value - other.value), other.value * (1.0 - other.value) * (self.size + other.size), self.freedom
        )

    def p_equal(self, other: WilsonInterval, correlation: float = 0.0) -> float:
        """Two-sided test that two shares are equal, from the effective numbers of items behind them."""
        sizes = (1.0 / max(self.size, TINIEST), 1.0 / max(other.size, TINIEST))
        common = (self.value * sizes[0] + other.value * sizes[1]) / sum(sizes)
        size = self.size + other.size - 2.0 * correlation * math.sqrt(self.size * other.size)
        freedom = min(self.freedom, other.freedom)
        return two_sided_p_value(abs(self.value - other.value), common * (1.0 - common) * size, freedom)

    def square_and_add(self, other: WilsonInterval, level: float, correlation: float = 0.0) -> tuple[float, float]:
        """Interval of value − other.value from the two intervals (Newcombe's hybrid score, Zou's MOVER)."""
        ends = [(one.value, *one.interval(level)) for one in (self, other)]
        low, high = mover_difference(ends[0], ends[1], correlation)
        return max(-1.0, low), min(1.0, high)


WILSON = "wilson"
NEWCOMBE = "newcombe"
ENOUGH_EXPECTED = 20.0  # expected items, from which the normal approximation will do


def wilson(part: Amount, rest: Amount, unseen: tuple[float, float] | None = None) -> WilsonInterval:
    """The share of `part` in part and rest.

    Plain items: Wilson's own, 1 / n. Under a design: from the variance of the weighted share, and one item of the rarer
    kind that was not drawn, so that an outcome nobody happened to see is not taken for impossible. It is a heavy one,
    unless the kind says how such items are drawn: `unseen` is then what one of the part and one of the rest stand for.
    """
    whole = part + rest
    share = part.weight / whole.weight
    if part.is_plain and rest.is_plain:
        return WilsonInterval(share, 1.0 / whole.weight)
    rarer = 0.0 if share > 0.5 else 1.0
    variance = (part.spread * (1.0 - share) ** 2 + rest.spread * share**2) / whole.weight**2
    heavy = whole.unseen if unseen is None else unseen[share > 0.5] / whole.weight
    variance += (share - rarer) ** 2 * heavy**2
    shift = (rarer - share) * heavy / (1.0 + heavy)
    return WilsonInterval.from_variance(share, variance, shift=shift, freedom=max(whole.effective - 1.0, 1.0))


def p_equal_shares(first: WilsonInterval, second: WilsonInterval) -> float:
    """Two-sided test that two independent shares are equal: Fisher's where counts are small, Yates' chi-square else."""
    if not first.size or not second.size:
        return first.p_value(second.value) if first.size else second.p_value(first.value)
    sizes = (1.0 / first.size, 1.0 / second.size)
    common = (first.value * sizes[0] + second.value * sizes[1]) / sum(sizes)
    if min(sizes) * min(common, 1.0 - common) < ENOUGH_EXPECTED:
        flip = common > 0.5
        hits = [(1.0 - b.value if flip else b.value) * n for b, n in zip((first, second), sizes, strict=True)]
        return _fisher(round(hits[0]), round(hits[1]), round(sizes[0]), round(sizes[1]))
    distance = max(0.0, abs(first.value - second.value) - 0.5 * (first.size + second.size))
    return two_sided_p_value(distance, common * (1.0 - common) * (first.size + second.size), math.inf)


def _fisher(hits: int, other_hits: int, size: int, other_size: int) -> float:
    """Twice the smaller tail of the hypergeometric distribution. Under a design the counts are effective ones."""
    total = hits + other_hits
    possible = np.arange(max(0, total - other_size), min(size, total) + 1)
    logs = _log_choose(size, possible) + _log_choose(other_size, total - possible)
    chances = np.exp(logs - logs.max())
    chances /= chances.sum()
    at = hits - possible[0]
    return min(1.0, 2.0 * min(float(chances[: at + 1].sum()), float(chances[at:].sum())))


def _log_choose(n: int, k: npt.NDArray[np.int64]) -> Floats:
    logs: Floats = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return logs
