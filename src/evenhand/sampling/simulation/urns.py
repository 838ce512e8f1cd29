"""Strata whose labels are all known: how a stratified design comes out depends on nothing but two numbers of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Floats, Ints
from evenhand.intervals.survey import Figure, Sampled
from evenhand.sampling import allocation
from evenhand.sampling.sizes import Parts
from evenhand.sampling.strata import Strata


@dataclass(frozen=True)
class Draws:
    """Many samples, one a row: the labels in each stratum (one row where they are always the same), the violations."""

    counts: Ints
    hits: Ints
    sizes: Ints

    @property
    def values(self) -> Floats:
        """The estimate from each sample."""
        found: Floats = self.hits / self.counts @ (self.sizes / self.sizes.sum())
        return found

    @property
    def spent(self) -> float:
        """Labels in a sample, on average."""
        return float(np.atleast_2d(self.counts).sum(axis=1).mean())

    def samples(self) -> Iterator[Sampled]:
        """Each sample, as an interval needs it."""
        shares = self.sizes / self.sizes.sum()
        for counts, hits in zip(np.broadcast_to(self.counts, self.hits.shape), self.hits, strict=True):
            means = hits / counts
            variances = means * (1.0 - means) * counts / np.maximum(counts - 1, 1)
            yield Sampled(shares, counts, means, variances, counts / self.sizes, float(hits.sum()))

    def figures(self) -> list[Figure]:
        """The estimate of each sample with its variance."""
        return [sampled.figure() for sampled in self.samples()]


@dataclass(frozen=True)
class Urns:
    """The items of each stratum, and how many of them violate."""

    sizes: Ints
    violating: Ints

    @classmethod
    def of(cls, strata: Strata, label: npt.ArrayLike, *, times: int = 1) -> Urns:
        """From labels, every item there so many times."""
        violating = arrays.labels(label, size=len(strata.codes))
        hits = np.bincount(strata.codes, violating, minlength=len(strata)).astype(np.int64)
        return cls(strata.sizes * times, hits * times)

    @property
    def parts(self) -> Parts:
        """Shares and prevalences."""
        return Parts.of(self.sizes, self.violating / self.sizes)

    def equal(self, n: int) -> Ints:
        """An equal allocation."""
        return allocation.equal(n, self.sizes)

    def optimal(self, n: int) -> Ints:
        """The oracle's allocation, which knows all labels."""
        return allocation.optimal(n, self.sizes, self.parts.deviations)

    def variance(self, counts: Ints) -> float:
        """Of the stratified estimate, exactly: draws are without replacement."""
        parts, sizes = self.parts, self.sizes
        spread = (parts.shares * parts.deviations) ** 2 * (sizes - counts) / np.maximum(sizes - 1, 1)
        return float(np.sum(spread / counts))

    def size(self, allocate: Callable[[int], Ints], error: float) -> int:
        """The fewest labels with which an allocation has this standard error, as items run out."""
        low, high = len(self.sizes) - 1, int(self.sizes.sum())
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.variance(allocate(middle)) <= error**2 else (middle, high)
        return high

    def drawn(self, counts: Ints, draws: int, rng: np.random.Generator) -> Draws:
        """Samples with so many labels in each stratum."""
        shape = (draws, len(self.sizes))
        return Draws(counts, rng.hypergeometric(self.violating, self.sizes - self.violating, counts, shape), self.sizes)

    def piloted(self, n: int, each: int, draws: int, rng: np.random.Generator) -> Draws:
        """The published practical method: so many pilot labels in each stratum, then the rest where they say; pooled.

        The pilot is kept where it has more than the optimum, so a sample may be larger than n.
        """
        seen = np.minimum(each, self.sizes)
        first = rng.hypergeometric(self.violating, self.sizes - self.violating, seen, (draws, len(self.sizes)))
        counts = allocation.completed(min(max(n, len(seen)), int(self.sizes.sum())), self.sizes, seen, first)
        fine = self.sizes - self.violating - seen + first
        return Draws(counts, first + rng.hypergeometric(self.violating - first, fine, counts - seen), self.sizes)
