"""Holm's adjustment: small cases by hand, and its promise under the null."""

from __future__ import annotations

import numpy as np

from evenhand.intervals.multiple import holm


def test_stepwise() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005], 0.05) == [True, False, False, True]
    assert holm([0.2, 0.3], 0.05) == [False, False]
    assert holm([], 0.05) == []
    assert holm([0.0, 0.0], 0.05) == [True, True]


def test_false_marks_stay_rare() -> None:
    rng = np.random.default_rng(3)
    wrong = sum(any(holm(rng.random(30).tolist(), 0.05)) for _ in range(2000))
    assert wrong <= 2000 * 0.05 + 3 * np.sqrt(2000 * 0.05 * 0.95)
