"""Holm's adjustment: small cases by hand, and its promise under the null."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evenhand.estimate import Estimate
from evenhand.intervals.significance import holm, mark_beyond_chance, p_value_from_interval


def test_stepwise() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005], 0.05) == [True, False, False, True]
    assert holm([0.2, 0.3], 0.05) == [False, False]
    assert holm([], 0.05) == []
    assert holm([0.0, 0.0], 0.05) == [True, True]


def test_marks_are_given_within_a_family() -> None:
    estimates = [Estimate(0.2, 0.1, 0.3, 0.95, "m", 9)] * 4
    p_values = [0.03, None, 0.04, 0.0]
    together = mark_beyond_chance(estimates, p_values, 0.95)
    assert [e.stands_out for e in together] == [False, False, False, True]
    apart = mark_beyond_chance(estimates, p_values, 0.95, families=["a", "a", "b", "a"])
    assert [e.stands_out for e in apart] == [True, False, True, True]
    assert mark_beyond_chance([], [], 0.95) == []


def test_false_marks_stay_rare() -> None:
    rng = np.random.default_rng(3)
    wrong = sum(any(holm(rng.random(30).tolist(), 0.05)) for _ in range(2000))
    assert wrong <= 2000 * 0.05 + 3 * np.sqrt(2000 * 0.05 * 0.95)


def test_p_values_look_at_the_side_that_faces_0() -> None:
    z = stats.norm.ppf(0.975)
    assert p_value_from_interval(-0.3, -0.9, -0.1, 0.95) == pytest.approx(2 * stats.norm.sf(0.3 / (0.2 / z)))
    assert p_value_from_interval(0.3, 0.1, 0.9, 0.95) == pytest.approx(2 * stats.norm.sf(0.3 / (0.2 / z)))
