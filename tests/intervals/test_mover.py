"""The difference of two independent numbers from their intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evenhand.intervals.mover import mover_difference
from evenhand.intervals.proportions import wilson
from evenhand.tally import Amount


def test_equal_symmetric_intervals_add_as_variances_do() -> None:
    assert mover_difference((0.5, 0.4, 0.6), (0.3, 0.2, 0.4)) == pytest.approx(
        (0.2 - 0.1 * math.sqrt(2), 0.2 + 0.1 * math.sqrt(2))
    )


def test_each_end_takes_the_sides_that_face_it() -> None:
    """From the definition: low² = (p1 − l1)² + (u2 − p2)², high² = (u1 − p1)² + (p2 − l2)²."""
    low, high = mover_difference((0.9, 0.7, 0.95), (0.1, 0.08, 0.3))
    assert low == pytest.approx(0.8 - math.sqrt(0.2**2 + 0.2**2))
    assert high == pytest.approx(0.8 + math.sqrt(0.05**2 + 0.02**2))


def test_two_wilson_intervals() -> None:
    """56 of 70 beside 48 of 80: 0.0524 to 0.3339 by the hybrid score (method 10 of Newcombe 1998), by hand."""
    ends = []
    for hits, rest in ((56.0, 14.0), (48.0, 32.0)):
        interval = wilson(Amount(hits, hits, hits), Amount(rest, rest, rest)).interval(0.95)
        ends.append((hits / (hits + rest), *interval))
    assert mover_difference(*ends) == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_the_interval_covers_in_simulation() -> None:
    rng = np.random.default_rng(0)
    covered = 0
    for hits in zip(rng.binomial(120, 0.15, 1500), rng.binomial(80, 0.3, 1500), strict=True):
        ends = []
        for found, n in zip(hits, (120, 80), strict=True):
            k, rest = float(found), float(n - found)
            ends.append((k / n, *wilson(Amount(k, k, k), Amount(rest, rest, rest)).interval(0.95)))
        low, high = mover_difference(*ends)
        covered += low <= -0.15 <= high
    assert 0.935 <= covered / 1500 <= 0.975
