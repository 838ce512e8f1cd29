"""Two review strategies on the same items: the difference between them, with an interval of its own.

Two strategies review many of the same items, so that what they achieve rises and falls together: their difference is
known far better than either number. Its variance comes from the influence of every item on both at once, summed within
clusters where there are any. At a capacity that is a share of the items the cut moves with the sample: an item that is
reviewed pushes another one out, which costs what a little more capacity would bring. The intervals of one measure hold
together for all capacities, since a reader looks at all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Floats, Int32s, Ints
from evenhand.audits.clustering import method_name
from evenhand.audits.collaboration import review
from evenhand.audits.collaboration.settings import CollaborationSettings
from evenhand.audits.views import View
from evenhand.catalogue.collaboration import (
    OC_ACCURACY,
    OC_AUROC,
    OC_PRECISION,
    OC_RECALL,
    REVIEW_EFFECTIVENESS,
    REVIEW_EFFICIENCY,
)
from evenhand.errors import Undefined
from evenhand.estimate import Estimate
from evenhand.finding import Measured, Slice, SliceKey
from evenhand.intervals.clusters import ANY_RANK, few_clusters_stretch, row_covariance
from evenhand.intervals.significance import PAIRED_INFLUENCE, simultaneous_level, simultaneous_quantile
from evenhand.measures.collaboration import Capacity, CapacityKind, ReviewOutcome
from evenhand.measures.collaboration.capacity import UnreviewedShares
from evenhand.routing.strategies import Strategy
from evenhand.tally import Clusters, Weights, joined_edges

FEWEST_STEPS = 1 << 14  # of the score, of equal mass; with fewer rows, each is a unit
NEAR_THE_CUT = 0.2  # of the items reviewed: how far from the cut an item is still like those at it


@dataclass(frozen=True)
class ReviewUnits:
    """What varies independently: rows. Where items are merely counted, those of one class and nearly one score.

    `place` is the rank of each unit's score: its cell of the tally, or its step.
    """

    view: View
    label: Bools
    place: Int32s
    weights: Weights | None
    clusters: Clusters | None
    flagged: Bools  # by the model
    starts: Ints | None = None  # the first cell of the tally in each step, and how many cells there are

    @classmethod
    def from_view(cls, view: View, *, by_rows: bool) -> ReviewUnits:
        """Steps of the score, so many that nothing is lost; or rows, where another column orders them."""
        placed, rows = view.rows, view.rows.rows
        threshold = np.inf if view.threshold is None else view.threshold
        flagged = view.tally.flagged(threshold) > 0.0
        countable = rows.clusters is None and (rows.weights is None or rows.weights.is_plain)
        if by_rows or not countable or len(rows) <= FEWEST_STEPS:
            return cls(view, rows.label, placed.place, rows.weights, rows.clusters, flagged[placed.place])
        violating, benign = view.everything.classes
        items = violating.weight + benign.weight
        middle = np.cumsum(items) - items / 2.0
        steps = (np.floor(middle * (FEWEST_STEPS / items.sum())) + flagged).astype(np.int32)
        steps = (np.cumsum(np.diff(steps, prepend=steps[0]) != 0)).astype(np.int32)
        size = int(steps[-1]) + 1
        counts = np.concatenate([np.bincount(steps, mass.weight, size) for mass in view.everything.classes])
        place = np.tile(np.arange(size, dtype=np.int32), 2)
        above = np.bincount(steps, flagged, size) > 0.0
        label = np.repeat([True, False], size)
        starts = np.searchsorted(steps, np.arange(size + 1))
        return cls(view, label, place, Weights.from_columns(count=counts), None, np.tile(above, 2), starts)

    def reviewed_shares(self, pieces: UnreviewedShares) -> Floats:
        """The share of each unit that is reviewed."""
        if self.starts is None:
            return np.asarray(1.0 - pieces.per_cell()[self.place])
        edges = joined_edges(self.starts, pieces.edges)
        step = np.searchsorted(self.starts, edges[:-1], side="right") - 1
        share = 1.0 - pieces.left[np.searchsorted(pieces.edges, edges[:-1], side="right") - 1]
        masses = [np.diff(mass.prefixes[0][edges]) for mass in self.view.everything.classes]
        sums = np.concatenate([np.bincount(step, share * mass, len(self.starts) - 1) for mass in masses])
        return np.asarray(np.divide(sums, self.weight, out=np.zeros_like(sums), where=self.weight > 0.0))

    @cached_property
    def weight(self) -> Floats:
        """What each unit stands for."""
        return np.ones(len(self.label)) if self.weights is None else self.weights.weight

    @cached_property
    def count(self) -> Floats:
        """How many items each unit is, of those that were looked at."""
        return self.weight if self.weights is None else self.weights.count


@dataclass(frozen=True)
class ReviewedUnits:
    """The units of a view as one strategy reviews them at one capacity: which share of each, and what comes out."""

    units: ReviewUnits
    strategy: Strategy
    capacity: Capacity

    @cached_property
    def outcome(self) -> ReviewOutcome:
        return review.review_outcome(self.units.view.everything, self.strategy, self.capacity)

    @cached_property
    def reviewed(self) -> Floats:
        """The share of each unit that is reviewed."""
        if self.strategy.column is not None:
            return review.row_shares(self.units.view, self.strategy, self.capacity)
        return self.units.reviewed_shares(self.outcome.pieces)

    @cached_property
    def wrong(self) -> Bools:
        """Which units the model gets wrong."""
        review.model_threshold(self.units.view.everything)  # without one, the model has no predictions
        return np.not_equal(self.units.flagged, self.units.label)

    @property
    def label(self) -> Bools:
        """Which units are violating."""
        return self.units.label

    @cached_property
    def removed(self) -> Floats:
        """The share of each unit that is removed: by reviewers, who are right, or else by the model."""
        flagged = self.label != self.wrong
        removed: Floats = np.where(self.label, self.reviewed, 0.0) + (1.0 - self.reviewed) * flagged
        return removed

    @property
    def weight(self) -> Floats:
        """What each unit stands for."""
        return self.units.weight

    @property
    def count(self) -> Floats:
        """How many items each unit is."""
        return self.units.count

    def at_the_cut(self, value: Callable[[ReviewOutcome], float]) -> Floats:
        """What each row moves by moving the cut; nothing, where everything from some review score on is reviewed."""
        if self.capacity.kind is CapacityKind.THRESHOLD:
            return np.zeros(len(self.weight))
        total, share = float(self.weight.sum()), self.outcome.share
        near = [Capacity.items(factor * share * total) for factor in (1.0 - NEAR_THE_CUT, 1.0 + NEAR_THE_CUT)]
        less, more = (review.review_outcome(self.units.view.everything, self.strategy, one) for one in near)
        slope = (value(more) - value(less)) / (more.share - less.share) if more.share > less.share else 0.0
        return (share - self.reviewed) * slope / total


@dataclass(frozen=True)
class ComparedMeasure:
    """A measure of review: its value, the influence of each row at a fixed cut, and the items it rests on."""

    name: str
    value: Callable[[ReviewOutcome], float]
    fixed: Callable[[ReviewedUnits, float], Floats]
    items: Callable[[ReviewedUnits], float]
    move: Callable[[float], float] = lambda value: max(value, 1.0 - value)  # of an item that was not seen
    of_reviewed: bool = False  # a share of the reviewed items alone

    def influence(self, rows: ReviewedUnits) -> Floats:
        """Of every row."""
        return self.fixed(rows, self.value(rows.outcome)) + rows.at_the_cut(self.value)

    def unseen(self, rows: ReviewedUnits) -> float:
        """The variance that one item which was not seen would bring; only if reviewed does it tell strategies apart."""
        among = 1.0 if self.of_reviewed else rows.outcome.share
        return among * (self.move(self.value(rows.outcome)) / max(self.items(rows), 1.0)) ** 2


def _accuracy(rows: ReviewedUnits, value: float) -> Floats:
    return np.asarray((np.where(rows.wrong, rows.reviewed, 1.0) - value) / rows.weight.sum())


def _efficiency(rows: ReviewedUnits, value: float) -> Floats:
    return rows.reviewed * (rows.wrong - value) / float(rows.weight @ rows.reviewed)


def _effectiveness(rows: ReviewedUnits, value: float) -> Floats:
    return rows.wrong * (rows.reviewed - value) / float(rows.weight @ rows.wrong)


def _recall(rows: ReviewedUnits, value: float) -> Floats:
    return np.where(rows.label, rows.removed - value, 0.0) / float(rows.weight @ rows.label)


def _precision(rows: ReviewedUnits, value: float) -> Floats:
    return rows.removed * (rows.label - value) / float(rows.weight @ rows.removed)


def _auroc(rows: ReviewedUnits, value: float) -> Floats:
    """Reviewed rows are ranked right against all others; the rest as their scores are, among what is left."""
    place, label = rows.units.place, rows.units.label
    size = int(place.max()) + 1
    values = np.empty(len(label))
    for own in (True, False):
        other = label != own
        total = float(rows.weight[other].sum())
        left = np.bincount(place[other], (rows.weight * (1.0 - rows.reviewed))[other], size)
        below = np.cumsum(left) - 0.5 * left
        passed = below if own else left.sum() - below
        ranked = (total - left.sum() + passed[place]) / total
        right = rows.reviewed + (1.0 - rows.reviewed) * ranked
        values[~other] = (right[~other] - value) / float(rows.weight[~other].sum())
    return values


COMPARED = (
    ComparedMeasure(OC_ACCURACY, lambda o: o.accuracy().value, _accuracy, lambda rows: float(rows.count.sum())),
    ComparedMeasure(
        OC_AUROC,
        lambda o: o.auroc(),
        _auroc,
        lambda rows: min(float(rows.count[rows.units.label == own].sum()) for own in (True, False)),
        lambda _: ANY_RANK,
    ),
    ComparedMeasure(
        REVIEW_EFFICIENCY,
        lambda o: o.efficiency().value,
        _efficiency,
        lambda rows: float(rows.count @ rows.reviewed),
        of_reviewed=True,
    ),
    ComparedMeasure(
        REVIEW_EFFECTIVENESS,
        lambda o: o.effectiveness().value,
        _effectiveness,
        lambda rows: float(rows.count @ rows.wrong),
    ),
)
HEADLINE_COMPARED = (  # read together, so that their intervals hold together for both and for all strategies
    ComparedMeasure(OC_RECALL, lambda o: o.recall().value, _recall, lambda rows: float(rows.count @ rows.label)),
    ComparedMeasure(
        OC_PRECISION, lambda o: o.precision().value, _precision, lambda rows: float(rows.count @ rows.removed)
    ),
)


def strategy_differences(
    view: View, strategies: Sequence[Strategy], settings: CollaborationSettings, named: Slice
) -> Iterator[Measured]:
    """Every strategy against the first, measure by measure over all capacities."""
    units = ReviewUnits.from_view(view, by_rows=any(strategy.column is not None for strategy in strategies))
    for strategy in strategies[1:]:
        against = {**named, SliceKey.STRATEGY: strategy.name, SliceKey.AGAINST: strategies[0].name}
        pairs = {
            text: (ReviewedUnits(units, strategy, capacity), ReviewedUnits(units, strategies[0], capacity))
            for text, capacity in settings.capacity_by_text.items()
        }
        each = simultaneous_level(settings.level, len(HEADLINE_COMPARED) * (len(strategies) - 1))
        levels = dict.fromkeys(COMPARED, settings.level) | dict.fromkeys(HEADLINE_COMPARED, each)
        for measure, level in levels.items():
            for text, estimate in _estimates(measure, pairs, view, level, settings.level).items():
                yield Measured(measure.name, {**against, SliceKey.CAPACITY: text}, estimate)


Pair = tuple[ReviewedUnits, ReviewedUnits]


def _estimates(
    measure: ComparedMeasure, pairs: dict[str, Pair], view: View, each: float, level: float
) -> dict[str, Estimate]:
    """At each capacity, with intervals that hold together, at the level of `each` measure."""
    estimates, moved, unseen = dict[str, Estimate](), dict[str, Floats](), list[float]()
    for text, (one, other) in pairs.items():
        try:
            moved[text] = measure.influence(one) - measure.influence(other)
        except Undefined as why:
            estimates[text] = Estimate.undefined(str(why), level=level, n=view.everything.items)
            continue
        unseen.append(measure.unseen(one) + measure.unseen(other))
    if moved:
        units = next(iter(pairs.values()))[0].units
        values = np.stack(list(moved.values()), axis=1)
        covariance, clusters = row_covariance(values, units.weights, units.clusters)
        covariance += np.diag(unseen)
        reach = simultaneous_quantile(covariance, each) * few_clusters_stretch(clusters, each)
        for text, error in zip(moved, np.sqrt(np.diag(covariance)), strict=True):
            estimates[text] = _estimate(measure, pairs[text], view, reach * float(error), level)
    return {text: estimates[text] for text in pairs}


def _estimate(measure: ComparedMeasure, pair: Pair, view: View, reach: float, level: float) -> Estimate:
    first, second = (measure.value(one.outcome) for one in pair)
    value = first - second
    low, high = max(value - reach, -1.0), min(value + reach, 1.0)
    return Estimate(value, low, high, level, method_name(view.everything, PAIRED_INFLUENCE), view.everything.items)
