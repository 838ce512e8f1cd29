"""Model and reviewers together, group by group: one review queue for all groups, and reviewers who err by group.

The items of all groups wait in one queue, so a group has as many reviews as its items' places in it bring. What is
reviewed is decided as wrongly as reviewers were found to decide items of the group; the model decides the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Bools, Floats
from evenhand.audits.clustering import scope_rows
from evenhand.audits.collaboration import review
from evenhand.audits.group_words import ErrorRate
from evenhand.audits.views import Scope
from evenhand.errors import Undefined
from evenhand.intervals import proportions
from evenhand.intervals.clusters import RowInfluence, design_effect
from evenhand.intervals.proportions import WilsonInterval
from evenhand.intervals.reviewer_errors import ALWAYS_RIGHT, ReviewedItems, ReviewerError
from evenhand.measures import rates
from evenhand.measures.collaboration import Capacity, Reviewer, ReviewOutcome
from evenhand.measures.rates import Share
from evenhand.memo import Memo
from evenhand.routing.strategies import Strategy
from evenhand.tally import Amount, Confusion, Reviews, Weights

RATES: dict[ErrorRate, Callable[[Confusion], Share]] = {
    ErrorRate.FALSE_POSITIVE: rates.fpr,
    ErrorRate.FALSE_NEGATIVE: rates.fnr,
}


@dataclass(frozen=True)
class ReviewerErrors:
    """How often reviewers err on items of each group and of all others; never, where no reviews are declared."""

    reviews: Reviews | None
    memo: Memo = field(default_factory=Memo, compare=False)

    def on(self, scope: Scope, rate: ErrorRate, *, outside: bool) -> ReviewerError:
        """On the benign or the violating items of a scope, or outside its group."""
        if (reviews := self.reviews) is None:
            return ALWAYS_RIGHT
        key = (scope.group, outside)
        items = self.memo.once(key, lambda: self._items(reviews, scope, outside=outside))
        return self.memo.once((*key, rate), lambda: items.error(violating=rate is ErrorRate.FALSE_NEGATIVE))

    @staticmethod
    def _items(reviews: Reviews, scope: Scope, *, outside: bool) -> ReviewedItems:
        rows = scope.view.rows.rows
        some = np.flatnonzero(scope_rows(scope, background=outside))
        return ReviewedItems.from_rows(reviews, rows.weights, rows.clusters, some)


class QueueSide(NamedTuple):
    """An error rate of a group or of all others: the share, its interval, and with clusters what each row moves."""

    share: Share
    wilson: WilsonInterval
    rows: RowInfluence | None


@dataclass(frozen=True)
class CommonQueue:
    """One queue of all items, by a strategy, reviewed up to a capacity."""

    strategy: Strategy
    capacity: Capacity
    errors: ReviewerErrors

    def outcome(self, scope: Scope, *, outside: bool = False) -> ReviewOutcome:
        """What is reviewed of a scope and what is left to the model, or of all items outside its group."""
        inside = review.common_outcome(scope, self.strategy, self.capacity)
        if not outside:
            return inside
        everybody = review.common_outcome(scope.view.everything, self.strategy, self.capacity)
        reviewed, left = self._background(scope, inside, everybody)
        return ReviewOutcome(reviewed, left, everybody.pieces, everybody.areas)

    def side(self, scope: Scope, rate: ErrorRate, *, outside: bool = False) -> QueueSide:
        """An error rate after review; `Undefined` where it has no value."""
        return scope.view.memo.once(
            ("side", self.strategy.name, self.capacity, scope.group, rate, outside),
            lambda: self._side(scope, rate, outside=outside),
        )

    def _side(self, scope: Scope, rate: ErrorRate, *, outside: bool) -> QueueSide:
        outcome, error = self.outcome(scope, outside=outside), self.errors.on(scope, rate, outside=outside)
        share = RATES[rate](outcome.decided(Reviewer(error.value, error.value)))  # either rate takes one of the two
        if not share.whole.weight:
            raise Undefined(share.empty)
        plain, rows = proportions.wilson(share.part, share.rest, share.unseen()), None
        if (clusters := scope.view.clusters) is not None:
            rows = self._influence(scope, rate, error.value, outside=outside)
            plain = design_effect(rows, clusters).widen(plain)
        reviewed = RATES[rate](outcome.reviewed).whole.weight / share.whole.weight
        return QueueSide(share, _with_reviewers(plain, reviewed, error), rows)

    def reviewed_share(self, scope: Scope) -> tuple[Share, WilsonInterval]:
        """The share of a group's items that the queue brings to reviewers."""
        outcome = self.outcome(scope)
        reviewed, left = (rates.fpr(c).whole + rates.fnr(c).whole for c in (outcome.reviewed, outcome.left))
        share = Share(reviewed, left, "there are no items")
        plain = proportions.wilson(share.part, share.rest, share.unseen())
        if (clusters := scope.view.clusters) is None:
            return share, plain
        influence = _mean_influence(scope, scope_rows(scope), self._row_shares(scope))
        return share, design_effect(influence, clusters).widen(plain)

    def _influence(self, scope: Scope, rate: ErrorRate, error: float, *, outside: bool) -> RowInfluence:
        """Of every row on the rate."""
        rows = scope.view.rows.rows
        wanted = rows.label if rate is ErrorRate.FALSE_NEGATIVE else ~rows.label
        inside = scope_rows(scope, background=outside) & wanted
        return _mean_influence(scope, inside, self._wrong(scope, error))

    def _row_shares(self, scope: Scope) -> Floats:
        """The share of each row that is reviewed, worked out once."""
        return scope.view.memo.once(
            ("row shares", self.strategy.name, self.capacity),
            lambda: review.row_shares(scope.view, self.strategy, self.capacity),
        )

    def _wrong(self, scope: Scope, error: float) -> Floats:
        """How likely each row is decided wrongly in the end."""
        reviewed = self._row_shares(scope)
        wrong: Floats = np.where(_flagged(scope) != scope.view.rows.rows.label, 1.0 - reviewed, 0.0) + reviewed * error
        return wrong

    def _background(self, scope: Scope, inside: ReviewOutcome, everybody: ReviewOutcome) -> tuple[Confusion, Confusion]:
        """Everybody but the group; where some items were not annotated for it, without those."""
        assert scope.group is not None
        if scope.view.rows.rows.groups[scope.group].annotated is None:
            return _without(everybody.reviewed, inside.reviewed), _without(everybody.left, inside.left)
        share = self._row_shares(scope)
        rows = scope_rows(scope, background=True)
        return _counted(scope, rows * share), _counted(scope, rows * (1.0 - share))


def _mean_influence(scope: Scope, inside: Bools, numbers: Floats) -> RowInfluence:
    """Of every row on the mean of a number between 0 and 1 over some rows."""
    weights = scope.view.rows.rows.weights
    weight = np.ones(len(inside)) if weights is None else weights.weight
    whole = float(weight[inside].sum())
    value = float((weight * numbers)[inside].sum()) / whole
    values = np.where(inside, numbers - value, 0.0) / whole
    return RowInfluence(values, np.zeros(len(inside), dtype=np.int32), weights, max(value, 1.0 - value))


def _with_reviewers(plain: WilsonInterval, reviewed: float, error: ReviewerError) -> WilsonInterval:
    """As wide as not knowing exactly how often reviewers err makes it."""
    if not error.variance or not plain.size:
        return plain
    items = 1.0 / plain.size
    moved = (plain.value * items + 0.5) / (items + 1.0)
    more = reviewed**2 * error.variance / (moved * (1.0 - moved))
    size = plain.size + more
    scarce = plain.size**2 / plain.freedom + more**2 / error.freedom  # Satterthwaite's rule
    return WilsonInterval(plain.value, size, size**2 / scarce if scarce > 0.0 else math.inf)


def _flagged(scope: Scope) -> Bools:
    flagged: Bools = scope.view.tally.flagged(review.model_threshold(scope))[scope.view.rows.place] > 0.0
    return flagged


def _without(whole: Confusion, part: Confusion) -> Confusion:
    """What is left of the counts; what rounding leaves below nothing is nothing."""
    rest = whole - part
    return Confusion(
        *(_at_least_none(a) for a in (rest.true_positive, rest.false_negative, rest.false_positive, rest.true_negative))
    )


def _at_least_none(amount: Amount) -> Amount:
    return Amount(max(amount.weight, 0.0), max(amount.spread, 0.0), max(amount.count, 0.0), amount.heaviest)


def _counted(scope: Scope, times: Floats) -> Confusion:
    """The counts of rows, each so many times."""
    rows, flagged = scope.view.rows.rows, _flagged(scope)
    label = rows.label
    kinds = (label & flagged, label & ~flagged, ~label & flagged, ~label & ~flagged)
    return Confusion(*(_amount(rows.weights, times, kind) for kind in kinds))


def _amount(weights: Weights | None, times: Floats, rows: Bools) -> Amount:
    some = times * rows
    if weights is None:
        total = float(some.sum())
        return Amount(total, total, total)
    there = some > 0.0
    heaviest = float(np.max((weights.spread / weights.weight)[there], initial=0.0))
    weight, spread, count = (float((some * part).sum()) for part in (weights.weight, weights.spread, weights.count))
    return Amount(weight, spread, count, 1.0 if weights.is_plain else heaviest)
