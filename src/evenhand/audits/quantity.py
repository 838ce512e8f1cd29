"""What an audit measures: per quantity its value, how sure it is, and what it is tested against.

Values alone are what a bootstrap draws again; `sure` is the analytic way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple, Protocol, runtime_checkable

from evenhand.audits.view import Scope
from evenhand.intervals.bounded import Bounded
from evenhand.intervals.influence import Influence

FEW = 10  # items on a side, under which coverage is only reported
SMALL = 100  # items in a group; the paper `bias` drops groups of up to so many, we mark them


class Sure(NamedTuple):
    """An interval, how it was made, and the p-value against "no difference" where that is a question."""

    low: float
    high: float
    method: str
    p_value: float | None = None


class Quantity(Protocol):
    """One number of everything or of a group."""

    @property
    def name(self) -> str:
        """As in the output contract."""

    def value(self, scope: Scope) -> float:
        """The number; `Undefined` where it has none."""

    def sure(self, scope: Scope, value: float, level: float) -> Sure:
        """Its interval."""

    def sides(self, scope: Scope) -> tuple[float, ...]:
        """The numbers of items it rests on, side by side."""

    def items(self, scope: Scope) -> int:
        """How many items it was taken from."""


class Sided(ABC):
    """A quantity whose items are those of its sides together."""

    @abstractmethod
    def sides(self, scope: Scope) -> tuple[float, ...]:
        """As in `Quantity`."""

    def items(self, scope: Scope) -> int:
        """As in `Quantity`."""
        return round(sum(self.sides(scope)))


@runtime_checkable
class Traced(Quantity, Protocol):
    """A quantity of which it is known how much each row moves it: it can be compared between models."""

    def bounded(self, scope: Scope, value: float) -> Bounded:
        """The value on the way from 0 to 1, with its effective number of items."""

    def trace(self, scope: Scope) -> Influence:
        """The influence of every row."""


def influence_of(quantity: Traced, scope: Scope) -> Influence:
    """The trace of a quantity, made once per view."""
    known, key = scope.view.influences, (quantity.name, scope.group)
    if key not in known:
        known[key] = quantity.trace(scope)
    return known[key]


def is_few(quantity: Quantity, scope: Scope) -> bool:
    """Under ten on a side: nothing is promised, so nothing is tested."""
    return min(quantity.sides(scope)) < FEW


def is_small(scope: Scope) -> bool:
    """A group of a size that the paper leaves out."""
    return scope.group is not None and scope.items <= SMALL
