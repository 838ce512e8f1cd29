"""The calibration error and the Brier score of one score, with the intervals that the calibration audit gives them.

More than one audit prints these numbers, and a number has one interval: items, or whole clusters, are redrawn as that
audit redraws them, with the same seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenhand.arrays import Floats, Int32s, Ints
from evenhand.audits.clustering import method_name
from evenhand.audits.counted_redraws import CountedRedraws, are_countable, fine_places
from evenhand.audits.quantities import QuantityInterval
from evenhand.audits.settings import Settings
from evenhand.audits.views import Scope
from evenhand.errors import Undefined
from evenhand.intervals.bootstrap import DIRECTIONAL_BOOTSTRAP, POISSON_BOOTSTRAP, bounded_errors, mean_interval
from evenhand.intervals.clusters import equal_clusters, few_clusters_stretch
from evenhand.measures.binary_calibration import DEFAULT_BIN_COUNT
from evenhand.measures.calibration import Bins
from evenhand.measures.calibration.cells import FinePlaces
from evenhand.measures.score_cells import TIED
from evenhand.tally import Clusters, Weights

TOO_FEW = "too few bootstrap samples have a value"


@dataclass(frozen=True)
class RedrawnErrors:
    """The items of a scope with their probabilities; what each redraw shows of both numbers.

    `fine` has their places where redraws can be made on counts.
    """

    p: Floats
    label: Floats
    weights: Weights | None
    clusters: Clusters | None
    settings: Settings
    fine: FinePlaces | None = None

    @classmethod
    def from_scope(cls, scope: Scope, probability: Floats, settings: Settings) -> RedrawnErrors:
        """`probability` is that of each distinct score of the view."""
        placed, rows = scope.view.rows, scope.view.rows.rows
        fine = None
        if are_countable(rows.weights, rows.clusters):
            fine = scope.view.memo.once("fine places", lambda: fine_places(probability[placed.place]))
        if scope.group is None:
            label = rows.label.astype(np.float64)
            return cls(probability[placed.place], label, rows.weights, rows.clusters, settings, fine)
        own: Int32s = rows.groups[scope.group].rows
        weights = None if rows.weights is None else rows.weights.take(own.astype(np.intp))
        clusters, places = None if rows.clusters is None else rows.clusters.take(own), fine and fine.take(own)
        p, label = probability[placed.place[own]], rows.label[own].astype(np.float64)
        return cls(p, label, weights, clusters, settings, places)

    @cached_property
    def stretch(self) -> float:
        """Of redraws of few clusters."""
        if self.clusters is None:
            return 1.0
        count = np.ones(len(self.p)) if self.weights is None else self.weights.count
        return few_clusters_stretch(equal_clusters(self.clusters, count), self.settings.level)

    @cached_property
    def _redraws(self) -> Floats:
        """Draws × numbers: the Brier score and, after it, the gaps of the calibration error."""
        if self.fine is not None and len(self.p):
            return self._on_counts(self.fine)
        seeds = np.random.SeedSequence(self.settings.seed).spawn(self.settings.replicates)
        return np.array([self._numbers(self._redrawn(np.random.default_rng(child))) for child in seeds])

    def _on_counts(self, fine: FinePlaces) -> Floats:
        bins, label = Bins(DEFAULT_BIN_COUNT), self.label.astype(np.int64)
        redraws = CountedRedraws.from_rows(fine, self.p, label, self.weights, [bins], self.settings.seed)
        drawn = redraws.items.measure(bins)
        return np.column_stack((drawn.brier, drawn.overall.gaps))

    def _redrawn(self, rng: np.random.Generator) -> Floats:
        drawn = Weights.resampled(self.weights, len(self.p), rng, self.clusters).weight
        while len(drawn) and not drawn.any():
            drawn = Weights.resampled(self.weights, len(self.p), rng, self.clusters).weight
        return drawn

    def _numbers(self, weight: Floats) -> Floats:
        gaps = np.bincount(self._bin, weight * self._surplus, DEFAULT_BIN_COUNT)
        numbers: Floats = np.concatenate(([float(weight @ self._loss)], gaps)) / weight.sum()
        return numbers

    @cached_property
    def _loss(self) -> Floats:
        return (self.label - self.p) ** 2

    @cached_property
    def _surplus(self) -> Floats:
        """What came true beyond the confidence."""
        right = (self.p >= 0.5) == (self.label == 1.0)
        surplus: Floats = right - np.maximum(self.p, 1.0 - self.p)
        return surplus

    @cached_property
    def _bin(self) -> Ints:
        edges = np.arange(1, DEFAULT_BIN_COUNT) / DEFAULT_BIN_COUNT + TIED
        return np.searchsorted(edges, np.maximum(self.p, 1.0 - self.p), side="left")

    def brier(self, scope: Scope, value: float) -> QuantityInterval:
        """The interval of the Brier score."""
        ends = mean_interval(self._redraws[:, 0], value, self.settings.level, self.stretch)
        return _made(ends, method_name(scope, POISSON_BOOTSTRAP))

    def ece(self, scope: Scope) -> QuantityInterval:
        """The interval of the calibration error."""
        weight = np.ones(len(self.p)) if self.weights is None else self.weights.weight
        errors = bounded_errors(self._numbers(weight)[1:], self._redraws[:, 1:], self.stretch)
        return _made(errors.interval(self.settings.level), method_name(scope, DIRECTIONAL_BOOTSTRAP))


def _made(ends: tuple[float, float] | None, method: str) -> QuantityInterval:
    if ends is None:
        raise Undefined(TOO_FEW)
    return QuantityInterval(*ends, method)
