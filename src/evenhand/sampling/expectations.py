"""What a design can be expected to show before anybody has labelled: prevalence, variance, and sample size.

The score is taken as a probability, or shifted so that it agrees with a prevalence that is given. Where the target is
to show that a prevalence is below a safe level the variance says little, because hardly anything violates: the bound
then rests on how many labels come back without a violation, and the sample size is at least what that takes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from scipy.optimize import brentq

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.intervals.survey_estimators import StratifiedSample
from evenhand.sampling.allocation import share_out
from evenhand.sampling.batches import IDENTITY, LabelledBatch, Recalibration, SampleBatch
from evenhand.sampling.design import DrawnSoFar, LabelForecast, PoolExpectation
from evenhand.sampling.frame import SamplingFrame
from evenhand.sampling.sizes import Below, SampleSize, Target, checked_prevalence, random_size, rounded_size

FEWEST_OF_POOL = 50  # labels of a pool, unless it has fewer items
FAR = 80.0  # logits, beyond which no chance is moved


def expect_pool(frame: SamplingFrame, design: LabelForecast, *, prevalence: float | None = None) -> PoolExpectation:
    """Of one pool, by the score; shifted to a prevalence where one is given."""
    chance = cell_chances(frame, prevalence)
    return expect_drawn(frame, chance, design.variance(frame, chance), design.density(frame, chance), design)


def expect_drawn(
    frame: SamplingFrame, chance: Floats, variance: float, density: Floats, design: LabelForecast
) -> PoolExpectation:
    """Of a pool whose labels have this variance, and are so dense on the items of each cell."""
    share, items = frame.sizes / len(frame), len(frame)
    return PoolExpectation(
        float(frame.sizes @ chance) / items,
        variance,
        items,
        min(design.fewest(frame), items),
        mean_weight=float(share @ (1.0 / density)),
        hit_share=float(share @ (chance * density)),
    )


def cell_chances(frame: SamplingFrame, prevalence: float | None = None) -> Floats:
    """Of violating, in each cell."""
    if prevalence is None:
        return IDENTITY.chance(frame.logits)
    share = checked_prevalence(prevalence)

    def beyond(intercept: float) -> float:
        return float(frame.sizes @ Recalibration(intercept, 1.0).chance(frame.logits)) / len(frame) - share

    if beyond(-FAR) > 0.0:
        raise InputError(f"the prevalence is {prevalence:g}: too small to plan for")
    return Recalibration(float(brentq(beyond, -FAR, FAR)), 1.0).chance(frame.logits)


def size_for_prevalence(pool: PoolExpectation, target: Target, *, corrected: bool = True) -> SampleSize:
    """Labels for a target precision of the prevalence of a pool; not corrected for a finite population."""
    error = target.error(pool.prevalence)
    return rounded_size(pool.variance / error**2, pool.items if corrected else None, error=error)


def size_for_recall(removed: PoolExpectation, visible: PoolExpectation, target: Target) -> SampleSize:
    """Labels of both pools for a target precision of recall, split so that they are fewest."""
    removed_violations, missed = (pool.prevalence * pool.items for pool in (removed, visible))
    recall = removed_violations / (removed_violations + missed)
    error = target.error(recall)
    logits = error / (recall * (1.0 - recall))
    return rounded_size(((removed.variation + visible.variation) / logits) ** 2, None, error=error)


def fewest_labels(pools: Sequence[PoolExpectation]) -> Ints:
    """The fewest labels of each pool: fifty, or all of its items; and what the design needs.

    An overconfident score expects to need a handful of labels; an interval from so few does not hold.
    """
    return np.array([max(min(pool.items, FEWEST_OF_POOL), pool.fewest) for pool in pools])


def split_labels(n: int, pools: Sequence[PoolExpectation]) -> tuple[int, ...]:
    """Labels of each pool: by its coefficient of variation, so that the variance of recall is least.

    Each pool gets the fewest it needs, and none gets more than it has.
    """
    parts = np.array([pool.variation for pool in pools])
    return tuple(share_out(n, parts, np.array([pool.items for pool in pools]), least=fewest_labels(pools)).tolist())


STEP = 1.1  # by which a number of labels that cannot do is raised


class BatchesOfCells(Protocol):
    """A design that can be tried in advance: it draws batches from cells."""

    def sizes(self, frame: SamplingFrame, n: int) -> tuple[int, ...]:
        """Labels of each batch."""

    def draw(self, frame: SamplingFrame, done: DrawnSoFar, n: int, rng: np.random.Generator) -> SampleBatch:
        """The next batch of a plan for n labels."""

    def sampled(self, frame: SamplingFrame, past: Sequence[LabelledBatch]) -> StratifiedSample:
        """What the labels show."""


def one_sided_target(target: Below) -> Below:
    """The same target for the upper end of the two-sided interval, which is what an estimate shows."""
    return replace(target, level=0.5 * (1.0 + target.level))


def size_below(
    frame: SamplingFrame, design: BatchesOfCells, target: Below, prevalence: float, *, least: int = 1
) -> SampleSize:
    """As many as at random, as `least`, and as it takes until labels that are all clean show the safe level."""
    size = random_size(prevalence, one_sided_target(target), items=len(frame))
    n = max(size.n, least)
    while n < len(frame) and clean_bound(frame, design, n, target.level) >= target.safe:
        n = min(math.ceil(STEP * n), len(frame))
    return replace(size, n=min(n, len(frame)))


def clean_bound(frame: SamplingFrame, design: BatchesOfCells, n: int, level: float) -> float:
    """The upper end of the interval if none of n labels violates: the best outcome; 1 if n cannot be drawn."""
    try:
        return _clean_bound(frame, design, n, level)
    except InputError:
        return 1.0


def _clean_bound(frame: SamplingFrame, design: BatchesOfCells, n: int, level: float) -> float:
    past: list[LabelledBatch] = []
    for number in range(len(design.sizes(frame, n))):
        gone = np.concatenate([np.empty(0, dtype=np.int64), *(done.batch.places for done in past)])
        batch = design.draw(frame, DrawnSoFar(tuple(past), gone), n, np.random.default_rng([0, number]))
        past.append(LabelledBatch(batch, np.zeros(len(batch.places))))
    upper = design.sampled(frame, past).figure().estimate(level).high
    return 1.0 if upper is None else upper
