"""Numbers from labels, each with the interval that redrawing annotators and items together gives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from evenhand.audits.perspective.crowd import Crowd
from evenhand.audits.settings import Settings
from evenhand.errors import Undefined
from evenhand.estimate import Estimate
from evenhand.intervals import two_way
from evenhand.intervals.two_way import Crossing, Fold
from evenhand.measures import agreement
from evenhand.measures.number import Number
from evenhand.measures.perspective import Annotations, sums_by_group
from evenhand.tally import FloatArray


@dataclass(frozen=True)
class Labelled:
    """Labels, the groups of those who gave them, and how often to redraw."""

    annotations: Annotations
    crowd: Crowd
    settings: Settings

    @cached_property
    def crossing(self) -> Crossing:
        """Who labelled what, to be redrawn."""
        a, s = self.annotations, self.settings
        return Crossing(a.annotator, a.item, a.annotators, a.items, s.replicates, s.seed)

    def sums(self, columns: sparse.csc_array) -> tuple[FloatArray, FloatArray]:
        """By group and last of everybody: as it is, and for every draw."""
        groups = len(self.crowd.names)
        plain = sums_by_group(self.annotations, columns, self.crowd.group, groups)
        return plain, self.crossing.sums(columns, self.crowd.group, groups)

    def folds(self, fold: Fold) -> tuple[FloatArray, FloatArray]:
        """What a measure of agreement counts: as it is, and for every draw."""
        groups = len(self.crowd.names)
        counts = agreement.counted(self.annotations, self.crowd.group, groups)
        strata, shape = agreement.in_strata(self.annotations, self.crowd.group, groups)
        return agreement.once(fold, counts), self.crossing.folded(strata, shape, fold)

    @cached_property
    def labels(self) -> list[int]:
        """How many labels each group gave, and last everybody."""
        return [int(n) for n in self.crowd.labels(self.annotations)]

    @cached_property
    def worth(self) -> list[float]:
        """Per group, and last of everybody, how many equally busy people or items its labels are worth, if fewer."""
        return [self._worth(number) for number in range(len(self.crowd.names) + 1)]

    def estimate(
        self, number: Number, plain: FloatArray, drawn: FloatArray, *, group: int, bounds: tuple[float, float]
    ) -> Estimate:
        """One number of one group, from its sums and their draws."""
        level, n = self.settings.level, self.labels[group]
        try:
            value = number.of(plain)
            size = self.worth[group]
            ends = two_way.interval(number.drawn(drawn), value, level=level, size=size, bounds=bounds)
        except Undefined as why:
            return Estimate.undefined(str(why), level=level, n=n)
        return Estimate(value, *ends, level, two_way.METHOD, n)

    def _worth(self, number: int) -> float:
        a = self.annotations
        rows = self.crowd.member(number)[a.annotator]
        loads = (np.bincount(a.annotator[rows]), np.bincount(a.item[rows]))
        return min(two_way.effective(load) for load in loads) if rows.any() else 0.0
