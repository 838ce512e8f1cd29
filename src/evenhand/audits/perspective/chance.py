"""Divergences, and what handing out the groups anew would give: the value, its mean by chance, and the p-value."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from evenhand.audits.perspective.crowd import Crowd, Numbers
from evenhand.audits.perspective.settings import PerspectiveSettings
from evenhand.errors import Undefined
from evenhand.estimate import Estimate
from evenhand.intervals import permutation
from evenhand.intervals.permutation import Permuted, permute
from evenhand.measures.divergence import HALF, composition, demographic_divergence, divergences
from evenhand.measures.perspective import Deltas, Fingerprints
from evenhand.tally import FloatArray

SHUFFLED = {"as_if": "shuffled"}


class Tested(NamedTuple):
    """A value held against chance, and what chance gives."""

    estimate: Estimate
    shuffled: Estimate


def of_signs(deltas: Deltas, crowd: Crowd, settings: PerspectiveSettings) -> Permuted | str:
    """The uncertainty divergence of every group; or why there is none."""
    signs, smoothing = deltas.signs_by_annotator.astype(np.float64), HALF if settings.smoothing else 0.0

    def statistic(group: Numbers) -> FloatArray:
        return divergences(_by_group(signs, group, len(crowd.names)), smoothing=smoothing)

    return _permuted(statistic, crowd.group, crowd.within, settings)


def of_means(deltas: Deltas, crowd: Crowd, settings: PerspectiveSettings) -> Permuted | str:
    """How far every group's mean delta is from everybody's, either way."""
    sums = np.zeros((deltas.annotations.annotators, 2))
    sums[:, 0] = np.bincount(deltas.annotations.annotator, deltas.values, len(sums))
    sums[:, 1] = deltas.annotations.labels_given

    def statistic(group: Numbers) -> FloatArray:
        found = _by_group(sums, group, len(crowd.names))
        means = np.divide(found[:, 0], found[:, 1], out=np.zeros(len(found)), where=found[:, 1] > 0.0)
        return np.asarray(np.abs(means[:-1] - means[-1]))

    return _permuted(statistic, crowd.group, crowd.within, settings)


def of_clusters(
    cluster: Numbers, clusters: int, prints: Fingerprints, crowd: Crowd, settings: PerspectiveSettings
) -> Permuted | str:
    """The demographic divergence of clusters of annotators."""
    within = None if crowd.within is None else crowd.within[prints.annotator]

    def statistic(group: Numbers) -> float:
        return demographic_divergence(composition(cluster, group, clusters=clusters, groups=len(crowd.names)))

    return _permuted(statistic, crowd.group[prints.annotator], within, settings)


def tested(permuted: Permuted | str, number: int, *, level: float, n: int) -> Tested:
    """One of the values."""
    if isinstance(permuted, str):
        nothing = Estimate.undefined(permuted, level=level, n=n)
        return Tested(nothing, nothing)
    value, p = float(permuted.values[number]), float(permuted.p[number])
    drawn = permuted.drawn[:, number]
    estimate = Estimate.tested(value, p, level=level, method=permutation.METHOD, n=n)
    if not np.isfinite(drawn).all():
        return Tested(
            estimate, Estimate.undefined("some permutations have no value: ask for smoothing", level=level, n=n)
        )
    mean = float(drawn.mean())
    low, high = np.quantile(drawn, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    ends = min(float(low), mean), max(float(high), mean)
    return Tested(estimate, Estimate(mean, *ends, level, permutation.METHOD, n))


def _by_group(table: FloatArray, group: Numbers, groups: int) -> FloatArray:
    """(groups + 1) × columns: sums over the annotators of each group, and last over everybody."""
    place = group % (groups + 1)
    found = np.stack([np.bincount(place, column, groups + 1) for column in table.T], axis=1).astype(np.float64)
    found[-1] = found.sum(axis=0)
    return found


def _permuted(
    statistic: Callable[[Numbers], FloatArray | float],
    group: Numbers,
    within: Numbers | None,
    settings: PerspectiveSettings,
) -> Permuted | str:
    try:
        return permute(statistic, group, strata=within, permutations=settings.permutations, seed=settings.seed)
    except Undefined as why:
        return str(why)
