"""How much there is: of one sample in each cell of a grid (`Mass`), or in all of it (`Amount`).

Three numbers describe every heap of items: its `weight` (how many items it stands for), its `spread` (what it adds to
the variance of a total: Σ w²(1 − π) under a design, the count itself for plain items) and its `count` (how many items
were really looked at). For plain items the three are one and the same array.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats, Int32s

NO_ITEM = 1e-9  # so much of one is a rounding error
Prefix = npt.NDArray[Any]  # of whole numbers where items are plain: half the size, and exact


def dot(one: npt.NDArray[Any], two: npt.NDArray[Any]) -> float:
    """The sum of products on one core: the threads of a library's own wait for one another on a busy machine."""
    return float(np.einsum("i,i->", one, two))


@dataclass(frozen=True, slots=True)
class Amount:
    """A heap of items taken together."""

    weight: float
    spread: float
    count: float
    heaviest: float = 1.0  # what one item that was not drawn may stand for: 1 if plain, else (1 − π) / π at its largest

    def __add__(self, other: Amount) -> Amount:
        return self._with(other, 1.0, max(self.heaviest, other.heaviest))

    def __sub__(self, other: Amount) -> Amount:
        """Where no item is left, nothing is: not what rounding leaves of sums of weights."""
        left = self._with(other, -1.0, self.heaviest)
        if left.count <= NO_ITEM:
            return Amount(0.0, 0.0, 0.0, self.heaviest)
        return replace(left, spread=0.0) if left.spread < 0.0 else left

    def _with(self, other: Amount, sign: float, heaviest: float) -> Amount:
        weight, spread = self.weight + sign * other.weight, self.spread + sign * other.spread
        return Amount(weight, spread, self.count + sign * other.count, heaviest)

    @property
    def is_plain(self) -> bool:
        """Whether every item stands for itself."""
        return self.weight == self.spread == self.count

    @property
    def effective(self) -> float:
        """As many equal items would have this spread; no more than were looked at."""
        return self.count if self.is_plain or self.spread <= 0.0 else min(self.count, self.weight**2 / self.spread)

    @property
    def unseen(self) -> float:
        """The share of the whole that one item which was not drawn may be: 1 / n for plain items."""
        return self.heaviest / self.weight


class Mass:
    """One sample over the cells of a grid, in score order; `is_plain` where every item stands for itself.

    `parts` are weight, spread and count per cell, or just one array for plain items, where the three are equal. What
    lies before each cell (`prefixes`) says the same; either is made from the other when it is first asked for.
    """

    heaviest_by_cell: Floats | None = None  # where items weigh differently in different cells
    are_importances = False  # whether items matter more or less than others, as in `Weights`

    def __init__(self, *parts: Floats, heaviest: float = 1.0) -> None:
        self.parts, self.heaviest = parts, heaviest  # as in `Amount`
        self.is_plain = len(parts) == 1
        self._made_of_prefixes = False

    @classmethod
    def before(cls, *prefixes: Prefix) -> Mass:
        """From what lies before each cell, the total at the end."""
        mass = cls.__new__(cls)
        mass.prefixes, mass.heaviest = prefixes, 1.0
        mass.is_plain = len(prefixes) == 1
        mass._made_of_prefixes = True
        return mass

    @cached_property
    def parts(self) -> tuple[Floats, ...]:
        """Per cell."""
        return tuple(np.diff(prefix).astype(np.float64, copy=False) for prefix in self.prefixes)

    @cached_property
    def prefixes(self) -> tuple[Prefix, ...]:
        """Before each cell; the last entry is the total."""
        return tuple(_prefix(part) for part in self.parts)

    @property
    def weight(self) -> Floats:
        """How many items each cell stands for."""
        return self.parts[0]

    @property
    def spread(self) -> Floats:
        """What each cell adds to the variance of a total."""
        return self.parts[0] if self.is_plain else self.parts[1]

    @property
    def count(self) -> Floats:
        """How many items were looked at."""
        return self.parts[-1]

    @cached_property
    def total(self) -> Amount:
        """The whole sample."""
        return self.amount(0, len(self.prefixes[0]) - 1)

    @cached_property
    def below(self) -> Floats:
        """The share of the sample that scores lower than each cell, a tie counting one half."""
        prefix = self.prefixes[0]
        shares: Floats = (prefix[:-1] + prefix[1:]) * (0.5 / self.total.weight)
        return shares

    @property
    def unseen(self) -> float:
        """The share of the whole that one item which was not drawn may be. How many views it may have, nobody knows."""
        return self.total.spread / self.total.weight**2 if self.are_importances else self.total.unseen

    def amount(self, start: int, stop: int) -> Amount:
        """What lies in the cells from start up to, not including, stop."""
        weight, *other = (float(prefix[stop] - prefix[start]) for prefix in self.prefixes)
        spread, count = other or (weight, weight)
        return Amount(weight, spread, count, self._heaviest_between(start, stop))

    def _heaviest_between(self, start: int, stop: int) -> float:
        """What one item that was not drawn may stand for, by the items of the same cells: elsewhere they weigh more."""
        if self.heaviest_by_cell is None:
            return self.heaviest
        return float(np.max(self.heaviest_by_cell[start:stop], initial=0.0))

    def at(self, cells: Int32s) -> Mass:
        """The mass of some cells only."""
        if not self._made_of_prefixes:
            some = Mass(*(part[cells] for part in self.parts), heaviest=self.heaviest)
            some.heaviest_by_cell = None if self.heaviest_by_cell is None else self.heaviest_by_cell[cells]
            some.are_importances = self.are_importances
            return some
        parts = ((p[cells + 1] - p[cells]).astype(np.float64, copy=False) for p in self.prefixes)
        return Mass(*parts, heaviest=self.heaviest)


@dataclass(frozen=True)
class Classes:
    """The violating and the benign items of the same people or things."""

    violating: Mass
    benign: Mass

    def __iter__(self) -> Iterator[Mass]:
        return iter((self.violating, self.benign))

    def mass(self, *, violating: bool) -> Mass:
        """One of the two."""
        return self.violating if violating else self.benign


@dataclass(frozen=True, slots=True)
class Confusion:
    """What a threshold makes of the items: flagged or not, violating or not."""

    true_positive: Amount
    false_negative: Amount
    false_positive: Amount
    true_negative: Amount

    @property
    def flagged(self) -> Amount:
        """What is flagged, violating or not."""
        return self.true_positive + self.false_positive

    @property
    def left(self) -> Amount:
        """What is not flagged."""
        return self.false_negative + self.true_negative

    def __sub__(self, other: Confusion) -> Confusion:
        return Confusion(
            self.true_positive - other.true_positive,
            self.false_negative - other.false_negative,
            self.false_positive - other.false_positive,
            self.true_negative - other.true_negative,
        )


def _prefix(values: Floats) -> Floats:
    prefix = np.empty(len(values) + 1)
    prefix[0] = 0.0
    np.cumsum(values, out=prefix[1:])
    return prefix
