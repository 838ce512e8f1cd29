"""Allocation: how many labels each stratum gets.

The optimal allocation (Neyman's) is proportional to size times standard deviation; the deviations come from a pilot or
from an assumption. Counts are whole, add up to the number asked for, and never exceed the items there are.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import InputError


def equal_allocation(n: int, sizes: npt.ArrayLike, *, least: int = 1) -> Ints:
    """The same number in every stratum."""
    items = arrays.wholes(sizes, "sizes", least=1)
    return share_out(n, np.ones(len(items)), items, least=least)


def proportional_allocation(n: int, sizes: npt.ArrayLike, *, least: int = 1) -> Ints:
    """In proportion to size."""
    items = arrays.wholes(sizes, "sizes", least=1)
    return share_out(n, items.astype(np.float64), items, least=least)


def optimal_allocation(n: int, sizes: npt.ArrayLike, deviations: npt.ArrayLike, *, least: int = 1) -> Ints:
    """In proportion to size times the standard deviation of one label."""
    items = arrays.wholes(sizes, "sizes", least=1)
    spread = arrays.numbers(deviations, "deviations", size=len(items))
    arrays.refuse(spread < 0.0, "a standard deviation cannot be negative", "deviations")
    return share_out(n, items * spread, items, least=least)


def allocation_after_pilot(n: int, sizes: npt.ArrayLike, labelled: npt.ArrayLike, violating: npt.ArrayLike) -> Ints:
    """Labels in each stratum, those of the pilot among them: never fewer than it has.

    Deviations come from the pilot, with one violating and one other item added to each stratum, so that none counts as
    certain. Where the pilot has more than the optimum, the total is more than n.
    """
    items = arrays.wholes(sizes, "sizes", least=1)
    seen, hits = _checked_pilot(labelled, violating, size=len(items))
    return complete_after_pilot(n, items, seen, hits)


def complete_after_pilot(n: int, items: Ints, seen: Ints, hits: Ints) -> Ints:
    """The same from numbers that need no checking; with several pilots, one a row of `hits`, for each of them."""
    return np.maximum(share_out(n, items * _deviations(seen, hits), items), seen)


def further_labels(n: int, items: Ints, drawn: Ints, spread: Floats) -> Ints:
    """Further labels of each stratum, so that n are drawn in all: as near to the optimum as what was drawn allows."""
    return share_out(n, items * spread, items, least=drawn) - drawn


def pilot_deviations(labelled: npt.ArrayLike, violating: npt.ArrayLike) -> Floats:
    """Of one label in each stratum, from a pilot with pseudocounts."""
    return _deviations(*_checked_pilot(labelled, violating))


def share_out(n: int, parts: Floats, items: Ints, *, least: int | Ints = 1) -> Ints:
    """Whole counts in proportion to `parts`: at least `least` and at most all items in each; largest remainders up.

    Several rows of parts are each shared out by themselves.
    """
    total = arrays.whole(n, "the number of labels")
    floor = np.minimum(items, least)
    if total > items.sum():
        raise InputError(
            f"{total:,} labels requested, but there are only {items.sum():,} items: label all of them (a census)"
        )
    if total < floor.sum():
        raise InputError(f"{total:,} labels are too few for {len(items):,} strata: at least {floor.sum():,} are needed")
    shares = _bounded(float(total), np.atleast_2d(parts), floor.astype(np.float64), items.astype(np.float64))
    counts = np.clip(np.floor(shares + 1e-9).astype(np.int64), floor, items)
    room = np.where(counts < items, shares - counts, -np.inf)
    rank = np.argsort(np.argsort(-room, axis=1, kind="stable"), axis=1)
    counts += rank < total - counts.sum(axis=1, keepdims=True)
    return counts.reshape(parts.shape)


def _bounded(total: float, parts: Floats, floor: Floats, items: Floats) -> Floats:
    """Shares of a total in proportion to parts, between bounds: what is fixed at a bound leaves the rest to share."""
    free, shares = np.ones(parts.shape, dtype=np.bool_), np.broadcast_to(floor, parts.shape).copy()
    going = np.arange(len(parts))
    while len(going):
        open_, now = free[going], _shared(total, parts[going], free[going], shares[going])
        over, under = open_ & (now > items), open_ & (now < floor)
        excess, lack = np.where(over, now - items, 0.0).sum(axis=1), np.where(under, floor - now, 0.0).sum(axis=1)
        down = (excess >= lack)[:, None]
        fixed = np.where(down, over, under)
        shares[going] = np.where(fixed, np.where(down, items, floor), now)
        free[going] = open_ & ~fixed
        going = going[(over | under).any(axis=1) & free[going].any(axis=1)]
    return shares


def _shared(total: float, parts: Floats, free: Bools, shares: Floats) -> Floats:
    """What is not fixed in each row, in proportion to its parts; alike where these are all 0."""
    rest = total - np.where(free, 0.0, shares).sum(axis=1, keepdims=True)
    weight = np.where(free, parts, 0.0).sum(axis=1, keepdims=True)
    alike = rest / np.maximum(free.sum(axis=1, keepdims=True), 1)
    share = np.where(weight > 0.0, rest * parts / np.where(weight > 0.0, weight, 1.0), alike)
    return np.where(free, share, shares)


def _deviations(seen: Ints, hits: Ints) -> Floats:
    chance = (hits + 1.0) / (seen + 2.0)
    spread: Floats = np.sqrt(chance * (1.0 - chance))
    return spread


def _checked_pilot(labelled: npt.ArrayLike, violating: npt.ArrayLike, *, size: int | None = None) -> tuple[Ints, Ints]:
    seen = arrays.wholes(labelled, "labelled", size=size)
    hits = arrays.wholes(violating, "violating", size=len(seen))
    arrays.refuse(hits > seen, "there are more violating items than labelled ones", "violating")
    return seen, hits
