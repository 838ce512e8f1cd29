"""Rates at an operating threshold: true and false positive rate, precision, accuracy, F1, share of violating items.

A rate is a `Share` of two amounts, the part and the rest, so that its interval can be taken from the same amounts.
"""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.errors import Undefined
from evenhand.tally import Amount, Classes, Confusion


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a whole, with the words for an empty whole.

    `sides` are all items among which those of the part are, and those of the rest, where the score alone says which;
    None where an item of either may be anywhere.
    """

    part: Amount
    rest: Amount
    empty: str
    sides: tuple[Amount, Amount] | None = None

    @property
    def whole(self) -> Amount:
        """Part and rest together."""
        return self.part + self.rest

    @property
    def value(self) -> float:
        """The share itself."""
        if not self.whole.weight:
            raise Undefined(self.empty)
        return self.part.weight / self.whole.weight

    def unseen(self, *, heaviest: bool = False) -> tuple[float, float] | None:
        """What an item of the part that was not drawn stands for on average, and one of the rest; or at most."""
        if self.sides is None:
            return None
        anywhere = max(side.heaviest for side in self.sides)
        usual = (
            side.heaviest if heaviest else side.spread / side.weight if side.weight else 0.0 for side in self.sides
        )
        part, rest = (one if side.count else anywhere for one, side in zip(usual, self.sides, strict=True))
        return part, rest


def tpr(confusion: Confusion) -> Share:
    """Of the violating items, the share that is flagged."""
    sides = confusion.flagged, confusion.left
    return Share(confusion.true_positive, confusion.false_negative, "there are no violating items", sides)


def fnr(confusion: Confusion) -> Share:
    """Of the violating items, the share that is missed."""
    sides = confusion.left, confusion.flagged
    return Share(confusion.false_negative, confusion.true_positive, "there are no violating items", sides)


def fpr(confusion: Confusion) -> Share:
    """Of the benign items, the share that is flagged."""
    sides = confusion.flagged, confusion.left
    return Share(confusion.false_positive, confusion.true_negative, "there are no benign items", sides)


def precision(confusion: Confusion) -> Share:
    """Of the flagged items, the share that is violating."""
    return Share(confusion.true_positive, confusion.false_positive, "no item is flagged at this threshold")


def positive_share(classes: Classes) -> Share:
    """The share of violating items."""
    return Share(classes.violating.total, classes.benign.total, "there are no items")


def accuracy(confusion: Confusion) -> Share:
    """Of all items, the share that is judged right."""
    right = confusion.true_positive + confusion.true_negative
    return Share(right, confusion.false_positive + confusion.false_negative, "there are no items")


def f1(confusion: Confusion) -> float:
    """The harmonic mean of precision and recall."""
    hits = 2.0 * confusion.true_positive.weight
    whole = hits + confusion.false_positive.weight + confusion.false_negative.weight
    if not whole:
        raise Undefined("no item is violating and none is flagged")
    return hits / whole
