"""The bootstrap: seeded, of the width that theory gives; errors of calibration; where curves pass zero or are least."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.audits.calibration.quantities import SUMMED_ERRORS
from evenhand.intervals.bootstrap import (
    CLEAR_SIGN,
    CalibrationErrors,
    combined_error_interval,
    crossing_interval,
    curve_margins,
    minimum_interval,
    percentile_interval,
    replicate,
)
from evenhand.intervals.significance import normal_quantile
from evenhand.measures.calibration import ModelPredictions, cece, ece_variance, measure_calibration

PLACES = np.linspace(0.0, 1.0, 11)


def test_seeded_and_counted() -> None:
    seen = []

    def draw(rng: np.random.Generator) -> list[float | None]:
        return [rng.random(), None]

    runs = [replicate(draw, replicates=30, seed=7, progress=lambda i, n: seen.append((i, n))) for _ in range(2)]
    assert runs[0] == runs[1]
    assert len(runs[0][0]) == 30
    assert runs[0][1] == []
    assert seen[29] == (30, 30)
    assert runs[0] != replicate(draw, replicates=30, seed=8)


def test_percentiles_hold_the_value() -> None:
    draws = list(np.random.default_rng(0).normal(size=4000))
    assert percentile_interval(draws, 0.0, 0.95) == pytest.approx((-1.96, 1.96), abs=0.12)
    assert percentile_interval(draws, 5.0, 0.95)[1] == 5.0
    assert percentile_interval(draws[:10], 0.0, 0.95) is None


def test_twenty_draws_are_enough() -> None:
    draws = np.arange(20.0)
    assert percentile_interval(draws, 9.0, 0.9) == pytest.approx((0.95, 18.05))
    assert percentile_interval(draws[:19], 9.0, 0.9) is None


def noisy(truth, error: float, rng: np.random.Generator, draws: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Gaps as a sample shows them, and draws around them."""
    gaps = np.asarray(truth) + error * rng.standard_normal(np.shape(truth))
    return gaps, gaps + error * rng.standard_normal((draws, *gaps.shape))


def test_least_and_most_gap_by_gap() -> None:
    gaps, draws = noisy([0.3, -0.2, 0.0, 0.01], 0.02, np.random.default_rng(0), 30)
    found = CalibrationErrors.from_draws(gaps, draws)
    for number, draw in enumerate(draws):
        least = most = float(np.abs(gaps).sum())
        for b, gap in enumerate(gaps):
            moved = draw[b] - gap
            sure = abs(gap) > CLEAR_SIGN * np.sqrt(np.mean([(d[b] - gap) ** 2 for d in draws]))
            least -= np.sign(gap) * moved if sure else abs(moved)
            most -= np.sign(gap) * moved
        assert found.least[number] == pytest.approx(max(least, 0.0), abs=1e-12)
        assert found.most[number] == pytest.approx(max(most, 0.0), abs=1e-12)


def test_beyond_doubt_the_draws_are_turned_round() -> None:
    gaps, draws = noisy(np.full(15, 0.05), 0.001, np.random.default_rng(1), 400)
    sums = draws.sum(axis=1)
    low, high = 2 * gaps.sum() - np.quantile(sums, [0.975, 0.025], method="weibull")
    assert CalibrationErrors.from_draws(gaps, draws).interval(0.95) == pytest.approx((low, high), abs=1e-12)


@pytest.mark.parametrize("size", [15, 60])
@pytest.mark.parametrize("shift", [0.0, 0.5, 1.0, 2.0, 10.0], ids=lambda shift: f"{shift:g} standard errors")
def test_they_hold_the_truth(size: int, shift: float) -> None:
    rng, truth = np.random.default_rng(2), np.full(size, shift)
    truth[::2] *= -1
    held = []
    for _ in range(300):
        low, high = CalibrationErrors.from_draws(*noisy(truth, 1.0, rng)).interval(0.95)
        held.append(low <= np.abs(truth).sum() <= high)
    assert np.mean(held) >= 0.93


def test_they_hold_the_value_and_need_draws() -> None:
    rng = np.random.default_rng(3)
    for level in (0.5, 0.9, 0.99):
        gaps, draws = noisy(np.zeros(15), 0.01, rng)
        low, high = CalibrationErrors.from_draws(gaps, draws).interval(level)
        assert 0.0 <= low <= np.abs(gaps).sum() <= high
    assert CalibrationErrors.from_draws(gaps, draws[:19]).interval(0.95) is None
    narrow, wide = (CalibrationErrors.from_draws(gaps, draws).interval(level) for level in (0.8, 0.99))
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]


def test_numbers_made_of_errors_of_classes() -> None:
    gaps, draws = noisy(np.full((4, 15), 0.01), 0.004, np.random.default_rng(4))
    classes, overall = (
        CalibrationErrors.from_draws(gaps, draws),
        CalibrationErrors.from_draws(gaps.sum(axis=0), draws.sum(axis=1)),
    )
    assert classes.value == pytest.approx(np.abs(gaps).sum(axis=1))
    low, high = combined_error_interval(cece, classes, level=0.95)
    assert low < cece(classes.value) < high
    value = ece_variance(classes.value, float(overall.value))
    low, high = combined_error_interval(ece_variance, classes, overall, level=0.95)
    assert low < value < high
    corners = [ece_variance(e, o) for e, o in zip(classes.most, overall.least, strict=True)]
    assert high >= np.quantile(corners, 0.975) - 1e-12


def test_gaps_of_a_measure_add_up_to_it() -> None:
    rng = np.random.default_rng(5)
    p = rng.dirichlet(np.ones(3), 500)
    found = measure_calibration(ModelPredictions.from_probabilities(p), rng.integers(0, 3, 500), rng.poisson(1.0, 500))
    for name in SUMMED_ERRORS:
        assert np.abs(found.gaps(name)).sum() == pytest.approx(getattr(found, name), abs=1e-12)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_a_number_of_errors_is_taken_at_every_corner(level: float) -> None:
    """The least and the most of each error, draw by draw: the outermost quantiles of any of the four series."""
    gaps, draws = noisy(np.full((3, 8), 0.01), 0.004, np.random.default_rng(6), 50)
    classes, overall = (
        CalibrationErrors.from_draws(gaps, draws),
        CalibrationErrors.from_draws(gaps.sum(axis=0), draws.sum(axis=1)),
    )
    ends = []
    for first in (classes.least, classes.most):
        for second in (overall.least, overall.most):
            series = sorted(ece_variance(e, o) for e, o in zip(first, second, strict=True))
            ends.append(np.quantile(series, [(1 - level) / 2, (1 + level) / 2], method="weibull"))
    found = combined_error_interval(ece_variance, classes, overall, level=level)
    assert found == pytest.approx((min(low for low, _ in ends), max(high for _, high in ends)), rel=1e-12)


def test_a_rise_reaches_from_clearly_below_to_clearly_above() -> None:
    curve = PLACES - 0.5
    assert crossing_interval(PLACES, curve, np.full(11, 0.25), value=0.5) == pytest.approx((0.2, 0.8))
    assert crossing_interval(PLACES, curve, np.full(11, 9.0), value=0.5) == (0.0, 1.0)
    assert crossing_interval(PLACES, curve, np.zeros(11), value=0.5) == pytest.approx((0.4, 0.6))


def test_another_crossing_far_away_does_not_matter() -> None:
    """Clearly above before, and clearly below after: that is another crossing, and the other way round."""
    curve = np.array([0.0, 5, 5, -5, -5, 0, 5, 5, -5, -5, 0.0])
    assert crossing_interval(PLACES, curve, np.ones(11), value=0.5) == pytest.approx((0.4, 0.6))


def test_margins_are_standard_errors() -> None:
    redrawn = np.random.default_rng(0).normal(0.0, [1.0, 3.0], (20_000, 2))
    assert curve_margins(redrawn, 0.95) == pytest.approx([1.96, 5.88], rel=0.03)
    assert normal_quantile(0.95) == pytest.approx(1.959964, abs=1e-6)
    assert normal_quantile(0.5) == pytest.approx(0.67449, abs=1e-5)


def test_a_trough_is_what_is_not_clearly_higher_and_its_neighbours() -> None:
    rng = np.random.default_rng(1)
    curve = 10.0 * (PLACES - 0.4) ** 2
    redrawn = curve + rng.normal(0.0, 0.2, (400, 11))
    least = int(np.argmin(curve))
    kept = [
        place
        for place in range(11)
        if curve[place] - curve[least] <= 1.959964 * float(np.std(redrawn[:, place] - redrawn[:, least]))
    ]
    low, high = minimum_interval(PLACES, curve, redrawn, level=0.95)
    assert (low, high) == pytest.approx((PLACES[kept[0] - 1], PLACES[kept[-1] + 1]))
    assert minimum_interval(PLACES, curve, curve + np.zeros((50, 11)), level=0.95) == pytest.approx((0.3, 0.5))
    flat = np.zeros(11)
    assert minimum_interval(PLACES, flat, rng.normal(size=(50, 11)), level=0.95) == (0.0, 1.0)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_truth_is_inside_as_often_as_is_said(level: float) -> None:
    """A random walk with a drift that passes zero at .5: its steps are drawn again."""
    rng = np.random.default_rng(2)
    places, inside = np.linspace(0.0, 1.0, 201), 0
    for _ in range(300):
        noise = rng.normal(size=(101, 200))
        walks = np.concatenate([np.zeros((101, 1)), np.cumsum(noise, axis=1)], axis=1)
        curve = 200.0 * (places - 0.5) + walks[0]
        found = float(places[np.argmin(np.abs(curve))])
        low, high = crossing_interval(places, curve, curve_margins(walks[1:], level), value=found)
        inside += low <= 0.5 <= high
    assert abs(inside / 300 - level) < 3.0 * np.sqrt(level * (1.0 - level) / 300) + 0.01
