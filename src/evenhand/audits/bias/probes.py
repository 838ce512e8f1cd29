"""Which quantity of which model on which part of the evidence: the list that an audit works off, once or many times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evenhand.audits.bias.quantities import (
    OF_EVERYTHING,
    OF_GROUPS,
    Quantity,
    Sure,
    Traced,
    influence_of,
    is_few,
    is_small,
)
from evenhand.audits.bias.summary import JigsawScore, PowerMean
from evenhand.audits.bias.view import Scope, View
from evenhand.errors import Undefined
from evenhand.estimate import Estimate
from evenhand.finding import Slice
from evenhand.intervals.bounded import p_from_interval
from evenhand.intervals.influence import correlation
from evenhand.measures import bias

PAIRED = "paired_delong"

Views = Mapping[str, View]  # by model


@dataclass(frozen=True)
class Probe:
    """One number to be taken. With `against`, the difference from another model on the same rows."""

    quantity: Quantity
    slice: Slice
    model: str
    group: str | None = None
    against: str | None = None

    def value(self, views: Views) -> float:
        """The number; `Undefined` where it has none."""
        scope, other = self._scopes(views)
        value = self.quantity.value(scope)
        return value if other is None else value - self.quantity.value(other)

    def value_or_none(self, views: Views) -> float | None:
        """The number, or None where it has none."""
        try:
            return self.value(views)
        except Undefined:
            return None

    def estimate(self, views: Views, level: float) -> tuple[Estimate, float | None]:
        """The number with its interval, and the p-value against "no difference" where that is a question."""
        scope, _ = self._scopes(views)
        try:
            value = self.value(views)
        except Undefined as why:
            return Estimate.undefined(str(why), level=level, n=scope.items), None
        sure = self._sure(views, value, level)
        flags = ("small",) if is_small(self.quantity, scope) else ()
        n = round(sum(self.quantity.sides(scope)))
        low, high = min(sure.low, value), max(sure.high, value)
        tested = None if is_few(self.quantity, scope) else sure.p_value
        return Estimate(value, low, high, level, sure.method, n, flags=flags), tested

    def _sure(self, views: Views, value: float, level: float) -> Sure:
        scope, other = self._scopes(views)
        if other is None:
            return self.quantity.sure(scope, value, level)
        assert isinstance(self.quantity, Traced)
        here, there = (self.quantity.bounded(s, self.quantity.value(s)) for s in (scope, other))
        together = correlation(
            (scope.view.rows, influence_of(self.quantity, scope)), (other.view.rows, influence_of(self.quantity, other))
        )
        low, high = here.square_and_add(there, level, together)
        return Sure(low, high, PAIRED, p_from_interval(value, low, high, level))

    def _scopes(self, views: Views) -> tuple[Scope, Scope | None]:
        other = None if self.against is None else Scope(views[self.against], self.group)
        return Scope(views[self.model], self.group), other


def probes(
    models: Sequence[str], part: Slice, declared: tuple[str, ...], groups: Sequence[str], *, paired: bool
) -> Iterator[Probe]:
    """Everything that is asked of one part of the evidence, models beside one another, then their differences."""
    whole = (*OF_EVERYTHING, *(PowerMean(declared, c) for c in bias.AUCS), JigsawScore(declared))
    asked = [(quantity, None) for quantity in whole] + [(quantity, group) for group in groups for quantity in OF_GROUPS]
    for model in models:
        for quantity, group in asked:
            yield Probe(quantity, _slice(part, group, model if len(models) > 1 else None), model, group)
    for model in models[1:] if paired else ():
        for quantity, group in asked:
            if isinstance(quantity, Traced):
                yield Probe(quantity, _slice(part, group, model, models[0]), model, group, models[0])


def _slice(part: Slice, group: str | None, model: str | None, against: str | None = None) -> Slice:
    named = {"model": model, "against": against, "group": group}
    return {key: value for key, value in named.items() if value is not None} | dict(part)
