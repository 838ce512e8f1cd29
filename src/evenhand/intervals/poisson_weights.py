"""How often each annotator and each item is drawn in each draw of the two-way bootstrap.

The numbers are small, so bytes hold them: those of all draws stay near the processor, and a product of two of them is
still a byte.
"""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt
from scipy import special

Counts = npt.NDArray[np.uint8]
DRAWS_AT_A_TIME = 25  # draws made at a time
MOST_WEIGHTS = 1 << 27  # weights of items held at once, in bytes


class PoissonWeights:
    """How often annotators and items are drawn: annotators × draws and items × draws, in bytes.

    Draws are made so many at a time that those held stay few where items are many; how many is no matter of chance.
    """

    def __init__(self, annotators: int, items: int, replicates: int, seed: int) -> None:
        self.size = (annotators, items)
        self.replicates = replicates
        self.seed = seed
        batches = max(MOST_WEIGHTS // max(items * DRAWS_AT_A_TIME, 1), 1)
        self.at_a_time = batches * DRAWS_AT_A_TIME
        self._held: tuple[Counts, Counts] | None = None

    @classmethod
    def shared(cls, annotators: int, items: int, replicates: int, seed: int) -> PoissonWeights:
        """The same object for the same arguments, as long as somebody holds it."""
        key = (annotators, items, replicates, seed)
        weights = _SHARED.get(key)
        if weights is None:
            weights = _SHARED[key] = cls(*key)
        return weights

    def __iter__(self) -> Iterator[tuple[Counts, Counts]]:
        """Some draws at a time; the same whenever they are asked for."""
        if self._held is not None:
            yield self._held
            return
        people, things = (np.random.default_rng(child) for child in np.random.SeedSequence(self.seed).spawn(2))
        for start in range(0, self.replicates, self.at_a_time):
            draws = min(self.at_a_time, self.replicates - start)
            some = tuple(_drawn(rng, size, draws) for rng, size in zip((people, things), self.size, strict=True))
            if draws == self.replicates:
                self._held = (some[0], some[1])
            yield some[0], some[1]


_SHARED: WeakValueDictionary[tuple[int, int, int, int], PoissonWeights] = WeakValueDictionary()


def _drawn(rng: np.random.Generator, size: int, draws: int) -> Counts:
    """One column per draw, made a few at a time."""
    made = np.empty((size, draws), dtype=np.uint8)
    for start in range(0, draws, DRAWS_AT_A_TIME):
        some = made[:, start : start + DRAWS_AT_A_TIME]
        some[:] = _poisson(rng, size, some.shape[1])
    return made


def _poisson(rng: np.random.Generator, size: int, draws: int) -> Counts:
    """One column per draw, looked up: a Poisson number needs no more than sixteen random bits."""
    return QUANTILES[rng.integers(0, 1 << 16, (size, draws), dtype=np.uint16)]


_REACHED = special.pdtr(np.arange(32), 1.0)  # how likely a Poisson number is at most so large
QUANTILES = np.searchsorted(_REACHED, (np.arange(1 << 16) + 0.5) / (1 << 16)).astype(np.uint8)
