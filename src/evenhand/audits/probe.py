"""One number to be taken: which quantity, of which model, on which part of the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.audits.quantity import Quantity, Sure, Traced, influence_of, is_few, is_small
from evenhand.audits.view import Scope, Views
from evenhand.errors import Undefined
from evenhand.estimate import Estimate
from evenhand.finding import Measured, Slice
from evenhand.intervals.bounded import p_from_interval
from evenhand.intervals.influence import correlation
from evenhand.intervals.multiple import holm

PAIRED = "paired_delong"
STANDS_OUT = "stands_out"


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
        few = is_few(self.quantity, scope)
        flags = ("small",) if few or is_small(scope) else ()
        n = self.quantity.items(scope)
        low, high = min(sure.low, value), max(sure.high, value)
        tested = None if few else sure.p_value
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


Entry = tuple[Probe, Estimate, float | None]  # with the p-value, where there was something to test


def judged(entries: Sequence[Entry], level: float) -> tuple[Measured, ...]:
    """All estimates; those that stand out among all comparisons made are marked."""
    tested = [(number, p) for number, (*_, p) in enumerate(entries) if p is not None]
    marks = holm([p for _, p in tested], 1.0 - level)
    standing = {number for (number, _), mark in zip(tested, marks, strict=True) if mark}
    return tuple(
        Measured(probe.quantity.name, probe.slice, estimate.flagged(STANDS_OUT) if number in standing else estimate)
        for number, (probe, estimate, _) in enumerate(entries)
    )
