"""From pools to estimates: prevalence, what was missed, recall, precision, F1 and accuracy.

A pool is a part of the population from which a sample was labelled: what was removed, what is visible, or all of it
where nothing is known of decisions. What needs both pools has the uncertainty of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.finding import Measured, Slice
from evenhand.intervals.pools import Pools
from evenhand.intervals.survey import Figure

REMOVED, VISIBLE = "removed", "visible"
COMBINED = ("prevalence", "recall", "f1", "accuracy")  # what takes both pools
LACKING = {REMOVED: "nothing of what was removed was labelled", VISIBLE: "nothing of what is visible was labelled"}


@dataclass(frozen=True, slots=True)
class Pool:
    """The share of violating items in a part of the population, as its labels show it, and how many items it has."""

    figure: Figure
    items: float


@dataclass(frozen=True, slots=True)
class Population:
    """What was removed and what is visible; or the `whole`, where nothing is known of decisions."""

    removed: Pool | None = None
    visible: Pool | None = None
    whole: Pool | None = None

    def __post_init__(self) -> None:
        if bool(self.whole) == bool(self.removed or self.visible):
            raise InputError("a population has one pool of everything, or what was removed and what is visible")

    @property
    def pools(self) -> Mapping[str, Pool]:
        """By name, those there are."""
        named = {REMOVED: self.removed, VISIBLE: self.visible, "": self.whole}
        return {name: pool for name, pool in named.items() if pool is not None}

    @property
    def both(self) -> Pools | None:
        """The two pools together, where there are two."""
        if self.removed is None or self.visible is None:
            return None
        return Pools(self.removed.figure, self.removed.items, self.visible.figure, self.visible.items)


def measured(population: Population, level: float = 0.95, *, slice_: Slice | None = None) -> tuple[Measured, ...]:
    """Every measure that the pools allow; `slice_` says of what (a language, a community), {} being everything.

    The slice of what belongs to one pool has `pool` too. What lacks a pool is undefined, with the reason.
    """
    return sliced(_all(population, level), slice_ or {})


Entry = tuple[str, dict[str, str], Estimate]


def sliced(entries: Iterable[Entry], slice_: Slice) -> tuple[Measured, ...]:
    """What was measured, as part of a slice."""
    return tuple(Measured(name, dict(slice_) | extra, estimate) for name, extra, estimate in entries)


def _all(population: Population, level: float) -> Iterator[Entry]:
    pools = population.pools
    yield from _counts(pools, level)
    if population.whole is not None:
        yield "prevalence", {}, population.whole.figure.estimate(level)
        return
    both = population.both
    missing = next((why for name, why in LACKING.items() if name not in pools), "")
    labels = sum(pool.figure.n for pool in pools.values())
    for name in COMBINED:
        yield name, {}, both.estimate(name, level) if both else Estimate.undefined(missing, level=level, n=labels)
    for name, pool in pools.items():
        yield "prevalence", {"pool": name}, pool.figure.estimate(level)
    for measure, name in (("precision", REMOVED), ("missed", VISIBLE)):
        yield measure, {}, _of_pool(measure, pools.get(name), level, LACKING[name])


def _counts(pools: Mapping[str, Pool], level: float) -> Iterator[Entry]:
    """Labels, violations among them, and the items they stand for: in all, and of each pool."""
    parts = [({}, list(pools.values())), *(({"pool": name}, [pool]) for name, pool in pools.items() if name)]
    for slice_, chosen in parts:
        n = sum(pool.figure.n for pool in chosen)
        counted = {
            "count": n,
            "violations": sum(pool.figure.hits for pool in chosen),
            "population": sum(pool.items for pool in chosen),
        }
        for measure, number in counted.items():
            yield measure, slice_, Estimate.exact(float(number), level=level, n=n)


def _of_pool(measure: str, pool: Pool | None, level: float, lacking: str) -> Estimate:
    """Precision is the share among the removed; what was missed is that among the visible, as a number of items."""
    if pool is None:
        return Estimate.undefined(lacking, level=level, n=0)
    share = pool.figure.estimate(level)
    return share if measure == "precision" else times(share, pool.items)


def times(share: Estimate, items: float) -> Estimate:
    """A share as a number of items."""
    value, low, high = ((end or 0.0) * items for end in (share.value, share.low, share.high))
    return replace(share, value=value, low=low, high=high)
