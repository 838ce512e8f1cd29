"""Jensen–Shannon and Kullback–Leibler beside loops, at their ends, and where they have no value."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

import brute_perspective as brute
from evenhand.errors import InputError, Undefined
from evenhand.measures.perspective.divergence import (
    composition,
    demographic_divergence,
    divergences,
    largest_divergence,
    uncertainty_divergence,
)
from evenhand.measures.rates import positive_share
from evenhand.tally import PlacedRows, Rows


@pytest.mark.parametrize("seed", range(5))
def test_beside_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cluster, group = rng.integers(-1, 4, 200), rng.integers(-1, 3, 200)
    table = composition(cluster, group, clusters=4, groups=3)
    expected = [[sum((cluster == c) & (group == g)) for g in range(3)] for c in range(4)]
    assert table.tolist() == expected
    value = demographic_divergence(table)
    assert value == pytest.approx(brute.jsd(expected), rel=0, abs=1e-12)
    assert 0.0 < value < largest_divergence(table)
    assert demographic_divergence(table.T) == pytest.approx(value, rel=0, abs=1e-14)


def test_two_equal_clusters_are_the_usual_divergence() -> None:
    table = np.array([[30.0, 10.0, 60.0], [20.0, 70.0, 10.0]])
    assert demographic_divergence(table) == pytest.approx(jensenshannon(*table) ** 2, rel=0, abs=1e-14)


def test_nothing_when_all_clusters_are_composed_alike() -> None:
    assert demographic_divergence(np.outer([3, 5, 10, 1], [2, 4, 1])) == pytest.approx(0.0, abs=1e-15)
    assert demographic_divergence([[4, 7]]) == 0.0


def test_the_most_when_clusters_are_pure() -> None:
    pure = np.diag([10.0, 20.0, 30.0, 40.0])
    shares = [0.1, 0.2, 0.3, 0.4]
    assert largest_divergence(pure) == pytest.approx(-sum(p * math.log(p) for p in shares), abs=1e-14)
    assert demographic_divergence(pure) == pytest.approx(largest_divergence(pure), abs=1e-14)
    split = [[5, 0], [0, 7], [6, 0]]  # two clusters of one group
    assert demographic_divergence(split) == pytest.approx(largest_divergence(split), abs=1e-14)
    assert demographic_divergence(np.diag([1, 1, 1, 1])) == pytest.approx(math.log(4))


def test_an_empty_cell_has_no_divergence_until_it_is_smoothed() -> None:
    everybody, group = [10, 80, 10], [0, 9, 1]
    with pytest.raises(Undefined, match="use smoothing"):
        uncertainty_divergence(everybody, group)
    smooth = uncertainty_divergence(everybody, group, smoothing=0.5)
    assert smooth == pytest.approx(brute.kl([10.5, 80.5, 10.5], [0.5, 9.5, 1.5]), abs=1e-14)
    assert uncertainty_divergence([0, 9, 1], everybody) == pytest.approx(brute.kl([0, 9, 1], everybody), abs=1e-14)
    assert uncertainty_divergence(everybody, everybody) == 0.0
    assert divergences([group, everybody, everybody]).tolist() == [math.inf, 0.0]
    with pytest.raises(Undefined, match=r"^the group has no annotations$"):
        uncertainty_divergence(everybody, [0, 0, 0], smoothing=0.5)


def test_wrong_arguments() -> None:
    with pytest.raises(InputError, match=r"^a cluster or group is out of range$"):
        composition([0, 4], [0, 0], clusters=4, groups=1)
    with pytest.raises(InputError, match=r"^clusters and groups must be one number each per annotator$"):
        composition([0, 1], [0], clusters=2, groups=1)
    with pytest.raises(InputError, match=r"^the composition must be a table of clusters by groups, 0 or more$"):
        demographic_divergence([1, 2])
    with pytest.raises(Undefined, match=r"^no annotator is in a cluster and in a group$"):
        demographic_divergence([[0, 0], [0, 0]])
    with pytest.raises(InputError, match="everybody in the last row"):
        divergences([[1, 2, 3]])


def test_clusters_and_groups_out_of_range() -> None:
    assert composition([0, 1, -1, 1], [1, 0, 0, -1], clusters=2, groups=2).tolist() == [[0.0, 1.0], [1.0, 0.0]]
    nobody = np.empty(0, dtype=np.int64)
    assert composition(nobody, nobody, clusters=2, groups=1).tolist() == [[0.0], [0.0]]
    for cluster, group in (([2], [0]), ([0], [2]), ([-2], [0]), ([0], [-2])):
        with pytest.raises(InputError) as raised:
            composition(cluster, group, clusters=2, groups=2)
        assert str(raised.value) == "a cluster or group is out of range"


def test_counts_that_are_no_table() -> None:
    for wrong in ([[1, 2]], [1, 2], [[1, -1], [2, 2]]):
        with pytest.raises(InputError) as raised:
            divergences(wrong)
        said = "counts must be a table of groups by cells, 0 or more, with everybody in the last row"
        assert str(raised.value) == said
    with pytest.raises(Undefined) as nothing:
        _ = positive_share(PlacedRows.from_rows(np.empty(0), Rows(np.empty(0, dtype=bool), {})).tally().everyone).value
    assert str(nothing.value) == "there are no items"


def test_no_annotations_diverge_from_nothing() -> None:
    with pytest.raises(Undefined, match="there are no annotations"):
        divergences([[0, 0], [0, 0]])
