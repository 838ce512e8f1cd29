"""How many people does it take? Costs, the cheapest capacity, and the capacity that reaches a target.

Everything is estimated from a labelled history, as if the days to come were like it. A capacity's interval holds what
a test does not rule out, with the scatter that redrawing the items shows; the costs' own are those of the redraws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.errors import InputError, Undefined
from evenhand.estimate import Estimate
from evenhand.intervals import bootstrap
from evenhand.intervals.inversion import METHOD, margins, normal, rise, trough
from evenhand.measures.collaboration import ORACLE, Path, Reviewer
from evenhand.measures.collaboration.path import FN, FP
from evenhand.routing import columns
from evenhand.routing.curves import History, Route, first_reaching, known
from evenhand.routing.redraws import capacities, measured, redrawn
from evenhand.routing.strategies import Strategy
from evenhand.tally import FloatArray

LEVEL, REPLICATES = 0.95, 300


@dataclass(frozen=True, slots=True)
class Costs:
    """What one false removal, one missed violation and one review cost, in one currency."""

    false_removal: float
    missed_violation: float
    review: float

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if not 0.0 <= getattr(self, name) < math.inf:
                raise InputError(f"the cost '{name}' must be a number from 0 up, not {getattr(self, name):g}")


@dataclass(frozen=True, slots=True)
class Workload:
    """Items a day, the seconds a review takes, and the hours a day that a reviewer reviews."""

    items_per_day: float
    seconds_per_review: float
    hours_per_day: float

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if not 0.0 < getattr(self, name) < math.inf:
                raise InputError(f"'{name}' must be a number above 0, not {getattr(self, name):g}")
        if self.hours_per_day > 24.0:
            raise InputError(f"a day has 24 hours, not {self.hours_per_day:g}")

    @property
    def reviews_per_reviewer(self) -> float:
        """A day's work of one person."""
        return self.hours_per_day * 3600.0 / self.seconds_per_review

    def reviewers(self, share: float) -> float:
        """Whole people for this share of a day's items."""
        return float(math.ceil(share * self.items_per_day / self.reviews_per_reviewer - 1e-9))


@dataclass(frozen=True, slots=True)
class Plan:
    """A capacity as a share of all items, the people it takes, and, where costs were given, what a day costs."""

    capacity: Estimate
    reviewers: Estimate
    cost: Estimate | None = None
    cost_without_review: Estimate | None = None


def cost_curve(
    history: History, strategy: Strategy, costs: Costs, workload: Workload, *, reviewer: Reviewer = ORACLE
) -> tuple[FloatArray, FloatArray]:
    """Capacities, as shares of all items, and the expected cost of a day at each; linear in between."""
    path = Route.of(history, strategy).path(history.counts)
    return path.reviewed / path.reviewed[-1], _costs(path, costs, workload, reviewer)


def cheapest(
    history: History,
    strategy: Strategy,
    costs: Costs,
    workload: Workload,
    *,
    reviewer: Reviewer = ORACLE,
    level: float = LEVEL,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> Plan:
    """The capacity at which a day costs least; the smallest one where several do. It may be 0: nobody reviews.

    The interval of the cost is that of this capacity, as it will be kept whatever tomorrow looks like: the least cost
    of each redraw would be too low, because a redraw picks its own capacity knowing its own errors.
    """
    columns.share(level, "the level", closed=False)
    route = Route.of(history, strategy)
    path = route.path(history.counts)
    best = _first_least(path, _costs(path, costs, workload, reviewer))

    def paid(paths: Sequence[Path]) -> FloatArray:
        return _costs(paths[0], costs, workload, reviewer)

    shares = capacities(best)
    cost = measured(history, [route], paid, shares)
    draws = redrawn(history, [route], paid, shares, replicates=replicates, seed=seed)
    low, high = trough(shares, cost, draws, level=level)
    capacity = Estimate(best, min(low, best), max(high, best), level, METHOD, history.n)
    kept, alone = (
        _bootstrapped(float(cost[place]), draws[:, place], level, history.n)
        for place in (int(np.searchsorted(shares, best)), 0)
    )
    return Plan(capacity, people(capacity, workload), kept, alone)


def reviewers_for(
    history: History,
    strategy: Strategy,
    measure: str,
    target: float,
    workload: Workload,
    *,
    reviewer: Reviewer = ORACLE,
    level: float = LEVEL,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> Plan:
    """The smallest capacity at which `measure` (oc_accuracy, oc_precision, oc_recall, oc_f1) reaches the target.

    Its interval reaches from the last capacity that clearly misses the target to the first that clearly reaches it.
    With few items that may be all of them, and a note says so.
    """
    part, whole = known(measure)
    columns.share(target, "the target")
    columns.share(level, "the level", closed=False)
    route = Route.of(history, strategy)
    try:
        path = route.path(history.counts)
        value = first_reaching(path, measure, target, reviewer) / float(path.reviewed[-1])
    except Undefined as reason:
        nothing = Estimate.undefined(str(reason), level=level, n=history.n)
        return Plan(nothing, nothing)

    def ahead(paths: Sequence[Path]) -> FloatArray:
        return paths[0].after(reviewer) @ (part - target * whole)

    def size(paths: Sequence[Path]) -> FloatArray:
        return paths[0].after(reviewer) @ whole

    shares = capacities(value)
    draws = redrawn(history, [route], ahead, shares, replicates=replicates, seed=seed)
    expected = np.sqrt(target * (1.0 - target) * measured(history, [route], size, shares))
    margin = np.maximum(margins(draws, level), normal(level) * expected)
    low, high = rise(shares, measured(history, [route], ahead, shares), margin, value=value)
    note = "no share of so few items is sure to reach it" if high == 1.0 and value < 1.0 else None
    capacity = Estimate(value, low, high, level, METHOD, history.n, note)
    return Plan(capacity, people(capacity, workload))


def _first_least(path: Path, cost: FloatArray) -> float:
    return float(path.reviewed[int(np.argmax(cost <= cost.min() * (1.0 + 1e-12)))] / path.reviewed[-1])


def _costs(path: Path, costs: Costs, workload: Workload, reviewer: Reviewer) -> FloatArray:
    confusion = path.after(reviewer)
    paid: FloatArray = (
        costs.false_removal * confusion[:, FP]
        + costs.missed_violation * confusion[:, FN]
        + costs.review * path.reviewed
    )
    return paid * float(workload.items_per_day / path.reviewed[-1])


def _bootstrapped(value: float, drawn: FloatArray, level: float, n: int) -> Estimate:
    low, high = bootstrap.percentile(drawn.tolist(), value, level) or (value, value)
    return Estimate(value, low, high, level, bootstrap.METHOD, n)


def people(capacity: Estimate, workload: Workload) -> Estimate:
    """Whole people for a share of the items, and its interval."""
    value, low, high = (workload.reviewers(share or 0.0) for share in (capacity.value, capacity.low, capacity.high))
    return Estimate(value, low, high, capacity.level, capacity.method, capacity.n, capacity.note)
