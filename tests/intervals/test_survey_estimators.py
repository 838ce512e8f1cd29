"""Items that were drawn thread by thread: the share of violating ones and its variance, beside drawing again."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evenhand.errors import InputError, Undefined
from evenhand.intervals.survey_estimators import (
    StratifiedSample,
    bayesian_interval,
    clustered_share,
    combine_batches,
    design_effect,
    hajek,
    horvitz_thompson,
    stratified_bootstrap_interval,
)
from evenhand.sampling.clusters import draw_clusters


def test_items_alone_in_their_clusters_are_items() -> None:
    rng = np.random.default_rng(4)
    label = (rng.random(200) < 0.2).astype(float)
    one = clustered_share(label, np.arange(200), clusters=1000)
    plain = StratifiedSample.from_values(label, np.zeros(200), [1000]).figure()
    assert (one.value, one.variance) == pytest.approx((plain.value, plain.variance))
    assert design_effect(clustered_share(label, np.arange(200))) == pytest.approx(200 / 199, rel=1e-6)


def threads(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Six hundred threads of one to nine items; some are quarrels."""
    size = rng.integers(1, 10, 600)
    heat = rng.beta(0.3, 2.0, 600)
    cluster = np.repeat(np.arange(600), size)
    return cluster, (rng.random(len(cluster)) < heat[cluster]).astype(float)


def test_the_variance_of_threads_knows_that_they_are_threads() -> None:
    rng = np.random.default_rng(6)
    cluster, label = threads(rng)
    members = [np.flatnonzero(cluster == c) for c in range(600)]
    figures, naive = [], []
    for _ in range(1500):
        rows = np.concatenate([members[c] for c in rng.choice(600, 120, replace=False)])
        figures.append(clustered_share(label[rows], cluster[rows], clusters=600))
        naive.append(label[rows].mean() * (1 - label[rows].mean()) / len(rows))
    values = np.array([figure.value for figure in figures])
    assert values.mean() == pytest.approx(label.mean(), rel=0.01)
    assert np.mean([figure.variance for figure in figures]) == pytest.approx(values.var(), rel=0.1)
    assert np.mean(naive) < 0.7 * values.var()
    covered = np.mean([e.low <= label.mean() <= e.high for e in (figure.estimate() for figure in figures)])
    assert 0.93 <= covered <= 0.975


def test_threads_in_strata() -> None:
    rng = np.random.default_rng(7)
    cluster, label = threads(rng)
    stratum = (cluster >= 400).astype(int)
    values, variances = [], []
    members = [np.flatnonzero(cluster == c) for c in range(600)]
    for _ in range(800):
        chosen = [*rng.choice(400, 50, replace=False), *rng.choice(np.arange(400, 600), 70, replace=False)]
        rows = np.concatenate([members[c] for c in chosen])
        figure = clustered_share(label[rows], cluster[rows], strata=stratum[rows], sizes=[400, 200])
        values.append(figure.value)
        variances.append(figure.variance)
    assert np.mean(values) == pytest.approx(label.mean(), rel=0.015)
    assert np.mean(variances) == pytest.approx(np.var(values), rel=0.15)


def test_threads_are_drawn_whole() -> None:
    cluster, _ = threads(np.random.default_rng(1))
    drawn = draw_clusters([f"thread {c}" for c in cluster], 30, seed=3)
    names = np.array([f"thread {c}" for c in cluster])
    chosen = set(names[drawn.rows])
    assert len(chosen) == 30
    assert set(np.flatnonzero(np.isin(names, list(chosen)))) == set(drawn.rows)
    assert drawn.inclusion == pytest.approx(0.05)
    assert drawn.weights == pytest.approx(20.0)
    again = draw_clusters(names, 30, seed=3)
    assert (again.rows == drawn.rows).all()
    assert (draw_clusters(names, 30, seed=4).rows != drawn.rows[:1]).any()


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        (
            lambda: clustered_share([1, 0], [3, 3]),
            Undefined,
            "a single cluster was drawn, so the variance between clusters is unknown",
        ),
        (lambda: clustered_share([1, 0], [3]), InputError, "column 'cluster': there are 1 clusters for 2 items"),
        (
            lambda: clustered_share([1, 0], [3, 4], clusters=1),
            InputError,
            "the clusters must be a whole number from 2 up, not 1",
        ),
        (
            lambda: design_effect(clustered_share([0, 0], [3, 4])),
            Undefined,
            "all labels are the same, so there is no variance to compare",
        ),
        (
            lambda: draw_clusters([1, 1, 2], 3, seed=0),
            InputError,
            "3 clusters requested, but there are only 2: label all of them (a census)",
        ),
        (
            lambda: draw_clusters([1, 1, 2], 0, seed=0),
            InputError,
            "the number of clusters must be a whole number from 1 up, not 0",
        ),
    ],
)
def test_wrong_arguments_are_named(wrong, kind, message) -> None:
    with pytest.raises(kind) as raised:
        wrong()
    assert str(raised.value) == message


def test_batches_together_expect_what_each_does_and_nothing_if_one_does_not() -> None:
    first = StratifiedSample.from_values([1, 0, 0, 1], [0, 0, 1, 1], [10, 20])
    second = StratifiedSample.from_values([1, 0, 0], [0, 0, 0], [30])
    model = [StratifiedSample(**{**vars(part), "expected": 0.1 + part.means}) for part in (first, second)]
    both = combine_batches([model[0].scaled(0.4), model[1].scaled(0.6, known=0.01)])
    np.testing.assert_array_equal(both.expected, 0.1 + np.concatenate((first.means, second.means)))
    assert combine_batches([model[0], second]).expected is None
    assert both.known == pytest.approx(0.01)
    assert both.hits == 3.0
    expected = 0.4 * first.figure().value + 0.6 * second.figure().value + 0.01
    assert both.figure().value == pytest.approx(expected)
    np.testing.assert_array_equal(model[0].only(np.array([False, True])).expected, 0.1 + first.means[1:])


def test_alternatives_add_what_is_known() -> None:
    sampled = StratifiedSample.from_values(np.arange(40) % 4 == 0, np.arange(40) % 2, [500, 300])
    plain = stratified_bootstrap_interval(sampled, 0.9, np.random.default_rng(1))
    moved = stratified_bootstrap_interval(sampled.scaled(0.5, known=0.2), 0.9, np.random.default_rng(1))
    assert moved == pytest.approx((0.5 * plain[0] + 0.2, 0.5 * plain[1] + 0.2), rel=1e-12)
    middle = np.mean(bayesian_interval(sampled.scaled(0.5, known=0.2), 0.9))
    assert middle == pytest.approx(0.5 * np.mean(bayesian_interval(sampled, 0.9)) + 0.2, abs=0.01)


def test_all_clusters_of_a_stratum_may_be_drawn() -> None:
    label, cluster, strata = [1, 0, 0, 1, 1, 0], [0, 0, 1, 2, 3, 3], [0, 0, 0, 1, 1, 1]
    found = clustered_share(label, cluster, strata=strata, sizes=[2, 2])
    assert (found.value, found.variance, found.heaviest) == (0.5, 0.0, 0.0)
    with pytest.raises(InputError) as raised:
        clustered_share(label, cluster, strata=strata, sizes=[2, 1])
    assert str(raised.value) == "column 'sizes', row 2: there are fewer clusters than were drawn"
    with pytest.raises(InputError) as raised:
        clustered_share([1, 0], [3])
    assert str(raised.value) == "column 'cluster': there are 1 clusters for 2 items"
    with pytest.raises(InputError) as raised:
        clustered_share(label, cluster, strata=strata, sizes=[2])
    assert str(raised.value) == "column 'sizes': there are 1 values for 2 items"
    with pytest.raises(InputError) as raised:
        clustered_share(label, cluster, strata=[0], sizes=[2])
    assert str(raised.value) == "column 'strata': there are 1 values for 6 items"
    with pytest.raises(Undefined) as nothing:
        clustered_share([], [])
    assert str(nothing.value) == "no item was labelled"


def test_columns_of_samples_are_named() -> None:
    for wrong, said in (
        (
            lambda: StratifiedSample.from_values([1, np.nan], [0, 0], [5]),
            "column 'values', row 2: the value is missing or not finite",
        ),
        (
            lambda: StratifiedSample.from_values([1, 0], [0, 0], [np.nan]),
            "column 'sizes', row 1: the value is missing or not finite",
        ),
        (lambda: StratifiedSample.from_values([1, 0], [0], [5]), "column 'strata': there are 1 values for 2 items"),
        (lambda: StratifiedSample.from_values([1, 0], [0, 1], [5]), "column 'strata', row 2: no such stratum"),
        (lambda: StratifiedSample.from_values([1, 0], [0, 0], [5, 5]), "stratum 2 has no labels"),
        (
            lambda: StratifiedSample.from_values([1, 0, 1], [0, 0, 0], [2]),
            "column 'sizes', row 1: a stratum has more labels than items",
        ),
        (lambda: hajek([1], [np.nan]), "column 'inclusion', row 1: the value is missing or not finite"),
        (lambda: hajek([1, 0], [0.5]), "column 'label': there are 2 values for 1 items"),
        (lambda: horvitz_thompson([1], [0.5], 0), "the items must be a whole number from 1 up, not 0"),
    ):
        with pytest.raises(InputError) as raised:
            wrong()
        assert str(raised.value) == said


def test_strata_of_clusters_by_hand() -> None:
    """In each stratum N (N − n) / n times the variance of what its clusters have beyond the ratio."""
    rng = np.random.default_rng(2)
    cluster = np.repeat(np.arange(9), rng.integers(1, 6, 9))
    stratum, label = (cluster >= 4).astype(int), (rng.random(len(cluster)) < 0.4).astype(float)
    found = clustered_share(label, cluster, strata=stratum, sizes=[40, 10])
    weight = np.where(stratum == 0, 40 / 4, 10 / 5)
    value, whole = float(weight @ label / weight.sum()), float(weight.sum())
    rest = np.array([(label - value)[cluster == c].sum() for c in range(9)])
    each = [(40 * 36 / 4, rest[:4]), (10 * 5 / 5, rest[4:])]
    assert found.value == pytest.approx(value)
    assert found.variance == pytest.approx(sum(scale * part.var(ddof=1) for scale, part in each) / whole**2, rel=1e-12)


def test_alternatives_by_their_formulas() -> None:
    sampled = StratifiedSample.from_values(
        np.repeat([1, 0, 1, 0], [6, 24, 5, 15]), np.repeat([0, 1], [30, 20]), [500, 20]
    )
    shares, p = np.array([500, 20]) / 520, np.array([6.5 / 31, 5.5 / 21])
    variance = shares[0] ** 2 * (1 - 30 / 500) * p[0] * (1 - p[0]) / 32  # the second stratum is known
    size = (mean := shares @ p) * (1 - mean) / variance - 1
    assert bayesian_interval(sampled, 0.9) == pytest.approx(
        stats.beta(mean * size, (1 - mean) * size).ppf([0.05, 0.95])
    )
    low, high = stratified_bootstrap_interval(sampled, 0.9, np.random.default_rng(1), replicates=40_000)
    expected = stats.binom(29, 0.2).ppf([0.05, 0.95]) / 29 * shares[0] + 0.25 * shares[1]
    assert (low, high) == pytest.approx(expected, abs=1e-9)


def test_clusters_of_which_nothing_was_labelled() -> None:
    with pytest.raises(Undefined, match="no item was labelled"):
        clustered_share([], [], clusters=4)
