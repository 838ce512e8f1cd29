"""Do the figures of a plan hold on fresh items? And is the order by expected benefit ever behind another one?

A history is drawn, a plan chooses a policy on it, and the figures that the plan prints are held against what this very
policy does to a population of 200,000 other items. Scores are calibrated (`calibrated`) or too low (`low`).
For the second question all strategies review the same share beside the same threshold, and their costs are compared.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from evenhand.catalogue.collaboration import OC_PRECISION, OC_RECALL, WRONG_REMOVALS
from evenhand.measures.collaboration import ORACLE
from evenhand.routing.review_policy import PolicyMode, ReviewPolicy
from evenhand.staffing.capacity import Costs
from evenhand.staffing.history import HistoryCells, HistoryRows, PolicyCounts, ReviewCurve
from evenhand.staffing.review_plan import plan_review
from evenhand.staffing.settings import StaffingSettings
from studies.study import Row, Study

MANY, ITEMS = 200_000, 2000
WHAT = {OC_RECALL: PolicyCounts.recall, OC_PRECISION: PolicyCounts.precision}
COSTS = {"false_removal": 3.0, "missed_violation": 1.0, "review": 0.05}
DAY = {"reviewers": 3.0, "items_per_day": 10_000.0, "seconds_per_review": 60.0}
GOALS = {
    "limit, verdicts": {"wrong_removals": 0.05, "labelled": "policy"},
    "limit, guaranteed": {"wrong_removals": 0.1, "labelled": "random"},
    "precision": {"targets": ("oc_precision=0.9",)},
    "costs": COSTS,
}


def cells() -> list[Row]:
    asked = [("calibrated", goal) for goal in GOALS] + [("low", goal) for goal in GOALS if goal != "costs"]
    return [{"scores": scores, "items": ITEMS, "goal": goal} for scores, goal in asked]


def items(scores: str, number: int, rng: np.random.Generator) -> HistoryRows:
    """Scores and labels; the true probability is the calibrated score."""
    honest = rng.beta(0.35, 1.6, number)
    logit = np.log(honest / (1.0 - honest))
    shown = logit - 1.0 if scores == "low" else logit
    return HistoryRows(1.0 / (1.0 + np.exp(-shown)), rng.random(number) < honest, np.ones(number))


@cache
def population(scores: str) -> HistoryRows:
    return items(scores, MANY, np.random.default_rng(99))


def on_population(policy: ReviewPolicy, scores: str) -> PolicyCounts:
    """What a policy does to the population with the reviews that are not for measurement."""
    counted = HistoryCells.from_rows(population(scores))
    share = policy.capacity * (1.0 - policy.measured_share) / policy.items_per_day
    decide = policy.mode == PolicyMode.DECIDE
    curve = ReviewCurve.from_cells(counted, policy.order, policy.upper, review_removals=decide)
    return curve.at(np.array([share * counted.total]))


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    held: dict[str, list[tuple[float, float]]] = {}
    for seed in range(draws):
        rows = items(cell["scores"], cell["items"], rng)
        settings = StaffingSettings(**DAY, **GOALS[cell["goal"]], seed=seed)
        plan = plan_review(rows, settings, model={}, column="p", scale="probability", threshold=0.5)
        counts = on_population(plan.policy, cell["scores"])
        truth = {name: float(measure(counts, ORACLE)[0]) for name, measure in WHAT.items()}
        truth[WRONG_REMOVALS] = float(counts.wrong_share()[0])
        for name, value in truth.items():
            estimate = plan.figures[name]
            if estimate.value is not None and estimate.low is not None and estimate.high is not None:
                held.setdefault(name, []).append((estimate.low <= value <= estimate.high, estimate.value - value))
    return [
        {"figure": str(name), "coverage": float(np.mean(pairs, axis=0)[0]), "bias": float(np.mean(pairs, axis=0)[1])}
        for name, pairs in held.items()
    ]


def cost_by_strategy(scores: str, threshold: float, share: float, seed: int, number: int = 20_000) -> dict[str, float]:
    """The cost for each item of reviewing the same share by each strategy, beside the same threshold."""
    from evenhand.staffing.policy_search import strategy_beside
    from evenhand.staffing.review_plan import COMPARED_STRATEGIES

    costs = Costs(**COSTS)
    counted = HistoryCells.from_rows(items(scores, number, np.random.default_rng(seed)))
    found = {}
    for name in COMPARED_STRATEGIES:
        strategy, mode = strategy_beside(name, threshold, costs)
        curve = ReviewCurve.from_cells(counted, strategy, threshold, review_removals=mode is PolicyMode.DECIDE)
        found[name] = float(curve.at(np.array([share * counted.total])).cost(costs, ORACLE)[0])
    return found


STUDY = Study("chosen_policies", cells(), run, draws=100)
