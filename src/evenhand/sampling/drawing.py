"""Drawing without replacement: items of each stratum, each with its inclusion probability.

A population lies in order, stratum after stratum, so that a stratum is a range of places. The same seed draws the same
items, whatever else is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import InputError
from evenhand.sampling.strata import Strata


@dataclass(frozen=True)
class PlaceRanges:
    """Strata as ranges of places: from `starts` up to, not including, `ends`."""

    starts: Ints
    ends: Ints


@dataclass(frozen=True)
class StratifiedDraw:
    """The rows drawn, the stratum of each, and of every stratum how many items it has and how many were drawn.

    >>> draw = eh.sampling.draw_simple(1000, 5, seed=1)
    >>> draw.weights.tolist()
    [200.0, 200.0, 200.0, 200.0, 200.0]
    """

    rows: Ints
    strata: Ints
    sizes: Ints
    counts: Ints

    @property
    def inclusion(self) -> Floats:
        """Of each row: the probability with which it was drawn."""
        return (self.counts / self.sizes)[self.strata]

    @property
    def weights(self) -> Floats:
        """Of each row: how many items it stands for."""
        return (self.sizes / self.counts)[self.strata]


def draw_stratified(strata: Strata, counts: npt.ArrayLike, *, seed: int) -> StratifiedDraw:
    """So many items of each stratum, in random order.

    >>> strata = eh.sampling.quantile_strata(np.linspace(0, 1, 100), 2)
    >>> draw = eh.sampling.draw_stratified(strata, [5, 10], seed=1)
    >>> draw.weights.sum().item()
    100.0
    """
    sizes = strata.sizes
    wanted = arrays.wholes(counts, "counts", least=1, size=len(sizes))
    if (wanted > sizes).any():
        worst = int(np.argmax(wanted > sizes))
        raise InputError(
            f"stratum '{strata.names[worst]}' has {sizes[worst]:,} items, fewer than the {wanted[worst]:,} requested"
        )
    order = np.argsort(strata.codes, kind="stable")
    ends = np.cumsum(sizes)
    rng = np.random.default_rng(arrays.whole(seed, "the seed", least=0))
    places, of = draw_without_replacement(PlaceRanges(ends - sizes, ends), wanted, rng)
    mixed = rng.permutation(len(places))
    return StratifiedDraw(order[places[mixed]], of[mixed], sizes, wanted)


def draw_simple(items: int, n: int, *, seed: int) -> StratifiedDraw:
    """So many of all items, at random.

    >>> draw = eh.sampling.draw_simple(1000, 5, seed=1)
    >>> len(draw.rows), draw.inclusion[0].item()
    (5, 0.005)
    """
    everything = Strata.of(np.zeros(arrays.whole(items, "the items"), dtype=np.int64), ["all"])
    return draw_stratified(everything, [n], seed=seed)


def draw_without_replacement(
    ranges: PlaceRanges, counts: Ints, rng: np.random.Generator, *, taken: Ints | None = None
) -> tuple[Ints, Ints]:
    """Different places of each range, none of them taken before (`taken` is sorted), and the range of each.

    Few of many are drawn by trying again whenever a place is taken: which places are drawn does not depend on their
    names, so every set is equally likely. Many of few are drawn from a list of what is left.
    """
    gone = np.empty(0, dtype=np.int64) if taken is None else taken
    left = ranges.ends - ranges.starts - np.diff(np.searchsorted(gone, [ranges.starts, ranges.ends]), axis=0)[0]
    if (counts > left).any():
        raise InputError("a stratum has fewer items left than should be drawn")
    crowded = 2 * counts > left - 2
    of = np.repeat(np.arange(len(counts)), counts)
    places = np.full(len(of), -1, dtype=np.int64)
    for stratum in np.flatnonzero(crowded & (counts > 0)):
        span = np.arange(ranges.starts[stratum], ranges.ends[stratum])
        free = span[~_among(span, gone)]
        places[of == stratum] = rng.choice(free, counts[stratum], replace=False, shuffle=False)
    open_slots = np.flatnonzero(~crowded[of])
    width = (ranges.ends - ranges.starts)[of]
    while len(open_slots):
        tried = ranges.starts[of[open_slots]] + (rng.random(len(open_slots)) * width[open_slots]).astype(np.int64)
        places[open_slots] = tried
        bad = _among(tried, gone) | _repeated(places, open_slots)
        open_slots = open_slots[bad]
        places[open_slots] = -1
    return places, of


def _among(places: Ints, gone: Ints) -> Bools:
    at = np.searchsorted(gone, places)
    inside: Bools = at < len(gone)
    inside[inside] = gone[at[inside]] == places[inside]
    return inside


def _repeated(places: Ints, fresh: Ints) -> Bools:
    """Which of the fresh slots hold a place that an older slot, or a fresh one before it, has."""
    is_fresh = np.zeros(len(places), dtype=np.bool_)
    is_fresh[fresh] = True
    order = np.lexsort((is_fresh, places))
    same = np.zeros(len(places), dtype=np.bool_)
    same[order[1:]] = places[order[1:]] == places[order[:-1]]
    return same[fresh]
