"""The quantile that keeps the promise, beside its definition, and chances at the edge beside random ranks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evenhand.conformal import Cut
from evenhand.errors import InputError


@pytest.mark.parametrize("n", [1, 8, 9, 10, 19, 99, 100, 1000])
@pytest.mark.parametrize("tenths", [1, 2, 5])
def test_the_quantile_by_whole_numbers(n: int, tenths: int) -> None:
    scores = np.random.default_rng(n).permutation(n) + 1.0  # 1 to n
    rank = -((-(n + 1) * (10 - tenths)) // 10)  # ⌈(n + 1)(1 − α)⌉
    found = Cut.of(scores, tenths / 10)
    assert found.high == (rank if rank <= n else math.inf)
    assert found.n == n
    assert Cut.of_clusters(scores, np.arange(n), tenths / 10).high == found.high  # items of one row are rows


@pytest.mark.parametrize("alpha", [0.1, 0.25, 0.37])
@pytest.mark.parametrize("kinds", [1, 2, 3, 10_000])
def test_exact_chances_beside_random_ranks(alpha: float, kinds: int) -> None:
    """A new score is let in iff (larger + u (equal + 1)) / (n + 1) > α, u from 0 to 1."""
    rng = np.random.default_rng(kinds)
    for n in (0, 1, 3, 7, 12, 39):
        scores = rng.integers(0, kinds, n).astype(float)
        cut = Cut.of(scores, alpha)
        for value in {*scores.tolist(), *(scores - 0.5).tolist(), *(scores + 0.5).tolist(), 0.0}:
            larger, equal = (scores > value).sum(), (scores == value).sum()
            expected = min(max(1 - (alpha * (n + 1) - larger) / (equal + 1), 0), 1)
            u = (np.arange(1000) + 0.5) / 1000
            held = cut.holds(np.full(1000, value), u).mean()
            assert held == pytest.approx(expected, abs=1e-3)


def test_coverage_is_exact_for_every_set_of_ranks() -> None:
    """n + 1 exchangeable scores, each in turn the new one: the chances average to 1 − α, ties or not."""
    rng = np.random.default_rng(3)
    for kinds in (1, 2, 5, 1000):
        scores = rng.integers(0, kinds, 23).astype(float)
        chances, plain = [], []
        for new in range(23):
            cut = Cut.of(np.delete(scores, new), 0.13)
            u = (np.arange(2000) + 0.5) / 2000
            chances.append(cut.holds(np.full(2000, scores[new]), u).mean())
            plain.append(cut.holds(scores[[new]])[0])
        assert np.mean(chances) == pytest.approx(0.87, abs=1e-3)
        assert np.mean(plain) >= 0.87


def test_items_count_in_place_of_rows() -> None:
    """One item of a hundred bad rows is one item."""
    scores = np.concatenate((np.linspace(0.0, 0.5, 19), np.ones(100)))
    item = np.concatenate((np.arange(19), np.full(100, 19)))
    assert Cut.of(scores, 0.1).high == 1.0
    assert Cut.of_clusters(scores, item, 0.1).high == 0.5  # 19 of 21 items are at least 90 %
    assert Cut.of_clusters(scores, item, 0.09).high == 1.0
    assert Cut.of_clusters(scores[:5], item[:5], 0.1).high == math.inf


def test_alpha_is_a_share() -> None:
    for alpha in (0.0, 1.0, -0.1, math.nan):
        with pytest.raises(InputError, match="between 0 and 1"):
            Cut.of([0.5], alpha)
