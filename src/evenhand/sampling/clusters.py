"""Drawing threads or authors: all items of a cluster together, so that annotators read a conversation as one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError


@dataclass(frozen=True)
class ClusterDraw:
    """The rows of all drawn clusters, the cluster of each, how many were drawn and how many there are."""

    rows: Ints
    clusters: Ints
    drawn: int
    total: int

    @property
    def inclusion(self) -> Floats:
        """Of each row: that of its cluster."""
        return np.full(len(self.rows), self.drawn / self.total)

    @property
    def weights(self) -> Floats:
        """Of each row: how many items it stands for."""
        return 1.0 / self.inclusion


def draw_clusters(cluster: npt.ArrayLike, count: int, *, seed: int) -> ClusterDraw:
    """So many clusters at random, every cluster with the same chance; `cluster` names that of each item."""
    found, code = np.unique(np.asarray(cluster), return_inverse=True)
    wanted = arrays.whole(count, "the number of clusters")
    if wanted > len(found):
        raise InputError(f"{wanted} clusters are more than the {len(found)} there are: label all of them, a census")
    rng = np.random.default_rng(arrays.whole(seed, "the seed", least=0))
    chosen = np.zeros(len(found), dtype=np.bool_)
    chosen[rng.choice(len(found), wanted, replace=False)] = True
    rows = np.flatnonzero(chosen[code])
    return ClusterDraw(rows, code[rows].astype(np.int64), wanted, len(found))
