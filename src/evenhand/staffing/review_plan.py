"""The plan for a day: who reviews what, what is removed without review, and what that finds.

From the history of one model and the settings: the policy, its figures, the guarantee behind its threshold, what other
thresholds and other numbers of reviewers would give, and whether the scores should be calibrated first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.catalogue.collaboration import COST_PER_DAY, OC_RECALL, REMOVE_FROM, REVIEWERS, WRONG_REMOVALS
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.finding import Measured, Slice, SliceKey
from evenhand.intervals.significance import normal_quantile
from evenhand.measures.collaboration import Reviewer
from evenhand.routing.policies import Policy
from evenhand.routing.review_policy import PolicyMode, ReviewPolicy
from evenhand.routing.strategies import TOXICITY, UNCERTAINTY
from evenhand.routing.strategy import StrategyKind
from evenhand.routing.threshold_grids import thresholds_by_count
from evenhand.routing.thresholds import choose
from evenhand.staffing.calibration_check import MiscalibratedBand, calibrated_rows, most_miscalibrated
from evenhand.staffing.history import HistoryCells, HistoryRows, PolicyCounts, ReviewCurve
from evenhand.staffing.policy_figures import FigureSettings, policy_estimates, with_policy_scatter
from evenhand.staffing.policy_search import (
    COST_STRATEGIES,
    FINDING_STRATEGIES,
    FoundPolicy,
    StaffingGoal,
    Thresholds,
    cross_fitted,
    search_policy,
    strategy_beside,
    thresholds_to_try,
)
from evenhand.staffing.settings import StaffingSettings
from evenhand.tally import Clusters

THIS_PLAN = "this plan"
MOST_PEOPLE_TRIED = 60
FRONTIER_ROWS = 24
COMPARED_STRATEGIES = (StrategyKind.BELOW_THRESHOLD.value, UNCERTAINTY.name, TOXICITY.name, StrategyKind.BENEFIT.value)


class GuaranteeState(StrEnum):
    """What can be said about the limit of wrong removals."""

    NOT_ASKED = "not_asked"
    SHOWN = "shown"
    CONDITIONAL = "conditional"  # shown, if the labels are a random sample, which nobody has said
    NOT_SHOWN = "not_shown"  # no threshold passes
    NOT_RANDOM = "not_random"


@dataclass(frozen=True, slots=True)
class PolicyRow:
    """One line of a table: a policy by what varies (threshold, people, strategy), and its figures."""

    name: str
    value: float | None
    figures: dict[str, Estimate]
    chosen: bool


@dataclass(frozen=True)
class ReviewPlan:
    """The plan of one model."""

    model: Slice
    settings: StaffingSettings
    policy: ReviewPolicy
    figures: dict[str, Estimate]
    people: float
    feasible: bool
    state: GuaranteeState
    frontier: list[PolicyRow]
    by_people: list[PolicyRow]
    by_strategy: list[PolicyRow]
    miscalibrated: MiscalibratedBand | None
    calibrated_recall: Estimate | None
    cost: Estimate | None

    @property
    def reviews(self) -> int:
        """A day, those for measurement included."""
        return int(self.policy.capacity)

    @property
    def measured_reviews(self) -> int:
        """A day, drawn for measurement."""
        return round(self.policy.measured_share * self.reviews)

    def measured(self) -> Iterator[Measured]:
        """The threshold, the people and every figure."""
        slice_ = {**self.model, SliceKey.TARGET: THIS_PLAN}
        level, n = self.settings.level, next(iter(self.figures.values())).n
        upper = self.policy.upper
        nothing = Estimate.undefined("nothing is removed without review", level=level, n=n)
        yield Measured(REMOVE_FROM, slice_, nothing if upper is None else Estimate.exact(upper, level=level, n=n))
        yield Measured(REVIEWERS, slice_, Estimate.exact(self.people, level=level, n=n))
        yield from (Measured(measure, slice_, estimate) for measure, estimate in self.figures.items())
        if self.cost is not None:
            yield Measured(COST_PER_DAY, slice_, self.cost)


def plan_review(
    rows: HistoryRows, settings: StaffingSettings, *, model: Slice, column: str, scale: str, threshold: float,
    candidates: int = 1,
) -> ReviewPlan:  # fmt: skip
    """The plan of one model. `threshold` is the one in use, for a target that a free threshold would make trivial."""
    guarantee, state = _guarantee(rows, settings, candidates)
    goal = _goal(rows, settings, guarantee, threshold)
    best = search_policy(rows, goal)
    counts, parts = cross_fitted(rows, goal, seed=settings.seed)
    free = len({policy.threshold for policy in parts}) > 1 or goal.costs is not None
    measured_by = FigureSettings.for_rows(rows, settings.level, goal.reviewer, chosen=free)
    figures = policy_estimates(counts, measured_by)
    if free:
        figures = with_policy_scatter(figures, [policy_estimates(p.on(rows), measured_by) for p in (best, *parts)])
    if best.threshold is None:  # though parts of the history alone would have had one
        figures[WRONG_REMOVALS] = Estimate.undefined("nothing is removed without review", level=settings.level, n=0)
    share = best.capacity / (1.0 - settings.measured_share) if settings.measured_share < 1.0 else 0.0
    people = settings.reviewers if settings.reviewers is not None else settings.day.reviewers(share)
    reviews = min(share, 1.0) * settings.items_per_day
    if settings.reviewers is not None:
        reviews = settings.reviewers * settings.day.reviews_per_reviewer
    policy = ReviewPolicy(
        upper=best.threshold, strategy=best.strategy.name, mode=best.mode.value, capacity=float(math.floor(reviews)),
        items_per_day=settings.items_per_day, measured_share=settings.measured_share, score=column, scale=scale,
        lower=guarantee.lower if guarantee else None,
        guarantee=guarantee if state in (GuaranteeState.SHOWN, GuaranteeState.NOT_SHOWN) else None,
    )  # fmt: skip
    measuring = FigureSettings.for_rows(rows, settings.level, goal.reviewer, chosen=False)
    band = most_miscalibrated(rows)
    return ReviewPlan(
        model=model, settings=settings, policy=policy, figures=figures, people=people, feasible=best.feasible,
        state=state, frontier=_frontier(rows, best, measuring), by_people=_by_people(rows, best, settings, measuring),
        by_strategy=_by_strategy(rows, best, goal, measuring), miscalibrated=band,
        calibrated_recall=_calibrated_recall(rows, settings, threshold, candidates) if band else None,
        cost=_cost_a_day(rows, goal, settings, counts),
    )  # fmt: skip


def _guarantee(rows: HistoryRows, settings: StaffingSettings, candidates: int) -> tuple[Policy | None, GuaranteeState]:
    """The thresholds that pass, and what may be said of them."""
    if not settings.has_guarantee:
        return None, GuaranteeState.NOT_ASKED
    if settings.labelled == "policy" or ((rows.weights != np.round(rows.weights)).any() and rows.inclusion is None):
        return None, GuaranteeState.NOT_RANDOM
    policy = choose(
        rows.p, rows.y, wrong_removals=settings.wrong_removals, missed_violations=settings.missed_violations,
        delta=settings.delta, inclusion=rows.inclusion, cluster=guarantee_clusters(rows.clusters),
        candidates=candidates,
    )  # fmt: skip
    if settings.wrong_removals is not None and policy.upper is None:
        return policy, GuaranteeState.NOT_SHOWN
    known = settings.labelled == "random" or rows.inclusion is not None
    return policy, GuaranteeState.SHOWN if known else GuaranteeState.CONDITIONAL


def guarantee_clusters(clusters: Clusters | None) -> Ints | None:
    """The cluster of each item, for a guarantee: items may belong together in one way only."""
    if clusters is None:
        return None
    if len(clusters.codes) > 1:
        raise InputError("a guarantee counts clusters of one column", role="cluster", remedy="name one column")
    return clusters.codes[0].astype(np.int64)


def _goal(rows: HistoryRows, settings: StaffingSettings, guarantee: Policy | None, in_use: float) -> StaffingGoal:
    targets, costs = tuple(settings.goals), settings.costs
    fixed: Thresholds | None
    if guarantee is not None and settings.wrong_removals is not None:
        fixed = [guarantee.upper]
    elif settings.wrong_removals is not None or costs is not None or any(_limits_errors(t.measure) for t in targets):
        fixed = None
    else:
        fixed = [in_use] if targets or settings.threshold is not None else [None]
    strategies: tuple[str, ...] = COST_STRATEGIES if costs is not None else FINDING_STRATEGIES
    if settings.mode == PolicyMode.DECIDE:
        strategies = (StrategyKind.BENEFIT.value, UNCERTAINTY.name)
    elif settings.mode == PolicyMode.REVIEW:
        strategies = FINDING_STRATEGIES
    return StaffingGoal(
        capacities=_capacities(rows, settings, guarantee),
        thresholds=thresholds_to_try if fixed is None else lambda _: fixed,
        strategies=(*strategies, *(name for name in settings.strategies if ":" in name)),
        wrong_removals=settings.wrong_removals if fixed is None else None,
        targets=targets,
        costs=costs,
        reviewer=Reviewer(settings.benign_error, settings.violating_error),
    )


def _limits_errors(measure: str | None) -> bool:
    return measure not in (None, OC_RECALL)


def _capacities(rows: HistoryRows, settings: StaffingSettings, guarantee: Policy | None) -> Floats:
    """The shares of the items that are reviewed by the policy's order, as far as they are not for measurement."""
    day, own = settings.day, 1.0 - settings.measured_share
    if settings.reviewers is not None:
        return np.array([min(1.0, own * settings.reviewers * day.reviews_per_reviewer / day.items_per_day)])
    if settings.goals or settings.costs:
        people = _people_tried(day.reviewers(1.0))
        return np.minimum(own * people * day.reviews_per_reviewer / day.items_per_day, 1.0)
    upper = np.inf if guarantee is None or guarantee.upper is None else guarantee.upper
    lower = -np.inf if guarantee is None or guarantee.lower is None else guarantee.lower
    between = (rows.p >= lower) & (rows.p < upper)
    return np.array([float(rows.weights[between].sum() / rows.weights.sum())])


def _people_tried(most: float) -> Floats:
    """Whole people, each number up to twenty, then fewer."""
    small = np.arange(0, min(20, int(most)) + 1)
    large = np.geomspace(20, max(most, 20), MOST_PEOPLE_TRIED - 20).round() if most > 20 else np.empty(0)
    return np.unique(np.concatenate([small, large])).astype(np.float64)


def _counts(
    cells: HistoryCells, found: FoundPolicy, threshold: float | None, capacities: Floats, name: str = ""
) -> list[PolicyCounts]:
    """The kind of policy that was found, at another threshold, at other capacities, or by another strategy."""
    kind = name or found.strategy.name.partition(":")[0]
    known = kind in (StrategyKind.BELOW_THRESHOLD, StrategyKind.BENEFIT, UNCERTAINTY.name, TOXICITY.name)
    strategy, mode = strategy_beside(kind, threshold, None) if known else (found.strategy, found.mode)
    if kind == TOXICITY.name and found.mode is PolicyMode.REVIEW and not name:
        strategy, mode = strategy_beside(StrategyKind.BELOW_THRESHOLD.value, threshold, None)
    curve = ReviewCurve.from_cells(cells, strategy, threshold, review_removals=mode is PolicyMode.DECIDE)
    parts = curve.at(capacities * cells.total).parts
    return [PolicyCounts(*parts[:, [number]]) for number in range(len(capacities))]


def _frontier(rows: HistoryRows, found: FoundPolicy, settings: FigureSettings) -> list[PolicyRow]:
    """Other thresholds at the same capacity, on the whole history."""
    cells, every = HistoryCells.from_rows(rows), thresholds_by_count(rows.p)
    thinned = every[:: max(1, math.ceil(len(every) / FRONTIER_ROWS))]
    thresholds = sorted({*thinned, *([found.threshold] if found.threshold is not None else [])}, reverse=True)
    lines = []
    for threshold in [None, *thresholds]:
        (counts,) = _counts(cells, found, threshold, np.array([found.capacity]))
        name = "nothing" if threshold is None else f"{threshold:g}"
        lines.append(PolicyRow(name, threshold, policy_estimates(counts, settings), threshold == found.threshold))
    return lines


def _by_people(
    rows: HistoryRows, found: FoundPolicy, settings: StaffingSettings, measured_by: FigureSettings
) -> list[PolicyRow]:
    """Other numbers of reviewers at the same threshold."""
    day, own = settings.day, 1.0 - settings.measured_share
    here = settings.reviewers if settings.reviewers is not None else day.reviewers(found.capacity / max(own, 1e-9))
    wanted = {0.0, 1.0, 2.0, *(round(here * factor) for factor in (0.5, 0.75, 1.25, 1.5, 2.0, 3.0)), here, here + 1.0}
    people = np.array(sorted(number for number in wanted if number <= max(day.reviewers(1.0), here)))
    shares = np.minimum(own * people * day.reviews_per_reviewer / day.items_per_day, 1.0)
    every = _counts(HistoryCells.from_rows(rows), found, found.threshold, shares)
    return [
        PolicyRow(f"{number:g}", float(number), policy_estimates(counts, measured_by), number == here)
        for number, counts in zip(people, every, strict=True)
    ]


def _by_strategy(
    rows: HistoryRows, found: FoundPolicy, goal: StaffingGoal, settings: FigureSettings
) -> list[PolicyRow]:
    """Other strategies at the same threshold and capacity."""
    own = found.strategy.name.partition(":")[0]
    lines = dict[str, PolicyRow]()
    cells = HistoryCells.from_rows(rows)
    for name in dict.fromkeys((*COMPARED_STRATEGIES, own) if own != StrategyKind.COLUMN else COMPARED_STRATEGIES):
        strategy, mode = strategy_beside(name, found.threshold, goal.costs)
        curve = ReviewCurve.from_cells(cells, strategy, found.threshold, review_removals=mode is PolicyMode.DECIDE)
        counts = curve.at(np.array([found.capacity * cells.total]))
        figures = policy_estimates(counts, settings)
        lines.setdefault(strategy.name, PolicyRow(name, None, figures, strategy.name == found.strategy.name))
    return list(lines.values())


def _calibrated_recall(rows: HistoryRows, settings: StaffingSettings, in_use: float, candidates: int) -> Estimate:
    """What the same goal would give with scores that were calibrated first."""
    better = calibrated_rows(rows, seed=settings.seed)
    goal = _goal(better, settings, _guarantee(better, settings, candidates)[0], in_use)
    counts, _ = cross_fitted(better, goal, seed=settings.seed)
    measured_by = FigureSettings.for_rows(better, settings.level, goal.reviewer, chosen=True)
    return policy_estimates(counts, measured_by)[OC_RECALL]


def _cost_a_day(
    rows: HistoryRows,
    goal: StaffingGoal,
    settings: StaffingSettings,
    counts: PolicyCounts,
) -> Estimate | None:
    """Cross-fitted, with the scatter of what each item costs."""
    if goal.costs is None:
        return None
    costs, reviewer, total = goal.costs, goal.reviewer, float(counts.total[0])
    mean = float(counts.cost(costs, reviewer)[0])
    missed = float((counts.violating - counts.found(reviewer))[0]) / total
    false, reviewed = float(counts.false_removals(reviewer)[0]) / total, float(counts.reviewed[0]) / total
    square = costs.missed_violation**2 * missed + costs.false_removal**2 * false + costs.review**2 * reviewed
    effective = FigureSettings.for_rows(rows, settings.level, reviewer, chosen=False).effective * total
    reach = normal_quantile(settings.level) * math.sqrt(max(square - mean**2, 0.0) / effective)
    items = settings.items_per_day
    ends = (items * mean, items * max(mean - reach, 0.0), items * (mean + reach))
    return Estimate(*ends, settings.level, "cross_fitted", len(rows.p))
