"""How many labels: published figures, and each formula beside the sampling it speaks of."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from evenhand.errors import InputError
from evenhand.sampling import effects, sizes
from evenhand.sampling.design import PoolExpectation
from evenhand.sampling.expectations import size_for_prevalence, size_for_recall, split_labels
from evenhand.sampling.sizes import (
    Below,
    SampleSize,
    StrataShares,
    Variation,
    Width,
    Within,
    random_size,
    rounded_size,
    stratified_size,
)

PUBLISHED = {
    0.1: (865, 3458, 13830),
    0.059: (1532, 6127, 24508),
    0.01: (9508, 38031, 152122),
    0.001: (95941, 383762, 1535047),
}
FIVE = StrataShares.of([0.80, 0.10, 0.05, 0.01, 0.04], [0.0005, 0.005, 0.01, 0.05, 0.0025])
Z = 1.959963984540054


@pytest.mark.parametrize("prevalence", PUBLISHED)
def test_the_published_table(prevalence: float) -> None:
    found = tuple(random_size(prevalence, Within(r)).n for r in (0.2, 0.1, 0.05))
    assert found == PUBLISHED[prevalence]


def test_each_way_of_saying_it_comes_to_the_same() -> None:
    p = 0.03
    sure = random_size(p, Within(0.1))
    assert random_size(p, Variation(0.1 / Z)).n == sure.n
    assert random_size(p, Width(2 * 0.1 * p)).n == sure.n
    assert sure.error == pytest.approx(0.1 * p / Z)
    assert p * (1 - p) / sure.n <= sure.error**2 < p * (1 - p) / (sure.n - 1)


def test_a_finite_population_needs_fewer_and_never_more_than_all() -> None:
    found = random_size(0.01, Within(0.2), items=20_000)
    n, items, error = found.n, 20_000, found.error
    assert 0.01 * 0.99 / n * (items - n) / (items - 1) <= error**2
    assert 0.01 * 0.99 / (n - 1) * (items - n + 1) / (items - 1) > error**2
    assert not found.census
    assert random_size(0.01, Within(0.2), items=10**9).n == 9508
    assert random_size(0.001, Within(0.001), items=5000).census


def test_below_a_safe_level_with_nothing_expected_is_the_rule_of_three() -> None:
    n = random_size(0.0, Below(0.001)).n
    assert (1 - 0.001) ** n <= 0.05 < (1 - 0.001) ** (n - 1)
    assert n == pytest.approx(3 / 0.001, rel=0.01)


def test_below_a_safe_level_nears_the_normal_size_when_there_is_much_to_count() -> None:
    exact = random_size(0.05, Below(0.055)).n
    assert exact == pytest.approx(0.055 * 0.945 / (0.005 / 1.6448536) ** 2, rel=0.03)


def test_strata_by_their_formulas() -> None:
    shares, p = FIVE.shares, FIVE.prevalences
    error = 0.2 * FIVE.prevalence / Z
    equal = sum(w**2 * q * (1 - q) for w, q in zip(shares, p, strict=True)) * 5 / error**2
    best = sum(w * math.sqrt(q * (1 - q)) for w, q in zip(shares, p, strict=True)) ** 2 / error**2
    assert stratified_size(FIVE, Within(0.2), allocation=np.ones(5)).n == math.ceil(equal)
    assert stratified_size(FIVE, Within(0.2)).n == math.ceil(best)
    assert stratified_size(FIVE, Within(0.2), allocation=shares * FIVE.deviations).n == math.ceil(best)
    assert best < equal


def test_one_stratum_is_random_sampling() -> None:
    one = StrataShares.of([7], [0.059])
    assert stratified_size(one, Within(0.2)).n == 1532
    assert stratified_size(one, Within(0.2), allocation=[3]).n == 1532


def test_a_stratum_without_variance_needs_no_labels() -> None:
    parts = StrataShares.of([0.9, 0.1], [0.0, 0.3])
    assert stratified_size(parts, Within(0.2), allocation=[0, 1]).n == stratified_size(parts, Within(0.2)).n
    with pytest.raises(InputError, match=r"^column 'allocation', row 2: this stratum gets no labels$"):
        parts.variance([1, 0])


TABLE_3 = [
    (1033, 0.0642, 6801),
    (1425, 0.0429, 4198),
    (2477, 0.0263, 2741),
    (1488, 0.0361, 3097),
    (2078, 0.0376, 4711),
    (5027, 0.0125, 1256),
]


@pytest.mark.parametrize(("within", "low", "printed"), TABLE_3)
def test_the_published_effects(within: int, low: float, printed: int) -> None:
    variance = within * Within(0.2).error(low) ** 2
    found = effects.size_for_effect(variance, 0.01, rule=effects.NO_OVERLAP).n
    assert found == pytest.approx(within * (2 * 0.2 * low / 0.01) ** 2, abs=1)
    assert found == pytest.approx(printed, rel=0.005)


@pytest.mark.parametrize(
    ("stratified", "low", "random", "saved"),
    [(1033, 0.0642, 1401, 0.26), (1425, 0.0429, 2142, 0.33), (5027, 0.0125, 7591, 0.33)],
)
def test_the_published_efficiencies(stratified: int, low: float, random: int, saved: float) -> None:
    at_random = random_size(low, Within(0.2))
    assert at_random.n == pytest.approx(random, rel=0.005)
    assert sizes.efficiency(sizes.SampleSize(stratified, 0.0), at_random) == pytest.approx(saved, abs=0.01)


def test_a_range_over_a_pilots_interval() -> None:
    fewest, most = sizes.range_within((0.0642, 0.0758), Within(0.2))
    assert (fewest.n, most.n) == (pytest.approx(1171, rel=0.003), pytest.approx(1401, rel=0.003))
    few, many = sizes.range_within((0.0642, 0.0758), Within(0.2), variance=1033 * (0.2 * 0.0642 / Z) ** 2)
    assert (few.n, many.n) == (pytest.approx(740, rel=0.005), 1033)


@pytest.mark.parametrize(
    ("rule", "power", "false"),
    [(effects.NO_OVERLAP, 0.5, 0.0056), (effects.EIGHTY_PERCENT_POWER, 0.8, 0.05), (effects.Power(0.9), 0.9, 0.05)],
)
def test_what_the_rules_promise(rule: effects.AlarmRule, power: float, false: float) -> None:
    rng, error = np.random.default_rng(3), 0.002
    effect = effects.detectable_effect(error, rule=rule)
    assert effects.chance_of_alarm(effect, error, rule=rule) == pytest.approx(power, abs=0.001)
    assert effects.chance_of_alarm(0.0, error, rule=rule) == pytest.approx(false, abs=0.0001)
    drawn = rng.normal([0.02, 0.02 + effect], error, (20_000, 2))
    alarms = np.mean([effects.compare_estimates((a, error), (b, error), rule=rule).alarm for a, b in drawn])
    assert alarms == pytest.approx(power, abs=0.015)


def test_no_overlap_is_what_it_says() -> None:
    change = effects.compare_estimates((0.02, 0.001), (0.03, 0.002), rule=effects.NO_OVERLAP)
    apart = 0.02 + Z * 0.001 < 0.03 - Z * 0.002
    assert change.alarm == apart
    assert change.low == pytest.approx(0.01 - Z * math.hypot(0.001, 0.002))


def test_hours() -> None:
    assert sizes.SampleSize(2400, 0.01).hours() == 4.0
    assert sizes.SampleSize(2400, 0.01).hours(per_hour=300, annotators=2) == 16.0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda: random_size(0.0, Within(0.2)),
            "the prevalence must be above 0; to show that almost nothing violates, use `below`",
        ),
        (lambda: random_size(1.0, Within(0.2)), "the prevalence must be between 0 and 1, not 1"),
        (lambda: random_size(float("nan"), Within(0.2)), "the prevalence must be between 0 and 1, not nan"),
        (lambda: random_size(0.1, Within(0.0)), "the share must be a number above 0, not 0"),
        (lambda: random_size(0.1, Within(0.2, level=1.0)), "the level must be between 0 and 1, not 1"),
        (lambda: random_size(0.1, Variation(-1)), "the coefficient of variation must be a number above 0, not -1"),
        (lambda: random_size(0.1, Width(0)), "the width must be a number above 0, not 0"),
        (lambda: random_size(0.01, Below(0.01)), "a prevalence of 0.01 cannot be shown to be below 0.01"),
        (lambda: random_size(0.1, Within(0.2), items=0), "the items must be a whole number from 2 up, not 0"),
        (lambda: StrataShares.of([1, 0], [0.1, 0.1]), "column 'sizes', row 2: a stratum is empty; leave it out"),
        (lambda: StrataShares.of([1, 1], [0.1]), "column 'prevalences': there are 1 values for 2 items"),
        (
            lambda: StrataShares.of([1, 1], [0.1, 1.2]),
            "column 'prevalences', row 2: a probability lies between 0 and 1",
        ),
        (lambda: effects.size_for_effect(0.1, 0.0), "the effect must be a number above 0, not 0"),
        (lambda: effects.compare_estimates((0.1, -1), (0.1, 1)), "a standard error cannot be negative"),
        (lambda: sizes.SampleSize(10, 0.1).hours(per_hour=0), "items per hour must be a number above 0, not 0"),
    ],
)
def test_wrong_arguments_are_named(wrong, message) -> None:
    with pytest.raises(InputError) as raised:
        wrong()
    assert str(raised.value) == message


def test_errors_that_targets_allow() -> None:
    z = stats.norm.ppf(0.975)
    assert Within(0.2).error(0.1) == pytest.approx(0.02 / z)
    assert Variation(0.3).error(0.1) == pytest.approx(0.03)
    assert Width(0.04).error(0.1) == pytest.approx(0.02 / z)
    assert Below(0.05).error(0.01) == pytest.approx(0.04 / stats.norm.ppf(0.95))
    assert Below(0.05, level=0.9).error(0.0) == pytest.approx(0.05 / stats.norm.ppf(0.9))
    for wrong, said in (
        (Below(1.5), "the safe level must be between 0 and 1, not 1.5"),
        (Below(0.1, level=1.0), "the level must be between 0 and 1, not 1"),
        (Width(-1.0), "the width must be a number above 0, not -1"),
        (Within(-1.0), "the share must be a number above 0, not -1"),
        (Variation(0.0), "the coefficient of variation must be a number above 0, not 0"),
    ):
        with pytest.raises(InputError) as raised:
            wrong.error(0.05)
        assert str(raised.value) == said


def test_sizes_end_at_one_and_at_the_population() -> None:
    assert rounded_size(0.2, 10, error=0.1) == SampleSize(1, 0.1, 10)
    assert rounded_size(0.2, None, error=0.1) == SampleSize(1, 0.1)
    assert rounded_size(1e9, 10, error=0.1) == SampleSize(10, 0.1, 10)
    assert rounded_size(40.0, 100, error=0.1).n == math.ceil(100 * 40 / 139)
    pool = PoolExpectation(0.1, 0.09, 500)
    error = Within(0.2).error(0.1)
    endless = size_for_prevalence(pool, Within(0.2), corrected=False)
    assert endless.n == math.ceil(0.09 / error**2) == random_size(0.1, Within(0.2)).n
    assert size_for_prevalence(pool, Within(0.2)).n == math.ceil(500 * (0.09 / error**2) / (0.09 / error**2 + 499))
    with pytest.raises(InputError) as raised:
        StrataShares.of([1, 1], [0.1, np.nan])
    assert str(raised.value) == "column 'prevalences', row 2: the value is missing or not finite"
    visible = PoolExpectation(0.001, 0.0009, 10**6)
    recall = 50 / 1050
    logits = Within(0.2).error(recall) / (recall * (1 - recall))
    both = (math.sqrt(0.09) / 0.1 + math.sqrt(0.0009) / 0.001) ** 2
    assert size_for_recall(pool, visible, Within(0.2)).n == math.ceil(both / logits**2)
    assert split_labels(330, [pool, visible]) == (50, 280)  # in proportion it would be 30, and fifty are the fewest
