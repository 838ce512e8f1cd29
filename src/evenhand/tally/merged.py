"""Neighbouring cells taken together, for what so little of the order cannot move: how sure a number of millions is.

A variance is a mean over items. From cells that hold one item in ten thousand, of all items and of the violating ones,
it moves an interval by less than a thousandth of its width, and takes no longer for any number of items. Values never
come from merged cells.
"""

from __future__ import annotations

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.tally.mass import Classes, Mass

MERGED_CELLS = 10_000  # of equal mass, of all items and as many of the violating ones
MERGED_FROM = 40_000  # distinct scores, up to which none are merged


def merged(classes: Classes) -> Classes:
    """The same items in fewer cells, where there are many."""
    edges = merged_edges(classes)
    return classes if edges is None else within_edges(classes, edges)


def merged_edges(classes: Classes) -> Ints | None:
    """Where merged cells begin, and the number of cells at the end; None where none are merged."""
    violating, benign = (mass.prefixes[0] for mass in classes)
    size = len(violating) - 1
    if size <= MERGED_FROM or any(mass.heaviest_by_cell is not None for mass in classes):
        return None
    shares = np.arange(1, MERGED_CELLS) / MERGED_CELLS
    inner = [np.searchsorted(part, shares * float(part[-1])) for part in (violating + benign, violating)]
    return joined_edges(np.array([0, size]), *inner)


def joined_edges(*edges: Ints) -> Ints:
    """All of them, ascending, each once."""
    every = np.sort(np.concatenate(edges))
    return every[np.concatenate(([True], every[1:] > every[:-1]))]


def within_edges(classes: Classes, edges: Ints) -> Classes:
    """The same items in the cells between edges."""
    first, second = (Mass(*_parts(mass, edges), heaviest=mass.heaviest) for mass in classes)
    return Classes(first, second)


def _parts(mass: Mass, edges: Ints) -> list[Floats]:
    return [np.diff(prefix[edges]).astype(np.float64, copy=False) for prefix in mass.prefixes]
