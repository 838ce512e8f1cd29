"""Estimates from designed samples, held against every sample that could have been drawn."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from evenhand.errors import InputError, Undefined
from evenhand.intervals import survey
from evenhand.intervals.bounded import quantile
from evenhand.intervals.difference import difference
from evenhand.intervals.survey import Figure, Sampled, hajek, horvitz_thompson, together

FIRST, SECOND = [0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 1.0, 0.0]
TRUTH = np.mean(FIRST + SECOND)


def every_sample() -> list[tuple[list[float], list[float]]]:
    """Two of four and three of five: each equally likely."""
    return [
        ([FIRST[i] for i in one], [SECOND[i] for i in other])
        for one in itertools.combinations(range(4), 2)
        for other in itertools.combinations(range(5), 3)
    ]


def of(one: list[float], other: list[float]) -> Sampled:
    return Sampled.of(one + other, [0] * len(one) + [1] * len(other), [4, 5])


def test_a_stratified_estimate_and_its_variance_are_unbiased() -> None:
    figures = [of(*sample).figure() for sample in every_sample()]
    values = np.array([figure.value for figure in figures])
    assert values.mean() == pytest.approx(TRUTH, abs=1e-12)
    assert np.mean([figure.variance for figure in figures]) == pytest.approx(values.var(), abs=1e-12)


def test_by_its_formula() -> None:
    figure = of([0, 1], [1, 1, 0]).figure()
    value = 4 / 9 * 0.5 + 5 / 9 * 2 / 3
    spread = [(4 / 9) ** 2 * (1 - 2 / 4) * 0.25 / (2 - 1), (5 / 9) ** 2 * (1 - 3 / 5) * (2 / 9) / (3 - 1)]
    assert figure.value == pytest.approx(value)
    assert figure.variance == pytest.approx(sum(spread))
    assert figure.freedom == pytest.approx(sum(spread) ** 2 / (spread[0] ** 2 / 1 + spread[1] ** 2 / 2))
    assert (figure.n, figure.hits) == (5, 3)
    assert figure.heaviest == pytest.approx(max(4 / 9 * 0.5 / 2, 5 / 9 * 0.4 / 3))


def test_one_stratum_is_the_wilson_interval_on_all_but_one_label() -> None:
    label = np.repeat([1.0, 0.0], [40, 960])
    found = Sampled.of(label, np.zeros(1000), [10**12]).figure().estimate()
    z, n, p = quantile(0.95, 999), 999, 0.04
    centre, half = (
        (p + z * z / (2 * n)) / (1 + z * z / n),
        z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n),
    )
    assert (found.low, found.high) == (pytest.approx(centre - half, rel=1e-6), pytest.approx(centre + half, rel=1e-6))
    assert (found.method, found.flags) == ("survey_wilson", ())


def test_few_violations_are_marked_and_get_the_exact_interval() -> None:
    label = np.repeat([1.0, 0.0], [5, 995])
    found = Sampled.of(label, np.zeros(1000), [10**12]).figure().estimate()
    exact = stats.binomtest(5, 1000).proportion_ci(method="exact")
    assert found.flags == ("small",)
    assert (found.low, found.high) == (pytest.approx(exact.low, rel=0.02), pytest.approx(exact.high, rel=0.02))


def test_nothing_seen_is_not_nothing_there() -> None:
    found = Sampled.of(np.zeros(300), np.zeros(300), [10**12]).figure().estimate()
    assert found.value == found.low == 0.0
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 300), rel=0.01)
    heavy = Sampled.of(np.zeros(300), np.repeat([0, 1], [290, 10]), [1e6, 1e6]).figure().estimate()
    assert heavy.high == pytest.approx(0.5 * (1 - 0.025 ** (1 / 10)), rel=0.2)  # all might be in the second


def test_a_census_is_exact() -> None:
    found = Sampled.of(FIRST + SECOND, [0] * 4 + [1] * 5, [4, 5]).figure().estimate()
    assert (found.value, found.low, found.method) == (pytest.approx(TRUTH), pytest.approx(TRUTH), "exact")


def test_order_does_not_matter_and_strata_may_be_renamed() -> None:
    rng = np.random.default_rng(2)
    label, strata = rng.integers(0, 2, 60), rng.integers(0, 3, 60)
    one, order = Sampled.of(label, strata, [500, 300, 200]).figure(), rng.permutation(60)
    other = Sampled.of(label[order], 2 - strata[order], [200, 300, 500]).figure()
    assert (one.value, one.variance, one.freedom) == pytest.approx((other.value, other.variance, other.freedom))


def test_batches_with_parts_add_up() -> None:
    one, other = of([0, 1], [1, 1, 0]), of([0, 0], [1, 0, 0])
    whole = together([one.scaled(0.3, known=0.01), other.scaled(0.7)]).figure()
    assert whole.value == pytest.approx(0.3 * one.figure().value + 0.7 * other.figure().value + 0.01)
    assert whole.variance == pytest.approx(0.09 * one.figure().variance + 0.49 * other.figure().variance)
    assert whole.hits == 4


def test_a_model_is_half_of_the_variance() -> None:
    from dataclasses import replace

    own = of([0, 1], [1, 1, 0])
    scale = own.shares**2 * (1 - own.fractions) / own.counts
    model = replace(own, expected=np.array([0.2, 0.3])).figure()
    expected = float(scale @ [0.2, 0.3])
    assert model.variance == pytest.approx(math.sqrt((own.figure().variance ** 2 + expected**2) / 2))
    assert model.wary == pytest.approx(max(own.figure().variance, expected))
    assert model.freedom > own.figure().freedom


LABEL, CHANCE = np.array([1.0, 0.0, 1.0, 0.0, 0.0, 1.0]), np.array([0.9, 0.5, 0.4, 0.2, 0.6, 1.0])


def test_horvitz_and_thompson_over_every_poisson_sample() -> None:
    mean, square, variance = 0.0, 0.0, 0.0
    for kept in itertools.product([False, True], repeat=5):
        taken = np.array([*kept, True])
        chance = np.prod(np.where(taken, CHANCE, 1 - CHANCE))
        figure = horvitz_thompson(LABEL[taken], CHANCE[taken], 6)
        mean, square = mean + chance * figure.value, square + chance * figure.value**2
        variance += chance * figure.variance
    assert mean == pytest.approx(0.5)
    assert variance == pytest.approx(square - mean**2)


def test_hajek_is_a_weighted_share() -> None:
    figure = hajek(LABEL, CHANCE)
    weights = 1 / CHANCE
    assert figure.value == pytest.approx(np.average(LABEL, weights=weights))
    rest = (LABEL - figure.value) ** 2 * (1 - CHANCE) * weights**2
    assert figure.variance == pytest.approx(rest.sum() / weights.sum() ** 2)
    assert hajek(np.ones(4), [0.1, 0.2, 0.3, 0.4]).value == 1.0


def test_the_difference_estimate_is_unbiased_whatever_is_expected() -> None:
    expected = np.array([0.1, 0.7, 0.2, 0.0, 0.9, 0.3, 0.8, 0.2, 0.4])
    label = np.array(FIRST + SECOND)
    figures = []
    for one, other in itertools.product(itertools.combinations(range(4), 2), itertools.combinations(range(4, 9), 3)):
        rows = [*one, *other]
        found = difference(label[rows], expected[rows], expected.mean(), strata=[0] * 2 + [1] * 3, sizes=[4, 5])
        figures.append(found.figure())
    values = np.array([figure.value for figure in figures])
    assert values.mean() == pytest.approx(TRUTH, abs=1e-12)
    assert np.mean([figure.variance for figure in figures]) == pytest.approx(values.var(), abs=1e-12)


def test_a_perfect_expectation_leaves_no_variance() -> None:
    found = difference([1, 0, 1], [1, 0, 1], 0.3, strata=[0, 0, 0], sizes=[100]).figure()
    assert (found.value, found.variance) == (0.3, 0.0)


def test_all_intervals_hold_their_value() -> None:
    figure = Figure(0.03, 0.004**2, 40.0, 500, 45.0, 0.001)
    for way in (survey.score, survey.log_odds, survey.logarithmic, survey.plain, survey.cautious):
        low, high = way(figure, 0.95)
        assert 0.0 < low < 0.03 < high < 0.06


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        (lambda: Sampled.of([1, 0], [0, 0], [5, 5]), InputError, "stratum 2 has no labels"),
        (lambda: Sampled.of([1, 0], [0, 2], [5, 5]), InputError, "column 'strata', row 2: there is no such stratum"),
        (
            lambda: Sampled.of([1, float("nan")], [0, 0], [5]),
            InputError,
            "column 'values', row 2: the value is missing or not finite",
        ),
        (
            lambda: Sampled.of([1, 0, 1], [0, 0, 0], [2]),
            InputError,
            "column 'sizes', row 1: a stratum has more labels than items",
        ),
        (lambda: Sampled.of([1], [0], [5]), Undefined, "a stratum has a single label, so its variance is not known"),
        (lambda: together([]), InputError, "there is no batch to estimate from"),
        (
            lambda: hajek([1], [0.0]),
            InputError,
            "column 'inclusion', row 1: an inclusion probability lies above 0 and up to 1",
        ),
        (lambda: hajek([], []), Undefined, "nothing was labelled"),
        (
            lambda: horvitz_thompson([2], [0.5], 3),
            InputError,
            "column 'label', row 1: a probability lies between 0 and 1",
        ),
        (lambda: of([0, 1], [1, 1, 0]).figure().estimate(1.0), InputError, "the level must lie between 0 and 1, not 1"),
    ],
)
def test_wrong_arguments_are_named(wrong, kind, message) -> None:
    with pytest.raises(kind) as raised:
        wrong()
    assert str(raised.value) == message


def test_the_alternatives_agree_where_strata_are_large() -> None:
    from evenhand.intervals.alternatives import bayesian, redrawn

    rng = np.random.default_rng(3)
    sampled = Sampled.of(
        np.concatenate([rng.random(3000) < 0.02, rng.random(2000) < 0.2]), np.repeat([0, 1], [3000, 2000]), [9e6, 1e6]
    )
    ours = sampled.figure().estimate()
    for low, high in (bayesian(sampled, 0.95), redrawn(sampled, 0.95, rng, replicates=4000)):
        assert low == pytest.approx(ours.low, rel=0.05)
        assert high == pytest.approx(ours.high, rel=0.05)


def test_rounding_is_no_label_that_does_not_violate() -> None:
    """Every label violates, where the model expected half: the shares sum to 1 but for rounding, and 1 it is."""
    shares = np.array([14, 12, 11, 8, 8, 7, 5, 4, 5, 4, 4, 5, 4, 5, 4, 5, 4, 5, 6, 5, 4, 7, 5, 7, 7]) / 155
    full, half = np.ones(25), np.full(25, 0.5)
    sampled = Sampled(shares, 2 * full, full, 0 * full, 0 * full, hits=50.0, expected=half * half)
    figures = [replace(sampled.figure(), value=value) for value in (1.0, 1.0 - 2e-16, 1.0 + 2e-16)]
    estimates = [figure.estimate() for figure in figures]
    assert estimates[0] == estimates[1] == estimates[2]
    assert estimates[0].low == pytest.approx(0.025 ** (7 / 155))  # as many labels as the heaviest allows, all violating
