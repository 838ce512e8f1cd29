"""Labelled items as counts of cells, and what review at every capacity would have made of them.

A cell holds the items of one score (or, for a strategy with a column, one item). A `ReviewCurve` has what is reviewed
as capacity grows, by what would otherwise have happened: removed or left, violating or benign.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Bools, Floats
from evenhand.intervals.clusters import RowInfluence, design_effect
from evenhand.measures.collaboration import Reviewer
from evenhand.routing.strategy import Strategy
from evenhand.staffing.capacity import Costs
from evenhand.tally import Clusters


class HistoryRows(NamedTuple):
    """Labelled items: probability, label, a weight (counts, or one over the inclusion probability), a review column,
    and which items belong together.
    """

    p: Floats
    y: Bools
    weights: Floats
    given: Floats | None = None
    inclusion: Floats | None = None
    clusters: Clusters | None = None

    def take(self, rows: Bools) -> HistoryRows:
        """Some of them."""
        clusters = None if self.clusters is None else self.clusters.take(rows)
        given, inclusion = (None if part is None else part[rows] for part in (self.given, self.inclusion))
        return HistoryRows(self.p[rows], self.y[rows], self.weights[rows], given, inclusion, clusters)

    @property
    def design_effect(self) -> float:
        """By how much clusters widen a share of these items: the largest of what figures are made of, at least 1.

        Prevalence, the score among violations (recall), and violations in the higher half of the scores (precision).
        """
        if self.clusters is None:
            return 1.0
        high = self.p >= np.median(self.p)
        every = np.ones(len(self.p), dtype=np.bool_)
        violating = self.y.astype(np.float64)
        means = ((violating, every), (self.p, self.y), (violating, high))
        return max(1.0, *(_mean_effect(values, some, self.weights, self.clusters) for values, some in means))


def _mean_effect(values: Floats, among: Bools, weights: Floats, clusters: Clusters) -> float:
    """The design effect of a weighted mean among some items; 1 where there is nothing to see."""
    inside = weights * among
    if not inside.any():
        return 1.0
    influence = inside * (values - np.average(values, weights=inside)) / inside.sum()
    return design_effect(RowInfluence(influence, among.astype(np.int32)), clusters).factor if influence.any() else 1.0


class HistoryCells(NamedTuple):
    """Distinct scores, rising, and the weight of violating and benign items at each."""

    p: Floats
    violating: Floats
    benign: Floats
    given: Floats | None

    @classmethod
    def from_rows(cls, rows: HistoryRows) -> HistoryCells:
        """Counted by score; one cell for each row where there is a review column."""
        if rows.given is not None:
            return cls(rows.p, rows.weights * rows.y, rows.weights * ~rows.y, rows.given)
        p, places = np.unique(rows.p, return_inverse=True)
        violating, benign = (
            np.bincount(places, rows.weights * part, minlength=len(p)).astype(np.float64) for part in (rows.y, ~rows.y)
        )
        return cls(p, violating, benign, None)

    @property
    def total(self) -> float:
        """The weight of everything."""
        return float(self.violating.sum() + self.benign.sum())


@dataclass(frozen=True, slots=True)
class PolicyCounts:
    """Weights of items by what happens to them and what they are; each an array over capacities, or a number."""

    removed_violating: Floats
    removed_benign: Floats
    reviewed_violating: Floats
    reviewed_benign: Floats
    left_violating: Floats
    left_benign: Floats

    @property
    def parts(self) -> Floats:
        """All six, one a row."""
        return np.array([getattr(self, name) for name in self.__slots__])

    @property
    def removed(self) -> Floats:
        """Removed without review."""
        return self.removed_violating + self.removed_benign

    @property
    def reviewed(self) -> Floats:
        """Seen by people."""
        return self.reviewed_violating + self.reviewed_benign

    @property
    def violating(self) -> Floats:
        """All violations."""
        return self.removed_violating + self.reviewed_violating + self.left_violating

    def found(self, reviewer: Reviewer) -> Floats:
        """Violations that are removed in the end."""
        return self.removed_violating + (1.0 - reviewer.violating_error) * self.reviewed_violating

    def false_removals(self, reviewer: Reviewer) -> Floats:
        """Benign items that are removed in the end."""
        return self.removed_benign + reviewer.benign_error * self.reviewed_benign

    def wrong_share(self) -> Floats:
        """Of what is removed without review, the share that is benign; 0 where nothing is removed."""
        return _ratio(self.removed_benign, self.removed)

    def recall(self, reviewer: Reviewer) -> Floats:
        """Of all violations, the share that is removed in the end."""
        return _ratio(self.found(reviewer), self.violating)

    def precision(self, reviewer: Reviewer) -> Floats:
        """Of all that is removed in the end, the share that is violating; 1 where nothing is."""
        whole = self.found(reviewer) + self.false_removals(reviewer)
        return np.where(whole > 0.0, _ratio(self.found(reviewer), whole), 1.0)

    def accuracy(self, reviewer: Reviewer) -> Floats:
        """Of all items, the share that is decided correctly."""
        return 1.0 - _ratio(self.violating - self.found(reviewer) + self.false_removals(reviewer), self.total)

    def f1(self, reviewer: Reviewer) -> Floats:
        """The harmonic mean of precision and recall."""
        violations_found = self.found(reviewer)
        return _ratio(2.0 * violations_found, violations_found + self.false_removals(reviewer) + self.violating)

    def cost(self, costs: Costs, reviewer: Reviewer) -> Floats:
        """For each item."""
        missed = self.violating - self.found(reviewer)
        paid = costs.false_removal * self.false_removals(reviewer) + costs.missed_violation * missed
        return _ratio(paid + costs.review * self.reviewed, self.total)

    @property
    def total(self) -> Floats:
        """All items."""
        whole: Floats = self.parts.sum(axis=0)
        return whole


def _ratio(part: Floats, whole: Floats) -> Floats:
    part, whole = np.broadcast_arrays(np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64))
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0.0)


@dataclass(frozen=True, slots=True)
class ReviewCurve:
    """`reviewed` are growing amounts of review; `kinds`, of each amount what it holds (rows as in `totals`)."""

    reviewed: Floats
    kinds: Floats
    totals: Floats  # violating and benign of what would be removed, then of what would be left

    @classmethod
    def from_cells(
        cls, cells: HistoryCells, strategy: Strategy, threshold: float | None, *, review_removals: bool
    ) -> ReviewCurve:
        """Of one strategy beside one threshold. What is removed is reviewed only where that is wanted."""
        removed = cells.p >= (np.inf if threshold is None else threshold)
        masses = np.array(
            [cells.violating * removed, cells.benign * removed, cells.violating * ~removed, cells.benign * ~removed]
        )
        waiting = np.arange(len(cells.p)) if review_removals else np.flatnonzero(~removed)
        given = None if cells.given is None else cells.given[waiting]
        scores = strategy.review_score(cells.p[waiting], given)
        order = np.argsort(-scores, kind="stable")
        last = np.append(np.diff(scores[order]) < -strategy.tied, True)[: len(order)]  # of equal review scores
        kinds = np.cumsum(masses[:, waiting[order]], axis=1)[:, last]
        kinds = np.concatenate([np.zeros((4, 1)), kinds], axis=1)
        return cls(kinds.sum(axis=0), kinds, masses.sum(axis=1))

    def at(self, capacities: Floats) -> PolicyCounts:
        """What happens to the items when so much is reviewed; equal review scores are reviewed in equal parts."""
        seen = np.array([np.interp(capacities, self.reviewed, kind) for kind in self.kinds])
        unseen = self.totals[:, None] - seen
        return PolicyCounts(unseen[0], unseen[1], seen[0] + seen[2], seen[1] + seen[3], unseen[2], unseen[3])
