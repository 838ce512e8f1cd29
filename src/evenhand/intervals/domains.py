"""A share within a part of a sample that was not drawn apart: one community, or what turned out to violate.

How many labels fall into such a part is itself chance, so its share is a ratio of two weighted sums. The variance is
that of the ratio made linear, with the strata of the whole sample kept: labels outside the part still say how the
draws scatter. For the whole sample of a stratified draw it is the stratified estimate, exactly. Without strata items
count as drawn one by one (Hájek's); in a census as so many equal draws from what might have been there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import InputError, Undefined
from evenhand.intervals.survey import Figure


@dataclass(frozen=True)
class Design:
    """How labelled items were drawn: the items that each stands for, and its stratum where there are strata.

    In a census every weight is 1, and no item is sure to come again.
    """

    weights: Floats
    strata: Ints | None = None
    census: bool = False

    @classmethod
    def of(cls, inclusion: npt.ArrayLike, strata: npt.ArrayLike | None = None) -> Design:
        """From inclusion probabilities, which are the same in all of a stratum; strata are numbered."""
        chance = arrays.numbers(inclusion, "inclusion")
        arrays.refuse(
            (chance <= 0.0) | (chance > 1.0), "an inclusion probability lies above 0 and up to 1", "inclusion"
        )
        if strata is None:
            return cls(1.0 / chance)
        codes = arrays.wholes(strata, "strata", size=len(chance))
        counts = np.bincount(codes)
        least, most = np.full(len(counts), np.inf), np.zeros(len(counts))
        np.minimum.at(least, codes, chance)
        np.maximum.at(most, codes, chance)
        uneven = (counts > 0) & (most > least * (1.0 + 1e-6))
        if uneven.any():
            raise InputError(f"stratum {int(np.argmax(uneven)) + 1} has items of different inclusion probabilities")
        single = (counts == 1) & (most < 1.0)
        if single.any():
            raise Undefined("a stratum has a single label, so its variance is not known")
        return cls(1.0 / chance, codes)

    @classmethod
    def counted(cls, labels: int) -> Design:
        """Everything was labelled."""
        return cls(np.ones(labels), census=True)

    def total(self, inside: Bools) -> float:
        """The items that these labels stand for."""
        return float(self.weights[inside].sum())

    def closed(self, inside: Bools) -> bool:
        """Whether strata lie inside or outside as a whole, so that the number of items inside is no chance."""
        if self.strata is None:
            return not self.census and bool((self.weights == 1.0).all())
        both = np.bincount(self.strata, inside) * np.bincount(self.strata, ~inside)
        return not both.any()

    def share(self, part: Bools, whole: Bools) -> Figure:
        """What part of the whole, which holds it, it makes up."""
        if not whole.any():
            raise Undefined("nothing of it was labelled")
        items = self.total(whole)
        value = min(self.total(part) / items, 1.0)
        rest = self.weights * (part - value * whole) / items
        variance, freedom = self._variance(rest)
        heaviest = float(np.max((self.weights * self._left)[whole])) / items
        return Figure(value, variance, freedom, int(whole.sum()), float(part.sum()), heaviest, variance, freedom)

    @property
    def _left(self) -> Floats:
        """Of what each label stands for, the part that was not drawn."""
        if self.census:
            return np.ones(len(self.weights))
        return 1.0 - 1.0 / self.weights

    def _variance(self, rest: Floats) -> tuple[float, float]:
        """Of a sum over labels, and its degrees of freedom as Satterthwaite has them."""
        if self.strata is None:
            return float(np.sum(rest**2 * self._left)), math.inf
        counts = np.bincount(self.strata).astype(np.float64)
        means = np.bincount(self.strata, rest) / np.maximum(counts, 1.0)
        squares = np.bincount(self.strata, (rest - means[self.strata]) ** 2 * self._left)
        each = squares * counts / np.maximum(counts - 1.0, 1.0)
        total, spread = float(each.sum()), float(np.sum(each**2 / np.maximum(counts - 1.0, 1.0)))
        return total, total**2 / spread if spread > 0.0 else math.inf
