"""What the bias audit measures. A new quantity is a new row in the tables at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evenhand.audits.quantity import Quantity, Sided, Sure
from evenhand.audits.view import Scope
from evenhand.errors import Undefined
from evenhand.intervals import auc as auc_interval
from evenhand.intervals import influence, proportions
from evenhand.intervals.bounded import Bounded, quantile
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
class Auroc(Sided):
    """How well the model ranks everything."""

    name: str = "auroc"

    def value(self, scope: Scope) -> float:
        return scope.view.overall.value

    def bounded(self, scope: Scope, value: float) -> Bounded:
        return scope.view.overall

    def trace(self, scope: Scope) -> Influence:
        return influence.of_everyone(scope.view.rows, scope.view.tally, scope.view.overall.value)

    def sure(self, scope: Scope, value: float, level: float) -> Sure:
        low, high = scope.view.overall.interval(level)
        off = scope.view.tally.unresolved()
        return Sure(max(0.0, low - off), min(1.0, high + off), auc_interval.METHOD)

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return tuple(mass.total.count for mass in scope.classes)


@dataclass(frozen=True)
class Count(Sided):
    """How many items there are. A plain fact, unless items were sampled: then the number they stand for."""

    name: str = "count"

    def value(self, scope: Scope) -> float:
        return sum(mass.total.weight for mass in scope.classes)

    def sure(self, scope: Scope, value: float, level: float) -> Sure:
        if all(mass.is_plain for mass in scope.classes):
            return Sure(value, value, "exact")
        reach = quantile(level) * sum(mass.total.spread for mass in scope.classes) ** 0.5
        return Sure(max(0.0, value - reach), value + reach, "horvitz_thompson")

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return (float(scope.items),)


@dataclass(frozen=True)
class Rate(Sided):
    """A share of the items."""

    name: str
    share: Callable[[Scope], Share]

    def value(self, scope: Scope) -> float:
        return self.share(scope).value

    def bounded(self, scope: Scope, value: float) -> Bounded:
        share = self.share(scope)
        return proportions.wilson(share.part, share.rest)

    def sure(self, scope: Scope, value: float, level: float) -> Sure:
        return Sure(*self.bounded(scope, value).interval(level), proportions.METHOD)

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return (self.share(scope).whole.count,)


@dataclass(frozen=True)
class ClassRate(Rate):
    """The share of one class that is flagged."""

    violating: bool = True

    def trace(self, scope: Scope) -> Influence:
        view, whole = scope.view, self.share(scope).whole.weight
        assert view.threshold is not None
        flagged = view.tally.flagged(view.threshold)
        values = (flagged - self.value(scope)) / whole
        return influence.of_class(view.rows, view.tally, values, scope.group, violating=self.violating)


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


RATES: tuple[Quantity, ...] = (
    ClassRate("tpr", lambda scope: rates.tpr(scope.inside), violating=True),
    ClassRate("fpr", lambda scope: rates.fpr(scope.inside), violating=False),
    Rate("precision", lambda scope: rates.precision(scope.inside)),
)
SIZES: tuple[Quantity, ...] = (
    Count(),
    Rate("positive_share", lambda scope: rates.positive_share(scope.classes)),
)
OF_EVERYTHING: tuple[Quantity, ...] = (*SIZES, Auroc(), *RATES)
OF_GROUPS: tuple[Quantity, ...] = (
    *SIZES,
    *(Compared(comparison) for comparison in bias.COMPARISONS),
    *RATES,
    Gap("tpr_gap", rates.tpr),
    Gap("fpr_gap", rates.fpr),
)
