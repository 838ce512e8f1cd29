"""What a policy achieves, as estimates: exact intervals on effective numbers of items.

A policy whose threshold was chosen on these items, though not on the part it is measured on, is another one than the
policy in use: its figures scatter twice as much as those of a policy that was given, and by as much as the policies of
the parts differ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scipy.special import betaincinv

from evenhand.catalogue.collaboration import (
    LEFT,
    MISSED_VIOLATIONS,
    OC_ACCURACY,
    OC_PRECISION,
    OC_RECALL,
    REMOVED,
    REVIEWED,
    WRONG_REMOVALS,
)
from evenhand.estimate import Estimate
from evenhand.measures.collaboration import Reviewer
from evenhand.staffing.history import HistoryRows, PolicyCounts

EFFECTIVE_EXACT = "clopper_pearson"
CHOSEN_SCATTER = 2.0  # variance of the figures of a policy that was chosen on such items, relative to a given one


@dataclass(frozen=True, slots=True)
class FigureSettings:
    """The level, who reviews, how many independent items a unit of weight is, and how many rows there are."""

    level: float
    reviewer: Reviewer
    effective: float
    rows: int

    @classmethod
    def for_rows(cls, rows: HistoryRows, level: float, reviewer: Reviewer, *, chosen: bool) -> FigureSettings:
        """Kish's effective number where weights differ by design; counts are what they say; clusters count for less."""
        effective = 1.0
        if rows.inclusion is not None:
            effective = float(rows.weights.sum() / (rows.weights**2).sum())
        effective /= rows.design_effect
        return cls(level, reviewer, effective / (CHOSEN_SCATTER if chosen else 1.0), len(rows.p))

    def share(self, part: float, whole: float, nothing: str) -> Estimate:
        """A share with its interval; `nothing` is the reason where there is no whole."""
        if whole <= 1e-9:
            return Estimate.undefined(nothing, level=self.level, n=0)
        hits, items, tail = self.effective * part, self.effective * whole, (1.0 - self.level) / 2.0
        value = min(max(part / whole, 0.0), 1.0)
        low = float(betaincinv(hits, items - hits + 1.0, tail)) if hits > 1e-9 else 0.0
        high = float(betaincinv(hits + 1.0, items - hits, 1.0 - tail)) if items - hits > 1e-9 else 1.0
        n = max(1, round(whole if self.effective >= 0.5 else self.rows))
        return Estimate(value, min(low, value), max(high, value), self.level, EFFECTIVE_EXACT, n)


def with_policy_scatter(figures: dict[str, Estimate], others: Sequence[dict[str, Estimate]]) -> dict[str, Estimate]:
    """Intervals that also allow for the choice: other items would have chosen another policy, such as these."""
    widened = dict(figures)
    for measure, estimate in figures.items():
        value, low, high = estimate.value, estimate.low, estimate.high
        values = [end for other in others if (end := other[measure].value) is not None]
        if value is not None and low is not None and high is not None and values:
            below, above = (max(0.0, end) for end in (value - min(values), max(values) - value))
            low, high = value - math.hypot(value - low, below), value + math.hypot(high - value, above)
            widened[measure] = replace(estimate, low=max(low, 0.0), high=min(high, 1.0))
    return widened


def policy_estimates(counts: PolicyCounts, settings: FigureSettings) -> dict[str, Estimate]:
    """Every figure of a policy, by measure."""
    reviewer = settings.reviewer
    total, violating = float(counts.total[0]), float(counts.violating[0])
    found, false = float(counts.found(reviewer)[0]), float(counts.false_removals(reviewer)[0])
    removed, reviewed = float(counts.removed[0]), float(counts.reviewed[0])
    nobody = "no item violates"
    return {
        REMOVED: settings.share(removed, total, "no items"),
        REVIEWED: settings.share(reviewed, total, "no items"),
        LEFT: settings.share(max(total - removed - reviewed, 0.0), total, "no items"),
        WRONG_REMOVALS: settings.share(float(counts.removed_benign[0]), removed, "nothing is removed without review"),
        MISSED_VIOLATIONS: settings.share(float(counts.left_violating[0]), violating, nobody),
        OC_RECALL: settings.share(found, violating, nobody),
        OC_PRECISION: settings.share(found, found + false, "nothing is removed"),
        OC_ACCURACY: settings.share(total - false - (violating - found), total, "no items"),
    }
