"""A guarantee that follows the share of violations: kept where it has fallen, refused where more has changed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import expit

from evenhand.errors import InputError
from evenhand.routing import choose
from evenhand.routing.label_shift import LabelShift, shifted_limit

ALLOWED, DELTA = 0.1, 0.1


def scores(rng, n: int, share: float, apart: float = 3.0, moved: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    y = rng.random(n) < share
    return expit(apart * y + rng.normal(size=n) - 3.0 + moved), y


def broken(draws: int, seed: int, now: float, *, told: bool) -> tuple[float, float]:
    """How often a guarantee is broken after the share of violations has moved, and how often anything is removed."""
    rng = np.random.default_rng(seed)
    late, truth = scores(rng, 400_000, now)
    wrong = acts = 0
    for _ in range(draws):
        p, y = scores(rng, 2000, 0.1)
        fresh = scores(rng, 5000, now)[0] if told else None
        upper = choose(p, y, wrong_removals=ALLOWED, delta=DELTA, fresh=fresh).upper
        acts += upper is not None
        wrong += upper is not None and (~truth[late >= upper]).mean() > ALLOWED
    return wrong / draws, acts / draws


def test_the_share_of_violations_is_estimated_from_fresh_scores() -> None:
    rng, hits = np.random.default_rng(1), 0
    for _ in range(200):
        shift = LabelShift.between(*scores(rng, 1500, 0.1), scores(rng, 3000, 0.02)[0])
        low, high = shift.interval(0.95)
        hits += low <= 0.02 <= high
    assert 0.91 <= hits / 200 <= 0.99


def test_a_limit_on_fresh_items_is_one_on_labelled_items() -> None:
    """With odds that fell to a fifth, five times as many benign items stand beside every violating one."""
    wrong, right = 3.0, 97.0
    assert shifted_limit(5 * wrong / (5 * wrong + right), 5.0) == pytest.approx(wrong / (wrong + right))
    assert shifted_limit(0.1, 1.0) == pytest.approx(0.1)
    assert shifted_limit(0.1, math.inf) == 0.0


def test_a_guarantee_follows_the_share_of_violations() -> None:
    kept, _ = broken(120, 2, 0.02, told=True)
    alone, acts = broken(120, 2, 0.02, told=False)
    assert kept <= DELTA + 3.0 * math.sqrt(DELTA * (1.0 - DELTA) / 120)
    assert alone > 0.5
    assert acts > 0.5


@pytest.mark.verify
@pytest.mark.parametrize("now", [0.02, 0.05, 0.1, 0.2])
def test_a_guarantee_follows_the_share_of_violations_in_many_samples(now: float) -> None:
    kept, acts = broken(400, 3, now, told=True)
    assert kept <= DELTA + 3.0 * math.sqrt(DELTA * (1.0 - DELTA) / 400)
    assert acts > 0.0 or now < 0.05


def test_what_more_than_the_share_explains_is_refused() -> None:
    rng = np.random.default_rng(4)
    p, y = scores(rng, 2000, 0.1)
    policy = choose(p, y, wrong_removals=ALLOWED, missed_violations=0.1, fresh=scores(rng, 5000, 0.1, moved=1.0)[0])
    assert policy.upper is None
    assert policy.lower is None
    assert "more than another share of violations would explain" in policy.notes[0]


def test_a_shift_of_the_share_alone_is_seldom_refused() -> None:
    rng = np.random.default_rng(5)
    misfits = [not LabelShift.between(*scores(rng, 1500, 0.1), scores(rng, 3000, s)[0]).fits for s in (0.03, 0.2) * 100]
    assert np.mean(misfits) <= 0.04


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"fresh": [0.1, 2.0]}, "fresh"),
        ({"fresh": [0.5]}, "as many fresh items"),
        ({"fresh": [0.5] * 20, "cluster": list(range(100)) * 2}, "leave out `inclusion` and `cluster`"),
    ],
)
def test_bad_values_are_refused(more: dict, problem: str) -> None:
    rng = np.random.default_rng(6)
    p, y = scores(rng, 200, 0.3)
    with pytest.raises(InputError, match=problem):
        choose(p, y, wrong_removals=0.1, **more)
