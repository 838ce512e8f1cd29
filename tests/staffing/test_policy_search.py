"""The search for a policy: against brute force item by item, and what is wanted of each goal."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.measures.collaboration import ORACLE, Reviewer
from evenhand.routing.review_policy import PolicyMode, ReviewPolicy
from evenhand.routing.strategies import parse_strategy
from evenhand.staffing import Costs
from evenhand.staffing.history import HistoryCells, HistoryRows, ReviewCurve
from evenhand.staffing.policy_search import (
    COST_STRATEGIES,
    StaffingGoal,
    cross_fitted,
    policies_tried,
    search_policy,
    thresholds_to_try,
)
from evenhand.staffing.settings import StaffingTarget

COSTS = Costs(false_removal=2.0, missed_violation=5.0, review=0.2)


def history(n: int = 400, seed: int = 0, digits: int = 2) -> HistoryRows:
    rng = np.random.default_rng(seed)
    p = rng.beta(0.3, 0.8, n).round(digits)
    return HistoryRows(p, rng.random(n) < p**1.3, np.ones(n))


def decided(rows: HistoryRows, threshold, strategy, mode, capacity: float) -> dict[str, float]:
    """Item by item: who is reviewed (ties in equal parts), who is removed, what that finds and costs."""
    removed = rows.p >= (2.0 if threshold is None else threshold)
    waiting = np.ones(len(rows.p), dtype=bool) if mode is PolicyMode.DECIDE else ~removed
    reviewed = np.zeros(len(rows.p))
    reviewed[waiting] = strategy.shares_reviewed(rows.p[waiting], min(capacity * len(rows.p), waiting.sum()))
    unseen = removed * (1.0 - reviewed)
    found = (rows.y * (unseen + reviewed)).sum()
    false = (~rows.y * unseen).sum()
    cost = 2.0 * false + 5.0 * (rows.y.sum() - found) + 0.2 * reviewed.sum()
    wrong = false / unseen.sum() if unseen.sum() > 0 else 0.0
    return {"recall": found / rows.y.sum(), "wrong": wrong, "cost": cost / len(rows.p), "false": false}


@pytest.mark.parametrize("words", ["below-threshold:0.7", "benefit:0.7:2:5", "uncertainty", "toxicity", "hybrid:0.4"])
@pytest.mark.parametrize("mode", list(PolicyMode), ids=str)
def test_a_curve_is_what_happens_item_by_item(words: str, mode: PolicyMode) -> None:
    rows, strategy = history(), parse_strategy(words)
    if strategy.name.startswith("hybrid"):
        pytest.skip("a hybrid spends its capacity in two stages")
    cells = HistoryCells.from_rows(rows)
    curve = ReviewCurve.from_cells(cells, strategy, 0.7, review_removals=mode is PolicyMode.DECIDE)
    for capacity in (0.0, 0.01, 0.2):  # whole items
        counts = curve.at(np.array([capacity * cells.total]))
        expected = decided(rows, 0.7, strategy, mode, capacity)
        assert counts.recall(ORACLE)[0] == pytest.approx(expected["recall"])
        assert counts.wrong_share()[0] == pytest.approx(expected["wrong"])
        assert counts.cost(COSTS, ORACLE)[0] == pytest.approx(expected["cost"])
        assert counts.total[0] == pytest.approx(len(rows.p))


@pytest.mark.parametrize("seed", range(5))
def test_the_search_equals_brute_force_over_thresholds_and_strategies(seed: int) -> None:
    rows = history(seed=seed)
    for goal, key in (
        (
            StaffingGoal(capacities=np.array([0.05]), thresholds=thresholds_to_try, wrong_removals=0.1),
            lambda e: e["recall"] if e["wrong"] <= 0.1 else -1.0,
        ),
        (
            StaffingGoal(
                capacities=np.array([0.05]), thresholds=thresholds_to_try, costs=COSTS, strategies=COST_STRATEGIES
            ),
            lambda e: -e["cost"],
        ),
    ):
        best = search_policy(rows, goal)
        tried = [key(decided(rows, *policy, 0.05)) for policy in policies_tried(goal, thresholds_to_try(rows))]
        own = key(decided(rows, best.threshold, best.strategy, best.mode, 0.05))
        assert own == pytest.approx(max(tried))
        assert best.feasible


def test_the_fewest_people_that_reach_a_target() -> None:
    rows, capacities = history(2000), np.linspace(0.0, 1.0, 21)
    target = StaffingTarget("oc_recall", 0.9)
    goal = StaffingGoal(capacities=capacities, thresholds=lambda _: [0.5], targets=(target,))
    best = search_policy(rows, goal)
    reached = [
        c
        for c in capacities
        if decided(rows, 0.5, parse_strategy("below-threshold:0.5"), PolicyMode.REVIEW, c)["recall"] >= 0.9
    ]
    assert best.feasible
    assert best.capacity == min(reached)


def test_a_target_out_of_reach_comes_as_near_as_it_can() -> None:
    rows = history(500)
    goal = StaffingGoal(
        capacities=np.array([0.01]), thresholds=lambda _: [None, 0.9, 0.5], targets=(StaffingTarget("oc_recall", 0.99),)
    )
    best = search_policy(rows, goal)
    assert not best.feasible
    assert best.threshold == 0.5


def test_reviewers_who_err_find_less() -> None:
    rows = history()
    curve = ReviewCurve.from_cells(
        HistoryCells.from_rows(rows), parse_strategy("toxicity"), None, review_removals=False
    )
    counts = curve.at(np.array([40.0]))
    assert counts.recall(Reviewer(0.0, 0.25))[0] == pytest.approx(0.75 * counts.recall(ORACLE)[0])
    assert counts.precision(Reviewer(0.1, 0.0))[0] < 1.0 == counts.precision(ORACLE)[0]


def test_cross_fitted_counts_have_every_item_once() -> None:
    rows = history(503)
    goal = StaffingGoal(capacities=np.array([0.1]), thresholds=thresholds_to_try, wrong_removals=0.1)
    counts, found = cross_fitted(rows, goal, seed=1)
    assert counts.total[0] == pytest.approx(503)
    assert counts.violating[0] == rows.y.sum()
    assert counts.reviewed[0] == pytest.approx(50.3, abs=1.0)
    assert len(found) == 5


def test_routing_does_what_the_curve_measures() -> None:
    rows = history(1000, digits=6)
    policy = ReviewPolicy(upper=0.7, strategy="below-threshold:0.7", capacity=50, items_per_day=1000)
    routed = policy.route(rows.p, 50)
    curve = ReviewCurve.from_cells(HistoryCells.from_rows(rows), policy.order, 0.7, review_removals=False)
    counts = curve.at(np.array([50.0]))
    assert routed.reviewed.sum() == 50
    assert (routed.reviewed & rows.y).sum() == counts.reviewed_violating[0]
    assert (routed.removed & rows.y).sum() == counts.removed_violating[0]
    assert sorted(routed.rank[routed.reviewed]) == list(range(1, 51))
