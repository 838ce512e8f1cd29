"""Agreement of two orders, beside SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evenhand.intervals.ranks import kendall, spearman

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
