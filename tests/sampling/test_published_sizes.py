"""The labels that a target takes by the interval that is published: against the intervals of simulated campaigns."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from evenhand.catalogue.accuracy import PREVALENCE
from evenhand.intervals.blind_spots import RobustShare, intervals_disagree
from evenhand.measurement.simulation.default_design import simulate_score_driven
from evenhand.measurement.simulation.populations import LabelledPopulation
from evenhand.sampling import RandomDesign, SamplingFrame, ScoreDrivenDesign, StratifiedDesign, Within
from evenhand.sampling.expectations import expect_pool, size_for_prevalence, size_for_recall
from evenhand.sampling.published_sizes import (
    expected_estimate,
    expected_labels,
    expected_labels_for_recall,
    labels_for_prevalence,
)

TARGET, LEVEL = Within(0.2), 0.95
DESIGNS = {"random": RandomDesign(), "stratified": StratifiedDesign(), "score-driven": ScoreDrivenDesign()}


def scores(sharpness: float, items: int = 40_000) -> np.ndarray:
    return expit(sharpness * np.random.default_rng(2).normal(size=items) - 0.6 * sharpness - 2.0)


@pytest.mark.parametrize("sharpness", [2.0, 5.0])
def test_half_the_campaigns_publish_an_interval_as_narrow_as_planned(sharpness: float) -> None:
    """By the spread alone a sharp score seems to need far fewer labels: its published interval would be too wide."""
    rng, score = np.random.default_rng(1), scores(sharpness)
    population = LabelledPopulation.of(score, (rng.random(len(score)) < score).astype(float))
    pool = expect_pool(population.frame, ScoreDrivenDesign())
    spread = size_for_prevalence(pool, TARGET).n
    n = expected_labels(PREVALENCE, [pool], TARGET, LEVEL, spread)
    widths = {}
    for size in (spread, n):
        shares = [s.figure() for s in simulate_score_driven([population] * 40, size, rng, ScoreDrivenDesign().rules)]
        published = [RobustShare.from_share(s) if intervals_disagree(s, LEVEL) else s for s in shares]
        widths[size] = float(np.median([TARGET.excess(share.estimate(LEVEL)) for share in published]))
    assert 0.85 <= widths[n] <= 1.1
    assert sharpness < 5.0 or (n > 1.3 * spread and widths[spread] > 1.15)


@pytest.mark.parametrize("name", DESIGNS)
def test_more_labels_are_expected_to_say_more_and_all_of_them_everything(name: str) -> None:
    frame = SamplingFrame.of(scores(3.0))
    pool = expect_pool(frame, DESIGNS[name])
    share = frame.sizes / len(frame)
    assert share @ DESIGNS[name].density(frame, expit(frame.logits)) == pytest.approx(1.0, rel=1e-2)
    excess = [TARGET.excess(expected_estimate(PREVALENCE, [pool], [n], LEVEL)) for n in (100, 400, 1600, 40_000)]
    assert sorted(excess, reverse=True) == excess
    assert excess[-1] == 0.0


def test_where_all_items_are_drawn_alike_the_spread_is_enough() -> None:
    pool = expect_pool(SamplingFrame.of(scores(3.0)), RandomDesign())
    assert expected_labels(PREVALENCE, [pool], TARGET, LEVEL, 321) == 321


def test_recall_and_prevalence_of_two_pools() -> None:
    score = np.sort(scores(5.0))
    pools = [expect_pool(SamplingFrame.of(part), ScoreDrivenDesign()) for part in (score[-2000:], score[:-2000])]
    n = expected_labels_for_recall(pools[0], pools[1], TARGET, LEVEL)
    assert n >= size_for_recall(pools[0], pools[1], TARGET).n
    labels = labels_for_prevalence(pools, TARGET, LEVEL)
    assert 0.9 <= TARGET.excess(expected_estimate(PREVALENCE, pools, labels, LEVEL)) <= 1.0
