"""How much people can review: a share of the items, so many items, or everything at or above a review score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from evenhand.errors import InputError

EXCESS = 1.0 + 1e-12  # 0.29 · 100 is 28.999… in floating point, and means 29


@dataclass(frozen=True, slots=True)
class Capacity:
    """One of the three. With weights, items are counted by weight: as many as the rows stand for."""

    kind: Literal["fraction", "items", "threshold"]
    value: float

    @classmethod
    def fraction(cls, value: float) -> Capacity:
        """The ⌊value · n⌋ items of highest review score; all of them at 1."""
        if not 0.0 <= value <= 1.0:
            raise InputError(f"a capacity is a share between 0 and 1, not {value}")
        return cls("fraction", value)

    @classmethod
    def items(cls, value: float) -> Capacity:
        """So many items, or all if there are fewer."""
        if not 0.0 <= value < math.inf:
            raise InputError(f"a capacity is a number of items, 0 or more, not {value}")
        return cls("items", value)

    @classmethod
    def threshold(cls, value: float) -> Capacity:
        """Whatever has this review score or a higher one."""
        if not math.isfinite(value):
            raise InputError(f"a review score is a finite number, not {value}")
        return cls("threshold", value)

    def amount(self, total: float) -> float:
        """How much of a total is reviewed; a threshold does not say."""
        if self.kind == "threshold":
            raise ValueError("how much a threshold reviews depends on the review scores")
        if self.kind == "items":
            return min(whole(self.value), total)
        return total if self.value == 1.0 else whole(self.value * total)


def whole(amount: float) -> float:
    """Whole items, a hair below one counting as it."""
    return float(math.floor(amount * EXCESS))
