"""The default design: score-driven sampling that learns from labels as they come in.

Labels go where they are least certain: an item counts in proportion to √(q(1 − q)), q its recalibrated chance of
violating, mixed with a floor so that a bad classifier cannot hurt much. The population is cut along the score into
strata of equal measure, and each gets two or more independent draws. Batches double; each is drawn by what the labels
before it say. Every batch gives an unbiased estimate by itself, given the batches before it, and they are combined with
weights that were fixed beforehand: so the whole is unbiased too, however the recalibration went.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand import arrays
from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.sampling.allocation import share_out
from evenhand.sampling.batches import Batch, Labelled, Spread, gathered, learned, left_in, take
from evenhand.sampling.frame import Frame


@dataclass(frozen=True, slots=True)
class ScoreDriven:
    """Settings of the design. `floor` is the share of measure that all items get alike: first, and at the least."""

    first: int = 100
    growth: float = 2.0
    floor: tuple[float, float] = (0.3, 0.1)
    halving: float = 10.0  # violations found, after which the floor has fallen to a half
    strata: int = 60
    each: int = 2

    def batches(self, n: int) -> tuple[int, ...]:
        """The sizes of the batches that make up n labels; the last takes what would be less than half a batch."""
        left, size, sizes = arrays.whole(n, "the number of labels", least=2 * self.each), float(self.first), []
        while left > 1.5 * size:
            sizes.append(round(size))
            left -= sizes[-1]
            size *= self.growth
        return (*sizes, left)

    def weights(self, n: int) -> Floats:
        """Of each batch in the estimate, adding up to 1: by its labels, known before any label is."""
        parts = np.array(self.batches(n), dtype=np.float64)
        shares: Floats = parts / parts.sum()
        return shares

    def floor_after(self, violations: float) -> float:
        """The floor when so many violations have been found."""
        start, least = self.floor
        return max(least, start / (1.0 + violations / self.halving))


def next_batch(
    frame: Frame, past: Sequence[Labelled], n: int, *, seed: int, design: ScoreDriven | None = None
) -> Batch:
    """The next so many items to label. The same seed and the same past draw the same items."""
    rng = np.random.default_rng([arrays.whole(seed, "the seed", least=0), len(past)])
    return draw_batch(frame, past, n, rng, design or ScoreDriven())


def draw_batch(
    frame: Frame,
    past: Sequence[Labelled],
    n: int,
    rng: np.random.Generator,
    design: ScoreDriven,
    *,
    gone: Ints | None = None,
) -> Batch:
    """The same, from a generator. `gone` are all places drawn so far, where some of them got no label.

    Of a stratum no larger part is drawn than this batch has of all labels so far, where there are items enough: more
    would be wasted, since the labels before it speak for the stratum too.
    """
    places, label = gathered(past)
    taken = np.sort(places if gone is None else gone)
    left = left_in(frame, taken)
    if n > left.sum():
        raise InputError(f"{n} labels are more than the {left.sum()} items that are left: label all of them, a census")
    meaning, floor = learned(frame, places, label), design.floor_after(float(label.sum()))
    chance = meaning.chance(frame.logits)
    mass = _measure(chance, left, floor)
    part = n / (n + len(taken))
    firsts = _cuts(mass, frame.groups, left, n, design, fewest=math.ceil(design.each / part))
    sizes = np.add.reduceat(left, firsts)
    most = np.minimum(np.maximum(np.floor(part * sizes).astype(np.int64), design.each), sizes)
    most = most if n <= most.sum() else sizes
    counts = share_out(n, np.add.reduceat(mass, firsts), most, least=design.each)
    return take(frame, Spread(firsts, counts), rng, taken=taken, meaning=meaning, floor=floor)


def _measure(chance: Floats, left: Ints, floor: float) -> Floats:
    """The share of labels that each cell should get."""
    spread = np.sqrt(chance * (1.0 - chance)) * left
    mixed: Floats = (1.0 - floor) * spread / spread.sum() + floor * left / left.sum()
    return mixed


def _cuts(mass: Floats, groups: Ints, left: Ints, n: int, design: ScoreDriven, *, fewest: int) -> Ints:
    """The first cell of each stratum: equal measure, one group, so many items at least, and labels for all strata."""
    middle, count = np.cumsum(mass) - 0.5 * mass, min(design.strata, n // design.each)
    while count:
        step = np.minimum((count * middle).astype(np.int64), count - 1)
        firsts = np.flatnonzero((np.diff(step, prepend=-1) != 0) | (np.diff(groups, prepend=-1) != 0))
        firsts = firsts[np.add.reduceat(left, firsts) >= fewest]
        if design.each * len(firsts) <= n:
            break
        count //= 2
    else:
        raise InputError(f"{n} labels are too few: each of the {len(firsts)} groups needs {design.each}")
    return np.append(0, firsts[1:])
