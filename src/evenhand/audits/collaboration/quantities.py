"""What the collaboration audit measures, and how sure each number is. A new quantity is a new row in the tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evenhand.audits.collaboration import team
from evenhand.audits.quantities import AUPRC, SIZES, Found, OfCells, Ranked
from evenhand.audits.quantity import Quantity, Sure
from evenhand.audits.view import Scope
from evenhand.intervals import proportions
from evenhand.intervals.bounded import Bounded
from evenhand.measures import probability, rates
from evenhand.measures.cells import ranked, wrong_and_right
from evenhand.measures.collaboration import Capacity, Outcome
from evenhand.measures.ranking import auprc_interpolated, auroc
from evenhand.measures.rates import Share
from evenhand.routing.strategies import Strategy
from evenhand.tally import Classes, Confusion, dot

NEAR = 0.2  # of the items reviewed: how far from the cut an item is still like those at it


@dataclass(frozen=True)
class Part(OfCells):
    """A share of items at the threshold."""

    name: str
    share: Callable[[Scope], Share]

    def value(self, scope: Scope) -> float:
        return self.share(scope).value

    def sure(self, scope: Scope, value: float, level: float) -> Sure:
        share = self.share(scope)
        return Sure(*proportions.wilson(share.part, share.rest).interval(level), proportions.METHOD)


@dataclass(frozen=True)
class Harmonic(OfCells):
    """F1: a rising function of hits among hits and errors, whose interval is turned along."""

    name: str
    confusion: Callable[[Scope], Confusion]

    def value(self, scope: Scope) -> float:
        return rates.f1(self.confusion(scope))

    def sure(self, scope: Scope, value: float, level: float) -> Sure:
        c = self.confusion(scope)
        low, high = proportions.wilson(c.true_positive, c.false_positive + c.false_negative).interval(level)
        return Sure(2.0 * low / (1.0 + low), 2.0 * high / (1.0 + high), proportions.METHOD)


@dataclass(frozen=True)
class Brier(OfCells):
    """The mean squared error of the probabilities."""

    name: str = "brier"

    def value(self, scope: Scope) -> float:
        return probability.brier(team.probable(scope))

    def sure(self, scope: Scope, value: float, level: float) -> Sure:
        heap = team.probable(scope)
        p = heap.scores.astype(np.float64)
        lost = ((1.0 - p) ** 2, p**2)
        spread = sum(dot(m.spread, (one - value) ** 2) for m, one in zip(heap.classes, lost, strict=True))
        return Sure(*Bounded.of(value, spread / heap.weight**2).interval(level), "wilson")


@dataclass(frozen=True)
class Ece(OfCells):
    """Expected calibration error; its interval is always drawn by bootstrap."""

    name: str = "ece"

    def value(self, scope: Scope) -> float:
        return probability.ece(team.probable(scope))

    def sure(self, scope: Scope, value: float, level: float) -> Sure:
        return Sure(0.0, 1.0, "bootstrap")


@dataclass(frozen=True)
class Efficiency(OfCells):
    """Review Efficiency: a share of the reviewed, who are chosen anew with every sample.

    The cut moves with the sample, which brings in items like those at the cut. So to the variance of a share comes
    (1 − α) · (share − error rate at the cut)² / k, with k = α · n items reviewed. A fixed level does not move.
    """

    strategy: Strategy
    capacity: Capacity
    name: str = "review_efficiency"

    def share(self, scope: Scope) -> Share:
        """Wrong among the reviewed."""
        return team.outcome(scope, self.strategy, self.capacity).efficiency()

    def value(self, scope: Scope) -> float:
        return self.share(scope).value

    def sure(self, scope: Scope, value: float, level: float) -> Sure:
        outcome, share = team.outcome(scope, self.strategy, self.capacity), self.share(scope)
        plain = proportions.wilson(share.part, share.rest)
        if self.capacity.kind == "threshold" or not 0.0 < value < 1.0:
            return Sure(*plain.interval(level), proportions.METHOD)
        moved = (1.0 - outcome.share) * (value - self._at_the_cut(scope, share)) ** 2
        size = plain.size * (1.0 + moved / (value * (1.0 - value)))
        return Sure(*Bounded(value, size, plain.freedom).interval(level), proportions.METHOD)

    def _at_the_cut(self, scope: Scope, reviewed: Share) -> float:
        """The share of errors among the last fifth of the reviewed and as many who come next."""
        amount = reviewed.whole.weight
        near = (Capacity.items(factor * amount) for factor in (1.0 - NEAR, 1.0 + NEAR))
        first, last = (team.outcome(scope, self.strategy, capacity).efficiency() for capacity in near)
        between = last.whole.weight - first.whole.weight
        return (last.part.weight - first.part.weight) / between if between > 0.0 else reviewed.value


def _classes(scope: Scope) -> Classes:
    return scope.classes


PLAIN: tuple[Quantity, ...] = (
    *SIZES,
    Part("accuracy", lambda scope: rates.accuracy(scope.inside)),
    Part("precision", lambda scope: rates.precision(scope.inside)),
    Part("recall", lambda scope: rates.tpr(scope.inside)),
    Harmonic("f1", lambda scope: scope.inside),
    Ranked("auroc", lambda scope: auroc(scope.classes), _classes),
    AUPRC,
    Found("auprc_interpolated", lambda scope: auprc_interpolated(scope.classes), _classes),
    Brier(),
    Ece(),
)


def of_strategy(strategy: Strategy) -> tuple[Quantity, ...]:
    """Is the model unsure where it is wrong? At no capacity in particular."""

    def wrong(scope: Scope) -> Classes:
        heap = team.cells(scope, strategy)
        return ranked(team.review_scores(scope, strategy), *wrong_and_right(heap, team.threshold(scope)))

    def area(measure: Callable[..., float]) -> Callable[[Scope], float]:
        return lambda scope: measure(
            team.cells(scope, strategy), team.review_scores(scope, strategy), threshold=team.threshold(scope)
        )

    return (
        Ranked("calibration_auroc", area(probability.calibration_auroc), wrong),
        Found("calibration_auprc", area(probability.calibration_auprc), wrong),
    )


def at(strategy: Strategy, capacity: Capacity) -> tuple[Quantity, ...]:
    """What people and the model achieve together, at one capacity."""

    def of(scope: Scope) -> Outcome:
        return team.outcome(scope, strategy, capacity)

    return (
        Part("oc_accuracy", lambda scope: of(scope).accuracy()),
        Ranked("oc_auroc", lambda scope: of(scope).auroc(), lambda scope: of(scope).ranking()),
        Found("oc_auprc", lambda scope: of(scope).auprc(), lambda scope: of(scope).ranking()),
        Part("oc_precision", lambda scope: of(scope).precision()),
        Part("oc_recall", lambda scope: of(scope).recall()),
        Harmonic("oc_f1", lambda scope: of(scope).decided()),
        Efficiency(strategy, capacity),
        Part("review_effectiveness", lambda scope: of(scope).effectiveness()),
    )
