"""What a plan may expect before anybody has labelled: prevalence, variance, and how labels are best split.

The score is taken at its word, or moved so that it agrees with a prevalence that is given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from evenhand.arrays import Floats, Ints
from evenhand.sampling.allocation import share_out
from evenhand.sampling.designs import Design
from evenhand.sampling.frame import Frame
from evenhand.sampling.recalibration import AS_IT_IS, Recalibration
from evenhand.sampling.sizes import Size, size_of
from evenhand.sampling.targets import Target, known

FEWEST = 50  # labels of a pool, unless it has fewer items
FAR = 80.0  # logits, beyond which no chance is moved


@dataclass(frozen=True, slots=True)
class Expected:
    """The prevalence of a pool, the variance of its estimate times the labels, its items, and the fewest labels."""

    prevalence: float
    variance: float
    items: int
    fewest: int = 0

    @property
    def variation(self) -> float:
        """Standard deviation over prevalence, of one label."""
        return float(np.sqrt(self.variance)) / known(self.prevalence)


def expected(frame: Frame, design: Design, *, prevalence: float | None = None) -> Expected:
    """Of one pool."""
    chance = chances(frame, prevalence)
    share, items = float(frame.sizes @ chance) / len(frame), len(frame)
    return Expected(share, design.variance(frame, chance), items, min(design.fewest(frame), items))


def chances(frame: Frame, prevalence: float | None = None) -> Floats:
    """Of violating, in each cell."""
    if prevalence is None:
        return AS_IT_IS.chance(frame.logits)
    share = known(prevalence)

    def beyond(intercept: float) -> float:
        return float(frame.sizes @ Recalibration(intercept, 1.0).chance(frame.logits)) / len(frame) - share

    return Recalibration(float(brentq(beyond, -FAR, FAR)), 1.0).chance(frame.logits)


def size_for(pool: Expected, target: Target, *, corrected: bool = True) -> Size:
    """Labels for a promise about the prevalence of a pool; not corrected, as if there were no end of items."""
    error = target.error(pool.prevalence)
    return size_of(pool.variance / error**2, pool.items if corrected else None, error=error)


def size_for_recall(removed: Expected, visible: Expected, target: Target) -> Size:
    """Labels of both pools for a promise about recall, split so that they are fewest."""
    found, missed = (pool.prevalence * pool.items for pool in (removed, visible))
    recall = found / (found + missed)
    error = target.error(recall)
    logits = error / (recall * (1.0 - recall))
    return size_of(((removed.variation + visible.variation) / logits) ** 2, None, error=error)


def least(pools: Sequence[Expected]) -> Ints:
    """The fewest labels of each of several pools: fifty, or all of its items; and what the design needs."""
    return np.array([max(min(pool.items, FEWEST), pool.fewest) for pool in pools])


def split(n: int, pools: Sequence[Expected]) -> tuple[int, ...]:
    """Labels of each pool: by its coefficient of variation, so that the variance of recall is least.

    Each pool gets the fewest it needs, and none gets more than it has.
    """
    parts = np.array([pool.variation for pool in pools])
    return tuple(share_out(n, parts, np.array([pool.items for pool in pools]), least=least(pools)).tolist())
