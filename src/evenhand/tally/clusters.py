"""Which rows belong together, so that they are not independent: the comments of one author, one thread, one template.

Rows may belong together in one way or in two at once (the terms and the templates of a template set). Each way is a
number per row; rows with the same number are one cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats, Int32s


class ClusterWay(NamedTuple):
    """One way of belonging together: a number per row, how many clusters there are, and the sign of its variance.

    With two ways, what both have in common is counted twice and taken off once: V = V₁ + V₂ − V₁₂.
    """

    codes: Int32s
    size: int
    sign: float = 1.0

    def sums(self, values: Floats) -> Floats:
        """What the rows of each cluster come to."""
        return np.bincount(self.codes, values, self.size).astype(np.float64, copy=False)


@dataclass(frozen=True)
class Clusters:
    """The clusters of all rows, in one way or two; `names` are the columns they were declared by."""

    codes: tuple[Int32s, ...]
    names: tuple[str, ...] = ()

    @classmethod
    def from_codes(cls, *codes: npt.ArrayLike, names: tuple[str, ...] = ()) -> Clusters:
        """From any values that are equal within a cluster."""
        numbered = (np.unique(np.asarray(values), return_inverse=True)[1] for values in codes)
        return cls(tuple(numbers.astype(np.int32) for numbers in numbered), names)

    def take(self, rows: npt.NDArray[np.bool_] | npt.NDArray[np.integer]) -> Clusters:
        """Those of some rows, numbered anew."""
        return Clusters.from_codes(*(codes[rows] for codes in self.codes), names=self.names)

    @cached_property
    def ways(self) -> tuple[ClusterWay, ...]:
        """Each way, and with two of them the rows that belong together in both."""
        sizes = [int(codes.max(initial=-1)) + 1 for codes in self.codes]
        ways = [ClusterWay(codes, size) for codes, size in zip(self.codes, sizes, strict=True)]
        if len(ways) < 2:
            return tuple(ways)
        pairs = self.codes[0].astype(np.int64) * sizes[1] + self.codes[1]
        numbers = np.unique(pairs, return_inverse=True)[1].astype(np.int32)
        return (*ways, ClusterWay(numbers, int(numbers.max(initial=-1)) + 1, -1.0))

    @property
    def counts(self) -> tuple[int, ...]:
        """How many clusters there are, in each way."""
        return tuple(way.size for way in self.ways[: len(self.codes)])

    def redrawn(self, rng: np.random.Generator) -> Int32s:
        """How often each row is there when whole clusters are drawn again: 0, 1, 2, … times, once on average."""
        times: Int32s = np.prod(list(self._draws(rng)), axis=0, dtype=np.int32)
        return times

    def _draws(self, rng: np.random.Generator) -> Iterator[Int32s]:
        for way in self.ways[: len(self.codes)]:
            yield rng.poisson(1.0, way.size).astype(np.int32)[way.codes]
