"""What the collaboration audit measures, and how sure each number is. A new quantity is a new row in the tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evenhand.audits.bias.quantities import Count, Rate
from evenhand.audits.collaboration import team
from evenhand.audits.quantity import Quantity, Sided, Sure
from evenhand.audits.view import Scope
from evenhand.intervals import auc as auc_interval
from evenhand.intervals import proportions
from evenhand.intervals.bounded import Bounded
from evenhand.measures import probability, rates
from evenhand.measures.cells import ranked, wrong_and_right
from evenhand.measures.collaboration import Capacity, Outcome
from evenhand.measures.ranking import auprc_interpolated, auroc, average_precision
from evenhand.measures.rates import Share
from evenhand.routing.strategies import Strategy
from evenhand.tally import Amount, Classes, Confusion

OF_POSITIVES = "wilson_positives"  # an area under precision over recall, as a share of the items that are to be found


class OfCells(Sided):
    """A quantity that rests on all items of the scope."""

    def sides(self, scope: Scope) -> tuple[float, ...]:
        return tuple(mass.total.count for mass in scope.classes)


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
class Ranked(OfCells):
    """An area under the ROC curve, and the two classes that it ranks."""

    name: str
    area: Callable[[Scope], float]
    classes: Callable[[Scope], Classes]

    def value(self, scope: Scope) -> float:
        return self.area(scope)

    def sure(self, scope: Scope, value: float, level: float) -> Sure:
        return Sure(*auc_interval.of_classes(self.classes(scope), value).interval(level), auc_interval.METHOD)


@dataclass(frozen=True)
class Found(OfCells):
    """An area under precision over recall: of each item that is to be found, how good the list is down to it."""

    name: str
    area: Callable[[Scope], float]
    found: Callable[[Scope], Amount]

    def value(self, scope: Scope) -> float:
        return self.area(scope)

    def sure(self, scope: Scope, value: float, level: float) -> Sure:
        return Sure(*of_positives(value, self.found(scope)).interval(level), OF_POSITIVES)


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
        return probability.brier(team.cells(scope))

    def sure(self, scope: Scope, value: float, level: float) -> Sure:
        heap = team.cells(scope)
        p = heap.scores.astype(np.float64)
        lost = ((1.0 - p) ** 2, p**2)
        spread = sum(float(np.dot(m.spread, (one - value) ** 2)) for m, one in zip(heap.classes, lost, strict=True))
        return Sure(*Bounded.of(value, spread / heap.weight**2).interval(level), "wilson")


@dataclass(frozen=True)
class Ece(OfCells):
    """Expected calibration error; its interval is always drawn by bootstrap."""

    name: str = "ece"

    def value(self, scope: Scope) -> float:
        return probability.ece(team.cells(scope))

    def sure(self, scope: Scope, value: float, level: float) -> Sure:
        return Sure(0.0, 1.0, "bootstrap")


def of_positives(value: float, found: Amount) -> Bounded:
    """As Wilson's interval of a share of the items to be found, however many others there are."""
    effective = found.weight**2 / found.spread if found.spread else 0.0
    return Bounded(value, 1.0 / effective if effective else math.inf)


def _violating(scope: Scope) -> Amount:
    return scope.classes.violating.total


PLAIN: tuple[Quantity, ...] = (
    Count(),
    Rate("positive_share", lambda scope: rates.positive_share(scope.classes)),
    Part("accuracy", lambda scope: rates.accuracy(scope.inside)),
    Ranked("auroc", lambda scope: auroc(scope.classes), lambda scope: scope.classes),
    Found("auprc", lambda scope: average_precision(scope.classes), _violating),
    Found(
        "auprc_interpolated",
        lambda scope: auprc_interpolated(scope.classes),
        _violating,
    ),
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
        Found("calibration_auprc", area(probability.calibration_auprc), lambda scope: wrong(scope).violating.total),
    )


def at(strategy: Strategy, capacity: Capacity) -> tuple[Quantity, ...]:
    """What people and the model achieve together, at one capacity."""

    def of(scope: Scope) -> Outcome:
        return team.outcome(scope, strategy, capacity)

    return (
        Part("oc_accuracy", lambda scope: of(scope).accuracy()),
        Ranked("oc_auroc", lambda scope: of(scope).auroc(), lambda scope: of(scope).ranking()),
        Found("oc_auprc", lambda scope: of(scope).auprc(), _violating),
        Part("oc_precision", lambda scope: of(scope).precision()),
        Part("oc_recall", lambda scope: of(scope).recall()),
        Harmonic("oc_f1", lambda scope: of(scope).decided()),
        Part("review_efficiency", lambda scope: of(scope).efficiency()),
        Part("review_effectiveness", lambda scope: of(scope).effectiveness()),
    )
