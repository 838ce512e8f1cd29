"""Simple random sampling: all items alike, in one batch. A census is one that draws everything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from evenhand import arrays
from evenhand.arrays import Floats
from evenhand.errors import InputError
from evenhand.intervals.sampled_labels import SampledLabels
from evenhand.intervals.survey_estimators import StratifiedSample
from evenhand.sampling.batches import LabelledBatch, SampleBatch, StratumCounts, draw_from_cells, gather_labels
from evenhand.sampling.cell_design import CellDesign
from evenhand.sampling.design import DesignTraits, DrawnSoFar, PoolExpectation
from evenhand.sampling.estimation import JoinedStrata
from evenhand.sampling.frame import SamplingFrame
from evenhand.sampling.sizes import SampleSize, Target, random_size


@dataclass(frozen=True, slots=True)
class RandomDesign(CellDesign):
    """All items alike. A group's share is that of its own labels.

    >>> eh.sampling.RandomDesign().name
    'random'
    """

    name: ClassVar[str] = "random"

    @property
    def traits(self) -> DesignTraits:
        """As in `SamplingDesign`."""
        return DesignTraits(score=False)

    def sizes(self, frame: SamplingFrame, n: int) -> tuple[int, ...]:
        """As in `CellDesign`."""
        return (n,)

    def fewest(self, frame: SamplingFrame) -> int:
        """As in `CellDesign`."""
        return min(2, len(frame))

    def draw(self, frame: SamplingFrame, done: DrawnSoFar, n: int, rng: np.random.Generator) -> SampleBatch:
        """As in `CellDesign`."""
        if arrays.whole(n, "the number of labels", least=min(2, len(frame))) > len(frame):
            raise InputError(
                f"{n:,} labels requested, but there are only {len(frame):,} items: label all of them (a census)"
            )
        counts = StratumCounts(np.zeros(1, dtype=np.int64), np.array([n - len(done.gone)]))
        return draw_from_cells(frame, counts, rng, taken=np.sort(done.gone))

    def sampled(self, frame: SamplingFrame, past: Sequence[LabelledBatch]) -> StratifiedSample:
        """As in `CellDesign`."""
        joined, label = JoinedStrata.from_batches(frame, past), gather_labels(past)[1]
        estimate = StratifiedSample.from_values(label, joined.strata, joined.sizes)
        return replace(estimate, hits=float(label.sum()))

    def label_draws(self, frame: SamplingFrame, past: Sequence[LabelledBatch]) -> SampledLabels:
        """As in `CellDesign`."""
        joined = JoinedStrata.from_batches(frame, past)
        stands_for = np.full(len(joined.strata), len(frame) / len(joined.strata))
        return SampledLabels(stands_for, joined.strata, *joined.carried())

    def variance(self, frame: SamplingFrame, chance: Floats) -> float:
        """As in `CellDesign`."""
        share = float(frame.sizes @ chance) / len(frame)
        return share * (1.0 - share)

    def size(self, pool: PoolExpectation, target: Target, *, corrected: bool = True) -> SampleSize:
        """As in `LabelForecast`: exact where a prevalence is to be shown to be below a safe level."""
        return random_size(pool.prevalence, target, items=pool.items if corrected else None)
