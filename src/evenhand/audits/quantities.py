"""The quantities that more than one audit takes, and the protocol that every quantity follows.

A quantity is one number of a scope: it has a name, a value, an interval and, where it is compared with something, a
p-value. `value` alone is what a bootstrap draws again; `interval` is the analytic one, where there is one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol, TypeGuard

from evenhand.audits.clustering import ClusteredQuantity, method_name, row_influence, share_influence, widened
from evenhand.audits.settings import Settings
from evenhand.audits.views import Scope
from evenhand.catalogue.shared import AUPRC, AUROC, COUNT, FPR, POSITIVE_SHARE, PRECISION, TPR
from evenhand.intervals import auc as auc_interval
from evenhand.intervals import influence, proportions
from evenhand.intervals.clusters import FEWEST_CLUSTERS, RowInfluence
from evenhand.intervals.influence import Influence
from evenhand.intervals.proportions import WilsonInterval
from evenhand.intervals.significance import student_quantile
from evenhand.measures import rates
from evenhand.measures.ranking import average_precision
from evenhand.measures.rates import Share
from evenhand.tally import Classes

FEWEST_ITEMS = 10  # items on a side, under which coverage is only reported
SMALL_GROUP = 100  # items in a group; the paper `bias` drops groups of up to so many, we mark them


class QuantityInterval(NamedTuple):
    """An interval and how it was made."""

    low: float
    high: float
    method: str


class Quantity(Protocol):
    """One number of everything or of a group."""

    @property
    def name(self) -> str:
        """As in the output contract."""

    def value(self, scope: Scope) -> float:
        """The number; `Undefined` where it has none."""

    def p_value(self, scope: Scope, value: float) -> float | None:
        """Against "no difference"; None where that is no question."""

    def is_fact(self, scope: Scope) -> bool:
        """Whether the number is known as it is, such as a count."""

    def sides(self, scope: Scope) -> tuple[float, ...]:
        """The numbers of items it rests on, side by side."""

    def items(self, scope: Scope) -> int:
        """How many items it was taken from."""


class AnalyticQuantity(Quantity, Protocol):
    """A quantity whose interval is known without drawing rows again."""

    def interval(self, scope: Scope, value: float, level: float) -> QuantityInterval:
        """Its interval."""


class RedrawnQuantity(Quantity, Protocol):
    """A quantity whose items are redrawn in a way of its own, whichever audit prints it."""

    def drawn_interval(self, scope: Scope, value: float, settings: Settings) -> QuantityInterval:
        """Its interval."""


class SidedQuantity(ABC):
    """A quantity that is compared with nothing, and whose items are those of its sides together."""

    always_analytic: ClassVar[bool] = False  # also where intervals are drawn or items are clustered

    def p_value(self, scope: Scope, value: float) -> float | None:
        """As in `Quantity`."""
        return None

    def is_fact(self, scope: Scope) -> bool:
        """As in `Quantity`."""
        return False

    @abstractmethod
    def sides(self, scope: Scope) -> tuple[float, ...]:
        """As in `Quantity`."""

    def items(self, scope: Scope) -> int:
        """As in `Quantity`."""
        return round(sum(self.sides(scope)))


class TracedQuantity(AnalyticQuantity, Protocol):
    """A quantity of which it is known how much each row moves it: it can be compared between models."""

    def bounded(self, scope: Scope, value: float) -> WilsonInterval:
        """The value on the way from 0 to 1, with its effective number of items."""

    def trace(self, scope: Scope) -> Influence:
        """The influence of every row."""


def is_analytic(quantity: Quantity) -> TypeGuard[AnalyticQuantity]:
    """Whether it has an interval of its own. `isinstance` on a protocol takes ten times as long."""
    return hasattr(quantity, "interval")


def is_drawn(quantity: Quantity, *, by_draws: bool) -> bool:
    """Whether its interval comes from rows drawn again: chosen, or the only way."""
    return not is_analytic(quantity) or (by_draws and not getattr(quantity, "always_analytic", False))


def is_redrawn(quantity: Quantity) -> TypeGuard[RedrawnQuantity]:
    """Whether its items are redrawn in a way of its own."""
    return hasattr(quantity, "drawn_interval")


def is_traced(quantity: Quantity) -> TypeGuard[TracedQuantity]:
    """Whether it knows how much each row moves it."""
    return hasattr(quantity, "trace")


def influence_of(quantity: TracedQuantity, scope: Scope) -> Influence:
    """The trace of a quantity, made once per view."""
    return scope.view.memo.once(("influence", quantity.name, scope.group), lambda: quantity.trace(scope))


def traced_rows(quantity: TracedQuantity, scope: Scope) -> RowInfluence:
    """The influence of every row, from the trace."""
    return row_influence(scope, influence_of(quantity, scope).rows(scope.view.rows))


def knows_rows(quantity: Quantity) -> TypeGuard[ClusteredQuantity]:
    """Whether it knows how much each row moves it, so that clusters widen its interval."""
    return hasattr(quantity, "row_influence")


def has_few_items(quantity: Quantity, scope: Scope) -> bool:
    """Under ten items on a side, or ten clusters: nothing is promised, so nothing is tested."""
    return min(quantity.sides(scope)) < FEWEST_ITEMS or has_few_clusters(quantity, scope)


def has_few_clusters(quantity: Quantity, scope: Scope) -> bool:
    """Whether a number rests on fewer than ten clusters that count."""
    if scope.view.clusters is None or quantity.is_fact(scope) or not knows_rows(quantity):
        return False
    known = scope.view.memo.get(("design effect", quantity.name, scope.group))
    return known is not None and known.clusters < FEWEST_CLUSTERS


def is_small_group(scope: Scope) -> bool:
    """A group of a size that the paper leaves out."""
    return scope.group is not None and scope.items <= SMALL_GROUP


@dataclass(frozen=True)
class Auroc(SidedQuantity):
    """How well the model ranks everything."""

    name: str = AUROC

    def value(self, scope: Scope) -> float:
        return scope.view.overall.value

    def bounded(self, scope: Scope, value: float) -> WilsonInterval:
        return widened(self, scope.view.everything, scope.view.overall)

    def row_influence(self, scope: Scope) -> RowInfluence:
        return traced_rows(self, scope)

    def trace(self, scope: Scope) -> Influence:
        return influence.overall_auc_influence(scope.view.rows, scope.view.tally, scope.view.overall.value)

    def interval(self, scope: Scope, value: float, level: float) -> QuantityInterval:
        low, high = self.bounded(scope, value).interval(level)
        off = scope.view.tally.unresolved()
        method = method_name(scope, auc_interval.DELONG_SCORE)
        return QuantityInterval(max(0.0, low - off), min(1.0, high + off), method)

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return tuple(mass.total.count for mass in scope.classes)


@dataclass(frozen=True)
class CountQuantity(SidedQuantity):
    """How many items there are, weighted or not. A plain fact; if items were sampled, how many they stand for."""

    name: str = COUNT

    def value(self, scope: Scope) -> float:
        if scope.view.are_weighted:
            return sum(mass.total.count for mass in scope.classes)
        return sum(mass.total.weight for mass in scope.classes)

    def interval(self, scope: Scope, value: float, level: float) -> QuantityInterval:
        if self.is_fact(scope):
            return QuantityInterval(value, value, "exact")
        reach = student_quantile(level) * sum(mass.total.spread for mass in scope.classes) ** 0.5
        return QuantityInterval(max(0.0, value - reach), value + reach, "horvitz_thompson")

    def is_fact(self, scope: Scope) -> bool:
        return scope.view.are_weighted or all(mass.is_plain for mass in scope.classes)

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return (float(scope.items),)


def share_interval(scope: Scope, share: Share) -> WilsonInterval:
    """As if items were independent. Under a design it is known how items are drawn; views may be as many as any."""
    return proportions.wilson(share.part, share.rest, share.unseen(heaviest=scope.view.are_weighted))


@dataclass(frozen=True)
class RateQuantity(SidedQuantity):
    """A share of the items."""

    name: str
    share: Callable[[Scope], Share]

    def value(self, scope: Scope) -> float:
        return self.share(scope).value

    def bounded(self, scope: Scope, value: float) -> WilsonInterval:
        share = self.share(scope)
        return widened(self, scope, share_interval(scope, share))

    def row_influence(self, scope: Scope) -> RowInfluence:
        return share_influence(scope, self.name)

    def interval(self, scope: Scope, value: float, level: float) -> QuantityInterval:
        return QuantityInterval(*self.bounded(scope, value).interval(level), method_name(scope, proportions.WILSON))

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return (self.share(scope).whole.count,)


@dataclass(frozen=True)
class ClassRate(RateQuantity):
    """The share of one class that is flagged."""

    violating: bool = True

    def trace(self, scope: Scope) -> Influence:
        view, whole = scope.view, self.share(scope).whole.weight
        assert view.threshold is not None
        flagged = view.tally.flagged(view.threshold)
        values = (flagged - self.value(scope)) / whole
        return influence.class_mean_influence(view.rows, view.tally, values, scope.group, violating=self.violating)


class WholeScopeQuantity(SidedQuantity):
    """A quantity that rests on all items of the scope."""

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return tuple(mass.total.count for mass in scope.classes)


@dataclass(frozen=True)
class CurveArea(WholeScopeQuantity):
    """An area under a curve, and the two classes that it ranks; `method` names the interval of such an area."""

    method: ClassVar[str]

    name: str
    area: Callable[[Scope], float]
    classes: Callable[[Scope], Classes]

    def value(self, scope: Scope) -> float:
        return self.area(scope)

    def interval(self, scope: Scope, value: float, level: float) -> QuantityInterval:
        return QuantityInterval(*self.wilson(self.classes(scope), value).interval(level), self.method)

    @staticmethod
    @abstractmethod
    def wilson(classes: Classes, area: float, /) -> WilsonInterval:
        """How sure such an area of these classes is."""


class PrecisionRecallArea(CurveArea):
    """An area under precision over recall: of each item that is to be found, how good the list is down to it."""

    method: ClassVar[str] = auc_interval.PRECISION_SCORE
    wilson = staticmethod(auc_interval.average_precision_interval)


class RocArea(CurveArea):
    """An area under the ROC curve: how often a violating item is ranked above a benign one."""

    method: ClassVar[str] = auc_interval.DELONG_SCORE
    wilson = staticmethod(auc_interval.classes_auc_interval)


RATE_QUANTITIES: tuple[Quantity, ...] = (
    ClassRate(TPR, lambda scope: rates.tpr(scope.inside), violating=True),
    ClassRate(FPR, lambda scope: rates.fpr(scope.inside), violating=False),
    RateQuantity(PRECISION, lambda scope: rates.precision(scope.inside)),
)
SIZE_QUANTITIES: tuple[Quantity, ...] = (
    CountQuantity(),
    RateQuantity(POSITIVE_SHARE, lambda scope: rates.positive_share(scope.classes)),
)
OVERALL_QUANTITIES: tuple[Quantity, ...] = (*SIZE_QUANTITIES, Auroc(), *RATE_QUANTITIES)
AVERAGE_PRECISION = PrecisionRecallArea(
    AUPRC, lambda scope: average_precision(scope.classes), lambda scope: scope.classes
)
