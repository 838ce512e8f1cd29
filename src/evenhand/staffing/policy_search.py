"""The best policy for labelled history: over thresholds, strategies and numbers of reviewers.

Each combination is tried on the history; those that keep every limit are compared by what is wanted: most violations
found, or lowest cost, or fewest reviewers. What a policy achieves is not measured on the items that chose it: the items
are split into parts, each part is decided by the policy that the others chose (cross-fitting).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Floats
from evenhand.catalogue.collaboration import OC_ACCURACY, OC_F1, OC_PRECISION, OC_RECALL
from evenhand.errors import InputError, nearest
from evenhand.measures.collaboration import ORACLE, Reviewer
from evenhand.routing.review_policy import PolicyMode
from evenhand.routing.strategies import TOXICITY, UNCERTAINTY, parse_strategy
from evenhand.routing.strategy import Strategy, StrategyKind
from evenhand.routing.threshold_grids import thresholds_by_count
from evenhand.routing.threshold_strategies import BelowThresholdStrategy, BenefitStrategy
from evenhand.staffing.capacity import Costs
from evenhand.staffing.history import HistoryCells, HistoryRows, PolicyCounts, ReviewCurve
from evenhand.staffing.settings import StaffingTarget

FOLDS = 5
FINDING_STRATEGIES = (StrategyKind.BELOW_THRESHOLD.value,)  # where violations are to be found
COST_STRATEGIES = (StrategyKind.BENEFIT.value, StrategyKind.BELOW_THRESHOLD.value, UNCERTAINTY.name)
Thresholds = Sequence[float | None]  # None: nothing is removed without review
TARGET_VALUES: dict[str, Callable[[PolicyCounts, Reviewer], Floats]] = {
    OC_ACCURACY: PolicyCounts.accuracy,
    OC_F1: PolicyCounts.f1,
    OC_PRECISION: PolicyCounts.precision,
    OC_RECALL: PolicyCounts.recall,
}


@dataclass(frozen=True, kw_only=True)
class StaffingGoal:
    """What is tried (capacities as shares of the items, thresholds from the history, strategies), and what is wanted.

    With one capacity the most violations are to be found at it; with several the smallest that reaches the targets, or
    the cheapest, is taken.
    """

    capacities: Floats
    thresholds: Callable[[HistoryRows], Thresholds]
    strategies: tuple[str, ...] = FINDING_STRATEGIES
    wrong_removals: float | None = None
    targets: tuple[StaffingTarget, ...] = ()
    costs: Costs | None = None
    reviewer: Reviewer = ORACLE


@dataclass(frozen=True, slots=True)
class FoundPolicy:
    """A threshold, a strategy and a capacity, what they do to the items that chose them, and whether limits hold."""

    threshold: float | None
    strategy: Strategy
    mode: PolicyMode
    capacity: float
    counts: PolicyCounts
    feasible: bool

    def on(self, rows: HistoryRows) -> PolicyCounts:
        """What the policy does to other items."""
        cells = HistoryCells.from_rows(rows)
        curve = ReviewCurve.from_cells(
            cells, self.strategy, self.threshold, review_removals=self.mode is PolicyMode.DECIDE
        )
        return curve.at(np.array([self.capacity * cells.total]))


def search_policy(rows: HistoryRows, goal: StaffingGoal) -> FoundPolicy:
    """The best policy; of equally good ones the one that removes less, then the simpler strategy."""
    cells = HistoryCells.from_rows(rows)
    best: tuple[tuple[float, ...], FoundPolicy] | None = None
    for threshold, strategy, mode in policies_tried(goal, goal.thresholds(rows)):
        curve = ReviewCurve.from_cells(cells, strategy, threshold, review_removals=mode is PolicyMode.DECIDE)
        counts = curve.at(goal.capacities * cells.total)
        merits = _merits(counts, goal)
        place = int(np.lexsort(merits[::-1])[-1])
        merit = tuple(merits[:, place].tolist())
        if best is None or merit > best[0]:
            parts = PolicyCounts(*counts.parts[:, [place]])
            feasible = merit[0] == 0.0
            found = FoundPolicy(threshold, strategy, mode, float(goal.capacities[place]), parts, feasible)
            best = (merit, found)
    assert best
    return best[1]


def policies_tried(goal: StaffingGoal, thresholds: Thresholds) -> Iterator[tuple[float | None, Strategy, PolicyMode]]:
    """Every threshold with every strategy. Where nothing is removed, strategies that know the threshold are one."""
    for threshold in thresholds:
        seen = set[tuple[str, PolicyMode]]()
        for name in goal.strategies:
            strategy, mode = strategy_beside(name, threshold, goal.costs)
            if (strategy.name, mode) not in seen:
                seen.add((strategy.name, mode))
                yield threshold, strategy, mode


def strategy_beside(name: str, threshold: float | None, costs: Costs | None) -> tuple[Strategy, PolicyMode]:
    """The strategy of this name beside a threshold from which items are removed."""
    if name in (StrategyKind.BELOW_THRESHOLD, StrategyKind.BENEFIT):
        if threshold is None:
            return TOXICITY, PolicyMode.REVIEW
        if name == StrategyKind.BELOW_THRESHOLD:
            return BelowThresholdStrategy(threshold), PolicyMode.REVIEW
        prices = (costs.false_removal, costs.missed_violation) if costs else (1.0, 1.0)
        return BenefitStrategy(threshold, *prices), PolicyMode.DECIDE
    return parse_strategy(name), PolicyMode.DECIDE


def _merits(counts: PolicyCounts, goal: StaffingGoal) -> Floats:
    """Rows of what is compared, the first before the second: limits missed, targets missed, what is wanted."""
    capacity = -goal.capacities
    over = np.zeros_like(capacity)
    if goal.wrong_removals is not None:
        over -= np.maximum(counts.wrong_share() - goal.wrong_removals, 0.0) > 1e-12
    short = np.zeros_like(capacity)
    for target in goal.targets:
        short -= np.maximum(target.value - target_values(target, counts, goal.reviewer), 0.0)
    short = np.where(short > -1e-12, 0.0, short)
    missed = np.where((over < 0.0) | (short < 0.0), -1.0, 0.0)
    recall, less = counts.recall(goal.reviewer), -counts.removed
    if goal.costs is not None:
        wanted = [-counts.cost(goal.costs, goal.reviewer), capacity]
    elif goal.targets and len(goal.capacities) > 1:
        wanted = [capacity, recall]
    elif any(target.measure == OC_RECALL for target in goal.targets):
        wanted = [counts.precision(goal.reviewer), recall]
    else:
        wanted = [recall, capacity]
    return np.round(np.array([missed, over, short, *wanted, less]), 12)


def target_values(target: StaffingTarget, counts: PolicyCounts, reviewer: Reviewer) -> Floats:
    """The measure of a target."""
    if target.measure not in TARGET_VALUES:
        raise InputError(
            f"`targets`: there is no measure '{target.measure}'; {nearest(str(target.measure), TARGET_VALUES)}"
        )
    return TARGET_VALUES[target.measure](counts, reviewer)


def thresholds_to_try(rows: HistoryRows) -> Thresholds:
    """Nothing, and thresholds with more and more of the highest scores above them."""
    return [None, *thresholds_by_count(rows.p)]


def cross_fitted(
    rows: HistoryRows, goal: StaffingGoal, *, seed: int, folds: int = FOLDS
) -> tuple[PolicyCounts, list[FoundPolicy]]:
    """What policies chosen on the other items do to each part of the items; and these policies."""
    part = np.random.default_rng(seed).permutation(np.arange(len(rows.p)) % folds)
    policies = [search_policy(rows.take(part != number), goal) for number in range(folds)]
    counts = [policy.on(rows.take(part == number)).parts for number, policy in enumerate(policies)]
    return PolicyCounts(*np.sum(counts, axis=0)), policies
