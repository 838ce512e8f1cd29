"""The interval that a number of labels is expected to publish, and the labels that a target takes by that interval.

The spread of estimates alone says too little: where labels are drawn by a score, the interval that is published also
allows for violations that the score cannot see, and takes more labels. What is expected of each pool stands in for its
labels, and goes through the intervals of real ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from evenhand.catalogue.accuracy import PREVALENCE
from evenhand.catalogue.shared import RECALL
from evenhand.estimate import Estimate
from evenhand.intervals.blind_spots import UNEQUAL, RobustShare, drawn_unequally, intervals_disagree
from evenhand.intervals.pools import Pools
from evenhand.intervals.survey import SurveyShare
from evenhand.sampling.design import PoolExpectation
from evenhand.sampling.expectations import fewest_labels, size_for_recall, split_labels
from evenhand.sampling.sizes import Target, Within, two_sided

STEP = 1.02  # by which labels of pools that cannot do are raised
CLOSE = 1.005  # times the fewest labels, within which the search ends


def expected_share(pool: PoolExpectation, n: int) -> SurveyShare:
    """What n labels of a pool are expected to show; what is labelled is known."""
    left = max(0.0, 1.0 - n / pool.items)
    weight, variance = pool.mean_weight * left / n, pool.variance * left / n
    hits = n * (pool.prevalence if pool.hit_share is None else pool.hit_share)
    return SurveyShare(pool.prevalence, variance, math.inf, n, hits, weight, variance, math.inf, mean_weight=weight)


def expected_estimate(measure: str, pools: Sequence[PoolExpectation], labels: Sequence[int], level: float) -> Estimate:
    """Of the prevalence of one pool, or a measure of two: with the interval that would be published."""
    shares = [expected_share(pool, n) for pool, n in zip(pools, labels, strict=True)]
    if drawn_unequally(shares[-1]) and intervals_disagree(shares[-1], level):
        shares = [RobustShare.from_share(share) if drawn_unequally(share) else share for share in shares]
    if len(shares) == 1:
        return shares[0].estimate(level)
    removed, visible = shares
    return Pools(removed, pools[0].items, visible, pools[1].items).estimate(measure, level)


def expected_labels(measure: str, pools: Sequence[PoolExpectation], target: Target, level: float, least: int) -> int:
    """Labels of all pools with which the published interval is expected to be narrow enough: `least` or more.

    Where all items are drawn alike, sizes from the spread alone hold, and `least` is the answer.
    """
    items = sum(pool.items for pool in pools)
    if target.bound is not None or not any(pool.mean_weight > UNEQUAL for pool in pools) or least >= items:
        return least

    def enough(n: int) -> bool:
        labels = split_labels(n, pools) if len(pools) > 1 else (n,)
        return target.excess(expected_estimate(measure, pools, labels, level)) <= 1.0

    few, many = max(least, int(fewest_labels(pools).sum()) if len(pools) > 1 else least), items
    if enough(few):
        return least
    while many > math.ceil(CLOSE * few):
        middle = math.ceil(math.sqrt(float(few) * many))
        few, many = (few, middle) if enough(middle) else (middle, many)
    return many


def expected_labels_for_recall(removed: PoolExpectation, visible: PoolExpectation, target: Target, level: float) -> int:
    """Of both pools, for a target precision of recall; no more than there are items."""
    least = min(size_for_recall(removed, visible, target).n, removed.items + visible.items)
    return expected_labels(RECALL, (removed, visible), target, level, least)


def labels_for_prevalence(pools: Sequence[PoolExpectation], target: Within, level: float) -> list[int]:
    """Of each of two pools, for a target precision of the prevalence of both: in proportion to what they add to it."""
    spreads = np.array([pool.items * np.sqrt(pool.variance) for pool in pools])
    violations = sum(pool.items * pool.prevalence for pool in pools)
    error = target.share * violations / two_sided(level)
    labels = np.ceil(spreads * spreads.sum() / error**2)
    most = np.array([pool.items for pool in pools])
    while (now := np.minimum(labels, most)).sum() < most.sum():
        estimate = expected_estimate(PREVALENCE, pools, now.astype(int).tolist(), level)
        if target.excess(estimate) <= 1.0:
            break
        labels *= STEP
    numbers: list[int] = np.minimum(np.ceil(labels), most).astype(int).tolist()
    return numbers
