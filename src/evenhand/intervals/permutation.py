"""Permutation tests: a statistic of groups of annotators, and what it is when the groups are shuffled.

A divergence is positive by chance, the more so the fewer people there are. If a person's group has nothing to do with
what they say, any other assignment of the groups was as likely; p is the share of those that diverge as much. Where
people are comparable only within a country or a batch, groups are shuffled within those strata.

Many permutations are made and measured at once, as arrays: a row of codes for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError, Undefined

PERMUTATION = "permutation"
PERMUTATIONS = 10_000
RELATIVE_ROUNDING = 1e-12  # of the value: sums in another order are still equal
CODES_AT_A_TIME = 1 << 21  # codes of permutations × annotators held at once
FEWEST_RANDOM_BITS = 24  # of a key by which annotators are shuffled
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
    """A statistic (larger is more) of the groups as they are, and of groups handed out anew.

    The statistic goes from codes, permutations × annotators, to values, permutations × values, or one value each. One
    that has no value on some permutation is infinite there, which counts against a finding. `strata` are one whole
    number per annotator.
    """
    codes = np.asarray(group)
    if codes.ndim != 1 or (codes.dtype.kind not in "iu" and codes.size) or permutations < 1:
        raise InputError("groups must be one whole number per annotator, and permutations one or more")
    within = np.zeros(len(codes), dtype=np.int64) if strata is None else np.asarray(strata)
    if within.shape != codes.shape or (within.dtype.kind not in "iu" and within.size):
        raise InputError("strata must be one whole number per annotator")
    values = _values(statistic, codes.astype(np.int64)[None])[0]
    if not np.isfinite(values).all():
        raise Undefined("the divergence is undefined: use smoothing")
    shuffled = _Shuffle(codes.astype(np.int64), within).permuted(permutations, np.random.default_rng(seed))
    return PermutationTest(values, np.concatenate([_values(statistic, some) for some in shuffled]))


def sums_of_groups(table: npt.ArrayLike, codes: Ints, groups: int) -> Floats:
    """Permutations × (groups + 1) × columns: sums over the annotators of each group, and last over everybody.

    `table` is annotators × columns, `codes` permutations × annotators; −1 is for those in no group.
    """
    columns = np.asarray(table, dtype=np.float64)
    sums = np.empty((len(codes), groups + 1, columns.shape[1]))
    for number in range(groups):
        sums[:, number] = (codes == number).astype(np.float64) @ columns
    sums[:, groups] = columns.sum(axis=0)
    return sums


def _values(statistic: GroupStatistic, codes: Ints) -> Floats:
    """Permutations × values."""
    return np.asarray(statistic(codes), dtype=np.float64).reshape(len(codes), -1)


class _Shuffle:
    """Hands out the groups anew, within strata, to those who are in one.

    Sorted are keys of 64 bits: the stratum, random bits, and the group, which the sorted key is read for.
    """

    def __init__(self, group: Ints, strata: npt.NDArray[np.int64]) -> None:
        members = np.flatnonzero(group >= 0)
        self.members = members[np.argsort(strata[members], kind="stable")]  # stratum by stratum
        self.group = group
        _, place = np.unique(strata[self.members], return_inverse=True)
        codes = group[self.members].astype(np.uint64)
        self.group_bits = int(codes.max(initial=0)).bit_length()
        self.random_bits = 64 - self.group_bits - int(place.max(initial=0)).bit_length()
        if self.random_bits < FEWEST_RANDOM_BITS:
            raise InputError("there are too many groups and strata to shuffle")
        self.ends = place.astype(np.uint64) << np.uint64(self.random_bits + self.group_bits) | codes

    def permuted(self, permutations: int, rng: np.random.Generator) -> Iterator[Ints]:
        """Permutations × annotators, some permutations at a time; any number at a time gives the same ones."""
        step = max(CODES_AT_A_TIME // max(len(self.group), 1), 1)
        low = np.uint64((1 << self.group_bits) - 1)
        for start in range(0, permutations, step):
            count = min(step, permutations - start)
            keys = rng.integers(0, 1 << 64, (count, len(self.members)), dtype=np.uint64)
            keys >>= np.uint64(64 - self.random_bits)
            keys <<= np.uint64(self.group_bits)
            keys |= self.ends
            keys.sort(axis=1)
            codes = np.repeat(self.group[None], count, axis=0)
            codes[:, self.members] = (keys & low).astype(np.int64)
            yield codes
