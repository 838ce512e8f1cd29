"""What the bias audit measures. A new quantity is a new row in the tables at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evenhand.audits.quantities import RATES, SIZES
from evenhand.audits.quantity import Quantity, Sided, Sure
from evenhand.audits.view import Scope
from evenhand.errors import Undefined
from evenhand.intervals import auc as auc_interval
from evenhand.intervals import influence, proportions
from evenhand.intervals.bounded import Bounded
from evenhand.intervals.influence import Influence, Term
from evenhand.measures import bias, rates
from evenhand.measures.rates import Share
from evenhand.tally import Confusion


@dataclass(frozen=True)
class Compared(Sided):
    """One of the five comparisons of a group with its background."""

    comparison: bias.Comparison

    @property
    def name(self) -> str:
        return self.comparison.name

    def value(self, scope: Scope) -> float:
        known, key = scope.view.values, (self.name, scope.group)
        if key not in known:
            known[key] = self.comparison(scope.split)
        return known[key]

    def bounded(self, scope: Scope, value: float) -> Bounded:
        c, known, key = self.comparison, scope.view.bounds, (self.name, scope.group)
        if key not in known:
            known[key] = auc_interval.of_split(scope.split, c.high, c.low, value - c.shift)
        return known[key]

    def trace(self, scope: Scope) -> Influence:
        c, placed = self.comparison, scope.view.rows
        assert scope.group is not None
        term = Term(1.0, scope.group, c.high, c.low, self.value(scope) - c.shift)
        return influence.of_groups(placed, scope.view.tally, [term], {scope.group: scope.split})

    def sure(self, scope: Scope, value: float, level: float) -> Sure:
        c = self.comparison
        bounded = self.bounded(scope, value)
        low, high = bounded.interval(level)
        off = scope.split.unresolved(c.high, c.low)
        assert scope.group is not None
        p_value = bounded.p_value(0.5) if c.is_gap else bounded.p_difference(scope.view.reference(scope.group))
        return Sure(max(0.0, low - off) + c.shift, min(1.0, high + off) + c.shift, auc_interval.METHOD, p_value)

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return tuple(scope.split.sample(which).total.count for which in (self.comparison.high, self.comparison.low))


@dataclass(frozen=True)
class Gap(Sided):
    """The rate of the background less the rate of the group: the equality gap at the threshold."""

    name: str
    rate: Callable[[Confusion], Share]

    def value(self, scope: Scope) -> float:
        outside, inside = self._shares(scope)
        return outside.value - inside.value

    def sure(self, scope: Scope, value: float, level: float) -> Sure:
        outside, inside = (proportions.wilson(share.part, share.rest) for share in self._shares(scope))
        p_value = proportions.p_equal(inside, outside)
        return Sure(*outside.square_and_add(inside, level), proportions.DIFFERENCE, p_value)

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return tuple(share.whole.count for share in self._shares(scope))

    def _shares(self, scope: Scope) -> tuple[Share, Share]:
        found = []
        for where, confusion in (("outside", scope.outside), ("in", scope.inside)):
            try:
                found.append(self.rate(confusion))
            except Undefined as why:
                raise Undefined(f"{why} {where} the group") from None
        return found[0], found[1]


OF_GROUPS: tuple[Quantity, ...] = (
    *SIZES,
    *(Compared(comparison) for comparison in bias.COMPARISONS),
    *RATES,
    Gap("tpr_gap", rates.tpr),
    Gap("fpr_gap", rates.fpr),
)
