"""The default design: score-driven sampling that learns from labels as they come in.

Labels go where they are least certain: an item counts in proportion to √(q(1 − q)), q its recalibrated chance of
violating, mixed with a floor so that a bad classifier cannot hurt much. The population is cut along the score into
strata of equal measure, and each gets two or more independent draws. Batches double; each is drawn by what the labels
before it say. Every batch gives an unbiased estimate by itself, given the batches before it, and they are combined with
weights fixed beforehand: so the whole is unbiased too, whatever the recalibration found.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import numpy as np

from evenhand import arrays
from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.intervals.sampled_labels import SampledLabels
from evenhand.intervals.survey import SurveyShare
from evenhand.intervals.survey_estimators import StratifiedSample
from evenhand.sampling.allocation import share_out
from evenhand.sampling.batches import (
    LabelledBatch,
    SampleBatch,
    StratumCounts,
    draw_from_cells,
    gather_labels,
    items_left,
    recalibrate_frame,
)
from evenhand.sampling.cell_design import CellDesign
from evenhand.sampling.design import DrawnSoFar, Estimator, SamplingPool, plain_settings, typed_settings
from evenhand.sampling.estimation import estimate_batches, estimate_by_difference, label_draws
from evenhand.sampling.frame import SamplingFrame

SCORE_DRIVEN_CAVEAT = (
    "If the sample was drawn by a classifier's score, violations that the classifier scores like benign items are "
    "found only by the labels that are drawn from all items with equal probability. The estimate stays unbiased. The "
    "usual interval assumes that there are none: in simulations in which 20 to 30 % of the violations were hidden in "
    "this way, it contained the true value in 35 to 93 of 100 samples, and the robust interval (`estimator` robust) in "
    "at least 97."
)


@dataclass(frozen=True, slots=True)
class ScoreDrivenSettings:
    """Settings of the design. `floor` is the share of measure that all items get alike: first, and at the least.

    >>> eh.sampling.ScoreDrivenSettings(first=50).batches(300)
    (50, 100, 150)
    """

    first: int = 100
    growth: float = 2.0
    floor: tuple[float, float] = (0.5, 0.4)
    halving: float = 10.0  # violations found, after which the floor has fallen to a half
    strata: int = 60
    each: int = 2

    def batches(self, n: int) -> tuple[int, ...]:
        """The sizes of the batches that make up n labels; the last takes what would be less than half a batch."""
        sizes: list[int] = []
        while sum(sizes) < arrays.whole(n, "the number of labels", least=2 * self.each):
            sizes.append(self.next_size(sum(sizes), len(sizes), n))
        return tuple(sizes)

    def next_size(self, drawn: int, batches: int, n: int) -> int:
        """Labels of the batch that comes after so many labels in so many batches."""
        left, size = n - drawn, self.first * self.growth**batches
        return round(size) if left > 1.5 * size else left

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
    frame: SamplingFrame, past: Sequence[LabelledBatch], n: int, *, seed: int, design: ScoreDrivenSettings | None = None
) -> SampleBatch:
    """The next so many items to label. The same seed and the same past draw the same items.

    >>> score = np.linspace(0.01, 0.99, 400)
    >>> frame = eh.sampling.SamplingFrame.of(score)
    >>> batch = eh.sampling.next_batch(frame, [], 100, seed=1)
    >>> len(batch.draw.rows)
    100
    """
    rng = np.random.default_rng([arrays.whole(seed, "the seed", least=0), len(past)])
    return draw_batch(frame, past, n, rng, design or ScoreDrivenSettings())


def draw_batch(
    frame: SamplingFrame,
    past: Sequence[LabelledBatch],
    n: int,
    rng: np.random.Generator,
    design: ScoreDrivenSettings,
    *,
    gone: Ints | None = None,
) -> SampleBatch:
    """The same, from a generator. `gone` are all places drawn so far, where some of them got no label.

    Of a stratum no larger part is drawn than this batch has of all labels so far, where there are items enough: more
    would be wasted, since the labels before it speak for the stratum too.
    """
    places, label = gather_labels(past)
    taken = np.sort(places if gone is None else gone)
    left = items_left(frame, taken)
    if n > left.sum():
        raise InputError(
            f"{n:,} labels requested, but only {left.sum():,} items are left: label all of them (a census)"
        )
    meaning, floor = recalibrate_frame(frame, places, label), design.floor_after(float(label.sum()))
    chance = meaning.chance(frame.logits)
    mass = _label_density(chance, left, floor)
    part = n / (n + len(taken))
    firsts = _stratum_starts(mass, frame.groups, left, n, design, fewest=math.ceil(design.each / part))
    sizes = np.add.reduceat(left, firsts)
    most = np.minimum(np.maximum(np.floor(part * sizes).astype(np.int64), design.each), sizes)
    most = most if n <= most.sum() else sizes
    counts = share_out(n, np.add.reduceat(mass, firsts), most, least=design.each)
    return draw_from_cells(frame, StratumCounts(firsts, counts), rng, taken=taken, meaning=meaning, floor=floor)


def _label_density(chance: Floats, left: Ints, floor: float) -> Floats:
    """The share of labels that each cell should get."""
    spread = np.sqrt(chance * (1.0 - chance)) * left
    mixed: Floats = (1.0 - floor) * spread / spread.sum() + floor * left / left.sum()
    return mixed


def _stratum_starts(
    mass: Floats, groups: Ints, left: Ints, n: int, design: ScoreDrivenSettings, *, fewest: int
) -> Ints:
    """The first cell of each stratum: equal measure, one group, so many items at least, and labels for all strata."""
    middle, count = np.cumsum(mass) - 0.5 * mass, min(design.strata, n // design.each)
    firsts = np.flatnonzero(np.diff(groups, prepend=-1) != 0)
    while count:
        step = np.minimum((count * middle).astype(np.int64), count - 1)
        firsts = np.flatnonzero((np.diff(step, prepend=-1) != 0) | (np.diff(groups, prepend=-1) != 0))
        firsts = _large_enough(firsts, groups, left, fewest)
        if design.each * len(firsts) <= n:
            break
        count //= 2
    else:
        raise InputError(f"{n:,} labels are too few: each of the {len(firsts):,} groups needs at least {design.each}")
    return np.append(0, firsts[1:])


def _large_enough(firsts: Ints, groups: Ints, left: Ints, fewest: int) -> Ints:
    """Strata with fewer items join the one before them of their group, or the one after; groups that small, any."""
    items = np.add.reduceat(left, firsts)
    opening = np.flatnonzero(np.diff(groups[firsts], prepend=-1) != 0)
    group = np.searchsorted(opening, np.arange(len(firsts)), side="right") - 1
    keep = items >= fewest
    keep[opening[(np.bincount(group, keep) == 0) & (np.bincount(group, items) >= fewest)]] = True
    starts, group_of_start = firsts[keep].copy(), group[keep]
    first_of_group = np.flatnonzero(np.diff(group_of_start, prepend=-1) != 0)
    starts[first_of_group] = firsts[opening[group_of_start[first_of_group]]]
    return starts


@dataclass(frozen=True, slots=True)
class ScoreDrivenDesign(CellDesign):
    """The default: where labels are least certain, recalibrated batch by batch.

    >>> eh.sampling.ScoreDrivenDesign().name
    'score-driven'
    """

    name: ClassVar[str] = "score-driven"

    rules: ScoreDrivenSettings = field(default_factory=ScoreDrivenSettings)

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> ScoreDrivenDesign:
        """As in `SamplingDesign`."""
        return cls(ScoreDrivenSettings(**typed_settings(settings)))

    def settings(self) -> dict[str, Any]:
        """As in `SamplingDesign`."""
        return plain_settings(asdict(self.rules))

    def sizes(self, frame: SamplingFrame, n: int) -> tuple[int, ...]:
        """As in `CellDesign`."""
        return self.rules.batches(n)

    def fewest(self, frame: SamplingFrame) -> int:
        """As in `CellDesign`."""
        return self.rules.each * max(2, len(np.unique(frame.groups)))

    def draw(self, frame: SamplingFrame, done: DrawnSoFar, n: int, rng: np.random.Generator) -> SampleBatch:
        """As in `CellDesign`."""
        size = self.rules.next_size(len(done.gone), len(done.past), n)
        if done.most is not None and n - len(done.gone) - done.most >= self.fewest(frame):
            size = min(size, max(done.most, self.fewest(frame)))
        return draw_batch(frame, done.past, size, rng, self.rules, gone=done.gone)

    def sampled(self, frame: SamplingFrame, past: Sequence[LabelledBatch]) -> StratifiedSample:
        """As in `CellDesign`."""
        return estimate_batches(frame, past, batch_weights(past))

    def label_draws(self, frame: SamplingFrame, past: Sequence[LabelledBatch]) -> SampledLabels:
        """As in `CellDesign`."""
        return label_draws(frame, past, batch_weights(past))

    def other_shares(
        self, pool: SamplingPool, past: Sequence[LabelledBatch]
    ) -> Iterator[tuple[Estimator, SurveyShare]]:
        """As in `SamplingDesign`, and the difference estimate, since what was expected of each item is known."""
        yield from CellDesign.other_shares(self, pool, past)
        yield Estimator.DIFFERENCE, estimate_by_difference(pool.frame, past, batch_weights(past)).figure()

    def caveats(self, pool: SamplingPool, past: Sequence[LabelledBatch]) -> Iterator[str]:
        """As in `SamplingDesign`."""
        yield SCORE_DRIVEN_CAVEAT

    def variance(self, frame: SamplingFrame, chance: Floats) -> float:
        """As in `CellDesign`; with the floor of the first batch, so rather too much."""
        share = frame.sizes / len(frame)
        return float(np.sum(share * chance * (1.0 - chance) / self.density(frame, chance)))

    def density(self, frame: SamplingFrame, chance: Floats) -> Floats:
        """As in `CellDesign`; of the first batch."""
        share, floor = frame.sizes / len(frame), self.rules.floor[0]
        spread = np.sqrt(chance * (1.0 - chance))
        density: Floats = floor + (1.0 - floor) * spread / float(share @ spread)
        return density


def batch_weights(past: Sequence[LabelledBatch]) -> Floats:
    """The weight of each batch: by the items drawn, known before any label is."""
    parts = np.array([done.batch.draw.counts.sum() for done in past], dtype=np.float64)
    shares: Floats = parts / parts.sum()
    return shares
