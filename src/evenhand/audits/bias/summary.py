"""One number for many groups, as practitioners use it: power means, and the score of the Jigsaw challenge."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import NamedTuple

from evenhand.audits.bias.quantities import Compared
from evenhand.audits.quantities import Auroc
from evenhand.audits.quantity import Sure, Traced, influence_of
from evenhand.audits.view import Scope
from evenhand.errors import Undefined
from evenhand.intervals import influence
from evenhand.intervals.auc import Unseen
from evenhand.intervals.bounded import Bounded
from evenhand.intervals.influence import Influence, Term
from evenhand.measures import bias

METHOD = "influence"
BOUND = "influence_bound"  # where rows are not at hand: as wide as any overlap of the groups could make it


class Component(NamedTuple):
    """One AUC that a summary is made of: how much the summary moves with it, and how sure it is."""

    slope: float
    sure: Bounded
    unseen: Unseen


@dataclass(frozen=True)
class Summary(ABC):
    """A number over all groups that were declared."""

    groups: tuple[str, ...]

    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def value(self, scope: Scope) -> float: ...

    @abstractmethod
    def trace(self, scope: Scope) -> Influence: ...

    @abstractmethod
    def components(self, scope: Scope) -> list[Component]: ...

    @abstractmethod
    def sides(self, scope: Scope) -> tuple[float, ...]: ...

    def bounded(self, scope: Scope, value: float) -> Bounded:
        """The variance that all rows bring in together, and what one item not seen could do to all parts at once."""
        components = self.components(scope)
        errors = [abs(slope) * sure.error for slope, sure, _ in components]
        if scope.view.placed is None:
            variance = sum(errors) ** 2  # as if all parts moved together
        else:
            variance = influence_of(self, scope).variance(scope.view.placed)
            variance += sum(abs(slope) * math.sqrt(unseen.variance) for slope, _, unseen in components) ** 2
        shift = sum(slope * unseen.shift for slope, _, unseen in components)
        scarce = sum(error / sure.freedom for error, (_, sure, _) in zip(errors, components, strict=True))
        freedom = sum(errors) / scarce if scarce > 0.0 else math.inf  # of parts that rest on the same items
        return Bounded.of(value, variance, shift=shift, freedom=freedom)

    def items(self, scope: Scope) -> int:
        return scope.items

    def sure(self, scope: Scope, value: float, level: float) -> Sure:
        return Sure(*self.bounded(scope, value).interval(level), METHOD if scope.view.placed else BOUND)


@dataclass(frozen=True)
class PowerMean(Summary):
    """One AUC over all groups, the worst weighing most. Groups where it has no value are left out."""

    comparison: bias.Comparison

    @property
    def name(self) -> str:
        return f"{self.comparison.name}_power_mean"

    def value(self, scope: Scope) -> float:
        return bias.power_mean(list(self._aucs(scope).values()))

    def trace(self, scope: Scope) -> Influence:
        view, c, aucs = scope.view, self.comparison, self._aucs(scope)
        terms = [Term(slope, group, c.high, c.low, aucs[group]) for group, slope in self._slopes(aucs).items()]
        return influence.of_groups(view.rows, view.tally, terms, {group: view.split(group) for group in aucs})

    def components(self, scope: Scope) -> list[Component]:
        c, aucs, found = self.comparison, self._aucs(scope), []
        for group, slope in self._slopes(aucs).items():
            split = scope.view.split(group)
            unseen = Unseen.of((split.sample(c.high), split.sample(c.low)), aucs[group])
            found.append(Component(slope, Compared(c).bounded(scope.view.group(group), aucs[group]), unseen))
        return found

    def sides(self, scope: Scope) -> tuple[float, ...]:
        compared = Compared(self.comparison)
        return tuple(side for group in self._aucs(scope) for side in compared.sides(scope.view.group(group)))

    def _aucs(self, scope: Scope) -> dict[str, float]:
        compared, found = Compared(self.comparison), {}
        for group in self.groups:
            try:
                found[group] = compared.value(scope.view.group(group))
            except Undefined:
                continue
        return found

    def _slopes(self, aucs: dict[str, float]) -> dict[str, float]:
        return dict(zip(aucs, bias.power_mean_gradient(list(aucs.values())), strict=True))


@dataclass(frozen=True)
class JigsawScore(Summary):
    """A quarter of the overall AUC and of each of the three power means (Jigsaw 2019 challenge)."""

    name = "jigsaw_score"

    @property
    def _means(self) -> tuple[PowerMean, ...]:
        return tuple(PowerMean(self.groups, comparison) for comparison in bias.AUCS)

    @property
    def _four(self) -> tuple[Traced, ...]:
        return (Auroc(), *self._means)

    def value(self, scope: Scope) -> float:
        return sum(part.value(scope) for part in self._four) / 4.0

    def trace(self, scope: Scope) -> Influence:
        return reduce(add, (influence_of(part, scope) for part in self._four)) * 0.25

    def components(self, scope: Scope) -> list[Component]:
        overall, everyone = scope.view.overall, scope.view.tally.everyone
        whole = Component(1.0, overall, Unseen.of((everyone.violating, everyone.benign), overall.value))
        found = [whole, *(part for mean in self._means for part in mean.components(scope))]
        return [part._replace(slope=0.25 * part.slope) for part in found]

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return tuple(side for part in self._four for side in part.sides(scope))
