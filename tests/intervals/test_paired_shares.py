"""Intervals of two shares of the same items: by hand, at their edges, and how often they hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evenhand.intervals.paired_shares import (
    difference_variance,
    paired_difference_interval,
    paired_ratio_interval,
    table_interval,
)
from evenhand.measures.decisions import decision_ac1
from marks import smoke


def test_the_difference_by_hand() -> None:
    """1 and 7 of 21 differ: with an item added to each, 2/23 and 8/23, and the variance of their difference."""
    spread = 1.959963985 * math.sqrt((2 / 23 + 8 / 23 - (6 / 23) ** 2) / 23)
    assert paired_difference_interval(1, 7, 21, 0.95) == pytest.approx((6 / 23 - spread, 6 / 23 + spread))


def test_what_was_fitted_elsewhere_widens_the_difference() -> None:
    low, high = paired_difference_interval(5, 9, 200, 0.95)
    extra = difference_variance(4, 6, 100)
    wider = paired_difference_interval(5, 9, 200, 0.95, fitted=extra)
    assert wider[0] < low < high < wider[1]
    reach = (high - low) / 2
    assert (wider[1] - wider[0]) / 2 == pytest.approx(math.hypot(reach, 1.959963985 * math.sqrt(extra)))


def wilson(share: float, z: float, n: int) -> tuple[float, float]:
    """From the definition: the ends of |p − v| ≤ z √(v(1 − v) / n), solved."""
    roots = np.roots([1 + z**2 / n, -(2 * share + z**2 / n), share**2])
    return float(min(roots)), float(max(roots))


@pytest.mark.parametrize("counts", [(20, 5, 9), (3, 0, 4), (50, 50, 10), (1, 1, 0)])
def test_the_ratio_by_hand(counts: tuple[int, int, int]) -> None:
    """Bonett and Price 2006: Wilson intervals among items in either, with z for what both have in common."""
    both, first_only, second_only = counts
    first, second, n = both + first_only, both + second_only, sum(counts)
    shared = math.sqrt((first_only + second_only + 2) / ((first + 1) * (second + 1)))
    alone = sum(math.sqrt((1 - (x + 1) / (n + 2)) / (x + 1)) for x in (first, second))
    z = shared / alone * 1.959963985
    (low, high), (other_low, other_high) = wilson(second / n, z, n), wilson(first / n, z, n)
    assert paired_ratio_interval(*counts, 0.95) == pytest.approx((low / other_high, high / other_low), rel=1e-6)


def test_exchanging_the_shares_turns_the_ratio_round() -> None:
    low, high = paired_ratio_interval(20, 5, 9, 0.95)
    assert paired_ratio_interval(20, 9, 5, 0.95) == pytest.approx((1 / high, 1 / low))


def test_nothing_in_the_second_share_is_a_ratio_of_none_with_an_upper_end() -> None:
    low, high = paired_ratio_interval(0, 4, 0, 0.95)
    assert low == 0.0
    assert 0.0 < high < math.inf


def test_a_table_without_disagreement_is_no_certainty() -> None:
    low, high = table_interval(decision_ac1, (5, 0, 0, 95), 0.95)
    assert 0.9 < low < 0.99
    assert high == pytest.approx(1.0)


CELLS = [
    (200, (0.02, 0.01, 0.03), 1500),
    (100, (0.01, 0.01, 0.01), 3000),
    (1000, (0.02, 0.005, 0.02), 3000),
    (1000, (0.1, 0.002, 0.002), 3000),
    (5000, (0.003, 0.002, 0.004), 3000),
]


@pytest.mark.parametrize(("items", "shares", "draws"), smoke(CELLS))
def test_intervals_hold_the_truth(items: int, shares: tuple[float, float, float], draws: int) -> None:
    both, first, second = shares
    rest = 1.0 - sum(shares)
    tables = np.random.default_rng(2).multinomial(items, [both, first, second, rest], draws)
    truth = {"ratio": (both + second) / (both + first), "difference": second - first}
    flagged = both + (first + second) / 2.0
    chance = 2.0 * flagged * (1.0 - flagged)
    truth["ac1"] = (both + rest - chance) / (1.0 - chance)
    held: dict[str, list[bool]] = {name: [] for name in truth}
    for a, b, c, d in tables.tolist():
        found = {"difference": paired_difference_interval(b, c, items, 0.95)}
        found["ac1"] = table_interval(decision_ac1, (a, b, c, d), 0.95)
        if a + b:
            found["ratio"] = paired_ratio_interval(a, b, c, 0.95)
        for name, (low, high) in found.items():
            held[name].append(low <= truth[name] <= high)
    shares_held = {name: float(np.mean(hits)) for name, hits in held.items()}
    assert min(shares_held["ratio"], shares_held["difference"]) >= 0.935, shares_held
    assert shares_held["ac1"] >= 0.92, shares_held
