"""Shares from clusters: degrees of freedom by size, and one more cluster where a few have most of the items."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.intervals.blind_spots import RobustShare
from evenhand.intervals.domains import WeightedSample
from evenhand.intervals.drawn_clusters import ClusteredShare, allow_for_clusters, equal_sized_clusters, sizes_are_uneven
from evenhand.intervals.survey import SurveyShare
from evenhand.intervals.survey_estimators import clustered_share
from evenhand.tally import Clusters

SHARE = SurveyShare(0.1, 4e-4, 99.0, 500, 50.0, 0.01, 4e-4)


def test_large_clusters_count_for_more_than_one() -> None:
    assert equal_sized_clusters(np.full(40, 3.0)) == pytest.approx(40.0)
    assert equal_sized_clusters(np.array([100.0, *np.ones(100)])) == pytest.approx(200**2 / (100**2 + 100))
    assert not sizes_are_uneven(np.full(40, 3.0))
    assert sizes_are_uneven(np.array([100.0, *np.ones(100)]))


def test_even_sizes_leave_the_usual_interval() -> None:
    share = allow_for_clusters(SHARE, np.full(40, 3.0))
    assert isinstance(share, ClusteredShare)
    assert (share.freedom, share.variance, share.value) == (pytest.approx(39.0), SHARE.variance, SHARE.value)


def test_violations_in_few_clusters_are_few() -> None:
    """Fifty violating labels with five times the variance of independent ones are as good as ten."""
    share = SurveyShare(0.1, 5 * 0.09 / 500, 99.0, 500, 50.0, 0.01)
    estimate = allow_for_clusters(share, np.full(100, 5.0)).estimate()
    assert (share.estimate().method, estimate.method, estimate.small) == ("survey_wilson", "korn_graubard", True)
    assert estimate.high > share.estimate().high


def test_uneven_sizes_allow_for_one_more_cluster() -> None:
    weights = np.array([100.0, *np.ones(100)])
    share = allow_for_clusters(SHARE, weights, 0.9)
    assert isinstance(share, RobustShare)
    assert share.mean_weight == pytest.approx(0.9 * np.sum((weights / weights.sum()) ** 2))
    assert share.estimate().high > allow_for_clusters(SHARE, np.full(101, 2.0)).estimate().high + 0.1


def test_what_is_known_stays_known() -> None:
    known = SurveyShare(0.1, 0.0, np.inf, 500, 50.0, 0.0)
    assert allow_for_clusters(known, np.array([5.0, 1.0, 1.0, 1.0])) is known


def test_the_audit_sums_within_clusters_before_it_squares() -> None:
    """Beside the ratio estimate of whole clusters, drawn from no end of them."""
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(80), 5)
    bad = rng.random(400) < rng.beta(0.3, 2.7, 80)[cluster]
    everything = np.ones(400, dtype=np.bool_)
    sample = WeightedSample(np.full(400, 1e9), clusters=Clusters.from_codes(cluster))
    found, expected = sample.share(bad, everything), clustered_share(bad * 1.0, cluster)
    assert found.value == pytest.approx(expected.value)
    assert found.variance == pytest.approx(expected.variance, rel=1e-6)
    assert sample.without_clusters().share(bad, everything).variance < found.variance


def test_two_ways_are_no_narrower_than_either() -> None:
    rng = np.random.default_rng(5)
    terms, templates = np.divmod(np.arange(600), 20)
    bad = rng.random(600) < np.clip(0.2 + 0.15 * rng.normal(size=30)[terms], 0, 1)
    everything, weights = np.ones(600, dtype=np.bool_), np.ones(600)
    both, *either = (
        WeightedSample(weights, census=True, clusters=Clusters.from_codes(*codes)).share(bad, everything).variance
        for codes in ((terms, templates), (terms,), (templates,))
    )
    assert both >= max(either) * (1 - 1e-12)
