"""Where one review strategy overtakes another.

With a reviewer who never errs, OC-accuracy is accuracy plus capacity times Review Efficiency, so that two strategies of
one model cross in both at the same capacities. With an erring reviewer they differ: Review Efficiency counts what the
model had wrong among the reviewed, OC-accuracy what is right in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand import arrays
from evenhand.arrays import Floats
from evenhand.catalogue.collaboration import OC_ACCURACY, REVIEW_EFFICIENCY
from evenhand.errors import InputError, nearest
from evenhand.estimate import Estimate
from evenhand.intervals.bootstrap import INVERTED_TEST, crossing_interval, curve_margins
from evenhand.measures.collaboration import ORACLE, Reviewer, ReviewPath
from evenhand.routing.strategies import Strategy
from evenhand.staffing.capacity import LEVEL, REPLICATES
from evenhand.staffing.curves import (
    NEGLIGIBLE,
    TARGET_MEASURES,
    WRONG_KINDS,
    LabelledHistory,
    ReviewRoute,
    capacity_knots,
    history_curve,
    redrawn_curves,
)

LeadChange = tuple[float, int]  # a capacity, and who is ahead from there: 1 the first strategy, −1 the second


@dataclass(frozen=True, slots=True)
class StrategyCrossing:
    """The share of items from which on `leader` is ahead of the other strategy.

    >>> eh.staffing.StrategyCrossing(0.3, "toxicity").leader
    'toxicity'
    """

    capacity: float
    leader: str


@dataclass(frozen=True, slots=True)
class StrategyCrossings:
    """All crossings of a measure, and the main one: the best single place to change from one strategy to the other.

    >>> p = np.random.default_rng(0).random(400)
    >>> history = eh.staffing.LabelledHistory.of(p, np.random.default_rng(1).random(400) < p)
    >>> strategy = eh.routing.parse_strategy("uncertainty")
    >>> workload = eh.staffing.Workload(items_per_day=10_000, seconds_per_review=30, hours_per_day=6)
    >>> other = eh.routing.parse_strategy("toxicity")
    >>> crossings = eh.staffing.strategy_crossings(history, strategy, other, replicates=50)
    >>> all(0 <= one.capacity <= 1 for one in crossings.every)
    True
    """

    measure: str
    every: tuple[StrategyCrossing, ...]
    main: Estimate
    leader: str | None  # from the main crossing on


def strategy_crossings(
    history: LabelledHistory,
    first: Strategy,
    second: Strategy,
    *,
    measure: str = REVIEW_EFFICIENCY,
    reviewer: Reviewer = ORACLE,
    level: float = LEVEL,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> StrategyCrossings:
    """Where the two overtake one another in Review Efficiency or OC-accuracy, over all capacities.

    The main crossing splits the capacities so that either side's lead, added up, is largest. Its interval reaches from
    the last capacity at which the one is clearly ahead to the first at which the other is; the note says where neither
    ever is. Many crossings are noise, and then it is wide.

    >>> p = np.random.default_rng(0).random(400)
    >>> history = eh.staffing.LabelledHistory.of(p, np.random.default_rng(1).random(400) < p)
    >>> strategy = eh.routing.parse_strategy("uncertainty")
    >>> workload = eh.staffing.Workload(items_per_day=10_000, seconds_per_review=30, hours_per_day=6)
    >>> other = eh.routing.parse_strategy("toxicity")
    >>> str(eh.staffing.strategy_crossings(history, strategy, other, replicates=50).measure)
    'review_efficiency'
    """
    if measure not in GAIN_MEASURES:
        raise InputError(f"crossings are not known for '{measure}'; {nearest(measure, GAIN_MEASURES)}")
    arrays.share(level, "the level")
    routes = [ReviewRoute.for_strategy(history, strategy) for strategy in (first, second)]
    paths = [route.path(history.counts) for route in routes]
    lead = _Lead.between(paths[0], paths[1], GAIN_MEASURES[measure], reviewer)
    changes = lead.changes()
    every = tuple(StrategyCrossing(at, first.name if sign > 0 else second.name) for at, sign in changes)
    main = lead.main(changes)
    if main is None:
        return StrategyCrossings(
            measure, (), Estimate.undefined(lead.why_none(first, second), level=level, n=history.n), None
        )
    at, sign = main

    def ahead(paths: Sequence[ReviewPath]) -> Floats:
        ours, theirs = (GAIN_MEASURES[measure](path, reviewer) for path in paths)
        return sign * (ours - theirs)

    shares = capacity_knots(at)
    margin = (
        curve_margins(redrawn_curves(history, routes, ahead, shares, replicates=replicates, seed=seed), level)
        + CONTINUITY
    )
    low, high = crossing_interval(shares, history_curve(history, routes, ahead, shares), margin, value=at)
    after, before = (first.name, second.name) if sign > 0 else (second.name, first.name)
    unclear = [f"{before} is not clearly better at any smaller capacity"] * (low == 0.0)
    unclear += [f"{after} is not clearly better at any larger capacity"] * (high == 1.0)
    note = ", and ".join(unclear) or None
    return StrategyCrossings(measure, every, Estimate(at, low, high, level, INVERTED_TEST, history.n, note), after)


CONTINUITY = 1.0  # item: leads are whole items, and a test of few of them needs this correction
GAIN_MEASURES: dict[str, Callable[[ReviewPath, Reviewer], Floats]] = {
    REVIEW_EFFICIENCY: lambda path, _reviewer: path.kinds @ WRONG_KINDS,
    OC_ACCURACY: lambda path, reviewer: path.after(reviewer) @ TARGET_MEASURES[OC_ACCURACY][0],
}


@dataclass(frozen=True, slots=True)
class _Lead:
    """By how many items the first strategy is ahead of the second, linear between these capacities."""

    capacity: Floats
    items: Floats

    @classmethod
    def between(
        cls, first: ReviewPath, second: ReviewPath, gain: Callable[[ReviewPath, Reviewer], Floats], reviewer: Reviewer
    ) -> _Lead:
        reviewed = np.union1d(first.reviewed, second.reviewed)
        ours, theirs = (np.interp(reviewed, path.reviewed, gain(path, reviewer)) for path in (first, second))
        return cls(reviewed / max(float(reviewed[-1]), 1.0), ours - theirs)

    def changes(self) -> list[LeadChange]:
        """Where the sign changes, and to which. After a draw, where the new leader pulls away."""
        ahead = np.flatnonzero(np.abs(self.items) > NEGLIGIBLE)
        turns = np.flatnonzero(np.diff(np.sign(self.items[ahead])))
        changes = []
        for old, new in zip(ahead[turns].tolist(), ahead[turns + 1].tolist(), strict=True):
            a, b = self.items[new - 1], self.items[new]
            part = a / (a - b) if new - old == 1 else 0.0
            at = self.capacity[new - 1] + part * (self.capacity[new] - self.capacity[new - 1])
            changes.append((float(at), 1 if b > 0.0 else -1))
        return changes

    def main(self, changes: Sequence[LeadChange]) -> LeadChange | None:
        """The change before which the one, and after which the other, is most ahead in all."""
        areas = np.diff(self.capacity) * (self.items[1:] + self.items[:-1]) / 2.0
        before = np.concatenate(([0.0], np.cumsum(areas)))

        def worth(change: LeadChange) -> float:
            at, sign = change
            knot = int(np.searchsorted(self.capacity, at, side="right")) - 1
            until = before[knot] + self.items[knot] * (at - self.capacity[knot]) / 2.0
            return float(sign * (before[-1] - 2.0 * until))

        return max(changes, key=worth, default=None)

    def why_none(self, first: Strategy, second: Strategy) -> str:
        """Why there is no crossing."""
        if float(np.abs(self.items).max()) <= NEGLIGIBLE:
            return "the two strategies are equal at every capacity"
        return f"{first.name if self.items.max() > NEGLIGIBLE else second.name} is at least as good at every capacity"
