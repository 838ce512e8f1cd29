"""Intervals of numbers from annotations, where annotators and items were both drawn: without draws of their own.

Labels of one person are not independent, nor are labels of one item. So the variance is that between annotators (the
number without each of them: the jackknife) and that between items (the influence of each), less that of single labels,
which is in both: V = V_annotators + V_items − V_labels, and no less than either alone. Nothing is random here: neither
a seed nor the order of the rows moves an end. Student's quantile has the degrees of freedom of the annotators and of
the items by their part of the variance (Satterthwaite), each counted as so many equally busy ones.

What a number is read from must be sums over labels. The majority that labels are compared with is taken as given. Where
annotators differ more than items, they sway it together, and intervals of deltas are too short: a caveat says so.
studies/results/perspective.csv says what covers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import InputError, Undefined
from evenhand.intervals.significance import student_quantile
from evenhand.intervals.two_way_bootstrap import effective_number

TWO_WAY_JACKKNIFE = "two_way_jackknife"
STEP = 1e-6  # of a sum, for its derivative
FEWEST_FREEDOM = 1.0
SumFormula = Callable[[Floats], Floats]  # … × groups + 1 × columns to …


@dataclass(frozen=True)
class TwoWaySums:
    """Sums over labels by group of annotators, the last of everybody, and what every label adds to them.

    `columns` are labels × what is summed; `group` is the group of each annotator, −1 for none.
    """

    annotator: Ints
    item: Ints
    group: Ints
    groups: int
    columns: sparse.csc_array

    def __post_init__(self) -> None:
        if self.annotator.shape != self.item.shape or self.columns.shape[0] != len(self.item):
            raise InputError("annotators, items and columns must be equally many: one of each per label")

    @cached_property
    def place(self) -> Ints:
        """The group of each label; the number after the last for those in none."""
        return (self.group.astype(np.int64) % (self.groups + 1))[self.annotator]

    @cached_property
    def plain(self) -> Floats:
        """(groups + 1) × columns."""
        sums = _summed(self.place, self.groups + 1, self.columns)
        sums[-1] = sums.sum(axis=0)
        return sums

    @cached_property
    def without_each(self) -> Floats:
        """Annotators × (groups + 1) × columns: the sums without one of the annotators."""
        own = _summed(self.annotator, len(self.group), self.columns)
        left = np.repeat(self.plain[None], len(own), axis=0)
        member = np.flatnonzero(self.group >= 0)
        left[member, self.group[member]] -= own[member]
        left[:, -1] -= own
        return left

    def spread(self, formula: SumFormula) -> TwoWaySpread:
        """The variance of a number that is read from the sums, and on what it rests."""
        value = float(formula(self.plain))
        slopes = self._slopes(formula)
        influence = self.columns @ slopes[-1]
        own = np.asarray((self.columns @ slopes[:-1].T), dtype=np.float64)
        inside = self.place < self.groups
        influence[inside] += own[np.flatnonzero(inside), self.place[inside]]
        takes_part = self._takes_part(slopes)
        return TwoWaySpread.from_influence(
            value, formula(self.without_each), influence, (self.annotator, self.item), takes_part
        )

    def _takes_part(self, slopes: Floats) -> Bools:
        """Which labels are of a group that the number is read from."""
        read = (slopes != 0.0).any(axis=1)
        return np.ones(len(self.item), dtype=np.bool_) if read[-1] or not read.any() else read[self.place]

    def _slopes(self, formula: SumFormula) -> Floats:
        """By how much the number moves with each sum."""
        size = self.plain.size
        steps = STEP * np.maximum(np.abs(self.plain).ravel(), 1.0)
        moves = np.diag(steps).reshape(size, *self.plain.shape)
        up, down = formula(self.plain + moves), formula(self.plain - moves)
        defined = np.isfinite(up) & np.isfinite(down)
        slopes = np.divide(up - down, 2.0 * steps, out=np.zeros(size), where=defined)
        return slopes.reshape(self.plain.shape)


@dataclass(frozen=True)
class TwoWaySpread:
    """A number, its variance between annotators, items and labels, and how many equally busy ones there are."""

    value: float
    between_annotators: float
    between_items: float
    between_labels: float
    annotators: float
    items: float

    @classmethod
    def from_influence(
        cls, value: float, without_each: Floats, influence: Floats, who: tuple[Ints, Ints], takes_part: Bools
    ) -> TwoWaySpread:
        """From the number without each annotator, and from the influence of every label."""
        annotator, item = (codes[takes_part] for codes in who)
        people, things = np.bincount(annotator), np.bincount(item)
        present = np.flatnonzero(people)
        if len(present) < 2 or np.count_nonzero(things) < 2:
            raise Undefined("all labels are from one annotator or one item")
        left = without_each[present]
        if not np.isfinite(left).all():
            raise Undefined("without one of the annotators the number has no value")
        number, objects = len(present), np.count_nonzero(things)
        moved = np.bincount(who[1], influence)
        return cls(
            value,
            (number - 1.0) / number * float(((left - left.mean()) ** 2).sum()),
            objects / (objects - 1.0) * float((moved**2).sum()),
            float((influence**2).sum()),
            effective_number(people),
            effective_number(things),
        )

    @property
    def variance(self) -> float:
        """What labels scatter by themselves is in both ways: it counts once."""
        both = self.between_annotators + self.between_items - self.between_labels
        return max(both, self.between_annotators, self.between_items)

    @property
    def freedom(self) -> float:
        """Degrees of freedom, by what annotators and items bring (Satterthwaite)."""
        brought = self.between_annotators**2 / max(self.annotators - 1.0, 1e-9)
        brought += self.between_items**2 / max(self.items - 1.0, 1e-9)
        total = self.between_annotators + self.between_items
        return max(total**2 / brought, FEWEST_FREEDOM) if brought > 0.0 else FEWEST_FREEDOM

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Within bounds of the number itself. Shares are taken on the scale of their logits, 0 and 1 as if exact."""
        if self.variance <= 0.0:
            return self._without_scatter(level, bounds)
        reach = student_quantile(level, self.freedom) * float(np.sqrt(self.variance))
        low, high = bounds
        if bounds == (0.0, 1.0) and 0.0 < self.value < 1.0:
            odds, wide = np.log(self.value / (1.0 - self.value)), reach / (self.value * (1.0 - self.value))
            ends = 1.0 / (1.0 + np.exp(-np.clip([odds - wide, odds + wide], -700.0, 700.0)))
            return min(float(ends[0]), self.value), max(float(ends[1]), self.value)
        return max(self.value - reach, min(low, self.value)), min(self.value + reach, max(high, self.value))

    def _without_scatter(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """A share of 0 or 1 can be another among those that were not drawn; other numbers are as they are."""
        if bounds != (0.0, 1.0) or 0.0 < self.value < 1.0:
            return self.value, self.value
        most = 1.0 - ((1.0 - level) / 2.0) ** (1.0 / max(min(self.annotators, self.items), 1.0))
        return (0.0, most) if self.value == 0.0 else (1.0 - most, 1.0)


def _summed(codes: Ints, size: int, columns: sparse.csc_array) -> Floats:
    rows = np.arange(len(codes))
    members = sparse.csr_array((np.ones(len(codes)), (codes, rows)), shape=(size, len(codes)))
    sums: Floats = np.asarray((members @ columns).toarray(), dtype=np.float64)
    return sums
