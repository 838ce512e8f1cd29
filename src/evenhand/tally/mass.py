"""How much there is: of one sample in each cell of a grid (`Mass`), or in all (`Amount`).

Three numbers describe every heap of items: its `weight` (how many items it stands for), its `spread` (what it adds to
the variance of a total: Σ w²(1 − π) under a design, the count itself for plain items) and its `count` (how many items
were really looked at). For plain items the three are one and the same array.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Amount:
    """A heap of items taken together."""

    weight: float
    spread: float
    count: float

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.weight + other.weight, self.spread + other.spread, self.count + other.count)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.weight - other.weight, self.spread - other.spread, self.count - other.count)


@dataclass(frozen=True)
class Mass:
    """One sample over the cells of a grid, in score order."""

    weight: FloatArray
    spread: FloatArray
    count: FloatArray

    @classmethod
    def plain(cls, count: FloatArray) -> Mass:
        """Items that each stand for themselves."""
        return cls(count, count, count)

    @property
    def is_plain(self) -> bool:
        """Whether weight, spread and count are one and the same."""
        return self.spread is self.weight and self.count is self.weight

    @cached_property
    def total(self) -> Amount:
        """The whole sample."""
        return self.amount(0, len(self.weight))

    @cached_property
    def below(self) -> FloatArray:
        """The share of the sample that scores lower than each cell, a tie counting one half."""
        prefix = self.prefixes[0]
        shares = prefix[:-1] + prefix[1:]
        shares *= 0.5 / self.total.weight
        return shares

    def parts(self) -> tuple[FloatArray, ...]:
        """The arrays that differ: one for plain items, three under a design."""
        return (self.weight,) if self.is_plain else (self.weight, self.spread, self.count)

    @classmethod
    def of(cls, parts: tuple[FloatArray, ...]) -> Mass:
        """The inverse of `parts`."""
        return cls.plain(parts[0]) if len(parts) == 1 else cls(*parts)

    @cached_property
    def prefixes(self) -> tuple[FloatArray, ...]:
        """For each of `parts`, what lies before each cell; the last entry is the total."""
        return tuple(_prefix(part) for part in self.parts())

    def amount(self, start: int, stop: int) -> Amount:
        """What lies in the cells from start up to, not including, stop."""
        sums = [float(prefix[stop] - prefix[start]) for prefix in self.prefixes]
        return Amount(*(sums if len(sums) == 3 else sums * 3))


@dataclass(frozen=True)
class Classes:
    """The violating and the benign items of the same people or things."""

    violating: Mass
    benign: Mass

    def __iter__(self) -> Iterator[Mass]:
        return iter((self.violating, self.benign))

    def of(self, *, violating: bool) -> Mass:
        """One of the two."""
        return self.violating if violating else self.benign


@dataclass(frozen=True, slots=True)
class Confusion:
    """What a threshold makes of the items: flagged or not, violating or not."""

    true_positive: Amount
    false_negative: Amount
    false_positive: Amount
    true_negative: Amount

    def __sub__(self, other: Confusion) -> Confusion:
        return Confusion(
            self.true_positive - other.true_positive,
            self.false_negative - other.false_negative,
            self.false_positive - other.false_positive,
            self.true_negative - other.true_negative,
        )


def _prefix(values: FloatArray) -> FloatArray:
    prefix = np.empty(len(values) + 1)
    prefix[0] = 0.0
    np.cumsum(values, out=prefix[1:])
    return prefix
