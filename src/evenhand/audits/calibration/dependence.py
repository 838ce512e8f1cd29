"""Labels of items that belong together: how alike they are, and labels of a calibrated model that are as alike.

What a calibrated model would show is found by redrawing labels from its probabilities. Labels of one author are alike
beyond what the probabilities say, so that a calibrated model shows larger errors by chance. The redrawn labels are made
as alike: a part of what decides about each item is drawn once for its cluster (a Gaussian copula), while every item is
still violating as often as its probability says. How large that part is follows from the labels: it is the one with
which redrawn labels agree within clusters as often as these do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import ndtr, ndtri

from evenhand.arrays import Floats, Ints
from evenhand.tally import Clusters
from evenhand.tally.clusters import ClusterWay

GRID = (0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9, 0.995)  # shares that are tried
TRIES = 8  # draws with each
BANDS = 10  # of the probability, within which a model that is not calibrated is taken as it is
MOST_SHARED = 0.995


@dataclass(frozen=True)
class LabelDependence:
    """Probabilities of classes, how many items each row stands for, and the clusters of rows, if there are any."""

    probabilities: Floats
    count: Floats
    clusters: Clusters | None = None
    shared: tuple[float, ...] = ()  # for each way of belonging together, the part that is drawn once for a cluster

    def redrawn(self, rng: np.random.Generator) -> Floats:
        """Labels of a calibrated model: rows × classes, how many items of the row are of each."""
        if self.clusters is None or not any(self.shared):
            return self._drawn(self._normalised, rng)
        return self._drawn(self._together(self.clusters.ways[: len(self.shared)], self.shared, rng), rng)

    def fitted(self, labels: Floats) -> LabelDependence:
        """With the shared part that the labels show, which are rows × classes."""
        if self.clusters is None:
            return self
        ways = self.clusters.ways[: len(self.clusters.codes)]
        shared = [self._shared_part(way, labels) for way in ways]
        total = max(sum(shared) / MOST_SHARED, 1.0)
        return replace(self, shared=tuple(part / total for part in shared))

    def _shared_part(self, way: ClusterWay, labels: Floats) -> float:
        """By agreement within clusters: where that of redrawn labels is that of these."""
        rng = np.random.default_rng(0)
        tried = [
            np.mean(
                [self._agreement(way, self._drawn(self._together((way,), (share,), rng), rng)) for _ in range(TRIES)]
            )
            for share in GRID
        ]
        return float(np.interp(self._agreement(way, labels), np.maximum.accumulate(tried), GRID))

    def _agreement(self, way: ClusterWay, labels: Floats) -> float:
        """Σ over pairs of items of one cluster of the product of what came true beyond the probabilities."""
        total = 0.0
        for column in range(self.probabilities.shape[1]):
            p = self._normalised[:, column]
            p = p + self._band_means(column, labels[:, column] - self.count * p)
            moved = labels[:, column] - self.count * p
            alone = labels[:, column] * (1.0 - p) ** 2 + (self.count - labels[:, column]) * p**2
            total += float(np.sum(way.sums(moved) ** 2) - np.sum(alone))
        return total

    def _band_means(self, column: int, moved: Floats) -> Floats:
        bands = self._bands[:, column]
        means = np.bincount(bands, moved, BANDS) / np.maximum(np.bincount(bands, self.count, BANDS), 1.0)
        return means[bands]

    @cached_property
    def _bands(self) -> Ints:
        """Of each row and class, which tenth of the rows the probability lies in; equal ones lie together."""
        edges = np.quantile(self._normalised, np.arange(1, BANDS) / BANDS, axis=0)
        columns = range(self.probabilities.shape[1])
        return np.stack([np.searchsorted(edges[:, k], self._normalised[:, k], side="left") for k in columns], axis=1)

    @cached_property
    def _normalised(self) -> Floats:
        table = self.probabilities.astype(np.float64)
        shares: Floats = table / table.sum(axis=1, keepdims=True)
        return shares

    @cached_property
    def _limits(self) -> Floats:
        """Where one class ends and the next begins, in standard normal units."""
        return ndtri(np.clip(np.cumsum(self._normalised, axis=1)[:, :-1], 0.0, 1.0))

    def _together(self, ways: tuple[ClusterWay, ...], shares: tuple[float, ...], rng: np.random.Generator) -> Floats:
        """The probabilities of each row, given what was drawn for its clusters."""
        drawn = sum(np.sqrt(s) * rng.normal(size=way.size)[way.codes] for way, s in zip(ways, shares, strict=True))
        below = ndtr((self._limits - np.asarray(drawn)[:, None]) / np.sqrt(1.0 - sum(shares)))
        return np.diff(below, axis=1, prepend=0.0, append=1.0)

    def _drawn(self, table: Floats, rng: np.random.Generator) -> Floats:
        """So many of each class as there are items."""
        left, rest = self.count.astype(np.int64), np.ones(len(table))
        numbers = np.zeros(table.shape)
        for column in range(table.shape[1] - 1):
            chance = np.divide(table[:, column], rest, out=np.zeros(len(rest)), where=rest > 0.0)
            numbers[:, column] = rng.binomial(left, np.clip(chance, 0.0, 1.0))
            left = left - numbers[:, column].astype(np.int64)
            rest = rest - table[:, column]
        numbers[:, -1] = left
        return numbers
