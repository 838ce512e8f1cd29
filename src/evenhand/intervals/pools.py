"""Recall, precision, F1 and accuracy of moderation, from a sample of what was removed and a sample of what is visible.

Violations among the removed were found, violations among the visible were missed. Each quantity rises with the one
share and falls with the other, so its interval follows from the two intervals: the distance to each end is the square
root of the squared distances that either pool alone would make (Zou's MOVER), on the logit scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from evenhand import arrays
from evenhand.errors import Undefined
from evenhand.estimate import Estimate
from evenhand.intervals.survey import SMALL, Figure

METHOD = "mover"
WEAK = 0.3  # of the width, from which a pool of few violations makes a number one that rests on few
Quantity = Callable[["Shares"], float]


@dataclass(frozen=True, slots=True)
class Shares:
    """The share of violating items among the removed and among the visible, and how many of each there are."""

    removed: float
    visible: float
    removed_items: float
    visible_items: float

    @property
    def found(self) -> float:
        """Violations that were removed."""
        return self.removed * self.removed_items

    @property
    def missed(self) -> float:
        """Violations that are still visible."""
        return self.visible * self.visible_items


def prevalence(shares: Shares) -> float:
    """The part of all items that violates."""
    return _ratio(shares.found + shares.missed, shares.removed_items + shares.visible_items, "there are no items")


def recall(shares: Shares) -> float:
    """The part of all violations that was removed."""
    return _ratio(shares.found, shares.found + shares.missed, "no item violates")


def precision(shares: Shares) -> float:
    """The part of all removals that was right."""
    return shares.removed


def f1(shares: Shares) -> float:
    """The harmonic mean of the two."""
    wrong = shares.removed_items - shares.found
    return _ratio(
        2.0 * shares.found, 2.0 * shares.found + wrong + shares.missed, "no item violates and none was removed"
    )


def accuracy(shares: Shares) -> float:
    """The part of all decisions that was right."""
    right = shares.found + shares.visible_items - shares.missed
    return _ratio(right, shares.removed_items + shares.visible_items, "there are no items")


QUANTITIES: dict[str, Quantity] = {
    "prevalence": prevalence,
    "recall": recall,
    "precision": precision,
    "f1": f1,
    "accuracy": accuracy,
}


@dataclass(frozen=True, slots=True)
class Pools:
    """What was removed and what is visible: an estimated share of violating items in each, and their sizes."""

    removed: Figure
    removed_items: float
    visible: Figure
    visible_items: float

    def estimate(self, name: str, level: float = 0.95) -> Estimate:
        """One of `QUANTITIES`, with the uncertainty of both pools."""
        n = self.removed.n + self.visible.n
        parts = [pool.estimate(arrays.share(level, "the level")) for pool in (self.removed, self.visible)]
        try:
            value, moved = self._moved(QUANTITIES[name], parts)
        except Undefined as reason:
            return Estimate.undefined(str(reason), level=level, n=n)
        low, high = (_end(value, [pick(pair) for pair in moved]) for pick in (min, max))
        found = Estimate(value, min(low, value), max(high, value), level, METHOD, n)
        reach = [max(abs(end - value) for end in pair) for pair in moved]
        weak = any(
            SMALL in part.flags and own >= WEAK * math.hypot(*reach) for part, own in zip(parts, reach, strict=True)
        )
        return found.flagged(SMALL) if weak and any(reach) else found

    def missed(self, level: float = 0.95) -> Estimate:
        """How many violations are still visible."""
        share, items = self.visible.estimate(level), self.visible_items
        value, low, high = ((end or 0.0) * items for end in (share.value, share.low, share.high))
        return Estimate(value, low, high, level, share.method, share.n, share.note, share.flags)

    def _moved(self, quantity: Quantity, parts: list[Estimate]) -> tuple[float, list[list[float]]]:
        """The value, and where either pool alone would move it."""
        (removed, removed_ends), (visible, visible_ends) = (_ends(part) for part in parts)

        def at(first: float, second: float) -> float:
            return quantity(Shares(first, second, self.removed_items, self.visible_items))

        value = at(removed, visible)
        return value, [[at(end, visible) for end in removed_ends], [at(removed, end) for end in visible_ends]]


def _ends(part: Estimate) -> tuple[float, tuple[float, float]]:
    assert part.value is not None
    assert part.low is not None
    assert part.high is not None
    return part.value, (part.low, part.high)


def _end(value: float, moved: list[float]) -> float:
    """The end of the interval, from how far each pool alone would move the value."""
    if value in (0.0, 1.0):  # no logit: the farther of the two moves, doubled for the other where both move
        return min(
            max(value + math.copysign(math.hypot(*(m - value for m in moved)), sum(moved) - 2 * value), 0.0), 1.0
        )
    centre = _logit(value)
    distance = math.hypot(*(_logit(m) - centre for m in moved))
    side = 1.0 if sum(moved) > 2 * value else -1.0
    return 1.0 / (1.0 + math.exp(-min(max(centre + side * distance, -700.0), 700.0)))


def _logit(value: float) -> float:
    bounded = min(max(value, 1e-300), 1.0 - 1e-16)
    return math.log(bounded) - math.log1p(-bounded)


def _ratio(part: float, whole: float, nothing: str) -> float:
    if whole <= 0.0:
        raise Undefined(nothing)
    return part / whole
