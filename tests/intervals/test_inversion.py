"""Where a curve may pass zero or be least: by hand, by brute force, and how often the truth is inside."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.intervals.inversion import margins, normal, rise, trough

PLACES = np.linspace(0.0, 1.0, 11)


def test_a_rise_reaches_from_clearly_below_to_clearly_above() -> None:
    curve = PLACES - 0.5
    assert rise(PLACES, curve, np.full(11, 0.25), value=0.5) == pytest.approx((0.2, 0.8))
    assert rise(PLACES, curve, np.full(11, 9.0), value=0.5) == (0.0, 1.0)
    assert rise(PLACES, curve, np.zeros(11), value=0.5) == pytest.approx((0.4, 0.6))


def test_another_crossing_far_away_does_not_matter() -> None:
    """Clearly above before, and clearly below after: that is another crossing, and the other way round."""
    curve = np.array([0.0, 5, 5, -5, -5, 0, 5, 5, -5, -5, 0.0])
    assert rise(PLACES, curve, np.ones(11), value=0.5) == pytest.approx((0.4, 0.6))


def test_margins_are_standard_errors() -> None:
    redrawn = np.random.default_rng(0).normal(0.0, [1.0, 3.0], (20_000, 2))
    assert margins(redrawn, 0.95) == pytest.approx([1.96, 5.88], rel=0.03)
    assert normal(0.95) == pytest.approx(1.959964, abs=1e-6)
    assert normal(0.5) == pytest.approx(0.67449, abs=1e-5)


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
    low, high = trough(PLACES, curve, redrawn, level=0.95)
    assert (low, high) == pytest.approx((PLACES[kept[0] - 1], PLACES[kept[-1] + 1]))
    assert trough(PLACES, curve, curve + np.zeros((50, 11)), level=0.95) == pytest.approx((0.3, 0.5))
    flat = np.zeros(11)
    assert trough(PLACES, flat, rng.normal(size=(50, 11)), level=0.95) == (0.0, 1.0)


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
        low, high = rise(places, curve, margins(walks[1:], level), value=found)
        inside += low <= 0.5 <= high
    assert abs(inside / 300 - level) < 3.0 * np.sqrt(level * (1.0 - level) / 300) + 0.01
