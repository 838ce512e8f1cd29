"""What the collaboration audit measures, with intervals: of the model alone, of a strategy, and at one capacity.

A new quantity is a new row in one of the tables at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evenhand.audits.clustering import method_name, share_influence, widened
from evenhand.audits.collaboration import review
from evenhand.audits.quantities import (
    AVERAGE_PRECISION,
    SIZE_QUANTITIES,
    PrecisionRecallArea,
    Quantity,
    QuantityInterval,
    RocArea,
    WholeScopeQuantity,
)
from evenhand.audits.redrawn_errors import RedrawnErrors
from evenhand.audits.settings import Settings
from evenhand.audits.views import Scope
from evenhand.catalogue.collaboration import (
    CALIBRATION_AUPRC,
    CALIBRATION_AUROC,
    OC_ACCURACY,
    OC_AUPRC,
    OC_AUROC,
    OC_F1,
    OC_PRECISION,
    OC_RECALL,
    REVIEW_EFFECTIVENESS,
    REVIEW_EFFICIENCY,
)
from evenhand.catalogue.shared import ACCURACY, AUPRC_INTERPOLATED, AUROC, BRIER, ECE, F1, PRECISION, RECALL
from evenhand.intervals import proportions
from evenhand.intervals.clusters import RowInfluence
from evenhand.intervals.proportions import WilsonInterval
from evenhand.measures import binary_calibration, rates
from evenhand.measures.binary_calibration import RankedErrors
from evenhand.measures.collaboration import Capacity, CapacityKind, ReviewOutcome
from evenhand.measures.ranking import auprc_interpolated, auroc
from evenhand.measures.rates import Share
from evenhand.routing.strategies import Strategy
from evenhand.tally import Classes, Confusion

NEAR_THE_CUT = 0.2  # of the items reviewed: how far from the cut an item is still like those at it


@dataclass(frozen=True)
class ThresholdShare(WholeScopeQuantity):
    """A share of items at the threshold."""

    name: str
    share: Callable[[Scope], Share]

    def value(self, scope: Scope) -> float:
        return self.share(scope).value

    def interval(self, scope: Scope, value: float, level: float) -> QuantityInterval:
        share = self.share(scope)
        return QuantityInterval(
            *proportions.wilson(share.part, share.rest, share.unseen()).interval(level), proportions.WILSON
        )


@dataclass(frozen=True)
class ModelShare(ThresholdShare):
    """A share of the model alone, of which it is known how much each row moves it."""

    def row_influence(self, scope: Scope) -> RowInfluence:
        return share_influence(scope, self.name)

    def interval(self, scope: Scope, value: float, level: float) -> QuantityInterval:
        share = self.share(scope)
        plain = widened(self, scope, proportions.wilson(share.part, share.rest, share.unseen()))
        return QuantityInterval(*plain.interval(level), method_name(scope, proportions.WILSON))


@dataclass(frozen=True)
class F1Score(WholeScopeQuantity):
    """F1: a rising function of hits among hits and errors, whose interval is turned along."""

    name: str
    confusion: Callable[[Scope], Confusion]

    def value(self, scope: Scope) -> float:
        return rates.f1(self.confusion(scope))

    def interval(self, scope: Scope, value: float, level: float) -> QuantityInterval:
        c = self.confusion(scope)
        low, high = proportions.wilson(c.true_positive, c.false_positive + c.false_negative).interval(level)
        return QuantityInterval(2.0 * low / (1.0 + low), 2.0 * high / (1.0 + high), proportions.WILSON)


@dataclass(frozen=True)
class BrierScore(WholeScopeQuantity):
    """The mean squared error of the probabilities."""

    name: str = BRIER

    def value(self, scope: Scope) -> float:
        return binary_calibration.brier(review.probability_cells(scope))

    def drawn_interval(self, scope: Scope, value: float, settings: Settings) -> QuantityInterval:
        return _redrawn(scope, settings).brier(scope, value)


@dataclass(frozen=True)
class CalibrationError(WholeScopeQuantity):
    """Expected calibration error."""

    name: str = ECE

    def value(self, scope: Scope) -> float:
        return binary_calibration.ece(review.probability_cells(scope))

    def drawn_interval(self, scope: Scope, value: float, settings: Settings) -> QuantityInterval:
        return _redrawn(scope, settings).ece(scope)


def _redrawn(scope: Scope, settings: Settings) -> RedrawnErrors:
    """Items redrawn once for both numbers."""
    return scope.view.memo.once(
        ("redrawn", scope.group),
        lambda: RedrawnErrors.from_scope(scope, review.score_probabilities(scope.view), settings),
    )


@dataclass(frozen=True)
class ReviewEfficiency(WholeScopeQuantity):
    """Review Efficiency: a share of the reviewed, who are chosen anew with every sample.

    The cut moves with the sample, which brings in items like those at the cut. So to the variance of a share comes
    (1 − α) · (share − error rate at the cut)² / k, with k = α · n items reviewed. A fixed level does not move.
    """

    strategy: Strategy
    capacity: Capacity
    name: str = REVIEW_EFFICIENCY

    def share(self, scope: Scope) -> Share:
        """Wrong among the reviewed."""
        return review.review_outcome(scope, self.strategy, self.capacity).efficiency()

    def value(self, scope: Scope) -> float:
        return self.share(scope).value

    def interval(self, scope: Scope, value: float, level: float) -> QuantityInterval:
        outcome, share = review.review_outcome(scope, self.strategy, self.capacity), self.share(scope)
        plain = proportions.wilson(share.part, share.rest, share.unseen())
        if self.capacity.kind is CapacityKind.THRESHOLD or not 0.0 < value < 1.0:
            return QuantityInterval(*plain.interval(level), proportions.WILSON)
        moved = (1.0 - outcome.share) * (value - self._at_the_cut(scope, share)) ** 2
        size = plain.size * (1.0 + moved / (value * (1.0 - value)))
        return QuantityInterval(*WilsonInterval(value, size, plain.freedom).interval(level), proportions.WILSON)

    def _at_the_cut(self, scope: Scope, reviewed: Share) -> float:
        """The share of errors among the last fifth of the reviewed and as many who come next."""
        amount = reviewed.whole.weight
        near = (Capacity.items(factor * amount) for factor in (1.0 - NEAR_THE_CUT, 1.0 + NEAR_THE_CUT))
        first, last = (review.review_outcome(scope, self.strategy, capacity).efficiency() for capacity in near)
        between = last.whole.weight - first.whole.weight
        return (last.part.weight - first.part.weight) / between if between > 0.0 else reviewed.value


def _scope_classes(scope: Scope) -> Classes:
    return scope.classes


MODEL_QUANTITIES: tuple[Quantity, ...] = (
    *SIZE_QUANTITIES,
    ModelShare(ACCURACY, lambda scope: rates.accuracy(scope.inside)),
    ModelShare(PRECISION, lambda scope: rates.precision(scope.inside)),
    ModelShare(RECALL, lambda scope: rates.tpr(scope.inside)),
    F1Score(F1, lambda scope: scope.inside),
    RocArea(AUROC, lambda scope: auroc(scope.classes), _scope_classes),
    AVERAGE_PRECISION,
    PrecisionRecallArea(AUPRC_INTERPOLATED, lambda scope: auprc_interpolated(scope.classes), _scope_classes),
    BrierScore(),
)
UNGROUPED_QUANTITIES: tuple[Quantity, ...] = (CalibrationError(),)  # of a small group it is mostly noise


def strategy_quantities(strategy: Strategy) -> tuple[Quantity, ...]:
    """Is the model unsure where it is wrong? At no capacity in particular."""

    def errors(scope: Scope) -> RankedErrors:
        return scope.view.memo.once(
            ("ranked errors", scope.group, strategy.name),
            lambda: RankedErrors.from_cells(
                review.scope_cells(scope, strategy),
                review.cell_review_scores(scope, strategy),
                threshold=review.model_threshold(scope),
            ),
        )

    def classes(scope: Scope) -> Classes:
        return errors(scope).classes

    return (
        RocArea(CALIBRATION_AUROC, lambda scope: errors(scope).area(), classes),
        PrecisionRecallArea(CALIBRATION_AUPRC, lambda scope: errors(scope).auprc, classes),
    )


def capacity_quantities(strategy: Strategy, capacity: Capacity) -> tuple[Quantity, ...]:
    """What people and the model achieve together, at one capacity."""

    def outcome(scope: Scope) -> ReviewOutcome:
        return review.review_outcome(scope, strategy, capacity)

    return (
        ThresholdShare(OC_ACCURACY, lambda scope: outcome(scope).accuracy()),
        RocArea(OC_AUROC, lambda scope: outcome(scope).auroc(), lambda scope: outcome(scope).ranking()),
        PrecisionRecallArea(OC_AUPRC, lambda scope: outcome(scope).auprc(), lambda scope: outcome(scope).ranking()),
        ThresholdShare(OC_PRECISION, lambda scope: outcome(scope).precision()),
        ThresholdShare(OC_RECALL, lambda scope: outcome(scope).recall()),
        F1Score(OC_F1, lambda scope: outcome(scope).decided()),
        ReviewEfficiency(strategy, capacity),
        ThresholdShare(REVIEW_EFFECTIVENESS, lambda scope: outcome(scope).effectiveness()),
    )
