"""How many reviewers it takes: costs, the cheapest capacity, and the capacity that reaches a target.

Everything is estimated from a labelled history, as if the days to come were like it. The interval of a capacity holds
what a test does not rule out, with the scatter that redrawing the items shows; intervals of costs are those of the
redraws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand import arrays
from evenhand.arrays import Floats
from evenhand.errors import InputError, Undefined
from evenhand.estimate import Estimate
from evenhand.intervals import bootstrap
from evenhand.intervals.bootstrap import INVERTED_TEST, crossing_interval, curve_margins, minimum_interval
from evenhand.intervals.significance import normal_quantile
from evenhand.measures.collaboration import ORACLE, Reviewer, ReviewPath
from evenhand.measures.collaboration.collaboration import FN, FP
from evenhand.routing.strategies import Strategy
from evenhand.staffing.curves import (
    LabelledHistory,
    ReviewRoute,
    capacity_knots,
    first_capacity_reaching,
    history_curve,
    measure_parts,
    redrawn_curves,
)

LEVEL, REPLICATES = 0.95, 300


@dataclass(frozen=True, slots=True)
class Costs:
    """What one false removal, one missed violation and one review cost, in one currency.

    >>> eh.staffing.Costs(false_removal=1, missed_violation=2, review=0.1).review
    0.1
    """

    false_removal: float
    missed_violation: float
    review: float

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if getattr(self, name) != 0.0:
                arrays.positive(getattr(self, name), f"the cost '{name}'")


@dataclass(frozen=True, slots=True)
class Workload:
    """Items a day, the seconds a review takes, and the hours a day that a reviewer reviews.

    >>> workload = eh.staffing.Workload(items_per_day=10_000, seconds_per_review=30, hours_per_day=6)
    >>> workload.reviews_per_reviewer, workload.reviewers(0.1)
    (720.0, 2.0)
    """

    items_per_day: float
    seconds_per_review: float
    hours_per_day: float

    def __post_init__(self) -> None:
        for name in self.__slots__:
            arrays.positive(getattr(self, name), f"`{name}`")
        if self.hours_per_day > 24.0:
            raise InputError(f"invalid `hours_per_day`: {self.hours_per_day:g} (must be 24 or less)")

    @property
    def reviews_per_reviewer(self) -> float:
        """A day's work of one person."""
        return self.hours_per_day * 3600.0 / self.seconds_per_review

    def reviewers(self, share: float) -> float:
        """Whole people for this share of a day's items."""
        return float(math.ceil(share * self.items_per_day / self.reviews_per_reviewer - 1e-9))


@dataclass(frozen=True, slots=True)
class CapacityPlan:
    """A capacity as a share of all items, the people it takes, and, where costs were given, what a day costs.

    >>> p = np.random.default_rng(0).random(400)
    >>> history = eh.staffing.LabelledHistory.of(p, np.random.default_rng(1).random(400) < p)
    >>> strategy = eh.routing.parse_strategy("uncertainty")
    >>> workload = eh.staffing.Workload(items_per_day=10_000, seconds_per_review=30, hours_per_day=6)
    >>> plan = eh.staffing.capacity_for_target(history, strategy, "oc_accuracy", 0.9, workload, replicates=50)
    >>> plan.reviewers.value > 0
    True
    """

    capacity: Estimate
    reviewers: Estimate
    cost: Estimate | None = None
    cost_without_review: Estimate | None = None


def cost_curve(
    history: LabelledHistory, strategy: Strategy, costs: Costs, workload: Workload, *, reviewer: Reviewer = ORACLE
) -> tuple[Floats, Floats]:
    """Capacities, as shares of all items, and the expected cost of a day at each; linear in between.

    >>> p = np.random.default_rng(0).random(400)
    >>> history = eh.staffing.LabelledHistory.of(p, np.random.default_rng(1).random(400) < p)
    >>> strategy = eh.routing.parse_strategy("uncertainty")
    >>> workload = eh.staffing.Workload(items_per_day=10_000, seconds_per_review=30, hours_per_day=6)
    >>> costs = eh.staffing.Costs(false_removal=1, missed_violation=2, review=0.1)
    >>> shares, cost = eh.staffing.cost_curve(history, strategy, costs, workload)
    >>> bool(cost[0] > cost.min())
    True
    """
    path = ReviewRoute.for_strategy(history, strategy).path(history.counts)
    return path.reviewed / path.reviewed[-1], _costs(path, costs, workload, reviewer)


def cheapest_capacity(
    history: LabelledHistory,
    strategy: Strategy,
    costs: Costs,
    workload: Workload,
    *,
    reviewer: Reviewer = ORACLE,
    level: float = LEVEL,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> CapacityPlan:
    """The capacity at which a day costs least; the smallest one where several do. It may be 0: nobody reviews.

    The interval of the cost is that of this capacity, as it will be kept whatever tomorrow looks like: the least cost
    of each redraw would be too low, because a redraw picks its own capacity knowing its own errors.

    >>> p = np.random.default_rng(0).random(400)
    >>> history = eh.staffing.LabelledHistory.of(p, np.random.default_rng(1).random(400) < p)
    >>> strategy = eh.routing.parse_strategy("uncertainty")
    >>> workload = eh.staffing.Workload(items_per_day=10_000, seconds_per_review=30, hours_per_day=6)
    >>> costs = eh.staffing.Costs(false_removal=1, missed_violation=2, review=0.1)
    >>> plan = eh.staffing.cheapest_capacity(history, strategy, costs, workload, replicates=50)
    >>> 0 <= plan.capacity.value <= 1
    True
    """
    arrays.share(level, "the level")
    route = ReviewRoute.for_strategy(history, strategy)
    path = route.path(history.counts)
    best = _first_least(path, _costs(path, costs, workload, reviewer))

    def paid(paths: Sequence[ReviewPath]) -> Floats:
        return _costs(paths[0], costs, workload, reviewer)

    shares = capacity_knots(best)
    cost = history_curve(history, [route], paid, shares)
    draws = redrawn_curves(history, [route], paid, shares, replicates=replicates, seed=seed)
    low, high = minimum_interval(shares, cost, draws, level=level)
    capacity = Estimate(best, min(low, best), max(high, best), level, INVERTED_TEST, history.n)
    with_review, alone = (
        _bootstrapped(float(cost[place]), draws[:, place], level, history.n)
        for place in (int(np.searchsorted(shares, best)), 0)
    )
    return CapacityPlan(capacity, reviewers_needed(capacity, workload), with_review, alone)


def capacity_for_target(
    history: LabelledHistory,
    strategy: Strategy,
    measure: str,
    target: float,
    workload: Workload,
    *,
    reviewer: Reviewer = ORACLE,
    level: float = LEVEL,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> CapacityPlan:
    """The smallest capacity at which `measure`, one of `TARGET_MEASURES`, reaches the target.

    Its interval reaches from the last capacity that clearly misses the target to the first that clearly reaches it.
    With few items that may be all of them, and a note says so.

    >>> p = np.random.default_rng(0).random(400)
    >>> history = eh.staffing.LabelledHistory.of(p, np.random.default_rng(1).random(400) < p)
    >>> strategy = eh.routing.parse_strategy("uncertainty")
    >>> workload = eh.staffing.Workload(items_per_day=10_000, seconds_per_review=30, hours_per_day=6)
    >>> plan = eh.staffing.capacity_for_target(history, strategy, "oc_accuracy", 0.9, workload, replicates=50)
    >>> plan.capacity.low <= plan.capacity.value <= plan.capacity.high
    True
    """
    part, whole = measure_parts(measure)
    arrays.share(target, "the target", closed=True)
    arrays.share(level, "the level")
    route = ReviewRoute.for_strategy(history, strategy)
    try:
        path = route.path(history.counts)
        value = first_capacity_reaching(path, measure, target, reviewer) / float(path.reviewed[-1])
    except Undefined as reason:
        nothing = Estimate.undefined(str(reason), level=level, n=history.n)
        return CapacityPlan(nothing, nothing)

    def ahead(paths: Sequence[ReviewPath]) -> Floats:
        return paths[0].after(reviewer) @ (part - target * whole)

    def size(paths: Sequence[ReviewPath]) -> Floats:
        return paths[0].after(reviewer) @ whole

    shares = capacity_knots(value)
    draws = redrawn_curves(history, [route], ahead, shares, replicates=replicates, seed=seed)
    expected = np.sqrt(target * (1.0 - target) * history_curve(history, [route], size, shares))
    margin = np.maximum(curve_margins(draws, level), normal_quantile(level) * expected)
    low, high = crossing_interval(shares, history_curve(history, [route], ahead, shares), margin, value=value)
    note = "with so few labelled items, no capacity is certain to reach it" if high == 1.0 and value < 1.0 else None
    capacity = Estimate(value, low, high, level, INVERTED_TEST, history.n, note)
    return CapacityPlan(capacity, reviewers_needed(capacity, workload))


def _first_least(path: ReviewPath, cost: Floats) -> float:
    return float(path.reviewed[int(np.argmax(cost <= cost.min() * (1.0 + 1e-12)))] / path.reviewed[-1])


def _costs(path: ReviewPath, costs: Costs, workload: Workload, reviewer: Reviewer) -> Floats:
    confusion = path.after(reviewer)
    paid: Floats = (
        costs.false_removal * confusion[:, FP]
        + costs.missed_violation * confusion[:, FN]
        + costs.review * path.reviewed
    )
    return paid * float(workload.items_per_day / path.reviewed[-1])


def _bootstrapped(value: float, drawn: Floats, level: float, n: int) -> Estimate:
    low, high = bootstrap.percentile_interval(drawn.tolist(), value, level) or (value, value)
    return Estimate(value, low, high, level, bootstrap.POISSON_BOOTSTRAP, n)


def reviewers_needed(capacity: Estimate, workload: Workload) -> Estimate:
    """Whole people for a share of the items, and its interval.

    >>> workload = eh.staffing.Workload(items_per_day=10_000, seconds_per_review=30, hours_per_day=6)
    >>> capacity = eh.Estimate(0.1, 0.08, 0.12, 0.95, "inverted_test", 400)
    >>> print(eh.staffing.reviewers_needed(capacity, workload))
    2.000 (2.000 to 2.000)
    """
    value, low, high = (workload.reviewers(share or 0.0) for share in (capacity.value, capacity.low, capacity.high))
    return Estimate(value, low, high, capacity.level, capacity.method, capacity.n, capacity.note)
