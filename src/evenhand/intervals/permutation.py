"""Could chance alone have done this? Shuffle the groups over the annotators and look again.

A divergence is positive by chance, the more so the fewer people there are. If a person's group has nothing to do with
what they say, any other way of handing out the groups was as likely; p is the share of those that diverge as much.
Where people are comparable only within a country or a batch, groups are shuffled within those strata.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from evenhand.errors import InputError, Undefined
from evenhand.tally import FloatArray

METHOD = "permutation"
PERMUTATIONS = 999
SLACK = 1e-12  # of the value: sums in another order are still equal

Groups = npt.NDArray[np.int64]  # per annotator; −1 is in none, and stays so
Statistic = Callable[[Groups], npt.ArrayLike]


@dataclass(frozen=True)
class Permuted:
    """Values and, per permutation, what they would have been: permutations × values."""

    values: FloatArray
    drawn: FloatArray

    @cached_property
    def p(self) -> FloatArray:
        """Per value (1 + permutations that reach it) / (1 + permutations)."""
        reached = self.drawn >= self.values - SLACK * np.abs(self.values)
        return np.asarray((1.0 + reached.sum(axis=0)) / (1.0 + len(self.drawn)))

    def mean(self, number: int = 0) -> float:
        """What one of the values would be by chance, on average."""
        found = float(self.drawn[:, number].mean())
        if not np.isfinite(found):
            raise Undefined("the divergence has no value in some permutations: ask for smoothing")
        return found


def permute(
    statistic: Statistic,
    group: npt.ArrayLike,
    *,
    strata: npt.ArrayLike | None = None,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> Permuted:
    """A statistic (one value or several, larger is more) of the groups as they are, and of groups handed out anew.

    A statistic that has no value on some permutation is infinite there, which counts against a finding. `strata` are
    one whole number per annotator.
    """
    given = np.asarray(group)
    if given.ndim != 1 or (given.dtype.kind not in "iu" and given.size) or permutations < 1:
        raise InputError("groups must be one whole number per annotator, and permutations one or more")
    within = np.zeros(len(given), dtype=np.int64) if strata is None else np.asarray(strata)
    if within.shape != given.shape or (within.dtype.kind not in "iu" and within.size):
        raise InputError("strata must be one whole number per annotator")
    values = np.atleast_1d(np.asarray(statistic(given.astype(np.int64)), dtype=np.float64))
    if not np.isfinite(values).all():
        raise Undefined("the divergence has no value: ask for smoothing")
    rng, shuffled = np.random.default_rng(seed), _Shuffle(given.astype(np.int64), within)
    drawn = [np.atleast_1d(np.asarray(statistic(shuffled(rng)), dtype=np.float64)) for _ in range(permutations)]
    return Permuted(values, np.stack(drawn))


class _Shuffle:
    """Hands out the groups anew, within strata, to those who are in one."""

    def __init__(self, group: Groups, strata: npt.NDArray[np.int64]) -> None:
        members = np.flatnonzero(group >= 0)
        self.members = members[np.argsort(strata[members], kind="stable")]  # stratum by stratum
        self.group = group
        _, self.place = np.unique(strata[self.members], return_inverse=True)

    def __call__(self, rng: np.random.Generator) -> Groups:
        order = np.argsort(self.place + rng.random(len(self.members)))
        found = self.group.copy()
        found[self.members] = self.group[self.members[order]]
        return found
