"""Where intervals end: exact values, a single hit, labels that a model expects, and what is known beside a sample."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evenhand.errors import InputError, Undefined
from evenhand.intervals.alternatives import bayesian, redrawn
from evenhand.intervals.annotators import Gold, corrected
from evenhand.intervals.anytime import Bets
from evenhand.intervals.bootstrap import percentile
from evenhand.intervals.bounded import Bounded, p_from_interval
from evenhand.intervals.clusters import clustered
from evenhand.intervals.permutation import Permuted
from evenhand.intervals.proportions import p_equal
from evenhand.intervals.survey import (
    Figure,
    Sampled,
    cautious,
    hajek,
    horvitz_thompson,
    log_odds,
    logarithmic,
    together,
)


def test_the_cautious_interval_is_clopper_and_pearsons_also_below_one_hit() -> None:
    for value, labels in ((0.005, 100.0), (0.01, 100.0), (0.25, 40.0)):
        figure = Figure(value, value * (1 - value) / labels, np.inf, 100, 1.0, 0.01)
        hits = value * labels
        expected = (stats.beta(hits, labels - hits + 1).ppf(0.025), stats.beta(hits + 1, labels - hits).ppf(0.975))
        assert cautious(figure, 0.95) == pytest.approx(expected, rel=1e-9)
        assert cautious(figure, 0.95)[0] > 0.0


def test_estimates_stay_within_0_and_1_and_carry_their_level() -> None:
    for value, kept in ((1.2, 1.0), (-0.1, 0.0), (0.4, 0.4)):
        exact = Figure(value, 0.0, np.inf, 50, 20.0, 0.0).estimate(0.9)
        assert (exact.value, exact.low, exact.high, exact.level, exact.n) == (kept, kept, kept, 0.9, 50)
        found = Figure(value, 0.01, np.inf, 50, 20.0, 0.02).estimate(0.9)
        assert found.value == kept
        assert 0.0 <= found.low <= kept <= found.high <= 1.0
        assert (found.level, found.n) == (0.9, 50)


def test_batches_together_expect_what_each_does_and_nothing_if_one_does_not() -> None:
    first = Sampled.of([1, 0, 0, 1], [0, 0, 1, 1], [10, 20])
    second = Sampled.of([1, 0, 0], [0, 0, 0], [30])
    model = [Sampled(**{**vars(part), "expected": 0.1 + part.means}) for part in (first, second)]
    both = together([model[0].scaled(0.4), model[1].scaled(0.6, known=0.01)])
    np.testing.assert_array_equal(both.expected, 0.1 + np.concatenate((first.means, second.means)))
    assert together([model[0], second]).expected is None
    assert both.known == pytest.approx(0.01)
    assert both.hits == 3.0
    expected = 0.4 * first.figure().value + 0.6 * second.figure().value + 0.01
    assert both.figure().value == pytest.approx(expected)
    np.testing.assert_array_equal(model[0].only(np.array([False, True])).expected, 0.1 + first.means[1:])


def test_alternatives_add_what_is_known() -> None:
    sampled = Sampled.of(np.arange(40) % 4 == 0, np.arange(40) % 2, [500, 300])
    plain = redrawn(sampled, 0.9, np.random.default_rng(1))
    moved = redrawn(sampled.scaled(0.5, known=0.2), 0.9, np.random.default_rng(1))
    assert moved == pytest.approx((0.5 * plain[0] + 0.2, 0.5 * plain[1] + 0.2), rel=1e-12)
    middle = np.mean(bayesian(sampled.scaled(0.5, known=0.2), 0.9))
    assert middle == pytest.approx(0.5 * np.mean(bayesian(sampled, 0.9)) + 0.2, abs=0.01)


def test_gold_items_may_all_be_missed() -> None:
    gold = Gold(10, 0, 8, 8)
    assert (gold.sensitivity, gold.specificity) == (0.0, 1.0)
    with pytest.raises(InputError) as raised:
        Gold(10, -1, 8, 8)
    assert str(raised.value) == "a count of gold items must be a whole number from 0 up, not -1"
    with pytest.raises(InputError) as raised:
        Gold(1, 0, 8, 8)
    assert str(raised.value) == "the gold items must be a whole number from 2 up, not 1"


def test_bets_at_their_bounds() -> None:
    lows, highs, stakes = np.zeros(3), np.ones(3), np.full(3, 0.5)
    for value in (0.0, 1.0):
        assert Bets.of(np.full(3, value), lows, highs, stakes).estimate().value == value
    wide = Bets.of([3.0, 3.0], [-4.0, -4.0], [4.0, 4.0], [0.1, 0.1]).estimate()
    assert wide.value == wide.high == 1.0
    ruled = Bets.of([0.2, 0.2], [0.0, 0.0], [0.2, 0.2], [0.5, 0.5])
    assert ruled.estimate().high == pytest.approx(0.2, abs=1e-12)  # nothing above the bound of a value can be the mean
    assert ruled.estimate(n=1).n == 1
    for wrong, said in (
        (([np.nan], [0], [1], [1]), "column 'values', row 1: the value is missing or not finite"),
        (([0.5], [np.nan], [1], [1]), "column 'lows', row 1: the value is missing or not finite"),
        (([0.5], [0], [np.nan], [1]), "column 'highs', row 1: the value is missing or not finite"),
        (([0.5], [0], [1], [np.nan]), "column 'stakes', row 1: the value is missing or not finite"),
    ):
        with pytest.raises(InputError) as raised:
            Bets.of(*wrong)
        assert str(raised.value) == said


def test_a_share_at_its_end_has_no_size() -> None:
    assert Bounded.of(0.0, 0.01).size == Bounded.of(1.0, 0.01).size == 0.0
    assert Bounded.of(0.0, 0.01, shift=0.5).size == pytest.approx(0.04)


def test_fishers_test_where_one_sample_is_much_smaller() -> None:
    """10 of 100 beside 1 of 3: of the eleven, at least eight are in the first sample, however they fall."""
    tails = stats.hypergeom(103, 11, 100)
    expected = min(1.0, 2.0 * min(tails.cdf(10), tails.sf(9)))
    assert p_equal(Bounded(0.1, 0.01), Bounded(1 / 3, 1 / 3)) == pytest.approx(expected, rel=1e-9)


def test_all_clusters_of_a_stratum_may_be_drawn() -> None:
    label, cluster, strata = [1, 0, 0, 1, 1, 0], [0, 0, 1, 2, 3, 3], [0, 0, 0, 1, 1, 1]
    found = clustered(label, cluster, strata=strata, sizes=[2, 2])
    assert (found.value, found.variance, found.heaviest) == (0.5, 0.0, 0.0)
    with pytest.raises(InputError) as raised:
        clustered(label, cluster, strata=strata, sizes=[2, 1])
    assert str(raised.value) == "column 'sizes', row 2: there are fewer clusters than were drawn"
    with pytest.raises(InputError) as raised:
        clustered([1, 0], [3])
    assert str(raised.value) == "column 'cluster': there are 1 clusters for 2 items"
    with pytest.raises(InputError) as raised:
        clustered(label, cluster, strata=strata, sizes=[2])
    assert str(raised.value) == "column 'sizes': there are 1 values for 2 items"
    with pytest.raises(InputError) as raised:
        clustered(label, cluster, strata=[0], sizes=[2])
    assert str(raised.value) == "column 'strata': there are 1 values for 6 items"
    with pytest.raises(Undefined) as nothing:
        clustered([], [])
    assert str(nothing.value) == "nothing was labelled"


def test_a_small_value_is_reached_by_what_is_as_large_alone() -> None:
    small = 1e-7
    drawn = np.array([[small * (1 - 1e-4)], [small * (1 - 1e-14)], [small], [2 * small]])
    assert Permuted(np.array([small]), drawn).p.tolist() == [4 / 5]


def test_columns_of_samples_are_named() -> None:
    for wrong, said in (
        (lambda: Sampled.of([1, np.nan], [0, 0], [5]), "column 'values', row 2: the value is missing or not finite"),
        (lambda: Sampled.of([1, 0], [0, 0], [np.nan]), "column 'sizes', row 1: the value is missing or not finite"),
        (lambda: Sampled.of([1, 0], [0], [5]), "column 'strata': there are 1 values for 2 items"),
        (lambda: Sampled.of([1, 0], [0, 1], [5]), "column 'strata', row 2: there is no such stratum"),
        (lambda: Sampled.of([1, 0], [0, 0], [5, 5]), "stratum 2 has no labels"),
        (lambda: Sampled.of([1, 0, 1], [0, 0, 0], [2]), "column 'sizes', row 1: a stratum has more labels than items"),
        (lambda: hajek([1], [np.nan]), "column 'inclusion', row 1: the value is missing or not finite"),
        (lambda: hajek([1, 0], [0.5]), "column 'label': there are 2 values for 1 items"),
        (lambda: horvitz_thompson([1], [0.5], 0), "the items must be a whole number from 1 up, not 0"),
    ):
        with pytest.raises(InputError) as raised:
            wrong()
        assert str(raised.value) == said


def test_wealth_is_that_of_the_bets() -> None:
    """Money on five multiples of the stake, none bolder than nine tenths of what could be lost."""
    bets = Bets.of([0.3, 0.0, 0.9], [0.0, -0.2, 0.0], [1.0, 1.5, 1.0], [0.8, 2.0, 1.0])
    for mean, above in ((0.3, True), (0.3, False), (0.9, True), (0.05, False)):
        total = np.zeros(3)
        for multiple, money in ((1.0, 0.8), (0.25, 0.05), (0.5, 0.05), (2.0, 0.05), (4.0, 0.05)):
            wealth = money
            for i in range(3):
                room = mean - bets.lows[i] if above else bets.highs[i] - mean
                stake = min(multiple * bets.stakes[i], 0.9 / room)
                wealth *= 1.0 + stake * ((bets.values[i] - mean) if above else (mean - bets.values[i]))
                total[i] += wealth
        assert np.exp(bets.wealth(mean, above=above)) == pytest.approx(total, rel=1e-12)


def test_corrections_carry_the_variance_of_gold_items() -> None:
    """Rogan and Gladen: (p + s − 1) / (t + s − 1), and the three variances over the square of the power."""
    seen, gold = Figure(0.3, 0.001, 40.0, 200, 60.0, 0.01), Gold(40, 30, 60, 54)
    found = corrected(seen, gold)
    power = 0.75 + 0.9 - 1.0
    value = (0.3 + 0.9 - 1.0) / power
    t, s = 31 / 42, 55 / 62
    variance = (0.001 + value**2 * t * (1 - t) / 40 + (1 - value) ** 2 * s * (1 - s) / 60) / power**2
    assert (found.value, found.variance) == pytest.approx((value, variance), rel=1e-12)
    assert (found.hits, found.heaviest) == pytest.approx((value * 200, 0.01 / power))
    assert (found.n, found.freedom) == (200, 40.0)


def test_p_values_look_at_the_side_that_faces_0() -> None:
    z = stats.norm.ppf(0.975)
    assert p_from_interval(-0.3, -0.9, -0.1, 0.95) == pytest.approx(2 * stats.norm.sf(0.3 / (0.2 / z)))
    assert p_from_interval(0.3, 0.1, 0.9, 0.95) == pytest.approx(2 * stats.norm.sf(0.3 / (0.2 / z)))


def test_twenty_draws_are_enough() -> None:
    draws = np.arange(20.0)
    assert percentile(draws, 9.0, 0.9) == pytest.approx((0.95, 18.05))
    assert percentile(draws[:19], 9.0, 0.9) is None


def test_strata_of_clusters_by_hand() -> None:
    """In each stratum N (N − n) / n times the variance of what its clusters have beyond the ratio."""
    rng = np.random.default_rng(2)
    cluster = np.repeat(np.arange(9), rng.integers(1, 6, 9))
    stratum, label = (cluster >= 4).astype(int), (rng.random(len(cluster)) < 0.4).astype(float)
    found = clustered(label, cluster, strata=stratum, sizes=[40, 10])
    weight = np.where(stratum == 0, 40 / 4, 10 / 5)
    value, whole = float(weight @ label / weight.sum()), float(weight.sum())
    rest = np.array([(label - value)[cluster == c].sum() for c in range(9)])
    each = [(40 * 36 / 4, rest[:4]), (10 * 5 / 5, rest[4:])]
    assert found.value == pytest.approx(value)
    assert found.variance == pytest.approx(sum(scale * part.var(ddof=1) for scale, part in each) / whole**2, rel=1e-12)


def test_intervals_by_their_formulas() -> None:
    figure = Figure(0.2, 0.0004, 7.0, 300, 60.0, 0.01)
    t = stats.t(7).ppf(0.975)
    centre, reach = np.log(0.25), t * 0.02 / 0.16
    assert log_odds(figure, 0.95) == pytest.approx(
        (1 / (1 + np.exp(reach - centre)), 1 / (1 + np.exp(-centre - reach)))
    )
    assert logarithmic(figure, 0.95) == pytest.approx((0.2 / np.exp(t * 0.1), 0.2 * np.exp(t * 0.1)))
    thompson = horvitz_thompson([1, 0, 1], [0.5, 0.1, 1.0], 20)
    assert (thompson.value, thompson.variance, thompson.heaviest) == pytest.approx((3 / 20, 2 / 400, 9 / 20))
    assert Figure(0.99, 0.00005, np.inf, 200, 198.0, 0.005).estimate().flags == ("small",)  # two that do not violate


def test_alternatives_by_their_formulas() -> None:
    sampled = Sampled.of(np.repeat([1, 0, 1, 0], [6, 24, 5, 15]), np.repeat([0, 1], [30, 20]), [500, 20])
    shares, p = np.array([500, 20]) / 520, np.array([6.5 / 31, 5.5 / 21])
    variance = shares[0] ** 2 * (1 - 30 / 500) * p[0] * (1 - p[0]) / 32  # the second stratum is known
    size = (mean := shares @ p) * (1 - mean) / variance - 1
    assert bayesian(sampled, 0.9) == pytest.approx(stats.beta(mean * size, (1 - mean) * size).ppf([0.05, 0.95]))
    low, high = redrawn(sampled, 0.9, np.random.default_rng(1), replicates=40_000)
    expected = stats.binom(29, 0.2).ppf([0.05, 0.95]) / 29 * shares[0] + 0.25 * shares[1]
    assert (low, high) == pytest.approx(expected, abs=1e-9)


def test_equal_shares_are_tested_by_the_rarer_outcome() -> None:
    for hits in ((3, 9), (27, 21)):
        tails = stats.hypergeom(60, sum(hits), 30)
        expected = min(1.0, 2 * min(tails.cdf(hits[0]), tails.sf(hits[0] - 1)))
        assert p_equal(Bounded(hits[0] / 30, 1 / 30), Bounded(hits[1] / 30, 1 / 30)) == pytest.approx(expected)


def test_values_that_contradict_one_another() -> None:
    with pytest.raises(InputError) as raised:
        Bets.of([0.9, 0.1], [0.8, 0.0], [1.0, 0.2], [1.0, 1.0]).estimate()
    said = "the values contradict one another: are they unbiased, and their bounds right?"
    assert str(raised.value) == said
