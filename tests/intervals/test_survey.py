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
from evenhand.intervals.significance import student_quantile
from evenhand.intervals.survey import (
    GoldCounts,
    SurveyShare,
    correct_annotator_error,
    korn_graubard_interval,
    log_interval,
    logit_interval,
)
from evenhand.intervals.survey_estimators import (
    StratifiedSample,
    combine_batches,
    difference_estimate,
    hajek,
    horvitz_thompson,
)

FIRST, SECOND = [0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 1.0, 0.0]
TRUTH = np.mean(FIRST + SECOND)


def every_sample() -> list[tuple[list[float], list[float]]]:
    """Two of four and three of five: each equally likely."""
    return [
        ([FIRST[i] for i in one], [SECOND[i] for i in other])
        for one in itertools.combinations(range(4), 2)
        for other in itertools.combinations(range(5), 3)
    ]


def of(one: list[float], other: list[float]) -> StratifiedSample:
    return StratifiedSample.from_values(one + other, [0] * len(one) + [1] * len(other), [4, 5])


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
    found = StratifiedSample.from_values(label, np.zeros(1000), [10**12]).figure().estimate()
    z, n, p = student_quantile(0.95, 999), 999, 0.04
    centre, half = (
        (p + z * z / (2 * n)) / (1 + z * z / n),
        z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n),
    )
    assert (found.low, found.high) == (pytest.approx(centre - half, rel=1e-6), pytest.approx(centre + half, rel=1e-6))
    assert (found.method, found.flags) == ("survey_wilson", ())


def test_few_violations_are_marked_and_get_the_exact_interval() -> None:
    label = np.repeat([1.0, 0.0], [5, 995])
    found = StratifiedSample.from_values(label, np.zeros(1000), [10**12]).figure().estimate()
    exact = stats.binomtest(5, 1000).proportion_ci(method="exact")
    assert found.flags == ("small",)
    assert (found.low, found.high) == (pytest.approx(exact.low, rel=0.02), pytest.approx(exact.high, rel=0.02))


def test_nothing_seen_is_not_nothing_there() -> None:
    found = StratifiedSample.from_values(np.zeros(300), np.zeros(300), [10**12]).figure().estimate()
    assert found.value == found.low == 0.0
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 300), rel=0.01)
    heavy = StratifiedSample.from_values(np.zeros(300), np.repeat([0, 1], [290, 10]), [1e6, 1e6]).figure().estimate()
    assert heavy.high == pytest.approx(0.5 * (1 - 0.025 ** (1 / 10)), rel=0.2)  # all might be in the second


def test_a_census_is_exact() -> None:
    found = StratifiedSample.from_values(FIRST + SECOND, [0] * 4 + [1] * 5, [4, 5]).figure().estimate()
    assert (found.value, found.low, found.method) == (pytest.approx(TRUTH), pytest.approx(TRUTH), "exact")


def test_order_does_not_matter_and_strata_may_be_renamed() -> None:
    rng = np.random.default_rng(2)
    label, strata = rng.integers(0, 2, 60), rng.integers(0, 3, 60)
    one, order = StratifiedSample.from_values(label, strata, [500, 300, 200]).figure(), rng.permutation(60)
    other = StratifiedSample.from_values(label[order], 2 - strata[order], [200, 300, 500]).figure()
    assert (one.value, one.variance, one.freedom) == pytest.approx((other.value, other.variance, other.freedom))


def test_batches_with_parts_add_up() -> None:
    one, other = of([0, 1], [1, 1, 0]), of([0, 0], [1, 0, 0])
    whole = combine_batches([one.scaled(0.3, known=0.01), other.scaled(0.7)]).figure()
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
    assert model.cautious_variance == pytest.approx(max(own.figure().variance, expected))
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
        found = difference_estimate(
            label[rows], expected[rows], expected.mean(), strata=[0] * 2 + [1] * 3, sizes=[4, 5]
        )
        figures.append(found.figure())
    values = np.array([figure.value for figure in figures])
    assert values.mean() == pytest.approx(TRUTH, abs=1e-12)
    assert np.mean([figure.variance for figure in figures]) == pytest.approx(values.var(), abs=1e-12)


def test_a_perfect_expectation_leaves_no_variance() -> None:
    found = difference_estimate([1, 0, 1], [1, 0, 1], 0.3, strata=[0, 0, 0], sizes=[100]).figure()
    assert (found.value, found.variance) == (0.3, 0.0)


def test_all_intervals_hold_their_value() -> None:
    figure = SurveyShare(0.03, 0.004**2, 40.0, 500, 45.0, 0.001)
    for way in (
        survey.score_interval,
        survey.logit_interval,
        survey.log_interval,
        survey.normal_interval,
        survey.korn_graubard_interval,
    ):
        low, high = way(figure, 0.95)
        assert 0.0 < low < 0.03 < high < 0.06


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        (lambda: StratifiedSample.from_values([1, 0], [0, 0], [5, 5]), InputError, "stratum 2 has no labels"),
        (
            lambda: StratifiedSample.from_values([1, 0], [0, 2], [5, 5]),
            InputError,
            "column 'strata', row 2: no such stratum",
        ),
        (
            lambda: StratifiedSample.from_values([1, float("nan")], [0, 0], [5]),
            InputError,
            "column 'values', row 2: the value is missing or not finite",
        ),
        (
            lambda: StratifiedSample.from_values([1, 0, 1], [0, 0, 0], [2]),
            InputError,
            "column 'sizes', row 1: a stratum has more labels than items",
        ),
        (
            lambda: StratifiedSample.from_values([1], [0], [5]),
            Undefined,
            "a stratum has a single label, so its variance is unknown",
        ),
        (lambda: combine_batches([]), InputError, "no batch to estimate from"),
        (
            lambda: hajek([1], [0.0]),
            InputError,
            "column 'inclusion', row 1: an inclusion probability lies above 0 and up to 1",
        ),
        (lambda: hajek([], []), Undefined, "no item was labelled"),
        (
            lambda: horvitz_thompson([2], [0.5], 3),
            InputError,
            "column 'label', row 1: a probability lies between 0 and 1",
        ),
        (lambda: of([0, 1], [1, 1, 0]).figure().estimate(1.0), InputError, "the level must be between 0 and 1, not 1"),
    ],
)
def test_wrong_arguments_are_named(wrong, kind, message) -> None:
    with pytest.raises(kind) as raised:
        wrong()
    assert str(raised.value) == message


def test_the_alternatives_agree_where_strata_are_large() -> None:
    from evenhand.intervals.survey_estimators import bayesian_interval as bayesian
    from evenhand.intervals.survey_estimators import stratified_bootstrap_interval as redrawn

    rng = np.random.default_rng(3)
    sampled = StratifiedSample.from_values(
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
    sampled = StratifiedSample(shares, 2 * full, full, 0 * full, 0 * full, hits=50.0, expected=half * half)
    figures = [replace(sampled.figure(), value=value) for value in (1.0, 1.0 - 2e-16, 1.0 + 2e-16)]
    estimates = [figure.estimate() for figure in figures]
    assert estimates[0] == estimates[1] == estimates[2]
    assert estimates[0].low == pytest.approx(0.025 ** (7 / 155))  # as many labels as the heaviest allows, all violating


def test_the_cautious_interval_is_clopper_and_pearsons_also_below_one_hit() -> None:
    for value, labels in ((0.005, 100.0), (0.01, 100.0), (0.25, 40.0)):
        figure = SurveyShare(value, value * (1 - value) / labels, np.inf, 100, 1.0, 0.01)
        hits = value * labels
        expected = (stats.beta(hits, labels - hits + 1).ppf(0.025), stats.beta(hits + 1, labels - hits).ppf(0.975))
        assert korn_graubard_interval(figure, 0.95) == pytest.approx(expected, rel=1e-9)
        assert korn_graubard_interval(figure, 0.95)[0] > 0.0


def test_estimates_stay_within_0_and_1_and_carry_their_level() -> None:
    for value, kept in ((1.2, 1.0), (-0.1, 0.0), (0.4, 0.4)):
        exact = SurveyShare(value, 0.0, np.inf, 50, 20.0, 0.0).estimate(0.9)
        assert (exact.value, exact.low, exact.high, exact.level, exact.n) == (kept, kept, kept, 0.9, 50)
        found = SurveyShare(value, 0.01, np.inf, 50, 20.0, 0.02).estimate(0.9)
        assert found.value == kept
        assert 0.0 <= found.low <= kept <= found.high <= 1.0
        assert (found.level, found.n) == (0.9, 50)


def test_intervals_by_their_formulas() -> None:
    figure = SurveyShare(0.2, 0.0004, 7.0, 300, 60.0, 0.01)
    t = stats.t(7).ppf(0.975)
    centre, reach = np.log(0.25), t * 0.02 / 0.16
    assert logit_interval(figure, 0.95) == pytest.approx(
        (1 / (1 + np.exp(reach - centre)), 1 / (1 + np.exp(-centre - reach)))
    )
    assert log_interval(figure, 0.95) == pytest.approx((0.2 / np.exp(t * 0.1), 0.2 * np.exp(t * 0.1)))
    thompson = horvitz_thompson([1, 0, 1], [0.5, 0.1, 1.0], 20)
    assert (thompson.value, thompson.variance, thompson.heaviest) == pytest.approx((3 / 20, 2 / 400, 9 / 20))
    assert SurveyShare(0.99, 0.00005, np.inf, 200, 198.0, 0.005).estimate().flags == (
        "small",
    )  # two that do not violate


def sampled(hits: int, n: int, items: int) -> SurveyShare:
    return StratifiedSample.from_values(np.repeat([1.0, 0.0], [hits, n - hits]), np.zeros(n), [items]).figure()


def test_the_correction_undoes_the_error() -> None:
    gold = GoldCounts(violating=200, caught=180, others=800, passed=784)
    for share in (0.01, 0.1, 0.5):
        seen = share * 0.9 + (1 - share) * 0.02
        assert correct_annotator_error(SurveyShare(seen, 1e-6, math.inf, 1000, 50, 0.001), gold).value == pytest.approx(
            share
        )
    assert (
        correct_annotator_error(SurveyShare(0.01, 1e-6, math.inf, 1000, 10, 0.001), gold).value == 0.0
    )  # errors explain all that is seen


def test_perfect_annotators_need_no_correction_but_gold_is_finite() -> None:
    seen = SurveyShare(0.1, 1e-5, math.inf, 1000, 100, 0.001)
    found = correct_annotator_error(seen, GoldCounts(500, 500, 500, 500))
    assert found.value == pytest.approx(0.1)
    assert found.variance > seen.variance
    assert correct_annotator_error(seen, GoldCounts(10**9, 10**9, 10**9, 10**9)).variance == pytest.approx(
        1e-5, rel=1e-3
    )


def test_the_variance_of_the_correction() -> None:
    rng = np.random.default_rng(9)
    share, power, draws = 0.08, (0.9, 0.98), 3000
    seen_rate = share * power[0] + (1 - share) * (1 - power[1])
    values, variances, hits = [], [], 0
    for _ in range(draws):
        gold = GoldCounts(300, rng.binomial(300, power[0]), 900, rng.binomial(900, power[1]))
        found = correct_annotator_error(sampled(rng.binomial(2000, seen_rate), 2000, 10**9), gold)
        values.append(found.value)
        variances.append(found.variance)
        estimate = found.estimate()
        hits += estimate.low <= share <= estimate.high
    assert np.mean(values) == pytest.approx(share, rel=0.01)
    assert np.mean(variances) == pytest.approx(np.var(values), rel=0.1)
    assert 0.935 <= hits / draws <= 0.97


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        (lambda: GoldCounts(10, 11, 10, 5), InputError, "11 of 10 gold items is not possible"),
        (lambda: GoldCounts(0, 0, 10, 5), InputError, "the gold items must be a whole number from 2 up, not 0"),
        (
            lambda: correct_annotator_error(sampled(1, 10, 100), GoldCounts(10, 5, 10, 5)),
            Undefined,
            "on gold items the annotators do no better than chance, so their labels cannot be corrected",
        ),
    ],
)
def test_gold_items_that_say_nothing_are_named(wrong, kind, message) -> None:
    with pytest.raises(kind) as raised:
        wrong()
    assert str(raised.value) == message


def test_gold_items_may_all_be_missed() -> None:
    gold = GoldCounts(10, 0, 8, 8)
    assert (gold.sensitivity, gold.specificity) == (0.0, 1.0)
    with pytest.raises(InputError) as raised:
        GoldCounts(10, -1, 8, 8)
    assert str(raised.value) == "a count of gold items must be a whole number from 0 up, not -1"
    with pytest.raises(InputError) as raised:
        GoldCounts(1, 0, 8, 8)
    assert str(raised.value) == "the gold items must be a whole number from 2 up, not 1"


def test_corrections_carry_the_variance_of_gold_items() -> None:
    """Rogan and Gladen: (p + s − 1) / (t + s − 1), and the three variances over the square of the power."""
    seen, gold = SurveyShare(0.3, 0.001, 40.0, 200, 60.0, 0.01), GoldCounts(40, 30, 60, 54)
    found = correct_annotator_error(seen, gold)
    power = 0.75 + 0.9 - 1.0
    value = (0.3 + 0.9 - 1.0) / power
    t, s = 31 / 42, 55 / 62
    variance = (0.001 + value**2 * t * (1 - t) / 40 + (1 - value) ** 2 * s * (1 - s) / 60) / power**2
    assert (found.value, found.variance) == pytest.approx((value, variance), rel=1e-12)
    assert (found.hits, found.heaviest) == pytest.approx((60.0, 0.01 / power))  # as annotators marked them
    assert (found.n, found.freedom) == (200, 40.0)


def test_the_corrected_interval_is_that_of_lang_and_reiczigel() -> None:
    """From the formulas of the paper: shares with z²/2 and 1 added, the centre moved, three variances."""
    z, n, x = 1.959963984540054, 800, 40
    gold = GoldCounts(60, 54, 90, 88)
    p, t, s = (x + z**2 / 2) / (n + z**2), 55 / 62, 89 / 92
    centre = (p + s - 1) / (t + s - 1)
    spread_t, spread_s = t * (1 - t) / 62, s * (1 - s) / 92
    middle = centre + 2 * z**2 * (centre * spread_t - (1 - centre) * spread_s)
    error = math.sqrt(p * (1 - p) / (n + z**2) + centre**2 * spread_t + (1 - centre) ** 2 * spread_s) / (t + s - 1)
    seen = SurveyShare(x / n, x / n * (1 - x / n) / n, math.inf, n, x, 1 / n)
    estimate = correct_annotator_error(seen, gold).estimate(0.95)
    assert estimate.method == "lang_reiczigel"
    assert (estimate.low, estimate.high) == pytest.approx((max(0.0, middle - z * error), middle + z * error), rel=1e-9)


def test_a_corrected_share_of_0_is_not_silent() -> None:
    """Annotators marked ten of a thousand, and their errors explain it: the interval is wide, and the ten stay."""
    seen = SurveyShare(0.01, 1e-5, math.inf, 1000, 10, 0.001)
    share = correct_annotator_error(seen, GoldCounts(50, 45, 50, 49))
    estimate = share.estimate()
    assert (share.value, share.explained, share.hits) == (0.0, True, 10)
    assert estimate.high > 0.02
    assert estimate.small
    assert share.gold_share > 0.9
    assert share.gold_needed > 1000
