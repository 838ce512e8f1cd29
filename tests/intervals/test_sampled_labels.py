"""Labels with what is known of their draw: against the definition, for the whole and for parts, by item and cluster."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta

from evenhand.errors import Undefined
from evenhand.intervals.proportions import WilsonInterval
from evenhand.intervals.sampled_labels import UNLABELLED, SampledLabels
from evenhand.intervals.survey_estimators import StratifiedSample, clustered_share

SIZES = np.array([400, 300, 50])
STRATA = np.repeat([0, 1, 2], [8, 6, 4])
LABEL = np.array([0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1], dtype=float)
GROUP = np.arange(18) % 3


def planned(**more: np.ndarray) -> SampledLabels:
    counts = np.bincount(STRATA)
    left = 1.0 - counts / SIZES
    return SampledLabels(
        (SIZES / counts)[STRATA], STRATA, (SIZES**2 * left / counts)[STRATA], (SIZES * left / counts)[STRATA], **more
    )


def brute_share(whole: np.ndarray) -> tuple[float, float]:
    """The ratio of two weighted sums and its variance made linear, stratum by stratum, from the definition."""
    counts = np.bincount(STRATA)
    weights = [SIZES[h] / counts[h] for h in STRATA]
    items = sum(w for w, own in zip(weights, whole, strict=True) if own)
    value = sum(w * y for w, y, own in zip(weights, LABEL, whole, strict=True) if own) / items
    variance = 0.0
    for h, size in enumerate(SIZES):
        rest = [(LABEL[i] - value if whole[i] else 0.0) for i in np.flatnonzero(h == STRATA)]
        mean = sum(rest) / len(rest)
        spread = sum((z - mean) ** 2 for z in rest) / (len(rest) - 1)
        variance += (size / items) ** 2 * (1 - len(rest) / size) * spread / len(rest)
    return value, variance


@pytest.mark.parametrize("group", [None, 0, 1, 2])
def test_the_share_and_its_variance_are_those_of_the_definition(group: int | None) -> None:
    whole = np.ones(18, dtype=bool) if group is None else group == GROUP
    value, variance = brute_share(whole)
    share = planned().share(LABEL, whole, part=group is not None)
    assert share.value == pytest.approx(value, rel=1e-12)
    assert (share.n, share.hits) == (whole.sum(), LABEL[whole].sum())
    if group is None:
        assert share.variance == pytest.approx(variance, rel=1e-12)
    else:
        assert share.variance >= variance * (1 - 1e-12)  # the cautious one
        assert share.most == whole.sum()


def test_the_whole_is_the_stratified_estimate() -> None:
    ours = planned().share(LABEL, np.ones(18, dtype=bool), part=False)
    theirs = StratifiedSample.from_values(LABEL, STRATA, SIZES).figure()
    for name in ("value", "variance", "freedom", "n", "hits", "heaviest", "cautious_variance", "cautious_freedom"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), rel=1e-12), name


def test_clusters_count_as_one_draw_each() -> None:
    clusters, label = np.repeat(np.arange(6), 3), LABEL
    scale, reach = np.full(18, 40 * 34 / 6), np.full(18, 34 / 6 * 3)
    drawn = SampledLabels(np.full(18, 40 / 6), np.zeros(18, int), scale, reach, clusters=clusters)
    ours, theirs = drawn.share(label, np.ones(18, bool), part=False), clustered_share(label, clusters, clusters=40)
    for name in ("value", "variance", "n", "hits", "heaviest", "freedom"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), rel=1e-9), name


def test_two_equal_labels_are_no_certainty() -> None:
    """Two labels a stratum, alike in each: the old variance was 0, and the interval that of hundreds of labels."""
    strata, label = np.repeat(np.arange(7), 2), np.repeat([0, 0, 0, 0, 1, 0, 1], 2).astype(float)
    drawn = SampledLabels(np.full(14, 50.0), strata, np.full(14, 100.0**2 / 2), np.full(14, 50.0))
    for expected in (None, np.full(14, 0.1)):
        labels = SampledLabels(drawn.weights, strata, drawn.scale, drawn.reach, expected)
        estimate = labels.share(label, np.ones(14, dtype=bool), part=True).estimate()
        exact = beta.ppf(0.975, 5, 10) - beta.ppf(0.025, 4, 11)
        assert estimate.high - estimate.low >= 0.95 * exact


def test_a_part_has_no_more_effective_labels_than_labels() -> None:
    """Strata that are nearly all one kind have little variance: for a part, that is not worth more than its labels."""
    strata = np.repeat(np.arange(2), 60)
    label = np.concatenate([np.arange(60) < 58, np.arange(60) < 2]).astype(float)
    drawn = SampledLabels(np.full(120, 1e4), strata, np.full(120, 6e5**2 / 60), np.full(120, 1e4))
    whole, part = (drawn.share(label, np.ones(120, dtype=bool), part=part).estimate() for part in (False, True))
    simple = WilsonInterval.from_variance(0.5, 0.25 / 120).interval(0.95)
    assert whole.high - whole.low < 0.6 * (simple[1] - simple[0])
    assert part.high - part.low >= simple[1] - simple[0] - 1e-12


@pytest.mark.parametrize("strata", [1, 5, 35])
def test_an_interval_near_1_is_close_to_the_binomial_one(strata: int) -> None:
    """70 of 71 labels violate, drawn with equal probability in strata of about two labels, or in a few."""
    of = np.arange(71) % strata
    label = np.ones(71)
    label[3] = 0.0
    size = np.bincount(of) * 100.0
    counts = np.bincount(of)
    drawn = SampledLabels(np.full(71, 100.0), of, (size**2 / counts)[of], (size / counts)[of], np.full(71, 0.014))
    binomial = beta.ppf(0.975, 71, 1) - beta.ppf(0.025, 70, 2)
    for part in (False, True):
        estimate = drawn.share(label, np.ones(71, dtype=bool), part=part).estimate()
        assert estimate.value == pytest.approx(70 / 71)
        assert 0.9 * binomial <= estimate.high - estimate.low <= 1.5 * binomial


def test_a_part_without_labels_has_no_share_and_one_that_is_labelled_whole_no_error() -> None:
    with pytest.raises(Undefined, match=UNLABELLED):
        planned().share(LABEL, np.zeros(18, dtype=bool), part=True)
    estimate = planned().share(LABEL, STRATA == 2, part=True, items=4).estimate()
    assert (estimate.value, estimate.method) == (1.0, "exact")
