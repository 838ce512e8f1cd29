"""The cut that flags as many as a decision: against a test at every cut, and how often its interval holds the truth."""

from __future__ import annotations

import numpy as np
import pytest

import brute
from evenhand.intervals.matched_cut import CutScores
from marks import smoke


def sample(rng: np.random.Generator, size: int, digits: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    like = rng.normal(size=size)
    score = 1.0 / (1.0 + np.exp(-like))
    decision = like + rng.normal(size=size) > 1.5
    return (score if digits is None else score.round(digits)), decision


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("digits", [None, 2, 1])
@pytest.mark.parametrize("seed", range(4))
def test_as_tested_at_every_cut(seed: int, digits: int | None, level: float) -> None:
    score, decision = sample(np.random.default_rng(seed), 90, digits)
    cuts = CutScores.from_scores(score)
    found = cuts.match(decision, level)
    expected = brute.matched_cut(score, decision, level)
    ends = tuple(None if place is None else float(cuts.distinct[place]) for place in (found.low, found.high))
    assert (float(cuts.distinct[found.place]), *ends) == expected


def test_the_order_of_rows_does_not_matter() -> None:
    score, decision = sample(np.random.default_rng(3), 400, 2)
    shuffled = np.random.default_rng(4).permutation(400)
    assert CutScores.from_scores(score[shuffled]).match(decision[shuffled], 0.95) == CutScores.from_scores(score).match(
        decision, 0.95
    )


def test_a_stricter_decision_never_has_a_lower_cut() -> None:
    rng = np.random.default_rng(8)
    score, other = sample(rng, 500, 2)[0], rng.random(500)
    cuts = CutScores.from_scores(score)
    found = [cuts.match(other >= t, 0.95) for t in np.linspace(0.05, 0.95, 30)]
    for part in ("place", "low", "high"):
        places = [getattr(one, part) for one in found]
        known = [-1 if place is None and part == "low" else 10**6 if place is None else place for place in places]
        assert known == sorted(known)


def test_a_decision_by_the_score_itself_is_found_exactly() -> None:
    score = np.random.default_rng(1).random(200).round(2)
    cuts = CutScores.from_scores(score)
    found = cuts.match(score >= 0.7, 0.95)
    assert float(cuts.distinct[found.place]) == score[score >= 0.7].min()


def test_one_flagged_item_is_matched_by_the_highest_score() -> None:
    score = np.linspace(0.0, 1.0, 60)
    decision = np.arange(60) == 30
    found = CutScores.from_scores(score).match(decision, 0.95)
    assert found.place == 59
    assert found.high is None


@pytest.mark.parametrize(
    ("size", "digits", "draws"), smoke([(60, None, 400), (60, 2, 2000), (300, None, 2000), (2000, 2, 2000)], kept=1)
)
def test_the_interval_holds_where_the_shares_cross(size: int, digits: int | None, draws: int) -> None:
    """At least as often as it says, with few items and with ties: both scores between which the shares cross."""
    rng = np.random.default_rng(12)
    everyone, decided = sample(rng, 40_000, digits)
    values, place = np.unique(everyone, return_inverse=True)
    flagged = np.bincount(place)[::-1].cumsum()[::-1]
    last = int(np.flatnonzero(flagged >= decided.sum())[-1])
    held, tried = 0, 0
    for _ in range(draws):
        rows = rng.integers(0, len(everyone), size)
        if not decided[rows].any():
            continue
        cuts = CutScores.from_scores(everyone[rows])
        found = cuts.match(decided[rows], 0.95)
        low = -1.0 if found.low is None else cuts.distinct[found.low]
        high = 2.0 if found.high is None else cuts.distinct[found.high]
        tried += 1
        held += low <= values[last] and values[last + 1] <= high
    assert held / tried >= 0.95 - 2.0 * np.sqrt(0.05 * 0.95 / tried)
