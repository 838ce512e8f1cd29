"""Where one review strategy overtakes another.

With a reviewer who never errs, OC-accuracy is accuracy plus capacity times Review Efficiency, so that two strategies of
one model cross in both at the same capacities. With an erring reviewer they part: Review Efficiency counts what the
model had wrong among the reviewed, OC-accuracy what is right in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.errors import InputError, nearest
from evenhand.estimate import Estimate
from evenhand.intervals.inversion import METHOD, margins, rise
from evenhand.measures.collaboration import ORACLE, Path, Reviewer
from evenhand.routing import columns
from evenhand.routing.curves import MEASURES, NEGLIGIBLE, WRONG, History, Route
from evenhand.routing.planning import LEVEL, REPLICATES
from evenhand.routing.redraws import capacities, measured, redrawn
from evenhand.routing.strategies import Strategy
from evenhand.tally import FloatArray

Change = tuple[float, int]  # a capacity, and who is ahead from there: 1 the first strategy, −1 the second


@dataclass(frozen=True, slots=True)
class Crossing:
    """The share of items from which on `leader` is ahead of the other strategy."""

    capacity: float
    leader: str


@dataclass(frozen=True, slots=True)
class Crossings:
    """All crossings of a measure, and the main one: the best single place to change from one strategy to the other."""

    measure: str
    every: tuple[Crossing, ...]
    main: Estimate
    leader: str | None  # from the main crossing on


def crossings(
    history: History,
    first: Strategy,
    second: Strategy,
    *,
    measure: str = "review_efficiency",
    reviewer: Reviewer = ORACLE,
    level: float = LEVEL,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> Crossings:
    """Where the two overtake one another in `review_efficiency` or `oc_accuracy`, over all capacities.

    The main crossing splits the capacities so that either side's lead, added up, is largest. Its interval reaches from
    the last capacity at which the one is clearly ahead to the first at which the other is; the note says where neither
    ever is. Many crossings are noise, and then it is wide.
    """
    if measure not in GAINS:
        raise InputError(f"crossings are not known for '{measure}'; {nearest(measure, GAINS)}")
    columns.share(level, "the level", closed=False)
    routes = [Route.of(history, strategy) for strategy in (first, second)]
    paths = [route.path(history.counts) for route in routes]
    lead = _Lead.of(paths[0], paths[1], GAINS[measure], reviewer)
    changes = lead.changes()
    every = tuple(Crossing(at, first.name if sign > 0 else second.name) for at, sign in changes)
    main = lead.main(changes)
    if main is None:
        return Crossings(measure, (), Estimate.undefined(lead.why_none(first, second), level=level, n=history.n), None)
    at, sign = main

    def ahead(paths: Sequence[Path]) -> FloatArray:
        ours, theirs = (GAINS[measure](path, reviewer) for path in paths)
        return sign * (ours - theirs)

    shares = capacities(at)
    margin = margins(redrawn(history, routes, ahead, shares, replicates=replicates, seed=seed), level) + ONE
    low, high = rise(shares, measured(history, routes, ahead, shares), margin, value=at)
    after, before = (first.name, second.name) if sign > 0 else (second.name, first.name)
    unseen = [f"{before} is nowhere clearly ahead before"] * (low == 0.0)
    unseen += [f"{after} is nowhere clearly ahead after"] * (high == 1.0)
    note = " it, and ".join(unseen) + " it" if unseen else None
    return Crossings(measure, every, Estimate(at, low, high, level, METHOD, history.n, note), after)


ONE = 1.0  # item: leads are whole items, and a test of few of them needs this correction
GAINS: dict[str, Callable[[Path, Reviewer], FloatArray]] = {
    "review_efficiency": lambda path, _reviewer: path.kinds @ WRONG,
    "oc_accuracy": lambda path, reviewer: path.after(reviewer) @ MEASURES["oc_accuracy"][0],
}


@dataclass(frozen=True, slots=True)
class _Lead:
    """By how many items the first strategy is ahead of the second, linear between these capacities."""

    capacity: FloatArray
    items: FloatArray

    @classmethod
    def of(cls, first: Path, second: Path, gain: Callable[[Path, Reviewer], FloatArray], reviewer: Reviewer) -> _Lead:
        reviewed = np.union1d(first.reviewed, second.reviewed)
        ours, theirs = (np.interp(reviewed, path.reviewed, gain(path, reviewer)) for path in (first, second))
        return cls(reviewed / max(float(reviewed[-1]), 1.0), ours - theirs)

    def changes(self) -> list[Change]:
        """Where the sign changes, and to which. After a draw, where the new leader pulls away."""
        ahead = np.flatnonzero(np.abs(self.items) > NEGLIGIBLE)
        turns = np.flatnonzero(np.diff(np.sign(self.items[ahead])))
        found = []
        for old, new in zip(ahead[turns].tolist(), ahead[turns + 1].tolist(), strict=True):
            a, b = self.items[new - 1], self.items[new]
            part = a / (a - b) if new - old == 1 else 0.0
            at = self.capacity[new - 1] + part * (self.capacity[new] - self.capacity[new - 1])
            found.append((float(at), 1 if b > 0.0 else -1))
        return found

    def main(self, changes: Sequence[Change]) -> Change | None:
        """The change before which the one, and after which the other, is most ahead in all."""
        areas = np.diff(self.capacity) * (self.items[1:] + self.items[:-1]) / 2.0
        before = np.concatenate(([0.0], np.cumsum(areas)))

        def worth(change: Change) -> float:
            at, sign = change
            knot = int(np.searchsorted(self.capacity, at, side="right")) - 1
            until = before[knot] + self.items[knot] * (at - self.capacity[knot]) / 2.0
            return float(sign * (before[-1] - 2.0 * until))

        return max(changes, key=worth, default=None)

    def why_none(self, first: Strategy, second: Strategy) -> str:
        """Why there is no crossing."""
        if float(np.abs(self.items).max()) <= NEGLIGIBLE:
            return "the two strategies are equal at every capacity"
        return f"{first.name if self.items.max() > NEGLIGIBLE else second.name} is nowhere behind"
