"""Divergence between groups of annotators, in nats.

Kullback–Leibler of the signs of deltas, and Jensen–Shannon of groups across clusters. Both are 0 when nothing differs
and positive by chance. So a value is reported with its mean under permutation and a p-value, never with a percentile
interval.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import entr, rel_entr

from evenhand.arrays import Floats
from evenhand.errors import InputError, Undefined

EMPTY_SIGN = "a kind of delta that occurs among all annotators does not occur in the group: use smoothing"
COMPOSITION_FORM = "the composition must be a table of clusters by groups, 0 or more"
HALF_COUNT = 0.5


def divergences(counts: npt.ArrayLike, *, smoothing: float = 0.0) -> Floats:
    """KL(P‖Q) of each group: `counts` are groups × cells with everybody in the last row, P is theirs and Q the group's.

    Of many tables at once along leading axes. `smoothing` is added to every cell of every row, everybody's too.
    Infinite where Q lacks what P has.
    """
    table = np.asarray(counts, dtype=np.float64) + smoothing
    if table.ndim < 2 or table.shape[-2] < 2 or (table < 0.0).any():
        raise InputError("counts must be a table of groups by cells, 0 or more, with everybody in the last row")
    if not table[..., -1, :].any(axis=-1).all():
        raise Undefined("there are no annotations")
    whole = table.sum(axis=-1, keepdims=True)
    shares = np.divide(table, whole, out=np.zeros_like(table), where=whole > 0.0)
    return np.asarray(np.maximum(rel_entr(shares[..., -1:, :], shares[..., :-1, :]).sum(axis=-1), 0.0))


def uncertainty_divergence(everybody: npt.ArrayLike, group: npt.ArrayLike, *, smoothing: float = 0.0) -> float:
    """KL(P‖Q) of signs of deltas: P over all annotations, Q over the group's."""
    if not np.any(group):
        raise Undefined("the group has no annotations")
    value = float(divergences(np.stack((np.asarray(group), np.asarray(everybody))), smoothing=smoothing)[0])
    if not np.isfinite(value):
        raise Undefined(EMPTY_SIGN)
    return value


def composition(cluster: npt.ArrayLike, group: npt.ArrayLike, *, clusters: int, groups: int) -> Floats:
    """Clusters × groups: how many annotators; those in no cluster or no group (−1) are left out."""
    first, second = np.asarray(cluster), np.asarray(group)
    if first.shape != second.shape or first.ndim != 1:
        raise InputError("clusters and groups must be one number each per annotator")
    if first.size and (first.max() >= clusters or second.max() >= groups or min(first.min(), second.min()) < -1):
        raise InputError("a cluster or group is out of range")
    both = (first >= 0) & (second >= 0)
    cell = first[both] * groups + second[both]
    return np.bincount(cell, minlength=clusters * groups).reshape(clusters, groups).astype(np.float64)


def demographic_divergence(table: npt.ArrayLike) -> float:
    """Σ π_i KL(P_i‖M), M = Σ π_i P_i, of a table of clusters × groups: 0 when all clusters are composed alike."""
    return float(demographic_divergences(_as_composition(table)))


def demographic_divergences(tables: npt.ArrayLike) -> Floats:
    """The same of many tables at once, along leading axes."""
    joint = _joint(tables)
    apart = joint.sum(axis=-1, keepdims=True) * joint.sum(axis=-2, keepdims=True)
    return np.asarray(np.maximum(rel_entr(joint, apart).sum(axis=(-2, -1)), 0.0))


def largest_divergence(table: npt.ArrayLike) -> float:
    """The most it could be with these cluster and group sizes: the smaller of the entropies of π and M.

    It is reached when every cluster holds one group alone.
    """
    joint = _joint(_as_composition(table))
    return float(min(entr(joint.sum(axis=1)).sum(), entr(joint.sum(axis=0)).sum()))


def _as_composition(table: npt.ArrayLike) -> Floats:
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2:
        raise InputError(COMPOSITION_FORM)
    return counts


def _joint(tables: npt.ArrayLike) -> Floats:
    counts = np.asarray(tables, dtype=np.float64)
    if counts.ndim < 2 or (counts < 0.0).any():
        raise InputError(COMPOSITION_FORM)
    whole = counts.sum(axis=(-2, -1), keepdims=True)
    if not (whole > 0.0).all():
        raise Undefined("no annotator is in a cluster and in a group")
    return np.asarray(counts / whole)
