"""Permutation tests: a statistic of groups of annotators, and what it is when the groups are shuffled.

A divergence is positive by chance, the more so the fewer people there are. If a person's group has nothing to do with
what they say, any other assignment of the groups was as likely; p is the share of those that diverge as much. Where
people are comparable only within a country or a batch, groups are shuffled within those strata.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError, Undefined

PERMUTATION = "permutation"
PERMUTATIONS = 999
RELATIVE_ROUNDING = 1e-12  # of the value: sums in another order are still equal
GroupStatistic = Callable[[Ints], npt.ArrayLike]


@dataclass(frozen=True)
class PermutationTest:
    """Values and, per permutation, what they would have been: permutations × values."""

    values: Floats
    drawn: Floats

    @cached_property
    def p(self) -> Floats:
        """Per value (1 + permutations that reach it) / (1 + permutations)."""
        reached = self.drawn >= self.values - RELATIVE_ROUNDING * np.abs(self.values)
        return np.asarray((1.0 + reached.sum(axis=0)) / (1.0 + len(self.drawn)))

    def mean(self, number: int = 0) -> float:
        """What one of the values would be by chance, on average."""
        mean = float(self.drawn[:, number].mean())
        if not np.isfinite(mean):
            raise Undefined("the divergence is undefined in some permutations: use smoothing")
        return mean


def permutation_test(
    statistic: GroupStatistic,
    group: npt.ArrayLike,
    *,
    strata: npt.ArrayLike | None = None,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> PermutationTest:
    """A statistic (one value or several, larger is more) of the groups as they are, and of groups handed out anew.

    A statistic that has no value on some permutation is infinite there, which counts against a finding. `strata` are
    one whole number per annotator.
    """
    codes = np.asarray(group)
    if codes.ndim != 1 or (codes.dtype.kind not in "iu" and codes.size) or permutations < 1:
        raise InputError("groups must be one whole number per annotator, and permutations one or more")
    within = np.zeros(len(codes), dtype=np.int64) if strata is None else np.asarray(strata)
    if within.shape != codes.shape or (within.dtype.kind not in "iu" and within.size):
        raise InputError("strata must be one whole number per annotator")
    values = np.atleast_1d(np.asarray(statistic(codes.astype(np.int64)), dtype=np.float64))
    if not np.isfinite(values).all():
        raise Undefined("the divergence is undefined: use smoothing")
    rng, shuffled = np.random.default_rng(seed), _Shuffle(codes.astype(np.int64), within)
    drawn = [np.atleast_1d(np.asarray(statistic(shuffled(rng)), dtype=np.float64)) for _ in range(permutations)]
    return PermutationTest(values, np.stack(drawn))


class _Shuffle:
    """Hands out the groups anew, within strata, to those who are in one."""

    def __init__(self, group: Ints, strata: npt.NDArray[np.int64]) -> None:
        members = np.flatnonzero(group >= 0)
        self.members = members[np.argsort(strata[members], kind="stable")]  # stratum by stratum
        self.group = group
        _, self.place = np.unique(strata[self.members], return_inverse=True)

    def __call__(self, rng: np.random.Generator) -> Ints:
        order = np.argsort(self.place + rng.random(len(self.members)))
        shuffled_groups = self.group.copy()
        shuffled_groups[self.members] = self.group[self.members[order]]
        return shuffled_groups
