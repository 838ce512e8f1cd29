"""Quantities of everything or of a group that more than one audit takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import ClassVar

from evenhand.audits.quantity import Quantity, Sided, Sure
from evenhand.audits.view import Scope
from evenhand.intervals import auc as auc_interval
from evenhand.intervals import influence, proportions
from evenhand.intervals import precision as precision_interval
from evenhand.intervals.bounded import Bounded, quantile
from evenhand.intervals.influence import Influence
from evenhand.measures import rates
from evenhand.measures.ranking import average_precision
from evenhand.measures.rates import Share
from evenhand.tally import Classes


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


class OfCells(Sided):
    """A quantity that rests on all items of the scope."""

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return tuple(mass.total.count for mass in scope.classes)


@dataclass(frozen=True)
class Area(OfCells):
    """An area under a curve, and the two classes that it ranks; `intervals` knows how sure such an area is."""

    intervals: ClassVar[ModuleType]

    name: str
    area: Callable[[Scope], float]
    classes: Callable[[Scope], Classes]

    def value(self, scope: Scope) -> float:
        return self.area(scope)

    def sure(self, scope: Scope, value: float, level: float) -> Sure:
        low, high = self.intervals.of_classes(self.classes(scope), value).interval(level)
        return Sure(low, high, self.intervals.METHOD)


class Found(Area):
    """An area under precision over recall: of each item that is to be found, how good the list is down to it."""

    intervals: ClassVar[ModuleType] = precision_interval


class Ranked(Area):
    """An area under the ROC curve: how often a violating item is ranked above a benign one."""

    intervals: ClassVar[ModuleType] = auc_interval


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
AUPRC = Found("auprc", lambda scope: average_precision(scope.classes), lambda scope: scope.classes)
