"""One number for many groups, as practitioners use it: power means, and the score of the Jigsaw challenge."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

from evenhand.audits.bias.quantities import Auroc, Compared, Sure, Traced, influence_of
from evenhand.audits.bias.view import Scope
from evenhand.errors import Undefined
from evenhand.intervals import influence
from evenhand.intervals.bounded import Bounded
from evenhand.intervals.influence import Influence, Term
from evenhand.measures import bias

METHOD = "influence"
BOUND = "influence_bound"  # where rows are not at hand: as wide as any overlap of the groups could make it


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
    def largest_error(self, scope: Scope) -> float:
        """The standard error if everything it is made of moved together."""

    def bounded(self, scope: Scope, value: float) -> Bounded:
        if scope.view.placed is None:
            variance = self.largest_error(scope) ** 2
        else:
            variance = influence_of(self, scope).variance(scope.view.placed)
        return Bounded(value, variance / (value * (1.0 - value)) if 0.0 < value < 1.0 else 0.0)

    def sure(self, scope: Scope, value: float, level: float) -> Sure:
        return Sure(*self.bounded(scope, value).interval(level), METHOD if scope.view.placed else BOUND)

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return (float(scope.items),)


@dataclass(frozen=True)
class PowerMean(Summary):
    """One AUC over all groups, the worst weighing most."""

    comparison: bias.Comparison

    @property
    def name(self) -> str:
        return f"{self.comparison.name}_power_mean"

    def value(self, scope: Scope) -> float:
        return bias.power_mean(list(self._aucs(scope).values()))

    def trace(self, scope: Scope) -> Influence:
        view, c, aucs = scope.view, self.comparison, self._aucs(scope)
        terms = [Term(slope, group, c.high, c.low, aucs[group]) for group, slope in self._slopes(scope).items()]
        return influence.of_groups(view.rows, view.tally, terms, {group: view.split(group) for group in aucs})

    def largest_error(self, scope: Scope) -> float:
        compared, aucs = Compared(self.comparison), self._aucs(scope)
        scopes = {group: scope.view.group(group) for group in aucs}
        errors = {group: _error(compared.bounded(scopes[group], auc)) for group, auc in aucs.items()}
        return sum(abs(slope) * errors[group] for group, slope in self._slopes(scope).items())

    def _aucs(self, scope: Scope) -> dict[str, float]:
        found = {}
        for group in self.groups:
            try:
                found[group] = self.comparison(scope.view.split(group))
            except Undefined:
                continue
        return found

    def _slopes(self, scope: Scope) -> dict[str, float]:
        aucs = self._aucs(scope)
        return dict(zip(aucs, bias.power_mean_gradient(list(aucs.values())), strict=True))


@dataclass(frozen=True)
class JigsawScore(Summary):
    """A quarter of the overall AUC and of each of the three power means (Jigsaw 2019 challenge)."""

    name = "jigsaw_score"

    @property
    def parts(self) -> tuple[Traced, ...]:
        """What it is the mean of."""
        return (Auroc(), *(PowerMean(self.groups, comparison) for comparison in bias.AUCS))

    def value(self, scope: Scope) -> float:
        return sum(part.value(scope) for part in self.parts) / len(self.parts)

    def trace(self, scope: Scope) -> Influence:
        first, *others = (influence_of(part, scope) for part in self.parts)
        for other in others:
            first = first + other
        return first * (1.0 / len(self.parts))

    def largest_error(self, scope: Scope) -> float:
        means = [PowerMean(self.groups, comparison) for comparison in bias.AUCS]
        return (_error(scope.view.overall) + sum(mean.largest_error(scope) for mean in means)) / len(self.parts)


def _error(bounded: Bounded) -> float:
    return math.sqrt(bounded.value * (1.0 - bounded.value) * bounded.size)
