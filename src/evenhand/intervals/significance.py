"""Tests and multiple comparisons: quantiles, two-sided p-values, Holm's correction, the mark of what stands out."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from evenhand.arrays import Floats
from evenhand.estimate import Estimate, Flag

ROUNDING = 1e-12  # differences below are those of floating point


def student_quantile(level: float, freedom: float = math.inf) -> float:
    """Student's two-sided quantile, normal for infinite degrees of freedom."""
    return float(stdtrit(min(freedom, 1e12), (1.0 + level) / 2.0))


def p_value_from_interval(value: float, low: float, high: float, level: float) -> float:
    """Two-sided test that a difference is 0, from the side of its interval that faces 0."""
    reach = value - low if value > 0 else high - value
    return two_sided_p_value(abs(value), (reach / student_quantile(level)) ** 2, math.inf)


def two_sided_p_value(distance: float, variance: float, freedom: float) -> float:
    """Two-sided p-value of a distance from what was expected."""
    if distance < ROUNDING:
        return 1.0
    if variance <= 0.0:
        return 0.0
    return float(2.0 * stdtr(min(freedom, 1e12), -distance / math.sqrt(variance)))


def holm(p_values: Sequence[float], alpha: float) -> list[bool]:
    """Which p-values still stand out. The chance of one or more false marks is at most alpha, however they depend."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    marks = [False] * len(p_values)
    for rank, index in enumerate(order):
        if p_values[index] > alpha / (len(p_values) - rank):
            break
        marks[index] = True
    return marks


def simultaneous_level(level: float, comparisons: int) -> float:
    """The level of each of several intervals, so that all of them hold together at `level` (Bonferroni)."""
    return 1.0 - (1.0 - level) / max(comparisons, 1)


PAIRED_INFLUENCE = "simultaneous_paired"
JOINT_DRAWS = 4000


def simultaneous_quantile(covariance: Floats, level: float) -> float:
    """How many standard errors for each of several numbers, so that all intervals hold together at `level`.

    Numbers that rise and fall together need little more than one alone; independent ones as many as Bonferroni has.
    """
    errors = np.sqrt(np.diag(covariance))
    moving = errors > 0.0
    if moving.sum() < 2:
        return normal_quantile(level)
    correlation = covariance[np.ix_(moving, moving)] / np.outer(errors[moving], errors[moving])
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    draws = np.random.default_rng(0).normal(size=(JOINT_DRAWS, len(values))) @ root.T
    return max(normal_quantile(level), float(np.quantile(np.abs(draws).max(axis=1), level)))


def mark_beyond_chance(
    estimates: Sequence[Estimate],
    p_values: Sequence[float | None],
    level: float,
    *,
    families: Sequence[Hashable] | None = None,
) -> list[Estimate]:
    """The same estimates; those beyond chance among all that were tested with them carry the flag for it.

    None is a p-value of what was not tested. `families` says which estimates are looked at together: all, without it.
    """
    marked = list(estimates)
    tested: dict[Hashable, list[int]] = {}
    for number, p in enumerate(p_values):
        if p is not None:
            tested.setdefault(families[number] if families else None, []).append(number)
    for family in tested.values():
        for number, mark in zip(family, holm([p_values[n] or 0.0 for n in family], 1.0 - level), strict=True):
            marked[number] = marked[number].flagged(Flag.STANDS_OUT) if mark else marked[number]
    return marked


def normal_quantile(level: float) -> float:
    """How many standard errors to either side."""
    return float(ndtri(0.5 + level / 2.0))
