"""Intervals of calibration errors: the formulas gap by gap, what they become in plain cases, and what they hold."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.intervals.calibration import SURE, Errors, combined
from evenhand.measures.calibration import Predictions, cece, ece_variance, measure


def noisy(truth, error: float, rng: np.random.Generator, draws: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Gaps as a sample shows them, and draws around them."""
    gaps = np.asarray(truth) + error * rng.standard_normal(np.shape(truth))
    return gaps, gaps + error * rng.standard_normal((draws, *gaps.shape))


def test_least_and_most_gap_by_gap() -> None:
    gaps, draws = noisy([0.3, -0.2, 0.0, 0.01], 0.02, np.random.default_rng(0), 30)
    found = Errors.of(gaps, draws)
    for number, draw in enumerate(draws):
        least = most = float(np.abs(gaps).sum())
        for b, gap in enumerate(gaps):
            moved = draw[b] - gap
            sure = abs(gap) > SURE * np.sqrt(np.mean([(d[b] - gap) ** 2 for d in draws]))
            least -= np.sign(gap) * moved if sure else abs(moved)
            most -= np.sign(gap) * moved
        assert found.least[number] == pytest.approx(max(least, 0.0), abs=1e-12)
        assert found.most[number] == pytest.approx(max(most, 0.0), abs=1e-12)


def test_beyond_doubt_the_draws_are_turned_round() -> None:
    gaps, draws = noisy(np.full(15, 0.05), 0.001, np.random.default_rng(1), 400)
    sums = draws.sum(axis=1)
    low, high = 2 * gaps.sum() - np.quantile(sums, [0.975, 0.025], method="weibull")
    assert Errors.of(gaps, draws).interval(0.95) == pytest.approx((low, high), abs=1e-12)


@pytest.mark.parametrize("size", [15, 60])
@pytest.mark.parametrize("shift", [0.0, 0.5, 1.0, 2.0, 10.0], ids=lambda shift: f"{shift:g} standard errors")
def test_they_hold_the_truth(size: int, shift: float) -> None:
    rng, truth = np.random.default_rng(2), np.full(size, shift)
    truth[::2] *= -1
    held = []
    for _ in range(300):
        low, high = Errors.of(*noisy(truth, 1.0, rng)).interval(0.95)
        held.append(low <= np.abs(truth).sum() <= high)
    assert np.mean(held) >= 0.93


def test_they_hold_the_value_and_need_draws() -> None:
    rng = np.random.default_rng(3)
    for level in (0.5, 0.9, 0.99):
        gaps, draws = noisy(np.zeros(15), 0.01, rng)
        low, high = Errors.of(gaps, draws).interval(level)
        assert 0.0 <= low <= np.abs(gaps).sum() <= high
    assert Errors.of(gaps, draws[:19]).interval(0.95) is None
    narrow, wide = (Errors.of(gaps, draws).interval(level) for level in (0.8, 0.99))
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]


def test_numbers_made_of_errors_of_classes() -> None:
    gaps, draws = noisy(np.full((4, 15), 0.01), 0.004, np.random.default_rng(4))
    classes, overall = Errors.of(gaps, draws), Errors.of(gaps.sum(axis=0), draws.sum(axis=1))
    assert classes.value == pytest.approx(np.abs(gaps).sum(axis=1))
    low, high = combined(cece, classes, level=0.95)
    assert low < cece(classes.value) < high
    value = ece_variance(classes.value, float(overall.value))
    low, high = combined(ece_variance, classes, overall, level=0.95)
    assert low < value < high
    corners = [ece_variance(e, o) for e, o in zip(classes.most, overall.least, strict=True)]
    assert high >= np.quantile(corners, 0.975) - 1e-12


def test_gaps_of_a_measure_add_up_to_it() -> None:
    rng = np.random.default_rng(5)
    p = rng.dirichlet(np.ones(3), 500)
    found = measure(Predictions.of(p), rng.integers(0, 3, 500), rng.poisson(1.0, 500))
    for name, gaps in found.gaps.items():
        assert np.abs(gaps).sum() == pytest.approx(getattr(found, name), abs=1e-12)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_a_number_of_errors_is_taken_at_every_corner(level: float) -> None:
    """The least and the most of each error, draw by draw: the outermost quantiles of any of the four series."""
    gaps, draws = noisy(np.full((3, 8), 0.01), 0.004, np.random.default_rng(6), 50)
    classes, overall = Errors.of(gaps, draws), Errors.of(gaps.sum(axis=0), draws.sum(axis=1))
    ends = []
    for first in (classes.least, classes.most):
        for second in (overall.least, overall.most):
            series = sorted(ece_variance(e, o) for e, o in zip(first, second, strict=True))
            ends.append(np.quantile(series, [(1 - level) / 2, (1 + level) / 2], method="weibull"))
    found = combined(ece_variance, classes, overall, level=level)
    assert found == pytest.approx((min(low for low, _ in ends), max(high for _, high in ends)), rel=1e-12)
