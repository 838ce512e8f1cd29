"""The outcome of review at one capacity: people decide the reviewed items, the model the rest (Kivlichan et al. 2021).

Every collaborative measure is read from it. The reviewer is an oracle unless an error rate is given. OC stands for
oracle-model collaborative.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from evenhand.catalogue.collaboration import (
    OC_ACCURACY,
    OC_AUPRC,
    OC_AUROC,
    OC_F1,
    OC_PRECISION,
    OC_RECALL,
    REVIEW_EFFECTIVENESS,
    REVIEW_EFFICIENCY,
)
from evenhand.errors import InputError, Undefined
from evenhand.measures import rates
from evenhand.measures.collaboration.areas import ReviewedAreas
from evenhand.measures.collaboration.capacity import UnreviewedShares
from evenhand.measures.rates import Share
from evenhand.tally import Amount, Classes, Confusion


@dataclass(frozen=True, slots=True)
class Reviewer:
    """How often a reviewer errs: calls a benign item violating, and a violating one benign."""

    benign_error: float = 0.0
    violating_error: float = 0.0

    def __post_init__(self) -> None:
        for kind, error in (("benign", self.benign_error), ("violating", self.violating_error)):
            if not 0.0 <= error <= 1.0:
                raise InputError(f"a reviewer's error on {kind} items must be from 0 to 1, not {error:g}")


ORACLE = Reviewer()


class UncertaintyConfusion(NamedTuple):
    """The four counts of the paper's Figure 1: what was uncertain was reviewed, what was certain was not."""

    uncertain_wrong: Amount
    uncertain_right: Amount
    certain_wrong: Amount
    certain_right: Amount


class AccuracyDecomposition(NamedTuple):
    """OC-accuracy as a sum of two shares of all items."""

    first: float
    second: float


@dataclass(frozen=True)
class ReviewOutcome:
    """One capacity: what the model makes of the items that are `reviewed` and of those `left` to it."""

    reviewed: Confusion
    left: Confusion
    pieces: UnreviewedShares
    areas: ReviewedAreas

    @property
    def checked(self) -> UncertaintyConfusion:
        """Which items the review caught."""
        return UncertaintyConfusion(*_errors(self.reviewed), *_errors(self.left))

    @property
    def share(self) -> float:
        """The share of items that is really reviewed."""
        wrong, right = _errors(self.reviewed)
        return (wrong + right).weight / _total(self.reviewed, self.left)

    def decided(self, reviewer: Reviewer = ORACLE) -> Confusion:
        """What is decided in the end, in expectation when the reviewer errs. All of `rates` may be read off it."""
        violating = self.reviewed.true_positive + self.reviewed.false_negative
        benign = self.reviewed.false_positive + self.reviewed.true_negative
        return Confusion(
            self.left.true_positive + _times(violating, 1.0 - reviewer.violating_error),
            self.left.false_negative + _times(violating, reviewer.violating_error),
            self.left.false_positive + _times(benign, reviewer.benign_error),
            self.left.true_negative + _times(benign, 1.0 - reviewer.benign_error),
        )

    def accuracy(self, reviewer: Reviewer = ORACLE) -> Share:
        """OC-accuracy: of all items, the share that is reviewed or predicted right."""
        return rates.accuracy(self.decided(reviewer))

    def precision(self, reviewer: Reviewer = ORACLE) -> Share:
        """OC-precision: of the items found violating in the end, the share that is."""
        return replace(rates.precision(self.decided(reviewer)), empty="no item is found violating")

    def recall(self, reviewer: Reviewer = ORACLE) -> Share:
        """OC-recall: of the violating items, the share found in the end."""
        return rates.tpr(self.decided(reviewer))

    def f1(self, reviewer: Reviewer = ORACLE) -> float:
        """OC-F1."""
        return rates.f1(self.decided(reviewer))

    def auroc(self) -> float:
        """OC-AUROC: reviewed violating items above and reviewed benign ones below every other score."""
        for mass, name in zip(self.areas.cells.classes, ("violating", "benign"), strict=True):
            if not mass.total.weight:
                raise Undefined(f"there are no {name} items")
        return self.areas.auroc(self.pieces)

    def ranking(self) -> Classes:
        """The order after review: both classes over cells that have reviewed items beyond all others."""
        return self.areas.after(self.pieces)

    def auprc(self) -> float:
        """OC-AUPRC, as average precision."""
        if not self.areas.cells.classes.violating.total.weight:
            raise Undefined("there are no violating items")
        return self.areas.average_precision(self.pieces)

    def efficiency(self) -> Share:
        """Review Efficiency: of the reviewed items, the share that the model got wrong."""
        return Share(*_errors(self.reviewed), "nothing is reviewed at this capacity")

    def effectiveness(self) -> Share:
        """Review Effectiveness: of the model's errors, the share that was reviewed."""
        checked = self.checked
        return Share(checked.uncertain_wrong, checked.certain_wrong, "the model makes no errors at this threshold")

    def decompositions(self) -> tuple[AccuracyDecomposition, AccuracyDecomposition]:
        """Acc + α'·RE, and Acc(not reviewed)·(1 − α') + α': both are the OC-accuracy, and say where it comes from."""
        total, checked = _total(self.reviewed, self.left), self.checked
        alone = (checked.uncertain_right + checked.certain_right).weight
        gained = AccuracyDecomposition(alone / total, checked.uncertain_wrong.weight / total)
        return gained, AccuracyDecomposition(checked.certain_right.weight / total, self.share)


COLLABORATIVE_MEASURES: Mapping[str, Callable[[ReviewOutcome], float]] = {
    OC_ACCURACY: lambda outcome: outcome.accuracy().value,
    OC_AUROC: ReviewOutcome.auroc,
    OC_AUPRC: ReviewOutcome.auprc,
    OC_PRECISION: lambda outcome: outcome.precision().value,
    OC_RECALL: lambda outcome: outcome.recall().value,
    OC_F1: ReviewOutcome.f1,
    REVIEW_EFFICIENCY: lambda outcome: outcome.efficiency().value,
    REVIEW_EFFECTIVENESS: lambda outcome: outcome.effectiveness().value,
}


def _errors(confusion: Confusion) -> tuple[Amount, Amount]:
    """Wrong and right."""
    wrong = confusion.false_positive + confusion.false_negative
    return wrong, confusion.true_positive + confusion.true_negative


def _times(amount: Amount, share: float) -> Amount:
    return Amount(amount.weight * share, amount.spread * share, amount.count * share, amount.heaviest)


def _total(*confusions: Confusion) -> float:
    amounts = [amount for confusion in confusions for amount in _errors(confusion)]
    total = sum(amount.weight for amount in amounts)
    if not total:
        raise Undefined("there are no items")
    return total
