"""Looking at any time: values are unbiased and within bounds, and the truth is hardly ever ruled out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import expit

from evenhand.errors import InputError, Undefined
from evenhand.intervals.confidence_sequence import ConfidenceSequence
from evenhand.sampling.frame import SamplingFrame
from evenhand.sampling.sequential import (
    LabelledDraws,
    SequentialDesign,
    _DrawingDensity,
    _recalibrated_chances,
    combined_bets,
    draw_sequential,
    next_sequential_draws,
)
from sampling.made import FRAME, LABEL, SCORE

DESIGN = SequentialDesign()


def population(items: int = 20_000, prevalence: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    label = (rng.random(items) < prevalence).astype(float)
    return expit(2.0 * (2.0 * label + rng.normal(size=items) - 1.0) + np.log(prevalence)), label


def played(
    frame: SamplingFrame, label: np.ndarray, sizes: tuple[int, ...], rng: np.random.Generator
) -> list[LabelledDraws]:
    past: list[LabelledDraws] = []
    for size in sizes:
        draws = draw_sequential(frame, past, size, rng, DESIGN)
        past.append(LabelledDraws.of(draws, label[draws.rows]))
    return past


@pytest.mark.verify
@pytest.mark.parametrize("useless", [False, True])
def test_the_truth_is_hardly_ever_ruled_out_at_any_time(useless: bool) -> None:
    rng = np.random.default_rng(4)
    score, label = population()
    frame = SamplingFrame.of(rng.permutation(score) if useless else score)
    truth, threshold, draws = label.mean(), np.log(2 / 0.05), 400
    broken, means = 0, []
    for _ in range(draws):
        placed = combined_bets(played(frame, label, (100, 100, 200, 400), rng))
        means.append(placed.values.mean())
        broken += max(placed.wealth(truth, above=side).max() for side in (True, False)) >= threshold
    assert broken / draws <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / draws)
    assert abs(np.mean(means) - truth) <= 3.5 * np.std(means) / np.sqrt(draws)


def test_a_usual_interval_is_broken_by_looking() -> None:
    """What this is for: two or three looks cost little, looking all the time breaks far more than 5 %."""
    rng = np.random.default_rng(5)
    y = rng.random((1000, 2000)) < 0.2
    n = np.arange(1, 2001)
    share = np.cumsum(y, axis=1) / n
    outside = np.abs(share - 0.2) > 1.96 * np.sqrt(np.maximum(share * (1 - share), 1e-9) / n)
    assert outside[:, 100:].any(axis=1).mean() > 0.2


def test_intervals_only_shrink_and_come_to_the_truth() -> None:
    rng = np.random.default_rng(6)
    score, label = population()
    past = played(SamplingFrame.of(score), label, (100, 100, 200, 400, 800, 1600, 3200), rng)
    found = [combined_bets(past[:k]).estimate() for k in range(1, 8)]
    for before, after in itertools.pairwise(found):
        assert before.low <= after.low + 1e-12
        assert after.high <= before.high + 1e-12
    assert found[-1].low <= label.mean() <= found[-1].high
    assert found[-1].high - found[-1].low < 0.35 * label.mean()
    assert found[-1].method == "betting"


def test_by_its_definition() -> None:
    """Wealth by a loop, and every value of a grid ruled out or not."""
    rng = np.random.default_rng(7)
    values = rng.choice([0.0, 1.0], 300, p=[0.8, 0.2])
    placed = ConfidenceSequence.from_values(values, np.zeros(300), np.ones(300), np.full(300, 0.8))

    def ruled_out(m: float) -> bool:
        for sign in (1.0, -1.0):
            purses = [0.8, 0.05, 0.05, 0.05, 0.05]
            for value in values:
                for k, multiple in enumerate((1.0, 0.25, 0.5, 2.0, 4.0)):
                    room = m if sign > 0 else 1.0 - m
                    purses[k] *= 1.0 + min(0.8 * multiple, 0.9 / room) * sign * (value - m)
                if sum(purses) >= 2 / 0.05:
                    return True
        return False

    found = placed.estimate()
    for m in np.linspace(0.01, 0.6, 30):
        assert ruled_out(m) == (not found.low <= m <= found.high), m


def test_the_same_seed_draws_the_same_items() -> None:
    score, label = population()
    frame = SamplingFrame.of(score)
    one, same, other = (next_sequential_draws(frame, [], 100, seed=s) for s in (1, 1, 2))
    assert (one.rows == same.rows).all()
    assert (one.rows != other.rows).any()
    later = next_sequential_draws(frame, [LabelledDraws.of(one, label[one.rows])], 100, seed=1)
    assert (later.rows != one.rows).any()


def test_values_keep_their_bounds() -> None:
    score, _ = population()
    draws = next_sequential_draws(SamplingFrame.of(score), [], 500, seed=1)
    assert draws.other.min() >= draws.low
    assert draws.violating.max() <= draws.high + 1e-12
    assert DESIGN.next_size(0) == 25
    assert DESIGN.next_size(400) == 400


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        (lambda: combined_bets([]), InputError, "there are no labels to estimate from"),
        (lambda: ConfidenceSequence.from_values([], [], [], []).estimate(), Undefined, "no item was labelled"),
        (
            lambda: ConfidenceSequence.from_values([2.0], [0.0], [1.0], [1.0]),
            InputError,
            "column 'values', row 1: a value is outside its bounds",
        ),
        (
            lambda: ConfidenceSequence.from_values([0.5], [0.0], [1.0], [0.0]),
            InputError,
            "column 'stakes', row 1: a stake must be above 0",
        ),
        (
            lambda: ConfidenceSequence.from_values([0.5], [0.0], [1.0], [0.5]).estimate(1.0),
            InputError,
            "the level must be between 0 and 1, not 1",
        ),
        (
            lambda: next_sequential_draws(SamplingFrame.of([0.1, 0.2]), [], 0, seed=0),
            InputError,
            "the number of draws must be a whole number from 1 up, not 0",
        ),
        (
            lambda: LabelledDraws.of(next_sequential_draws(SamplingFrame.of([0.1, 0.2]), [], 2, seed=0), [1]),
            InputError,
            "column 'label': there are 1 values for 2 items",
        ),
    ],
)
def test_wrong_arguments_are_named(wrong, kind, message) -> None:
    with pytest.raises(kind) as raised:
        wrong()
    assert str(raised.value) == message


def test_a_label_as_expected_says_nothing_new() -> None:
    score, _ = population(2000)
    draws = draw_sequential(SamplingFrame.of(score), [], 40, np.random.default_rng(2), DESIGN)
    assert draws.values(draws.expected) == pytest.approx(np.full(40, draws.mean))
    assert ((draws.expected >= 0.0) & (draws.expected <= 1.0)).all()
    keep = np.arange(40) % 3 == 0
    some = draws.only(keep)
    for name in ("rows", "places", "violating", "other"):
        np.testing.assert_array_equal(getattr(some, name), getattr(draws, name)[keep])
    assert (some.low, some.high, some.stake, some.mean) == (draws.low, draws.high, draws.stake, draws.mean)


def test_settings_are_those_of_the_documentation() -> None:
    assert (DESIGN.within, DESIGN.first, DESIGN.floors, DESIGN.anchor) == (0.2, 25, (0.3, 0.5, 0.8), 0.1)
    assert [DESIGN.next_size(drawn) for drawn in (0, 25, 50, 300)] == [25, 25, 50, 300]


def test_bets_grow_as_the_formula_says() -> None:
    """Stake s gains s·d − s²·v/2 on average: most at d/v, and at the boldest stake where a reach forbids more."""
    free = _DrawingDensity(np.ones(1), variance=0.2, worst=1.0, reach=0.5)
    assert free.growth(0.1) == pytest.approx(0.1**2 / (2 * 0.2))
    bound = _DrawingDensity(np.ones(1), variance=0.01, worst=1.0, reach=4.0)
    stake = 0.9 / 4.0
    assert bound.growth(0.1) == pytest.approx(stake * 0.1 - 0.5 * stake**2 * 0.01)


def test_stakes_are_wary_at_first_and_learn() -> None:
    design = SequentialDesign(floors=(0.5,))
    frame = SamplingFrame.of(SCORE)
    first = draw_sequential(frame, [], 60, np.random.default_rng(1), design)
    chance = _recalibrated_chances(frame, [])
    plan = _DrawingDensity.from_frame(frame, chance, 0.5, design)
    mean = float(chance @ frame.sizes) / 600
    assert first.stake == pytest.approx(0.2 * mean / plan.worst)
    assert first.mean == pytest.approx(mean)
    past = [LabelledDraws.of(first, LABEL[first.rows])]
    later = draw_sequential(frame, past, 60, np.random.default_rng(2), design)
    chance = _recalibrated_chances(frame, past)
    plan = _DrawingDensity.from_frame(frame, chance, 0.5, design)
    seen = float(first.values(past[0].label).mean())
    assert later.stake == pytest.approx(0.2 * max(seen, 0.1 * later.mean) / plan.variance)
    share = frame.sizes / 600
    assert float(share @ plan.density) == pytest.approx(1.0)
    assert plan.variance == pytest.approx(float(np.sum(share * chance * (1 - chance) / plan.density)))
    assert plan.worst == pytest.approx(float(np.sum(share * np.maximum(chance, 0.25) / plan.density)))
    best = max(
        (0.3, 0.5, 0.8), key=lambda floor: _DrawingDensity.from_frame(frame, chance, floor, design).growth(0.2 * seen)
    )
    chosen = draw_sequential(frame, past, 5, np.random.default_rng(3), SequentialDesign())
    assert chosen.high == pytest.approx(later.mean + _DrawingDensity.from_frame(frame, chance, best, design).reach)


def test_a_seed_below_none() -> None:
    with pytest.raises(InputError) as raised:
        next_sequential_draws(FRAME, [], 1, seed=-1)
    assert str(raised.value) == "the seed must be a whole number from 0 up, not -1"
