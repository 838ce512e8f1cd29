"""The interval that holds whatever the score misses, beside a reference from its definition and the exact binomial."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from evenhand.intervals.blind_spots import RobustShare, drawn_unequally, intervals_disagree, robust_interval
from evenhand.intervals.survey import SurveyShare
from evenhand.intervals.survey_estimators import StratifiedSample


def equal_draw(hits: int, n: int) -> SurveyShare:
    """Drawn one by one from no end of items."""
    share = hits / n
    return SurveyShare(share, share * (1.0 - share) / n, np.inf, n, float(hits), 1.0 / n, mean_weight=1.0 / n)


def two_strata(hits: tuple[int, int], labels: tuple[int, int] = (400, 300)) -> SurveyShare:
    """Of the high scores, a twentieth of all items, every sixth is labelled; of the others few."""
    label = np.concatenate([np.arange(n) < k for n, k in zip(labels, hits, strict=True)]) * 1.0
    return StratifiedSample.from_values(label, np.repeat([0, 1], labels), [2_500, 47_500]).figure()


@pytest.mark.parametrize(("hits", "n"), [(0, 400), (3, 700), (40, 1000), (500, 1000), (990, 1000)])
def test_labels_of_equal_weight_have_nearly_the_exact_interval(hits: int, n: int) -> None:
    low, high = robust_interval(equal_draw(hits, n), 0.95)
    exact = stats.binomtest(hits, n).proportion_ci(0.95, method="exact")
    assert low == pytest.approx(exact.low, rel=0.02, abs=1e-9)
    assert high == pytest.approx(exact.high, rel=0.02)


def test_the_interval_from_its_definition() -> None:
    share = two_strata((150, 1))
    weight = share.mean_weight
    assert weight == pytest.approx(0.05 * 0.05 * (1 - 400 / 2500) / 400 + 0.95 * 0.95 * (1 - 300 / 47500) / 300)
    mean = share.value + weight * (1.0 - share.value)
    variance = max(share.variance, share.cautious_variance) + weight**2 * (1.0 - share.value)
    size = mean * (1.0 - mean) / variance - 1.0
    assert robust_interval(share, 0.9)[1] == pytest.approx(stats.beta(mean * size, (1 - mean) * size).ppf(0.95))


def test_it_contains_the_usual_one_and_keeps_the_value() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        labels = tuple(int(n) for n in rng.integers(2, 500, 2))
        share = two_strata(tuple(int(rng.integers(0, n + 1)) for n in labels), labels)
        usual, robust = share.estimate(), RobustShare.from_share(share).estimate()
        assert robust.value == usual.value
        assert robust.low <= usual.low <= usual.high <= robust.high
        assert robust.flags == usual.flags


def test_a_violation_that_was_not_drawn_is_allowed_for_where_labels_are_heavy() -> None:
    """None of 300 labels that stand for 158 items each violates: three such violations can have been missed."""
    share = two_strata((150, 0))
    usual, robust = share.estimate(), RobustShare.from_share(share).estimate()
    assert usual.high * 50_000 < 1150  # as if there were none
    assert 3.0 * 158 < (robust.high - robust.value) * 50_000 < 3.7 * 158
    assert intervals_disagree(share, 0.95)


def test_what_is_known_of_all_items_has_no_second_interval() -> None:
    everything = StratifiedSample.from_values([0.0, 1.0, 0.0], [0, 0, 0], [3]).figure()
    assert RobustShare.from_share(everything).estimate().method == "exact"
    assert not drawn_unequally(everything)
    assert not drawn_unequally(equal_draw(5, 100))
    assert drawn_unequally(two_strata((150, 0)))
    assert not drawn_unequally(replace(two_strata((150, 0)), mean_weight=0.0))
