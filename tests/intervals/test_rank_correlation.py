"""Agreement of two orders, beside SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evenhand.intervals.rank_correlation import kendall, spearman

RNG = np.random.default_rng(4)
FIRST = RNG.normal(size=12)
SECOND = np.round(FIRST + RNG.normal(size=12), 0)  # with ties


def test_values_are_those_of_scipy() -> None:
    pairs = list(zip(FIRST, SECOND, strict=True))
    assert spearman(pairs, 0.95).value == pytest.approx(stats.spearmanr(FIRST, SECOND).statistic)
    assert kendall(pairs, 0.95).value == pytest.approx(stats.kendalltau(FIRST, SECOND).statistic)


def test_interval_of_bonett_and_wright() -> None:
    """The example of `ci.spear` in the documentation of Bonett's R package statpsych."""
    first = [21, 4, 9, 12, 35, 18, 10, 22, 24, 1, 6, 8, 13, 16, 19]
    second = [67, 28, 30, 28, 52, 40, 25, 37, 44, 10, 14, 20, 28, 40, 51]
    found = spearman(list(zip(first, second, strict=True)), 0.95)
    assert (found.value, found.low, found.high) == pytest.approx((0.8699639, 0.5840951, 0.9638297), abs=1e-7)


def test_shuffling_gives_the_exact_p_value_of_few() -> None:
    first, second = [1, 2, 3, 4, 5, 6], [1, 2, 3, 5, 4, 6]
    found = kendall(list(zip(first, second, strict=True)), 0.95)
    assert found.p_value == pytest.approx(stats.kendalltau(first, second, method="exact").pvalue, abs=0.01)
    assert found.low is None


def test_no_order_no_value() -> None:
    assert "at least 4" in str(kendall([(1, 2), (2, 3), (3, 4)], 0.95).note)
    assert "same value" in str(kendall([(1, 2), (1, 3), (1, 4), (1, 5)], 0.95).note)
    assert spearman([(1, 2), (2, 3), (3, 4), (4, 5)], 0.95).value == 1.0


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_intervals_are_bonett_and_wrights(level: float) -> None:
    """Fisher's z, plus and minus the normal quantile times √((1 + r²/2) / (n − 3))."""
    found = spearman(list(zip(FIRST, SECOND, strict=True)), level)
    r = stats.spearmanr(FIRST, SECOND).statistic
    reach = stats.norm.ppf((1 + level) / 2) * np.sqrt((1 + r**2 / 2) / 9)
    assert (found.low, found.high) == pytest.approx((np.tanh(np.arctanh(r) - reach), np.tanh(np.arctanh(r) + reach)))
    assert (found.method, found.n, found.level) == ("spearman_bonett_wright", 12, level)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_perfect_order_has_the_interval_of_one_exchange(sign: int) -> None:
    n = 9
    first = np.arange(n)
    swapped = first.copy()
    swapped[:2] = [1, 0]
    near = stats.spearmanr(first, sign * swapped).statistic
    reach = stats.norm.ppf(0.975) * np.sqrt((1 + near**2 / 2) / (n - 3))
    found = spearman([(float(i), float(sign * i)) for i in first], 0.95)
    bound = np.tanh(np.arctanh(near) - sign * reach)
    assert found.value == sign
    assert (found.low, found.high) == pytest.approx((bound, 1.0) if sign > 0 else (-1.0, bound))


def test_reasons_are_whole_sentences() -> None:
    few = spearman([(1, 2), (2, 3), (3, 4)], 0.95)
    assert few.note == "only 3 groups are in both: at least 4 are needed"
    assert spearman([(1, 2), (1, 3), (1, 4), (1, 5)], 0.95).note == "all groups have the same value in one finding"
    assert (few.value, few.n, few.level) == (None, 3, 0.95)


def test_shuffling_gives_the_p_value_of_all_orders() -> None:
    first, second = [1, 2, 3, 4, 5, 6, 7], [2, 1, 4, 7, 3, 6, 5]
    exact = stats.kendalltau(first, second, method="exact").pvalue
    found = kendall(list(zip(first, second, strict=True)), 0.9)
    assert 0.1 < exact < 0.4
    assert found.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 1999))
    assert (found.level, found.n, found.method) == (0.9, 7, "permutation")


def test_a_p_value_is_one_in_all_shuffles_at_the_least() -> None:
    assert kendall([(float(i), float(i)) for i in range(12)], 0.95).p_value == 1 / 2000
