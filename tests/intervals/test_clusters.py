"""Items that were drawn thread by thread: the share of violating ones and its variance, beside drawing again."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.errors import InputError, Undefined
from evenhand.intervals.clusters import clustered, design_effect
from evenhand.intervals.survey import Sampled
from evenhand.sampling.clusters import draw_clusters


def test_items_alone_in_their_clusters_are_items() -> None:
    rng = np.random.default_rng(4)
    label = (rng.random(200) < 0.2).astype(float)
    one = clustered(label, np.arange(200), clusters=1000)
    plain = Sampled.of(label, np.zeros(200), [1000]).figure()
    assert (one.value, one.variance) == pytest.approx((plain.value, plain.variance))
    assert design_effect(clustered(label, np.arange(200))) == pytest.approx(200 / 199, rel=1e-6)


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
        figures.append(clustered(label[rows], cluster[rows], clusters=600))
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
        figure = clustered(label[rows], cluster[rows], strata=stratum[rows], sizes=[400, 200])
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
            lambda: clustered([1, 0], [3, 3]),
            Undefined,
            "a single cluster was drawn, so the variance between clusters is not known",
        ),
        (lambda: clustered([1, 0], [3]), InputError, "column 'cluster': there are 1 clusters for 2 items"),
        (
            lambda: clustered([1, 0], [3, 4], clusters=1),
            InputError,
            "the clusters must be a whole number from 2 up, not 1",
        ),
        (
            lambda: design_effect(clustered([0, 0], [3, 4])),
            Undefined,
            "all labels are alike, so there is no variance to compare",
        ),
        (
            lambda: draw_clusters([1, 1, 2], 3, seed=0),
            InputError,
            "3 clusters are more than the 2 there are: label all of them, a census",
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
