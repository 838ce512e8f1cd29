"""Drawing: so many items of each stratum, without replacement, each with its inclusion probability.

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
class Ranges:
    """Strata as ranges of places: from `starts` up to, not including, `ends`."""

    starts: Ints
    ends: Ints


@dataclass(frozen=True)
class Draw:
    """The rows drawn, the stratum of each, and of every stratum how many items it has and how many were drawn."""

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


def stratified(strata: Strata, counts: npt.ArrayLike, *, seed: int) -> Draw:
    """So many items of each stratum, in random order."""
    sizes = strata.sizes
    wanted = arrays.wholes(counts, "counts", least=1, size=len(sizes))
    if (wanted > sizes).any():
        worst = int(np.argmax(wanted > sizes))
        raise InputError(f"'{strata.names[worst]}' has {sizes[worst]} items, fewer than the {wanted[worst]} wanted")
    order = np.argsort(strata.codes, kind="stable")
    ends = np.cumsum(sizes)
    rng = np.random.default_rng(arrays.whole(seed, "the seed", least=0))
    places, of = without_replacement(Ranges(ends - sizes, ends), wanted, rng)
    mixed = rng.permutation(len(places))
    return Draw(order[places[mixed]], of[mixed], sizes, wanted)


def simple(items: int, n: int, *, seed: int) -> Draw:
    """So many of all items, at random."""
    everything = Strata.of(np.zeros(arrays.whole(items, "the items"), dtype=np.int64), ["all"])
    return stratified(everything, [n], seed=seed)


def without_replacement(
    ranges: Ranges, counts: Ints, rng: np.random.Generator, *, taken: Ints | None = None
) -> tuple[Ints, Ints]:
    """Different places of each range, none of them taken before (`taken` is sorted), and the range of each.

    Few of many are drawn by trying again whenever a place is taken: which places are drawn does not depend on their
    names, so every set is equally likely. Many of few are drawn from a list of what is left.
    """
    gone = np.empty(0, dtype=np.int64) if taken is None else taken
    left = ranges.ends - ranges.starts - np.diff(np.searchsorted(gone, [ranges.starts, ranges.ends]), axis=0)[0]
    if (counts > left).any():
        raise InputError("a stratum has fewer items left than are to be drawn")
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
    found: Bools = at < len(gone)
    found[found] = gone[at[found]] == places[found]
    return found


def _repeated(places: Ints, fresh: Ints) -> Bools:
    """Which of the fresh slots hold a place that an older slot, or a fresh one before it, has."""
    is_fresh = np.zeros(len(places), dtype=np.bool_)
    is_fresh[fresh] = True
    order = np.lexsort((is_fresh, places))
    same = np.zeros(len(places), dtype=np.bool_)
    same[order[1:]] = places[order[1:]] == places[order[:-1]]
    return same[fresh]
