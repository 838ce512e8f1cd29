"""Simulated designs: closed forms, brute force, and the real design played one sample at a time."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import comb, expit
from sklearn.isotonic import IsotonicRegression

from evenhand.intervals.survey import Figure
from evenhand.sampling import Labelled, ScoreDriven, Within, next_batch, of_batches, strata
from evenhand.sampling import allocation as allocating
from evenhand.sampling.simulation import (
    Population,
    Simulated,
    Urns,
    coverage,
    holds,
    once,
    scaled,
    score_driven,
)
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
    urns = Urns.of(strata.quantile(SCORE, 8), LABEL)
    error = Within(0.2).error(LABEL.mean())
    for allocate in (urns.equal, urns.optimal):
        n = urns.size(allocate, error)
        assert urns.variance(allocate(n)) <= error**2 < urns.variance(allocate(n - 1))
    many = Urns.of(strata.quantile(SCORE, 8), LABEL, times=5000)
    closed = stratified_size(many.parts, Within(0.2)).n
    assert many.size(many.optimal, error) == pytest.approx(closed, abs=4)


def test_the_closed_form_is_what_the_simulation_says() -> None:
    urns = Urns.of(strata.quantile(SCORE, 8), LABEL, times=500)
    error, rng = Within(0.2).error(LABEL.mean()), np.random.default_rng(5)
    for allocate, weights in ((urns.optimal, None), (urns.equal, np.ones(8))):
        n = stratified_size(urns.parts, Within(0.2), allocation=weights).n
        draws = urns.drawn(allocate(n), 20_000, rng)
        found = Simulated(draws.values, draws.spent, float(LABEL.mean())).labels(error, level=0.999)
        assert found.low < n < found.high
        assert found.high / found.low < 1.15


def test_many_pilots_at_once_are_those_one_by_one() -> None:
    urns = Urns.of(strata.quantile(SCORE, 8), LABEL)
    draws = urns.piloted(600, 50, 30, np.random.default_rng(4))
    first = np.random.default_rng(4).hypergeometric(urns.violating, urns.sizes - urns.violating, 50, (30, 8))
    for counts, seen in zip(draws.counts, first, strict=True):
        assert counts.tolist() == allocating.after_pilot(600, urns.sizes, [50] * 8, seen).tolist()
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
        counts = allocating.after_pilot(n, urns.sizes, [each] * 2, list(seen))
        left = Urns(urns.sizes - each, urns.violating - np.array(seen))
        more = counts - each
        mean = np.array(seen) + more * left.violating / left.sizes
        expected += p * float(np.dot(urns.sizes, mean / counts)) / 120
    assert expected < 9 / 120
    draws = urns.piloted(n, each, 200_000, np.random.default_rng(2))
    found = Simulated(draws.values, draws.spent, 9 / 120)
    assert draws.values.mean() == pytest.approx(expected, abs=4 * draws.values.std() / np.sqrt(200_000))
    assert found.bias_in_errors < -3.5
    assert found.bias(level=0.95).high < 0.0


def test_the_simulation_is_the_real_design() -> None:
    """Sample by sample on the same generators as `next_batch`: the same items, the same estimates."""
    population, design, n = Population.of(SCORE, LABEL), ScoreDriven(), 400
    for seed in range(3):
        past: list[Labelled] = []
        for number, size in enumerate(design.batches(n)):
            batch = next_batch(population.frame, past, size, seed=seed)
            rng = np.random.default_rng([seed, number])
            (again,) = _last(population, past, size, rng, design)
            assert batch.draw.rows.tolist() == again.tolist()
            past.append(Labelled.of(batch, LABEL[batch.draw.rows]))
    rng, other = (np.random.default_rng(8) for _ in range(2))
    for sampled in score_driven([population] * 3, n, rng, design):
        whole = of_batches(population.frame, once(population, n, other, design), design.weights(n))
        assert sampled.figure() == whole.figure()


def _last(population: Population, past: list[Labelled], size: int, rng: np.random.Generator, design: ScoreDriven):
    from evenhand.sampling.adaptive import draw_batch

    yield draw_batch(population.frame, past, size, rng, design).draw.rows


def test_many_times_over() -> None:
    population = Population.of(SCORE[:1000], LABEL[:1000])
    endless = population.endless()
    assert (len(population), len(endless), endless.times) == (1000, 50_000, 50)
    assert endless.prevalence == population.prevalence
    assert np.bincount(endless.frame.order).tolist() == [50] * 1000
    assert Population.of(np.full(10, 0.5), [0, 1] * 5).endless().times == 50


def test_a_shuffled_classifier_knows_nothing() -> None:
    population = Population.of(SCORE, LABEL)
    shuffled = population.shuffled(np.random.default_rng(1))
    assert shuffled.prevalence == population.prevalence
    assert abs(np.corrcoef(shuffled.score, shuffled.label)[0, 1]) < 0.03
    assert np.corrcoef(SCORE, LABEL)[0, 1] > 0.2


def test_the_limit_is_that_of_the_isotonic_truth() -> None:
    for score in (SCORE, np.round(SCORE, 2)):
        q = IsotonicRegression().fit_transform(score, LABEL)
        assert Population.of(score, LABEL).limit() == pytest.approx(np.mean(np.sqrt(q * (1 - q))) ** 2, rel=1e-9)


def test_labels_needed() -> None:
    assert scaled(100, 2.0) == 200
    assert scaled(100, 1.0, items=500) == pytest.approx(100)
    n = scaled(100, 2.0, items=500)  # where the variance is V (1/n − 1/N): twice as much as is asked for at 100
    assert (1 / 100 - 1 / 500) / (1 / n - 1 / 500) == pytest.approx(2.0)
    values = np.random.default_rng(1).normal(0.1, 0.02, 4000)
    found = Simulated(values, 300, 0.1)
    assert found.needed(0.01) == pytest.approx(1200, rel=0.1)
    assert found.labels(0.01, level=0.95, least=5000).value == 5000
    again = [Simulated(np.random.default_rng(k).normal(0.1, 0.02, 500), 300, 0.1) for k in range(400)]
    ends = [one.labels(0.01, level=0.9) for one in again]
    assert np.mean([e.low <= 1200 <= e.high for e in ends]) == pytest.approx(0.9, abs=0.05)
    assert np.std([one.bias_in_errors for one in again]) == pytest.approx(1.0, abs=0.12)


def test_coverage_counts_what_holds() -> None:
    figures = [Figure(0.1 + shift, 0.0001, 50.0, 900, 90.0, 0.01) for shift in (-0.05, 0.0, 0.01, 0.04)]
    found = coverage(figures, 0.1, level=0.95)
    assert {way: e.value for way, e in found.items()} == dict.fromkeys(
        ("ours", "wilson", "logit", "log", "normal"), 0.5
    )
    assert not holds("log", Figure(0.0, 0.0, 5.0, 10, 0.0, 0.1), 0.01, 0.95)
    assert holds("ours", Figure(0.0, 0.0, 5.0, 10, 0.0, 0.1), 0.01, 0.95)


def test_scores_that_say_everything_need_little() -> None:
    """A made-up population with known q: the pattern of the published table, random > pilot > oracle."""
    rng = np.random.default_rng(9)
    label = rng.random(40_000) < 0.059
    score = expit(3.0 * (2.2 * label + rng.normal(size=40_000)) - 6.0)
    error = Within(0.2).error(label.mean())
    needed = {}
    for name, parts in (("oracle", strata.oracle(score, label, 8)), ("quantile", strata.quantile(score, 8))):
        urns = Urns.of(parts, label, times=50)
        needed[name] = stratified_size(urns.parts, Within(0.2)).n
        draws = urns.piloted(max(needed[name], 400), 50, 4000, rng)
        needed[f"{name} pilot"] = Simulated(draws.values, draws.spent, float(label.mean())).needed(error)
    assert needed["oracle"] < needed["quantile"] < needed["quantile pilot"] < 0.7 * 1532
