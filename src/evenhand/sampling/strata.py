"""Strata: parts of a population that are sampled separately, by score, by columns such as language, or both.

A good stratum is one in which items are alike: nearly all benign, or nearly all violating. Items with the same score
are never separated, so that a stratum does not depend on the order of the rows.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError


@dataclass(frozen=True)
class Strata:
    """Every item's stratum, by number, and the strata's names. None is empty.

    >>> strata = eh.sampling.quantile_strata([0.1, 0.2, 0.8, 0.9], 2)
    >>> strata.names, strata.sizes.tolist()
    (('score lowest to 0.8', 'score 0.8 to highest'), [2, 2])
    """

    codes: Ints
    names: tuple[str, ...]

    @classmethod
    def of(cls, codes: npt.ArrayLike, names: Sequence[str]) -> Strata:
        """From numbers into a list of names; strata without items are left out."""
        numbers = arrays.wholes(codes, "strata")
        if not len(numbers):
            raise InputError("there are no items to put into strata")
        if numbers.max() >= len(names):
            raise InputError(f"there is no stratum number {int(numbers.max())}: there are {len(names)} names")
        present = np.flatnonzero(np.bincount(numbers))
        fresh = np.zeros(present[-1] + 1, dtype=np.int64)
        fresh[present] = np.arange(len(present))
        return cls(fresh[numbers], tuple(names[int(code)] for code in present))

    def __len__(self) -> int:
        return len(self.names)

    @property
    def sizes(self) -> Ints:
        """Items in each stratum."""
        return np.bincount(self.codes, minlength=len(self.names))

    def prevalences(self, label: npt.ArrayLike) -> Floats:
        """The share of violating items in each stratum, where all labels are known."""
        violating = arrays.labels(label, size=len(self.codes))
        return np.bincount(self.codes, violating, minlength=len(self.names)) / self.sizes


def equal_width_strata(score: npt.ArrayLike, count: int) -> Strata:
    """The range from 0 to 1 in so many equal parts; 1 belongs to the last.

    >>> eh.sampling.equal_width_strata([0.1, 0.2, 0.3, 0.9], 2).sizes.tolist()
    [3, 1]
    """
    p, parts = arrays.probabilities(score, "score"), arrays.whole(count, "the number of strata")
    edges = np.arange(1, parts) / parts
    return _cut(p, edges)


def quantile_strata(score: npt.ArrayLike, count: int) -> Strata:
    """So many parts of equally many items, as far as tied scores allow.

    >>> eh.sampling.quantile_strata([0.1, 0.2, 0.8, 0.9], 2).sizes.tolist()
    [2, 2]
    """
    p, parts = arrays.numbers(score, "score"), arrays.whole(count, "the number of strata")
    if not len(p):
        raise InputError("there are no items to put into strata")
    ranks = len(p) * np.arange(1, parts) // parts
    return _cut(p, np.unique(np.sort(p)[ranks]))


def oracle_strata(score: npt.ArrayLike, label: npt.ArrayLike, count: int) -> Strata:
    """Every part is split where the variance falls most, again and again. It needs all labels: for studies only.

    >>> eh.sampling.oracle_strata([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], 2).names
    ('score lowest to 0.8', 'score 0.8 to highest')
    """
    p = arrays.numbers(score, "score")
    violating = arrays.labels(label, size=len(p))
    parts = arrays.whole(count, "the number of strata")
    if parts & (parts - 1):
        raise InputError(f"invalid number of oracle strata: {parts} (must be a power of two)")
    order = np.argsort(p, kind="stable")
    cuts = [0, len(p)]
    for _ in range(parts.bit_length() - 1):
        cuts = _splits(p[order], violating[order], cuts)
    return _cut(p, p[order][cuts[1:-1]])


def column_strata(columns: Mapping[str, Sequence[object]]) -> Strata:
    """One stratum for each combination of values that occurs.

    >>> eh.sampling.column_strata({"language": ["en", "de", "en"]}).names
    ('language=de', 'language=en')
    """
    if not columns:
        raise InputError("name at least one column for the strata")
    strata = [_by_column(name, values) for name, values in columns.items()]
    whole = strata[0]
    for part in strata[1:]:
        whole = cross_strata(whole, part)
    return whole


def cross_strata(first: Strata, second: Strata) -> Strata:
    """Every stratum of the one with every stratum of the other.

    >>> language = eh.sampling.column_strata({"language": ["en", "de", "en"]})
    >>> score = eh.sampling.equal_width_strata([0.1, 0.9, 0.8], 2)
    >>> len(eh.sampling.cross_strata(language, score))
    3
    """
    if len(first.codes) != len(second.codes):
        raise InputError(f"strata of {len(first.codes)} and of {len(second.codes)} items cannot be crossed")
    names = [f"{one}, {other}" for one in first.names for other in second.names]
    return Strata.of(first.codes * len(second) + second.codes, names)


def _by_column(name: str, values: Sequence[object]) -> Strata:
    text = np.asarray([str(value) for value in values])
    distinct, codes = np.unique(text, return_inverse=True)
    return Strata.of(codes, [f"{name}={value}" for value in distinct])


def _cut(score: Floats, edges: Floats) -> Strata:
    """Stratum k holds the scores from one edge up to, not including, the next."""
    bounds = ["", *(f"{edge:.4g}" for edge in edges), ""]
    names = [f"score {low or 'lowest'} to {high or 'highest'}" for low, high in itertools.pairwise(bounds)]
    return Strata.of(np.searchsorted(edges, score, side="right"), names)


def _splits(score: Floats, violating: Floats, cuts: list[int]) -> list[int]:
    splits = {_best(score, violating, low, high) for low, high in itertools.pairwise(cuts)}
    return sorted({*cuts, *splits})


def _best(score: Floats, violating: Floats, low: int, high: int) -> int:
    """Where size · deviation of the two parts adds up to least; `low` where no cut helps."""
    hits, size = np.cumsum(violating[low:high]), np.arange(1, high - low + 1)

    def spread(k: npt.NDArray[np.float64], n: npt.NDArray[np.int64]) -> Floats:
        return np.sqrt(np.maximum(k * (n - k), 0.0))

    left = spread(hits[:-1], size[:-1])
    right = spread(hits[-1] - hits[:-1], size[-1] - size[:-1])
    allowed = score[low + 1 : high] > score[low : high - 1]
    if not allowed.any():
        return low
    cost = np.where(allowed, left + right, np.inf)
    at = int(np.argmin(cost))
    return low + at + 1 if cost[at] < spread(hits[-1:], size[-1:])[0] - 1e-12 else low
