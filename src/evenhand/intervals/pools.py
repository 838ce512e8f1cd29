"""Recall, precision, F1, accuracy and error rates of moderation, from samples of what was removed and what is visible.

Violations among the removed were found, violations among the visible were missed. Each quantity rises with the one
share and falls with the other, so its interval follows from the two intervals by MOVER on the logit scale.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evenhand import arrays
from evenhand.catalogue.accuracy import FNR, NPV, PREVALENCE, SPECIFICITY
from evenhand.catalogue.shared import ACCURACY, F1, FPR, PRECISION, RECALL
from evenhand.errors import Undefined
from evenhand.estimate import Estimate, Flag
from evenhand.intervals.mover import MOVER, combined_distance, logit_end
from evenhand.intervals.survey import SurveyShare

WEAK_SHARE = 0.3  # of the width, from which a pool of few violations makes a number one that rests on few
PoolQuantity = Callable[["Shares"], float]


@dataclass(frozen=True, slots=True)
class Shares:
    """The share of violating items among the removed and among the visible, and how many of each there are."""

    removed: float
    visible: float
    removed_items: float
    visible_items: float

    @property
    def violations_removed(self) -> float:
        """Violations that were removed."""
        return self.removed * self.removed_items

    @property
    def violations_visible(self) -> float:
        """Violations that are still visible."""
        return self.visible * self.visible_items


def pool_prevalence(shares: Shares) -> float:
    """The part of all items that violates."""
    return _ratio(
        shares.violations_removed + shares.violations_visible,
        shares.removed_items + shares.visible_items,
        "there are no items",
    )


def pool_recall(shares: Shares) -> float:
    """The part of all violations that was removed."""
    return _ratio(shares.violations_removed, shares.violations_removed + shares.violations_visible, "no item violates")


def pool_precision(shares: Shares) -> float:
    """The part of all removals that was right."""
    return shares.removed


def pool_f1(shares: Shares) -> float:
    """The harmonic mean of the two."""
    wrong = shares.removed_items - shares.violations_removed
    return _ratio(
        2.0 * shares.violations_removed,
        2.0 * shares.violations_removed + wrong + shares.violations_visible,
        "no item violates and none was removed",
    )


def pool_accuracy(shares: Shares) -> float:
    """The part of all decisions that was right."""
    right = shares.violations_removed + shares.visible_items - shares.violations_visible
    return _ratio(right, shares.removed_items + shares.visible_items, "there are no items")


def pool_fpr(shares: Shares) -> float:
    """The part of all benign items that was removed."""
    wrong = shares.removed_items - shares.violations_removed
    return _ratio(wrong, wrong + shares.visible_items - shares.violations_visible, "no item is benign")


def pool_specificity(shares: Shares) -> float:
    """The part of all benign items that is visible."""
    return 1.0 - pool_fpr(shares)


def pool_fnr(shares: Shares) -> float:
    """The part of all violations that is still visible."""
    return 1.0 - pool_recall(shares)


def pool_npv(shares: Shares) -> float:
    """The part of what is visible that is benign."""
    return 1.0 - shares.visible


POOL_QUANTITIES: dict[str, PoolQuantity] = {
    PREVALENCE: pool_prevalence,
    RECALL: pool_recall,
    PRECISION: pool_precision,
    F1: pool_f1,
    ACCURACY: pool_accuracy,
    FPR: pool_fpr,
    SPECIFICITY: pool_specificity,
    FNR: pool_fnr,
    NPV: pool_npv,
}


@dataclass(frozen=True, slots=True)
class Pools:
    """What was removed and what is visible: an estimated share of violating items in each, and their sizes.

    `corrected` pools give recall without the bias of a ratio of few labels (Beale 1962).
    """

    removed: SurveyShare
    removed_items: float
    visible: SurveyShare
    visible_items: float
    corrected: bool = False

    def estimate(self, name: str, level: float = 0.95) -> Estimate:
        """One of `POOL_QUANTITIES`, with the uncertainty of both pools."""
        n = self.removed.n + self.visible.n
        parts = [pool.estimate(arrays.share(level, "the level")) for pool in (self.removed, self.visible)]
        try:
            value, moved = self._moved(POOL_QUANTITIES[name], parts)
        except Undefined as reason:
            return Estimate.undefined(str(reason), level=level, n=n)
        low, high = (logit_end(value, (pick(moved[0]), pick(moved[1]))) for pick in (min, max))
        if value in (0.0, 1.0):  # one pool alone decides there, however little the other is known
            corners = self._corners(POOL_QUANTITIES[name], parts)
            low, high = min([low, *corners]), max([high, *corners])
        if self.corrected and name in (RECALL, FNR):
            value = min(max(self._without_ratio_bias(name), low), high)
        estimate = Estimate(value, min(low, value), max(high, value), level, MOVER, n)
        reach = [max(abs(end - value) for end in pair) for pair in moved]
        weak = any(
            part.small and own >= WEAK_SHARE * combined_distance(*reach) for part, own in zip(parts, reach, strict=True)
        )
        return estimate.flagged(Flag.SMALL) if weak and any(reach) else estimate

    def _without_ratio_bias(self, name: str) -> float:
        """Recall divides by an estimated number of violations, so that on average it comes out too high.

        The correction is of second order: it vanishes with many labels.
        """
        removed, visible = self.removed.value * self.removed_items, self.visible.value * self.visible_items
        spread = self.removed.variance * self.removed_items**2, self.visible.variance * self.visible_items**2
        whole = removed + visible
        recall = (removed * whole + spread[0]) / (whole**2 + spread[0] + spread[1])
        return recall if name == RECALL else 1.0 - recall

    def missed(self, level: float = 0.95) -> Estimate:
        """How many violations are still visible."""
        share, items = self.visible.estimate(level), self.visible_items
        value, low, high = ((end or 0.0) * items for end in (share.value, share.low, share.high))
        return Estimate(value, low, high, level, share.method, share.n, share.note, share.flags)

    def _corners(self, quantity: PoolQuantity, parts: list[Estimate]) -> list[float]:
        """Where both pools together would move it."""
        removed, visible = (_ends(part)[1] for part in parts)
        shares = [Shares(one, other, self.removed_items, self.visible_items) for one in removed for other in visible]
        return [quantity(both) for both in shares if both.violations_removed + both.violations_visible > 0.0]

    def _moved(self, quantity: PoolQuantity, parts: list[Estimate]) -> tuple[float, list[list[float]]]:
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


def _ratio(part: float, whole: float, nothing: str) -> float:
    if whole <= 0.0:
        raise Undefined(nothing)
    return part / whole
