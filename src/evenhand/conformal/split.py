"""Which rows calibrate and which are predicted: labels of one item never fall on both sides."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evenhand.errors import InputError


def split_by_item(item: npt.ArrayLike, *, share: float = 0.5, seed: int = 0) -> npt.NDArray[np.bool_]:
    """Per row whether it calibrates: a share of the items, drawn at random, with all their rows."""
    if not 0.0 < share < 1.0:
        raise InputError("the share that calibrates must lie between 0 and 1")
    found, place = np.unique(np.asarray(item), return_inverse=True)
    chosen = np.zeros(len(found), dtype=bool)
    chosen[np.random.default_rng(seed).permutation(len(found))[: round(share * len(found))]] = True
    return chosen[place]


def one_per_item(item: npt.ArrayLike, *, seed: int = 0) -> npt.NDArray[np.int64]:
    """The number of one row of each item, drawn at random: such rows are exchangeable, whatever their items share."""
    given = np.asarray(item)
    order = np.random.default_rng(seed).permutation(len(given))
    _, first = np.unique(given[order], return_index=True)
    return np.sort(order[first])
