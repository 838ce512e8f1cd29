"""How many labels each stratum gets.

The optimal allocation (Neyman's) goes by size times deviation; the deviations come from a pilot, or from a guess.
Counts are whole, add up to what was asked, and never exceed what there is.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError


def equal(n: int, sizes: npt.ArrayLike, *, least: int = 1) -> Ints:
    """The same number in every stratum."""
    items = arrays.wholes(sizes, "sizes", least=1)
    return share_out(n, np.ones(len(items)), items, least=least)


def proportional(n: int, sizes: npt.ArrayLike, *, least: int = 1) -> Ints:
    """In proportion to size."""
    items = arrays.wholes(sizes, "sizes", least=1)
    return share_out(n, items.astype(np.float64), items, least=least)


def optimal(n: int, sizes: npt.ArrayLike, deviations: npt.ArrayLike, *, least: int = 1) -> Ints:
    """In proportion to size times the standard deviation of one label."""
    items = arrays.wholes(sizes, "sizes", least=1)
    spread = arrays.numbers(deviations, "deviations", size=len(items))
    arrays.refuse(spread < 0.0, "a standard deviation cannot be negative", "deviations")
    return share_out(n, items * spread, items, least=least)


def after_pilot(n: int, sizes: npt.ArrayLike, labelled: npt.ArrayLike, violating: npt.ArrayLike) -> Ints:
    """Labels in each stratum, those of the pilot among them: never fewer than it has.

    Deviations come from the pilot, with one violating and one other item added to each stratum, so that none counts as
    certain. Where the pilot has more than the optimum, the total is more than n.
    """
    items = arrays.wholes(sizes, "sizes", least=1)
    seen = arrays.wholes(labelled, "labelled", size=len(items))
    best = optimal(n, items, pilot_deviations(seen, violating))
    return np.maximum(best, seen)


def pilot_deviations(labelled: npt.ArrayLike, violating: npt.ArrayLike) -> Floats:
    """Of one label in each stratum, from a pilot with pseudocounts."""
    seen = arrays.wholes(labelled, "labelled")
    hits = arrays.wholes(violating, "violating", size=len(seen))
    arrays.refuse(hits > seen, "there are more violating items than labelled ones", "violating")
    chance = (hits + 1.0) / (seen + 2.0)
    return np.sqrt(chance * (1.0 - chance))


def share_out(n: int, parts: Floats, items: Ints, *, least: int = 1) -> Ints:
    """Whole counts in proportion to `parts`: at least `least` and at most all items in each; largest remainders up."""
    total = arrays.whole(n, "the number of labels")
    floor = np.minimum(items, least)
    if total > items.sum():
        raise InputError(f"{total} labels are more than the {items.sum()} items: label all of them, a census")
    if total < floor.sum():
        raise InputError(f"{total} labels are too few for {len(items)} strata: give at least {floor.sum()}")
    given = _bounded(float(total), parts, floor.astype(np.float64), items.astype(np.float64))
    counts = np.clip(np.floor(given + 1e-9).astype(np.int64), floor, items)
    room = np.where(counts < items, given - counts, -np.inf)
    counts[np.argsort(-room, kind="stable")[: total - counts.sum()]] += 1
    return counts


def _bounded(total: float, parts: Floats, floor: Floats, items: Floats) -> Floats:
    """Shares of a total in proportion to parts, between bounds: what is fixed at a bound leaves the rest to share."""
    free, given = np.ones(len(parts), dtype=np.bool_), floor.copy()
    while free.any():
        rest, weight = total - given[~free].sum(), parts[free].sum()
        given[free] = rest * parts[free] / weight if weight > 0.0 else rest / free.sum()
        over, under = free & (given > items), free & (given < floor)
        if not over.any() and not under.any():
            break
        excess, lack = (given - items)[over].sum(), (floor - given)[under].sum()
        fixed = over if excess >= lack else under
        given[fixed] = items[fixed] if excess >= lack else floor[fixed]
        free &= ~fixed
    return given
