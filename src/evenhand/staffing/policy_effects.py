"""What a policy would have done to items that were drawn at random and judged: overall, by group, at any capacity.

An item that a person reviews is removed if its verdict says so: the verdicts are those of the reviewers themselves.
Intervals are exact on effective numbers of items. A policy that was chosen on the same items looks better than it is:
what is shown here is exploratory, unless a guarantee comes with the thresholds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Bools, Floats
from evenhand.catalogue.collaboration import OC_RECALL, REVIEWED, WRONG_REMOVALS
from evenhand.estimate import Estimate
from evenhand.measures.collaboration import ORACLE
from evenhand.routing.strategy import Strategy
from evenhand.staffing.history import HistoryRows, PolicyCounts
from evenhand.staffing.policy_figures import FigureSettings, policy_estimates

EFFECT_MEASURES = (OC_RECALL, WRONG_REMOVALS, REVIEWED)
LEVEL = 0.95


@dataclass(frozen=True)
class PolicyChoice:
    """Thresholds, an order of review, and how many items a day people review; None: nothing is decided unseen.

    >>> eh.staffing.PolicyChoice(0.9, None, eh.routing.parse_strategy("uncertainty"), reviews_per_day=480.0).upper
    0.9
    """

    upper: float | None
    lower: float | None
    strategy: Strategy
    reviews_per_day: float


class PolicyEffect(NamedTuple):
    """What a choice would have done to a group, by measure; the group of all items has no name."""

    group: str | None
    items: int
    estimates: Mapping[str, Estimate]


class CapacityPoint(NamedTuple):
    """Recall at a number of reviews a day."""

    reviews_per_day: float
    recall: Estimate


@dataclass(frozen=True)
class JudgedSample:
    """Judged items; `weights` add up to the items of a day, `groups` are members by name.

    >>> sample = eh.staffing.JudgedSample(
    ...     np.array([0.9, 0.6, 0.1]), np.array([True, True, False]), np.full(3, 10.0)
    ... )
    >>> order = eh.routing.parse_strategy("uncertainty")
    >>> effect = sample.effects(eh.staffing.PolicyChoice(0.8, None, order, reviews_per_day=10.0))[0]
    >>> effect.estimates["oc_recall"].value
    1.0
    """

    p: Floats
    y: Bools
    weights: Floats
    groups: Mapping[str, Bools] = field(default_factory=dict)

    @property
    def items_per_day(self) -> float:
        """All that comes in."""
        return float(self.weights.sum())

    def effects(self, choice: PolicyChoice, *, level: float = LEVEL) -> list[PolicyEffect]:
        """Of all items first, then of every group."""
        removed, seen = self._outcomes(choice)
        everything = np.ones(len(self.p), dtype=np.bool_)
        return [
            PolicyEffect(name, int(members.sum()), self._estimates(members, removed, seen, level))
            for name, members in [(None, everything), *self.groups.items()]
        ]

    def capacity_curve(
        self, choice: PolicyChoice, reviews: Sequence[float], *, level: float = LEVEL
    ) -> list[CapacityPoint]:
        """Recall at other capacities, thresholds and order as chosen."""
        points = []
        for number in reviews:
            other = PolicyChoice(choice.upper, choice.lower, choice.strategy, number)
            points.append(CapacityPoint(number, self.effects(other, level=level)[0].estimates[OC_RECALL]))
        return points

    def gain(self, choice: PolicyChoice, more: float, *, level: float = LEVEL) -> Estimate:
        """The share of violations that so many more reviews a day would find besides."""
        _, seen = self._outcomes(choice)
        other = PolicyChoice(choice.upper, choice.lower, choice.strategy, choice.reviews_per_day + more)
        _, then = self._outcomes(other)
        added = float((self.weights * self.y * np.maximum(then - seen, 0.0)).sum())
        return self._settings(level).share(added, float((self.weights * self.y).sum()), "no item violates")

    def share(self, part: Bools, whole: Bools, nothing: str, *, level: float = LEVEL) -> Estimate:
        """What a part is of a whole; `nothing` is the reason where there is no whole."""
        part_weight, whole_weight = (float((self.weights * rows).sum()) for rows in (part & whole, whole))
        return self._settings(level).share(part_weight, whole_weight, nothing)

    def _outcomes(self, choice: PolicyChoice) -> tuple[Bools, Floats]:
        """Which items are removed unseen, and the share of each that is reviewed."""
        removed = self.p >= (np.inf if choice.upper is None else choice.upper)
        middle = ~removed & (self.p >= (-np.inf if choice.lower is None else choice.lower))
        seen = np.zeros(len(self.p))
        if middle.any():
            capacity = min(choice.reviews_per_day, float(self.weights[middle].sum()))
            p, weights = self.p[middle], self.weights[middle]
            order = np.argsort(p, kind="stable")  # capacity is spent on cells in the order of the scores
            shares = np.empty(len(p))
            shares[order] = choice.strategy.shares_reviewed(p[order], capacity, counts=weights[order])
            seen[middle] = shares
        return removed, seen

    def _estimates(self, members: Bools, removed: Bools, seen: Floats, level: float) -> dict[str, Estimate]:
        w, y = self.weights * members, self.y
        left = ~removed * (1.0 - seen)
        masses = (w * removed * y, w * removed * ~y, w * seen * y, w * seen * ~y, w * left * y, w * left * ~y)
        counts = PolicyCounts(*(np.array([mass.sum()]) for mass in masses))
        estimates = policy_estimates(counts, self._settings(level))
        return {measure: estimates[measure] for measure in EFFECT_MEASURES}

    def _settings(self, level: float) -> FigureSettings:
        rows = HistoryRows(self.p, self.y, self.weights, inclusion=1.0 / self.weights)
        return FigureSettings.for_rows(rows, level, ORACLE, chosen=False)
