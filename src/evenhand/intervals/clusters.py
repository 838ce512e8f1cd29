"""Intervals of numbers whose items come in clusters: comments of one author are not so many independent comments.

The influence of every row on a number is summed within each cluster, and the sums are squared: what the rows of a
cluster have in common then counts as often as they are. How much larger this variance is than that of independent
rows is the design effect. It widens the interval that independent rows would have, whatever kind that is, and Student's
quantile has the degrees of freedom of the clusters, of which large ones count for more than one.

A number near its end (a false positive rate of 0) shows little of how alike the rows of a cluster are. So one item that
was not seen is added, which would have come with all of its cluster. With rows in two ways (terms and templates),
V = V₁ + V₂ − V₁₂; where that is less than what either way has alone, the larger of the two. docs/intervals.md shows
the coverage.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Bools, Floats, Int32s
from evenhand.intervals.proportions import WilsonInterval
from evenhand.intervals.significance import ROUNDING, student_quantile
from evenhand.tally import Clusters, Weights, dot
from evenhand.tally.clusters import ClusterWay

BY_CLUSTER = "_by_cluster"  # ends the name of a method
FEWEST_CLUSTERS = 10  # effective ones, under which nothing is tested
ANY_RANK = 12.0**-0.5  # how far from the middle an item is that may have any rank
STATED_CLUSTERS = 30  # up to which a caveat says that intervals are approximate


def equal_clusters(clusters: Clusters, count: Floats) -> float:
    """As many equal clusters as items all alike within each would come to, in the way with the fewest."""
    sizes = [way.sums(count) for way in clusters.ways[: len(clusters.codes)]]
    return min(float(one.sum() ** 2 / np.sum(one**2)) for one in sizes)


def few_clusters_stretch(clusters: float, level: float) -> float:
    """By how much redraws of so many clusters must be stretched: they scatter too little, and as if it were known."""
    if not math.isfinite(clusters):
        return 1.0
    number = max(clusters, 2.0)
    return math.sqrt(number / (number - 1.0)) * student_quantile(level, number - 1.0) / student_quantile(level)


class DesignEffect(NamedTuple):
    """How many times the variance of independent rows a number has, and how many equal clusters it rests on."""

    factor: float
    clusters: float

    def widen(self, plain: WilsonInterval) -> WilsonInterval:
        """The interval of independent rows, as wide as clusters make it."""
        if self.clusters < 2.0:  # one cluster says nothing of how clusters differ
            return WilsonInterval(plain.value, max(plain.size, 1.0), 1.0)
        freedom = min(plain.freedom, self.clusters - 1.0)
        return WilsonInterval(plain.value, plain.size * self.factor, freedom, plain.error * self.factor**0.5)


@dataclass(frozen=True)
class RowInfluence:
    """The influence of every row on a number, per unit of weight, with what the row stands for.

    `part` tells rows of different kinds apart (violating or not, in a group or not). Rows with an influence of 0 take
    no part in the number, unless all have.
    """

    values: Floats
    part: Int32s
    weights: Weights | None = None
    unseen_move: float = ANY_RANK  # how far from the value an item may be that was not seen

    @cached_property
    def spread(self) -> Floats:
        """What each row adds to the variance of a total, if rows are independent."""
        return np.ones(len(self.values)) if self.weights is None else self.weights.spread

    @cached_property
    def times(self) -> Floats:
        """By how much each row moves a total: the copies that a row stands for are of one cluster."""
        return self.spread if self.weights is None else np.sqrt(self.weights.spread * self.weights.count)

    @cached_property
    def takes_part(self) -> Bools:
        """Which rows the number rests on."""
        moving = self.values != 0.0
        return moving if moving.any() else np.ones(len(moving), dtype=np.bool_)

    @property
    def variance(self) -> float:
        """If rows were independent."""
        return dot(self.spread * self.values, self.values)

    @cached_property
    def usual(self) -> Floats:
        """The size of influence that is usual for rows of the same part; of no row 0, where no row moves anything."""
        spread, parts = self.spread * self.takes_part, int(self.part.max(initial=0)) + 1
        weights, squares = (np.bincount(self.part, each, parts) for each in (spread, spread * self.values**2))
        sizes = np.sqrt(np.divide(squares, weights, out=np.zeros(parts), where=weights > 0.0))
        return np.where(self.takes_part, sizes[self.part] if sizes.any() else 1.0, 0.0)

    def clustered_variance(self, ways: Sequence[ClusterWay]) -> float:
        """With rows summed within clusters; in two ways never less than in either."""
        each = [self._way_variance(way) for way in ways]
        total = sum(way.sign * variance for way, variance in zip(ways, each, strict=True))
        return max(total, *each[:2])

    def usable_ways(self, clusters: Clusters) -> tuple[ClusterWay, ...]:
        """Without a way in which a whole part is one cluster: a group that is one term of a template set is given."""
        own = clusters.ways[: len(clusters.codes)]
        usable = tuple(way for way in own if not self._is_one_cluster(way))
        return clusters.ways if len(usable) == len(own) else usable

    def _is_one_cluster(self, way: ClusterWay) -> bool:
        codes, part = way.codes[self.takes_part], self.part[self.takes_part]
        return any(np.ptp(codes[part == one]) == 0 for one in np.unique(part))

    def _way_variance(self, way: ClusterWay) -> float:
        """Corrected for the number of clusters, as the mean is taken from them too."""
        number = max(self.effective_clusters(way), 2.0)
        return float(np.sum(way.sums(self.times * self.values) ** 2)) * number / (number - 1.0)

    def effective_clusters(self, way: ClusterWay) -> float:
        """As many equal clusters would leave the variance as uncertain (Satterthwaite's rule).

        A cluster is taken to bring what its rows bring if they are alike to the degree that the sums show.
        """
        apart, alike = way.sums(self.spread * self.usual**2), way.sums(self.times * self.usual) ** 2
        observed, least, most = (
            float(np.sum(each)) for each in (way.sums(self.times * self.values) ** 2, apart, alike)
        )
        degree = min(max((observed - least) / (most - least), 0.0), 1.0) if most > least and observed else 1.0
        brought = (1.0 - degree) * apart + degree * alike
        if not brought.any():  # every row was sure to be drawn, so that none brings anything
            return float(len(np.unique(way.codes[self.takes_part])))
        return float(np.sum(brought)) ** 2 / float(np.sum(brought**2))

    def unseen(self, way: ClusterWay) -> tuple[float, float]:
        """The variance that one item of each part would bring, alone and with all that would come with it."""
        count = self.takes_part * (self.times if self.weights is None else self.weights.count)
        alone = together = 0.0
        for part in np.flatnonzero(np.bincount(self.part, count)):
            sizes = way.sums(count * (self.part == part))
            item = (self.unseen_move / float(sizes.sum())) ** 2
            alone, together = alone + item, together + item * float(np.sum(sizes**2) / sizes.sum())
        return alone, together


def design_effect(influence: RowInfluence, clusters: Clusters) -> DesignEffect:
    """Of a number between 0 and 1."""
    usable = influence.usable_ways(clusters)
    if not usable:
        return DesignEffect(1.0, 1.0)
    ways = [way for way in usable if way.sign > 0.0]
    unseen = [influence.unseen(way) for way in ways]
    alone, together = unseen[0][0], max(most for _, most in unseen)
    factor = (influence.clustered_variance(usable) + together) / (influence.variance + alone)
    return DesignEffect(factor, min(influence.effective_clusters(way) for way in ways))


def row_covariance(values: Floats, weights: Weights | None, clusters: Clusters | None) -> tuple[Floats, float]:
    """Of several numbers, from the influence of every row on each (rows × numbers); and on how many clusters it rests.

    Without clusters rows are independent, and their number counts as infinite.
    """
    count = np.ones(len(values)) if weights is None else weights.count
    spread = count if weights is None else weights.spread
    if clusters is None:
        return np.einsum("ij,ik->jk", values * spread[:, None], values), math.inf
    times = np.sqrt(spread * count)
    covariance = np.zeros((values.shape[1], values.shape[1]))
    for way in clusters.ways:
        sums = np.stack([way.sums(times * column) for column in values.T], axis=1)
        covariance += way.sign * np.einsum("ij,ik->jk", sums, sums)
    smallest = np.einsum("ij,ij->j", values * spread[:, None], values)
    covariance[np.diag_indices(len(covariance))] = (
        np.maximum(np.diag(covariance), 0.0) if len(clusters.codes) == 1 else np.maximum(np.diag(covariance), smallest)
    )
    return covariance, equal_clusters(clusters, count)


def cluster_correlation(first: RowInfluence, second: RowInfluence, clusters: Clusters) -> float:
    """How two numbers that are taken on the same rows move together; 0 where one of them does not move."""
    others = {id(way) for way in second.usable_ways(clusters)}
    ways = [way for way in first.usable_ways(clusters) if id(way) in others]
    sums = [[way.sums(one.times * one.values) for one in (first, second)] for way in ways]
    signs = [way.sign for way in ways]

    def product(one: int, two: int) -> float:
        return sum(sign * dot(pair[one], pair[two]) for sign, pair in zip(signs, sums, strict=True))

    variances = product(0, 0), product(1, 1)
    if min(variances) < ROUNDING**2:
        return 0.0
    return min(max(product(0, 1) / math.sqrt(variances[0] * variances[1]), -1.0), 1.0)
