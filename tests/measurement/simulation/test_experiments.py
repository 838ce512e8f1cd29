"""Simulated designs: closed forms, brute force, and the real design played one sample at a time."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import comb, expit
from sklearn.isotonic import IsotonicRegression

from evenhand.intervals.survey import SurveyShare, score_interval
from evenhand.measurement.simulation import experiments
from evenhand.measurement.simulation.default_design import simulate_batches, simulate_score_driven
from evenhand.measurement.simulation.experiments import (
    SimulatedEstimates,
    covers_truth,
    interval_coverage,
    scaled_labels,
)
from evenhand.measurement.simulation.populations import LabelledPopulation, Urns
from evenhand.sampling import LabelledBatch, ScoreDrivenSettings, Within, estimate_batches, next_batch, strata
from evenhand.sampling import allocation as allocating
from evenhand.sampling.sizes import stratified_size

SCORE = np.random.default_rng(2).beta(0.3, 3.0, 20_000)
LABEL = (np.random.default_rng(3).random(20_000) < SCORE).astype(float)
SMALL = Urns(np.array([6, 4, 2]), np.array([1, 2, 1]))


def outcomes(urns: Urns, counts: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    """Every number of violations that can be drawn, with its probability."""
    ranges = [range(min(k, n) + 1) for n, k in zip(counts, urns.violating, strict=True)]
    each = [
        {h: comb(k, h) * comb(size - k, n - h) / comb(size, n) for h in span}
        for span, size, k, n in zip(ranges, urns.sizes, urns.violating, counts, strict=True)
    ]
    return {
        hits: float(np.prod([p[h] for p, h in zip(each, hits, strict=True)])) for hits in itertools.product(*ranges)
    }


def test_the_variance_is_that_of_all_samples() -> None:
    counts = (3, 2, 1)
    found = outcomes(SMALL, counts)
    value = {hits: float(np.dot(SMALL.sizes, np.array(hits) / counts)) / 12 for hits in found}
    mean = sum(p * value[hits] for hits, p in found.items())
    variance = sum(p * (value[hits] - mean) ** 2 for hits, p in found.items())
    assert mean == pytest.approx(4 / 12)
    assert SMALL.variance(np.array(counts)) == pytest.approx(variance)
    draws = SMALL.drawn(np.array(counts), 40_000, np.random.default_rng(1))
    assert draws.values.var() == pytest.approx(variance, rel=0.03)
    assert draws.spent == 6


def test_a_size_is_the_fewest_labels() -> None:
    urns = Urns.of(strata.quantile_strata(SCORE, 8), LABEL)
    error = Within(0.2).error(LABEL.mean())
    for allocate in (urns.equal, urns.optimal):
        n = urns.size(allocate, error)
        assert urns.variance(allocate(n)) <= error**2 < urns.variance(allocate(n - 1))
    many = Urns.of(strata.quantile_strata(SCORE, 8), LABEL, times=5000)
    closed = stratified_size(many.parts, Within(0.2)).n
    assert many.size(many.optimal, error) == pytest.approx(closed, abs=4)


def test_the_closed_form_is_what_the_simulation_says() -> None:
    urns = Urns.of(strata.quantile_strata(SCORE, 8), LABEL, times=500)
    error, rng = Within(0.2).error(LABEL.mean()), np.random.default_rng(5)
    for allocate, weights in ((urns.optimal, None), (urns.equal, np.ones(8))):
        n = stratified_size(urns.parts, Within(0.2), allocation=weights).n
        draws = urns.drawn(allocate(n), 20_000, rng)
        found = SimulatedEstimates(draws.values, draws.spent, float(LABEL.mean())).labels(error, level=0.999)
        assert found.low < n < found.high
        assert found.high / found.low < 1.15


def test_many_pilots_at_once_are_those_one_by_one() -> None:
    urns = Urns.of(strata.quantile_strata(SCORE, 8), LABEL)
    draws = urns.piloted(600, 50, 30, np.random.default_rng(4))
    first = np.random.default_rng(4).hypergeometric(urns.violating, urns.sizes - urns.violating, 50, (30, 8))
    for counts, seen in zip(draws.counts, first, strict=True):
        assert counts.tolist() == allocating.allocation_after_pilot(600, urns.sizes, [50] * 8, seen).tolist()
    assert (draws.hits >= first).all()
    assert draws.spent >= 600


def test_a_pilot_as_large_as_the_population_is_a_census() -> None:
    draws = SMALL.piloted(3, 50, 5, np.random.default_rng(1))
    assert draws.values == pytest.approx([4 / 12] * 5)
    assert draws.spent == 12
    assert all(figure.estimate().low == pytest.approx(4 / 12) for figure in draws.figures())


def test_pooling_the_pilot_biases_low_by_what_all_outcomes_say() -> None:
    """Two small urns, so that every pilot and everything after it can be written down."""
    urns, n, each = Urns(np.array([60, 60]), np.array([3, 6])), 40, 8
    expected = 0.0
    for seen, p in outcomes(urns, (each, each)).items():
        counts = allocating.allocation_after_pilot(n, urns.sizes, [each] * 2, list(seen))
        left = Urns(urns.sizes - each, urns.violating - np.array(seen))
        more = counts - each
        mean = np.array(seen) + more * left.violating / left.sizes
        expected += p * float(np.dot(urns.sizes, mean / counts)) / 120
    assert expected < 9 / 120
    draws = urns.piloted(n, each, 200_000, np.random.default_rng(2))
    found = SimulatedEstimates(draws.values, draws.spent, 9 / 120)
    assert draws.values.mean() == pytest.approx(expected, abs=4 * draws.values.std() / np.sqrt(200_000))
    assert found.bias_in_errors < -3.5
    assert found.bias(level=0.95).high < 0.0


def test_the_simulation_is_the_real_design() -> None:
    """Sample by sample on the same generators as `next_batch`: the same items, the same estimates."""
    population, design, n = LabelledPopulation.of(SCORE, LABEL), ScoreDrivenSettings(), 400
    for seed in range(3):
        past: list[LabelledBatch] = []
        for number, size in enumerate(design.batches(n)):
            batch = next_batch(population.frame, past, size, seed=seed)
            rng = np.random.default_rng([seed, number])
            (again,) = _last(population, past, size, rng, design)
            assert batch.draw.rows.tolist() == again.tolist()
            past.append(LabelledBatch.of(batch, LABEL[batch.draw.rows]))
    rng, other = (np.random.default_rng(8) for _ in range(2))
    for sampled in simulate_score_driven([population] * 3, n, rng, design):
        whole = estimate_batches(population.frame, simulate_batches(population, n, other, design), design.weights(n))
        assert sampled.figure() == whole.figure()


def _last(
    population: LabelledPopulation,
    past: list[LabelledBatch],
    size: int,
    rng: np.random.Generator,
    design: ScoreDrivenSettings,
):
    from evenhand.sampling.score_driven import draw_batch

    yield draw_batch(population.frame, past, size, rng, design).draw.rows


def test_many_times_over() -> None:
    population = LabelledPopulation.of(SCORE[:1000], LABEL[:1000])
    endless = population.endless()
    assert (len(population), len(endless), endless.times) == (1000, 50_000, 50)
    assert endless.prevalence == population.prevalence
    assert np.bincount(endless.frame.order).tolist() == [50] * 1000
    assert LabelledPopulation.of(np.full(10, 0.5), [0, 1] * 5).endless().times == 50


def test_a_shuffled_classifier_knows_nothing() -> None:
    population = LabelledPopulation.of(SCORE, LABEL)
    shuffled = population.shuffled(np.random.default_rng(1))
    assert shuffled.prevalence == population.prevalence
    assert abs(np.corrcoef(shuffled.score, shuffled.label)[0, 1]) < 0.03
    assert np.corrcoef(SCORE, LABEL)[0, 1] > 0.2


def test_the_limit_is_that_of_the_isotonic_truth() -> None:
    for score in (SCORE, np.round(SCORE, 2)):
        q = IsotonicRegression().fit_transform(score, LABEL)
        assert LabelledPopulation.of(score, LABEL).limit() == pytest.approx(
            np.mean(np.sqrt(q * (1 - q))) ** 2, rel=1e-9
        )


def test_labels_needed() -> None:
    assert scaled_labels(100, 2.0) == 200
    assert scaled_labels(100, 1.0, items=500) == pytest.approx(100)
    n = scaled_labels(100, 2.0, items=500)  # where the variance is V (1/n − 1/N): twice as much as is asked for at 100
    assert (1 / 100 - 1 / 500) / (1 / n - 1 / 500) == pytest.approx(2.0)
    values = np.random.default_rng(1).normal(0.1, 0.02, 4000)
    found = SimulatedEstimates(values, 300, 0.1)
    assert found.needed(0.01) == pytest.approx(1200, rel=0.1)
    assert found.labels(0.01, level=0.95, least=5000).value == 5000
    again = [SimulatedEstimates(np.random.default_rng(k).normal(0.1, 0.02, 500), 300, 0.1) for k in range(400)]
    ends = [one.labels(0.01, level=0.9) for one in again]
    assert np.mean([e.low <= 1200 <= e.high for e in ends]) == pytest.approx(0.9, abs=0.05)
    assert np.std([one.bias_in_errors for one in again]) == pytest.approx(1.0, abs=0.12)


def test_coverage_counts_what_holds() -> None:
    figures = [SurveyShare(0.1 + shift, 0.0001, 50.0, 900, 90.0, 0.01) for shift in (-0.05, 0.0, 0.01, 0.04)]
    found = interval_coverage(figures, 0.1, level=0.95)
    assert {way: e.value for way, e in found.items()} == dict.fromkeys(
        ("ours", "wilson", "logit", "log", "normal"), 0.5
    )
    assert not covers_truth("log", SurveyShare(0.0, 0.0, 5.0, 10, 0.0, 0.1), 0.01, 0.95)
    assert covers_truth("ours", SurveyShare(0.0, 0.0, 5.0, 10, 0.0, 0.1), 0.01, 0.95)


def test_scores_that_say_everything_need_little() -> None:
    """A made-up population with known q: the pattern of the published table, random > pilot > oracle."""
    rng = np.random.default_rng(9)
    label = rng.random(40_000) < 0.059
    score = expit(3.0 * (2.2 * label + rng.normal(size=40_000)) - 6.0)
    error = Within(0.2).error(label.mean())
    needed = {}
    for name, parts in (
        ("oracle", strata.oracle_strata(score, label, 8)),
        ("quantile", strata.quantile_strata(score, 8)),
    ):
        urns = Urns.of(parts, label, times=50)
        needed[name] = stratified_size(urns.parts, Within(0.2)).n
        draws = urns.piloted(max(needed[name], 400), 50, 4000, rng)
        needed[f"{name} pilot"] = SimulatedEstimates(draws.values, draws.spent, float(label.mean())).needed(error)
    assert needed["oracle"] < needed["quantile"] < needed["quantile pilot"] < 0.7 * 1532


def test_simulations_without_scatter_have_no_error() -> None:
    still = SimulatedEstimates(np.full(10, 0.2), 50.0, 0.25)
    assert still.bias_in_errors == 0.0
    assert still.relative_bias == pytest.approx(-0.2)
    assert still.labels(0.01, level=0.9, least=7.0).value == 7.0
    values = np.array([0.1, 0.2, 0.3, 0.6])
    found = SimulatedEstimates(values, 50.0, 0.25)
    assert found.bias_in_errors == pytest.approx((0.3 - 0.25) / values.std() * 2.0)
    reach = stats.norm.ppf(0.95) * values.std() / 2.0 / 0.25
    assert (found.bias(level=0.9).low, found.bias(level=0.9).high) == pytest.approx((0.2 - reach, 0.2 + reach))
    assert found.bias(level=0.9).method == experiments.METHOD == "monte_carlo"
    away = (values - 0.3) ** 2
    factor = math.exp(stats.norm.ppf(0.95) * away.std() / away.mean() / 2.0)
    need = 50.0 * values.var() / 0.1**2
    labels = found.labels(0.1, level=0.9)
    assert (labels.value, labels.low, labels.high) == pytest.approx((need, need / factor, need * factor))


def test_fewer_labels_are_needed_of_few_items() -> None:
    found = SimulatedEstimates(np.array([0.1, 0.2, 0.3, 0.6]), 50.0, 0.25)
    assert found.labels(0.1, level=0.9, items=100).value == pytest.approx(found.needed(0.1, items=100))
    assert found.needed(0.1, items=100) < found.needed(0.1)


def test_ends_of_intervals_hold() -> None:
    figure = SurveyShare(0.2, 0.001, np.inf, 100, 20.0, 0.01)
    low, high = score_interval(figure, 0.95)
    for way, end, kept in (("wilson", low, True), ("wilson", high, True), ("wilson", high + 1e-9, False)):
        assert covers_truth(way, figure, end, 0.95) == kept
    found = interval_coverage([figure] * 4, 0.2, level=0.9)["log"]
    assert (found.value, found.method, found.n, found.level) == (1.0, "wilson", 4, 0.9)
