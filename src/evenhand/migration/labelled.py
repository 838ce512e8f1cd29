"""What labels add: the precision, false positive rate and recall of both models, and thresholds that keep each of them.

The false positive rate is the flag rate of benign comments and the recall that of violating ones, so thresholds that
keep them are matched on those comments alone. Precision may rise and fall with the threshold. It is smoothed by an
isotonic fit of the labels to the new scores, and the interval goes from the last threshold that is clearly less precise
than the old model to the first that is clearly more precise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.arrays import Bools, Floats, Ints
from evenhand.catalogue import Measure
from evenhand.catalogue.shared import FPR, PRECISION, RECALL
from evenhand.estimate import Estimate
from evenhand.intervals.bootstrap import INVERTED_TEST
from evenhand.intervals.matched_cut import CutScores
from evenhand.intervals.mover import MOVER
from evenhand.intervals.proportions import WilsonInterval
from evenhand.intervals.significance import simultaneous_level
from evenhand.migration.threshold_map import (
    HIGHEST,
    LOWEST,
    matched_threshold,
    share_estimate,
    threshold_above,
    threshold_at,
)

MOST_CUTS = 200  # at which precision is compared
NEIGHBOURS = 2  # tests that those of many cuts amount to: neighbours flag nearly the same comments
NOT_AS_PRECISE = "no threshold of the new model is as precise as the old one was"
ALWAYS_AS_PRECISE = "flagging every comment is as precise as the old model was"
NONE_FLAGGED = "no comment is flagged at this threshold"


@dataclass(frozen=True, slots=True)
class FlagCounts:
    """Of what two models flag: how much, how much of it is violating, and the same of what both flag."""

    old: int
    old_violating: int
    new: int
    new_violating: int
    both: int
    both_violating: int

    @classmethod
    def from_decisions(cls, old: Bools, new: Bools, label: Bools) -> FlagCounts:
        """From decisions and labels."""
        parts = (old, new, old & new)
        return cls(*(int(count) for part in parts for count in (part.sum(), (part & label).sum())))

    def precision_change(self, level: float) -> tuple[float, float, float]:
        """Precision of the new model less that of the old one, and its interval: what both flag they have in common."""
        new, old = (
            WilsonInterval(hits / flagged, 1.0 / flagged)
            for hits, flagged in ((self.new_violating, self.new), (self.old_violating, self.old))
        )
        low, high = new.square_and_add(old, level, self._correlation(new.value, old.value))
        return new.value - old.value, low, high

    def _correlation(self, new: float, old: float) -> float:
        spread = math.sqrt(new * (1.0 - new) * self.new * old * (1.0 - old) * self.old)
        benign = self.both - self.both_violating
        together = self.both_violating * (1.0 - new) * (1.0 - old) + benign * new * old
        return together / spread if spread else 0.0


def rates_at(flagged: Bools, label: Bools, level: float) -> Iterator[tuple[Measure, Estimate]]:
    """Precision, false positive rate and recall of a decision."""
    hits, whole = int((flagged & label).sum()), int(flagged.sum())
    yield PRECISION, share_estimate(hits, whole, level, NONE_FLAGGED)
    yield FPR, share_estimate(whole - hits, int((~label).sum()), level)
    yield RECALL, share_estimate(hits, int(label.sum()), level)


def precision_change(old: Bools, new: Bools, label: Bools, level: float) -> Estimate:
    """How much more, or less, precise the new decision is."""
    counts = FlagCounts.from_decisions(old, new, label)
    if not counts.old or not counts.new:
        return Estimate.undefined(NONE_FLAGGED, level=level, n=len(label))
    value, low, high = counts.precision_change(level)
    return Estimate(value, min(low, value), max(high, value), level, MOVER, len(label))


@dataclass(frozen=True)
class LabelledCuts:
    """New scores with labels, sorted once: over all comments, over benign ones and over violating ones."""

    label: Bools
    every: CutScores
    benign: CutScores
    violating: CutScores

    @classmethod
    def from_labels(cls, new: Floats, label: Bools, every: CutScores) -> LabelledCuts:
        """`every` are the cuts of all of them."""
        return cls(label, every, CutScores.from_scores(new[~label]), CutScores.from_scores(new[label]))

    def thresholds(self, flagged: Bools, threshold: float, level: float) -> Iterator[tuple[Measure, Estimate]]:
        """New thresholds that keep the precision, the false positive rate and the recall of an old one."""
        yield PRECISION, self.precise_threshold(flagged, level)
        yield FPR, matched_threshold(self.benign, flagged[~self.label], threshold, level, "benign comment")
        yield RECALL, matched_threshold(self.violating, flagged[self.label], threshold, level, "violating comment")

    def precise_threshold(self, flagged: Bools, level: float) -> Estimate:
        """The lowest threshold at which the new model is as precise as the old decision."""
        n, flagged_before = len(flagged), int(flagged.sum())
        if not flagged_before:
            return Estimate.undefined(NONE_FLAGGED, level=level, n=n)
        wanted = float((flagged & self.label).sum()) / flagged_before
        reached = np.flatnonzero(self._smoothed >= wanted - 1e-12)
        if not len(reached) or not reached[0]:
            why = ALWAYS_AS_PRECISE if len(reached) else NOT_AS_PRECISE
            return Estimate.undefined(why, level=level, n=n)
        place, scores = int(reached[0]), self.every.distinct
        low, high = self._clear_cuts(flagged, place, level)
        value = threshold_at(scores, place)
        least = LOWEST if low is None else threshold_at(scores, low)
        most = HIGHEST if high is None else threshold_above(scores, high)
        return Estimate(value, min(least, value), max(most, value), level, INVERTED_TEST, n)

    @cached_property
    def _smoothed(self) -> Floats:
        """Precision at each cut, which never falls: the mean of an isotonic fit over what is flagged."""
        from scipy.optimize import isotonic_regression

        order = self.every.order
        weights = np.diff(np.append(order.starts, len(self.label))).astype(np.float64)
        shares = np.bincount(order.place, self.label, len(weights)) / weights
        fitted = isotonic_regression(shares, weights=weights).x
        above = np.cumsum((fitted * weights)[::-1])[::-1]
        return np.asarray(above / self.every.flagged)

    def _clear_cuts(self, flagged: Bools, place: int, level: float) -> tuple[int | None, int | None]:
        """The last cut up to a place that is clearly less precise, and the first from there on that is clearly more."""
        counts, level = self._counts(flagged), simultaneous_level(level, NEIGHBOURS)
        last = len(self.every.distinct) - 1
        less = (cut for cut in reversed(self._knots(0, place)) if counts(cut).precision_change(level)[2] < 0.0)
        more = (cut for cut in self._knots(place, last) if counts(cut).precision_change(level)[1] > 0.0)
        return next(less, None), next(more, None)

    def _knots(self, first: int, last: int) -> list[int]:
        """Cuts between two, closer together where little is flagged."""
        flagged: Ints = self.every.flagged
        wanted = np.geomspace(flagged[first], flagged[last], MOST_CUTS)
        places = np.searchsorted(-flagged, -wanted)
        return sorted({first, last, *np.clip(places, first, last).tolist()})

    def _counts(self, flagged: Bools) -> Callable[[int], FlagCounts]:
        """What a cut and the old decision flag, for any cut."""
        order = self.every.order
        old, violating = flagged[order.rows], self.label[order.rows]
        kinds = (np.ones(len(old), dtype=bool), violating, old, old & violating)
        above = [np.cumsum(kind[::-1], dtype=np.int64)[::-1][order.starts] for kind in kinds]
        everything = int(old.sum()), int((old & violating).sum())
        return lambda cut: FlagCounts(*everything, *(int(counts[cut]) for counts in above))
