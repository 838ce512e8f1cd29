"""Variances by clusters, beside sums written out from the definition."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evenhand.intervals.clusters import DesignEffect, RowInfluence, cluster_correlation, design_effect
from evenhand.intervals.proportions import WilsonInterval
from evenhand.tally import Clusters, Weights


def share_rows(marked: np.ndarray, weights: Weights | None = None) -> RowInfluence:
    """The influence of every row on the share of marked ones."""
    weight = np.ones(len(marked)) if weights is None else weights.weight
    share = float((weight * marked).sum() / weight.sum())
    parts = np.zeros(len(marked), dtype=np.int32)
    return RowInfluence((marked - share) / weight.sum(), parts, weights, max(share, 1.0 - share))


def brute_variance(values: np.ndarray, *columns: np.ndarray) -> float:
    """Σ over pairs of rows that share a value of any column."""
    total = 0.0
    for i, j in np.ndindex(len(values), len(values)):
        together = any(column[i] == column[j] for column in columns)
        total += values[i] * values[j] * together
    return total


@pytest.fixture
def rows() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(4)
    author, thread = rng.integers(0, 9, 60), rng.integers(0, 7, 60)
    return {"author": author, "thread": thread, "marked": (rng.random(60) < 0.2 + 0.05 * author).astype(float)}


def test_rows_are_summed_within_clusters(rows: dict[str, np.ndarray]) -> None:
    influence, clusters = share_rows(rows["marked"]), Clusters.from_codes(rows["author"])
    (way,) = clusters.ways
    number = influence.effective_clusters(way)
    assert 2.0 < number <= 9.0
    expected = brute_variance(influence.values, rows["author"]) * number / (number - 1.0)
    assert influence.clustered_variance(clusters.ways) == pytest.approx(expected, rel=1e-12)


def test_two_ways_are_all_pairs_that_share_either(rows: dict[str, np.ndarray]) -> None:
    influence = share_rows(rows["marked"])
    clusters = Clusters.from_codes(rows["author"], rows["thread"])
    plain = sum(way.sign * np.sum(way.sums(influence.values) ** 2) for way in clusters.ways)
    assert plain == pytest.approx(brute_variance(influence.values, rows["author"], rows["thread"]), rel=1e-9)
    alone = [influence.clustered_variance([way]) for way in clusters.ways[:2]]
    assert influence.clustered_variance(clusters.ways) >= max(alone)


def test_equal_clusters_count_as_many_as_there_are() -> None:
    marked = np.repeat(np.random.default_rng(1).random(40) < 0.5, 5).astype(float)
    clusters = Clusters.from_codes(np.repeat(np.arange(40), 5))
    influence = share_rows(marked)
    assert influence.effective_clusters(clusters.ways[0]) == pytest.approx(40.0)
    found = design_effect(influence, clusters)
    assert found.factor == pytest.approx(5.0 * 40.0 / 39.0, rel=0.01)  # copies: each five are one
    assert found.widen(WilsonInterval(0.5, 1 / 200)).freedom == pytest.approx(39.0)


def test_clusters_of_one_item_change_next_to_nothing() -> None:
    marked = (np.random.default_rng(2).random(500) < 0.3).astype(float)
    found = design_effect(share_rows(marked), Clusters.from_codes(np.arange(500)))
    plain = WilsonInterval(float(marked.mean()), 1 / 500)
    low, high = plain.interval(0.95)
    wide_low, wide_high = found.widen(plain).interval(0.95)
    assert (wide_high - wide_low) / (high - low) == pytest.approx(1.0, abs=0.01)


def test_a_number_that_shows_no_variance_counts_clusters() -> None:
    clusters = Clusters.from_codes(np.repeat(np.arange(50), 20))
    found = design_effect(share_rows(np.zeros(1000)), clusters)
    assert found == DesignEffect(pytest.approx(20.0), pytest.approx(50.0))


def test_one_cluster_says_nothing() -> None:
    marked = np.tile([0.0, 1.0], 50)
    found = design_effect(share_rows(marked), Clusters.from_codes(np.zeros(100)))
    low, high = found.widen(WilsonInterval(0.5, 0.01)).interval(0.95)
    assert low < 0.01
    assert high > 0.99


def test_a_count_is_so_many_rows_of_the_cluster() -> None:
    marked, author, times = np.tile([0.0, 1.0, 1.0], 20), np.repeat(np.arange(12), 5), np.tile([1.0, 2.0, 3.0], 20)
    counted = share_rows(marked, Weights.from_columns(count=times))
    again = np.repeat(np.arange(60), times.astype(int))
    found = design_effect(counted, Clusters.from_codes(author))
    assert found == pytest.approx(design_effect(share_rows(marked[again]), Clusters.from_codes(author[again])))


def test_correlation_of_numbers_that_move_together(rows: dict[str, np.ndarray]) -> None:
    clusters = Clusters.from_codes(rows["author"])
    one = share_rows(rows["marked"])
    opposite = share_rows(1.0 - rows["marked"])
    assert cluster_correlation(one, one, clusters) == pytest.approx(1.0)
    assert cluster_correlation(one, opposite, clusters) == pytest.approx(-1.0)
    assert cluster_correlation(one, share_rows(np.zeros(60)), clusters) == 0.0


def test_whole_clusters_are_drawn_again() -> None:
    rng = np.random.default_rng(0)
    author = rng.integers(0, 30, 300)
    times = Clusters.from_codes(author).redrawn(rng)
    assert all(len(set(times[author == one])) == 1 for one in range(30))
    mean = np.mean([Clusters.from_codes(author).redrawn(rng).mean() for _ in range(400)])
    assert mean == pytest.approx(1.0, abs=4.0 / math.sqrt(400 * 30))


def test_drawn_again_with_counts_and_probabilities() -> None:
    clusters, rng = Clusters.from_codes([0, 0, 1, 1]), np.random.default_rng(0)
    counted = Weights.resampled(Weights.from_columns(count=np.array([1.0, 2.0, 3.0, 4.0])), 4, rng, clusters)
    assert counted.weight[1] == 2.0 * counted.weight[0]
    sure = Weights.resampled(Weights.from_columns(inclusion=np.ones(4)), 4, rng, clusters)
    assert sure.weight.tolist() == [1.0] * 4
