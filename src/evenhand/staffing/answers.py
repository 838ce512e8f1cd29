"""What a staffing plan answers for one model: a capacity for a target, where strategies cross, and safe thresholds.

Each answer gives its estimates; what it comes to in sentences is in `verdicts`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from evenhand.catalogue.collaboration import (
    CAPACITY,
    COST_PER_DAY,
    COST_WITHOUT_REVIEW,
    CROSSING,
    LEAVE_BELOW,
    LEFT,
    MISSED_VIOLATIONS,
    REMOVE_FROM,
    REMOVED,
    REVIEWED,
    REVIEWERS,
    WRONG_REMOVALS,
)
from evenhand.estimate import Estimate
from evenhand.finding import Measured, Slice, SliceKey
from evenhand.routing import Policy, PolicyOutcome, Strategy
from evenhand.staffing.capacity import CapacityPlan
from evenhand.staffing.settings import StaffingTarget


@dataclass(frozen=True, slots=True)
class PlannedCapacity:
    """The capacity by which a strategy reaches a target, and the people it takes."""

    model: Slice
    strategy: Strategy
    target: StaffingTarget
    plan: CapacityPlan
    missed_alone: float | None = None  # share of violations that the model misses without review; None: none violate

    def measured(self) -> Iterator[Measured]:
        """Costs where there are prices."""
        slice_ = {**self.model, SliceKey.STRATEGY: self.strategy.name, SliceKey.TARGET: str(self.target)}
        estimates = {
            CAPACITY: self.plan.capacity,
            REVIEWERS: self.plan.reviewers,
            COST_PER_DAY: self.plan.cost,
            COST_WITHOUT_REVIEW: self.plan.cost_without_review,
        }
        yield from (
            Measured(measure, slice_, estimate) for measure, estimate in estimates.items() if estimate is not None
        )


@dataclass(frozen=True, slots=True)
class PlannedCrossing:
    """The capacity from which on `leader`, one of two strategies, is the more accurate one."""

    model: Slice
    strategies: tuple[Strategy, Strategy]
    capacity: Estimate
    leader: str | None

    @property
    def name(self) -> str:
        """Both strategies."""
        return " and ".join(strategy.name for strategy in self.strategies)

    def measured(self) -> Iterator[Measured]:
        """One number."""
        yield Measured(CROSSING, {**self.model, SliceKey.STRATEGY: self.name}, self.capacity)


@dataclass(frozen=True, slots=True)
class PlannedPolicy:
    """Thresholds with a guarantee, what they do to the items they were chosen on, and the reviewers they need."""

    model: Slice
    policy: Policy
    outcome: PolicyOutcome
    reviewers: Estimate

    @property
    def kept(self) -> bool:
        """Whether every limit that was set can be guaranteed."""
        policy = self.policy
        limits = ((policy.wrong_removals, policy.upper), (policy.missed_violations, policy.lower))
        return all(threshold is not None for limit, threshold in limits if limit is not None)

    def measured(self) -> Iterator[Measured]:
        """Thresholds, shares of the items, errors, people."""
        policy, outcome, level = self.policy, self.outcome, self.reviewers.level
        estimates = {
            REMOVE_FROM: _threshold(policy.upper, policy.wrong_removals, level, policy.n),
            LEAVE_BELOW: _threshold(policy.lower, policy.missed_violations, level, policy.n),
            REMOVED: outcome.removed,
            REVIEWED: outcome.reviewed,
            LEFT: outcome.left,
            WRONG_REMOVALS: outcome.wrong_removals,
            MISSED_VIOLATIONS: outcome.missed_violations,
            REVIEWERS: self.reviewers,
        }
        slice_ = {**self.model, SliceKey.TARGET: f"promise, with probability {1.0 - policy.delta:g}"}
        yield from (Measured(measure, slice_, estimate) for measure, estimate in estimates.items())


def _threshold(value: float | None, limit: float | None, level: float, n: int) -> Estimate:
    if value is not None:
        return Estimate.exact(value, level=level, n=n)
    why = "no limit was set" if limit is None else "no threshold gives this guarantee"
    return Estimate.undefined(why, level=level, n=n)


StaffingAnswer = PlannedCapacity | PlannedCrossing | PlannedPolicy
