"""From pools to estimates: prevalence, missed items, recall, precision, F1, accuracy and error rates.

A pool is a part of the population from which a sample was labelled: what was removed, what is visible, or all of it
where nothing is known of decisions. What needs both pools has the uncertainty of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from evenhand.catalogue.accuracy import FNR, MISSED, NPV, POPULATION, PREVALENCE, SPECIFICITY, VIOLATIONS
from evenhand.catalogue.shared import ACCURACY, COUNT, F1, FPR, PRECISION, RECALL
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.finding import Measured, Slice, SliceKey
from evenhand.intervals.pools import Pools
from evenhand.intervals.survey import SurveyShare

BOTH_POOLS = (PREVALENCE, RECALL, F1, ACCURACY, FPR, SPECIFICITY, FNR)  # what takes both pools


class PoolName(StrEnum):
    """The two pools, as slices name them."""

    REMOVED = "removed"
    VISIBLE = "visible"


LACKING_POOL = {
    PoolName.REMOVED: "no removed item was labelled",
    PoolName.VISIBLE: "no visible item was labelled",
}


@dataclass(frozen=True, slots=True)
class PoolShare:
    """The share of violating items in a part of the population, as its labels show it, and how many items it has."""

    figure: SurveyShare
    items: float


@dataclass(frozen=True, slots=True)
class ModeratedPopulation:
    """What was removed and what is visible; or the `whole`, where nothing is known of decisions."""

    removed: PoolShare | None = None
    visible: PoolShare | None = None
    whole: PoolShare | None = None
    corrected: bool = False  # recall is freed from the bias of a ratio of few

    def __post_init__(self) -> None:
        if bool(self.whole) == bool(self.removed or self.visible):
            raise InputError("a population has one pool of everything, or what was removed and what is visible")

    @property
    def pools(self) -> Mapping[str, PoolShare]:
        """By name, those there are."""
        named = {PoolName.REMOVED: self.removed, PoolName.VISIBLE: self.visible, "": self.whole}
        return {name: pool for name, pool in named.items() if pool is not None}

    @property
    def both(self) -> Pools | None:
        """The two pools together, where there are two."""
        if self.removed is None or self.visible is None:
            return None
        return Pools(self.removed.figure, self.removed.items, self.visible.figure, self.visible.items, self.corrected)


def pool_measures(
    population: ModeratedPopulation, level: float = 0.95, *, slice_: Slice | None = None
) -> tuple[Measured, ...]:
    """Every measure that the pools allow; `slice_` says of what (a language, a community), {} being everything.

    The slice of what belongs to one pool has `pool` too. What lacks a pool is undefined, with the reason.
    """
    return with_slice(_pool_estimates(population, level), slice_ or {})


NamedEstimate = tuple[str, Slice, Estimate]


def with_slice(entries: Iterable[NamedEstimate], slice_: Slice) -> tuple[Measured, ...]:
    """What was measured, as part of a slice."""
    return tuple(Measured(name, {**slice_, **extra}, estimate) for name, extra, estimate in entries)


def _pool_estimates(population: ModeratedPopulation, level: float) -> Iterator[NamedEstimate]:
    pools = population.pools
    yield from _pool_counts(pools, level)
    if population.whole is not None:
        yield PREVALENCE, {}, population.whole.figure.estimate(level)
        return
    both = population.both
    missing = next((why for name, why in LACKING_POOL.items() if name not in pools), "")
    labels = sum(pool.figure.n for pool in pools.values())
    for measure in BOTH_POOLS:
        yield measure, {}, both.estimate(measure, level) if both else Estimate.undefined(missing, level=level, n=labels)
    for name, pool in pools.items():
        yield PREVALENCE, {SliceKey.POOL: name}, pool.figure.estimate(level)
    for measure, needed in ((PRECISION, PoolName.REMOVED), (MISSED, PoolName.VISIBLE), (NPV, PoolName.VISIBLE)):
        yield measure, {}, _of_pool(measure, pools.get(needed), level, LACKING_POOL[needed])


def _pool_counts(pools: Mapping[str, PoolShare], level: float) -> Iterator[NamedEstimate]:
    """Labels, violations among them, and the items they stand for: in all, and of each pool."""
    parts: list[tuple[Slice, list[PoolShare]]] = [({}, list(pools.values()))]
    parts += [({SliceKey.POOL: name}, [pool]) for name, pool in pools.items() if name]
    for slice_, chosen in parts:
        n = sum(pool.figure.n for pool in chosen)
        counted = {
            COUNT: n,
            VIOLATIONS: sum(pool.figure.hits for pool in chosen),
            POPULATION: sum(pool.items for pool in chosen),
        }
        for measure, number in counted.items():
            yield measure, slice_, Estimate.exact(float(number), level=level, n=n)


def _of_pool(measure: str, pool: PoolShare | None, level: float, lacking: str) -> Estimate:
    """Precision is the share among the removed; what was missed is that among the visible, as a number of items.

    The negative predictive value is the rest of the latter.
    """
    if pool is None:
        return Estimate.undefined(lacking, level=level, n=0)
    share = pool.figure.estimate(level)
    if measure == NPV:
        return share.complement()
    return share if measure == PRECISION else as_items(share, pool.items)


def as_items(share: Estimate, items: float) -> Estimate:
    """A share as a number of items."""
    value, low, high = ((end or 0.0) * items for end in (share.value, share.low, share.high))
    return replace(share, value=value, low=low, high=high)
