"""How many people does it take? Costs, the cheapest capacity, and the capacity that reaches a target.

Everything is estimated from a labelled history, as if the days to come were like it. Intervals redraw its items.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evenhand.errors import InputError, Undefined
from evenhand.estimate import Estimate
from evenhand.intervals.bootstrap import METHOD, percentile, replicate
from evenhand.measures.collaboration import ORACLE, Path, Reviewer
from evenhand.measures.collaboration.path import FN, FP
from evenhand.routing import columns
from evenhand.routing.curves import FEW_KNOTS, History, Route, first_reaching, known
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
    route = Route.of(history, strategy)
    path = route.path(history.counts)
    cost = _costs(path, costs, workload, reviewer)
    best = _first_least(path, cost)

    def look(counts: FloatArray) -> list[float]:
        again = route.path(counts, knots=FEW_KNOTS)
        paid = _costs(again, costs, workload, reviewer)
        kept = np.interp(best * again.reviewed[-1], again.reviewed, paid)
        return [_first_least(again, paid), float(kept), float(paid[0])]

    values = (best, float(cost.min()), float(cost[0]))
    draws = _redrawn(history, look, replicates, seed)
    found = [_estimate(value, drawn, level, history.n) for value, drawn in zip(values, draws, strict=True)]
    return Plan(found[0], _people(found[0], workload), found[1], found[2])


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

    Redraws in which no capacity reaches it count as reviewing everything, and a note says how many there were.
    """
    known(measure)
    columns.share(target, "the target")
    route = Route.of(history, strategy)

    def look(path: Path) -> float:
        return first_reaching(path, measure, target, reviewer) / float(path.reviewed[-1])

    def again(counts: FloatArray) -> list[float]:
        try:
            return [look(route.path(counts, knots=FEW_KNOTS)), 0.0]
        except Undefined:
            return [1.0, 1.0]

    try:
        value = look(route.path(history.counts))
    except Undefined as reason:
        nothing = Estimate.undefined(str(reason), level=level, n=history.n)
        return Plan(nothing, nothing)
    drawn, missed = _redrawn(history, again, replicates, seed)
    note = f"out of reach in {sum(missed):g} of {len(missed)} redraws" if sum(missed) else None
    capacity = _estimate(value, drawn, level, history.n, note)
    return Plan(capacity, _people(capacity, workload))


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


def _redrawn(
    history: History, look: Callable[[FloatArray], list[float]], replicates: int, seed: int
) -> list[list[float]]:
    """Looks at the history with its items redrawn."""
    if replicates < 20:
        raise InputError(f"an interval needs at least 20 redraws, not {replicates}")

    def draw(rng: np.random.Generator) -> list[float]:
        counts = rng.poisson(history.counts).astype(np.float64)
        return look(counts if counts.any() else history.counts)

    return replicate(draw, replicates=replicates, seed=seed)


def _estimate(value: float, drawn: list[float], level: float, n: int, note: str | None = None) -> Estimate:
    low, high = percentile(drawn, value, columns.share(level, "the level", closed=False)) or (value, value)
    return Estimate(value, low, high, level, METHOD, n, note)


def _people(capacity: Estimate, workload: Workload) -> Estimate:
    value, low, high = (workload.reviewers(share or 0.0) for share in (capacity.value, capacity.low, capacity.high))
    return Estimate(value, low, high, capacity.level, capacity.method, capacity.n, capacity.note)
