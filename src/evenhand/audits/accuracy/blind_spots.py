"""Violations that the score cannot see: a second interval of every measure, and which of the two is published.

Labels that were drawn by a score have two intervals. The usual one assumes that the items that were not drawn are like
those that were. The robust one (`estimator` = `robust`) holds whatever the score misses. Where it allows clearly more
violations the two disagree: the usual one is flagged `blind_spot`, and sentences and transparency reports give the
robust one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from evenhand.audits.accuracy.pools import ModeratedPopulation, PoolName, PoolShare
from evenhand.estimate import Estimate, Flag
from evenhand.finding import Finding, Measured, Slice, SliceKey
from evenhand.intervals.blind_spots import RobustShare, drawn_unequally, intervals_disagree
from evenhand.intervals.survey import CorrectedShare
from evenhand.sampling.design import Estimator

ROBUST: Slice = {SliceKey.ESTIMATOR: Estimator.ROBUST}
WIDER = 1.05  # times the usual width, from which a measure has another interval
Measure = Callable[[ModeratedPopulation], Iterable[Measured]]


def with_robust_intervals(population: ModeratedPopulation, level: float, measure: Measure) -> tuple[Measured, ...]:
    """What `measure` makes of all items, flagged where it assumes too much; and what has another robust interval."""
    usual = tuple(measure(population))
    if not any(_may_hide(pool) for pool in population.pools.values()):
        return usual
    unchanged = {_key(m): m.estimate for m in usual}
    robust = {_key(m): m for m in measure(_robust_population(population)) if m.estimate != unchanged.get(_key(m))}
    if _searched_pools_disagree(population, level):
        usual = tuple(_flagged(m, robust[_key(m)].estimate) if _key(m) in robust else m for m in usual)
    return (*usual, *(replace(m, slice={**m.slice, **ROBUST}) for m in robust.values()))


def published_estimate(finding: Finding, measure: str, slice_: Slice | None = None) -> Estimate:
    """The estimate to publish: with the robust interval where the usual one assumes too much."""
    part = slice_ or {}
    usual = finding.get(measure, **part)
    if Flag.BLIND_SPOT not in usual.flags or not finding.has(measure, **part, **ROBUST):
        return usual
    return finding.get(measure, **part, **ROBUST)


def _may_hide(pool: PoolShare) -> bool:
    return not isinstance(pool.figure, CorrectedShare) and drawn_unequally(pool.figure)


def _searched_pools_disagree(population: ModeratedPopulation, level: float) -> bool:
    """Whether the intervals disagree where violations can hide: not among what was removed."""
    searched = [pool for name, pool in population.pools.items() if name != PoolName.REMOVED]
    return any(_may_hide(pool) and intervals_disagree(pool.figure, level) for pool in searched)


def _robust_population(population: ModeratedPopulation) -> ModeratedPopulation:
    pools: dict[str, Any] = {name or "whole": _robust_pool(pool) for name, pool in population.pools.items()}
    return replace(population, **pools)


def _robust_pool(pool: PoolShare) -> PoolShare:
    return replace(pool, figure=RobustShare.from_share(pool.figure)) if _may_hide(pool) else pool


def _key(m: Measured) -> tuple[str, tuple[tuple[str, str], ...]]:
    return m.measure, tuple(m.slice.items())


def _flagged(m: Measured, robust: Estimate) -> Measured:
    """Marked where its interval is narrower than the robust one."""
    if _width(robust) <= WIDER * _width(m.estimate):
        return m
    return replace(m, estimate=m.estimate.flagged(Flag.BLIND_SPOT))


def _width(estimate: Estimate) -> float:
    return (estimate.high or 0.0) - (estimate.low or 0.0)
