"""What is measured of model and reviewers together, group by group: error rates after review beside everyone else's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from evenhand.audits.clustering import correlation, method_name
from evenhand.audits.collaboration.common_queue import CommonQueue, QueueSide, ReviewerErrors
from evenhand.audits.group_words import ErrorRate
from evenhand.audits.quantities import Quantity, QuantityInterval, SidedQuantity
from evenhand.audits.views import Scope
from evenhand.catalogue.collaboration import (
    REVIEWED,
    REVIEWER_FNR,
    REVIEWER_FPR,
    SYSTEM_FNR,
    SYSTEM_FNR_DIFFERENCE,
    SYSTEM_FNR_RATIO,
    SYSTEM_FPR,
    SYSTEM_FPR_DIFFERENCE,
    SYSTEM_FPR_RATIO,
)
from evenhand.errors import Undefined
from evenhand.intervals import proportions
from evenhand.intervals.clusters import RowInfluence
from evenhand.intervals.mover import ValueLowHigh, mover_difference, mover_ratio
from evenhand.intervals.significance import simultaneous_level

MOVER_SIMULTANEOUS = "mover_simultaneous"
SYSTEM_RATES = {ErrorRate.FALSE_POSITIVE: SYSTEM_FPR, ErrorRate.FALSE_NEGATIVE: SYSTEM_FNR}
SYSTEM_RATIOS = {ErrorRate.FALSE_POSITIVE: SYSTEM_FPR_RATIO, ErrorRate.FALSE_NEGATIVE: SYSTEM_FNR_RATIO}
SYSTEM_DIFFERENCES = {ErrorRate.FALSE_POSITIVE: SYSTEM_FPR_DIFFERENCE, ErrorRate.FALSE_NEGATIVE: SYSTEM_FNR_DIFFERENCE}
REVIEWER_RATES = {ErrorRate.FALSE_POSITIVE: REVIEWER_FPR, ErrorRate.FALSE_NEGATIVE: REVIEWER_FNR}


@dataclass(frozen=True)
class ReviewedShare(SidedQuantity):
    """The share of a group's items that the common queue brings to reviewers."""

    always_analytic: ClassVar[bool] = True

    queue: CommonQueue
    name: str = REVIEWED

    def value(self, scope: Scope) -> float:
        return self.queue.reviewed_share(scope)[0].value

    def interval(self, scope: Scope, value: float, level: float) -> QuantityInterval:
        _, interval = self.queue.reviewed_share(scope)
        return QuantityInterval(*interval.interval(level), method_name(scope, proportions.WILSON))

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return (self.queue.reviewed_share(scope)[0].whole.count,)


@dataclass(frozen=True)
class SystemRate(SidedQuantity):
    """An error rate after review."""

    always_analytic: ClassVar[bool] = True

    rate: ErrorRate
    queue: CommonQueue

    @property
    def name(self) -> str:
        return SYSTEM_RATES[self.rate]

    def value(self, scope: Scope) -> float:
        return self._side(scope).share.value

    def interval(self, scope: Scope, value: float, level: float) -> QuantityInterval:
        return QuantityInterval(*self._side(scope).wilson.interval(level), method_name(scope, proportions.WILSON))

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return (self._side(scope).share.whole.count,)

    def row_influence(self, scope: Scope) -> RowInfluence:
        """As in `ClusteredQuantity`."""
        rows = self._side(scope).rows
        assert rows is not None
        return rows

    def _side(self, scope: Scope) -> QueueSide:
        return self.queue.side(scope, self.rate)


@dataclass(frozen=True)
class SystemComparison(SidedQuantity):
    """The rate of the group less that of all others; all intervals of a finding hold together."""

    always_analytic: ClassVar[bool] = True

    rate: ErrorRate
    queue: CommonQueue
    comparisons: int

    @property
    def name(self) -> str:
        return SYSTEM_DIFFERENCES[self.rate]

    def value(self, scope: Scope) -> float:
        inside, outside = self._sides(scope)
        return inside.share.value - outside.share.value

    def interval(self, scope: Scope, value: float, level: float) -> QuantityInterval:
        inside, outside = self._ends(scope, level)
        low, high = mover_difference(inside, outside, self._correlation(scope))
        return QuantityInterval(max(-1.0, low), min(1.0, high), method_name(scope, MOVER_SIMULTANEOUS))

    def _ends(self, scope: Scope, level: float) -> tuple[ValueLowHigh, ValueLowHigh]:
        """The rate of the group and that of all others, with intervals that hold far in the tails."""
        together = simultaneous_level(level, self.comparisons)
        inside, outside = ((side.share.value, *side.wilson.tail_interval(together)) for side in self._sides(scope))
        return inside, outside

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return tuple(side.share.whole.count for side in self._sides(scope))

    def row_influence(self, scope: Scope) -> RowInfluence:
        """As in `ClusteredQuantity`; the interval is made from those of the two rates."""
        inside, outside = (side.rows for side in self._sides(scope))
        assert inside is not None
        assert outside is not None
        return RowInfluence(inside.values - outside.values, inside.part, inside.weights)

    def _correlation(self, scope: Scope) -> float:
        """Clusters may have items on both sides."""
        inside, outside = (side.rows for side in self._sides(scope))
        return 0.0 if inside is None or outside is None else correlation(inside, outside, scope.view)

    def _sides(self, scope: Scope) -> tuple[QueueSide, QueueSide]:
        try:
            return self.queue.side(scope, self.rate), self.queue.side(scope, self.rate, outside=True)
        except Undefined as why:
            raise Undefined(f"{why}, in the group or outside it") from None


class SystemRatio(SystemComparison):
    """The rate of the group over that of all others."""

    @property
    def name(self) -> str:
        return SYSTEM_RATIOS[self.rate]

    def value(self, scope: Scope) -> float:
        inside, outside = self._sides(scope)
        if not outside.share.value:
            raise Undefined("the rate outside the group is 0")
        return inside.share.value / outside.share.value

    def interval(self, scope: Scope, value: float, level: float) -> QuantityInterval:
        inside, outside = self._ends(scope, level)
        ends = mover_ratio(inside, outside, self._correlation(scope))
        return QuantityInterval(*ends, method_name(scope, MOVER_SIMULTANEOUS))


@dataclass(frozen=True)
class ReviewerRate(SidedQuantity):
    """How often reviewers err on the benign or the violating items of a group."""

    always_analytic: ClassVar[bool] = True

    rate: ErrorRate
    errors: ReviewerErrors

    @property
    def name(self) -> str:
        return REVIEWER_RATES[self.rate]

    def value(self, scope: Scope) -> float:
        return self.errors.on(scope, self.rate, outside=False).value

    def interval(self, scope: Scope, value: float, level: float) -> QuantityInterval:
        error = self.errors.on(scope, self.rate, outside=False)
        return QuantityInterval(*error.share.interval(level), method_name(scope, proportions.WILSON))

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return (self.errors.on(scope, self.rate, outside=False).decisions,)


def system_quantities(queue: CommonQueue, comparisons: int, *, of_group: bool) -> tuple[Quantity, ...]:
    """After review by one queue: of everything, or of a group and beside all others."""
    alone: list[Quantity] = [SystemRate(rate, queue) for rate in ErrorRate]
    if not of_group:
        return tuple(alone)
    kinds = (SystemRatio, SystemComparison)
    return (ReviewedShare(queue), *alone, *(kind(rate, queue, comparisons) for rate in ErrorRate for kind in kinds))
