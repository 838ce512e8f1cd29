"""What designs that draw batches from the cells of a frame have in common: random, stratified, score-driven.

Each of them says how a batch is drawn and what the labels of all batches show; the rest follows from that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar, Self

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.errors import Undefined
from evenhand.intervals.sampled_labels import UNLABELLED, SampledLabels
from evenhand.intervals.survey import SurveyShare
from evenhand.intervals.survey_estimators import StratifiedSample, hajek, horvitz_thompson
from evenhand.sampling.batches import LabelledBatch, SampleBatch, gather_labels
from evenhand.sampling.design import (
    NO_PLACES,
    DesignTraits,
    DrawnSoFar,
    Estimator,
    FixedStratum,
    LabelForecast,
    LabelWeights,
    PoolExpectation,
    SamplingPool,
    plain_settings,
    typed_settings,
)
from evenhand.sampling.estimation import JoinedStrata
from evenhand.sampling.expectations import size_below, size_for_prevalence
from evenhand.sampling.frame import SamplingFrame
from evenhand.sampling.sizes import Below, SampleSize, Target


class CellDesign(ABC):
    """Draws batches of strata, which are runs of cells; methods without a word are as in `SamplingDesign`."""

    __slots__ = ()
    name: ClassVar[str]
    options: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def sizes(self, frame: SamplingFrame, n: int) -> tuple[int, ...]:
        """Labels of each batch, as far as known in advance."""

    @abstractmethod
    def fewest(self, frame: SamplingFrame) -> int:
        """Labels that it takes at least."""

    @abstractmethod
    def draw(self, frame: SamplingFrame, done: DrawnSoFar, n: int, rng: np.random.Generator) -> SampleBatch:
        """The next batch of a plan for n labels."""

    @abstractmethod
    def sampled(self, frame: SamplingFrame, past: Sequence[LabelledBatch]) -> StratifiedSample:
        """What the labels show of all items."""

    @abstractmethod
    def label_draws(self, frame: SamplingFrame, past: Sequence[LabelledBatch]) -> SampledLabels:
        """What an interval needs to know of the draw of each label, in the order of the batches."""

    @abstractmethod
    def variance(self, frame: SamplingFrame, chance: Floats) -> float:
        """Of the estimate times the number of labels, if items of each cell violate with this chance."""

    def density(self, frame: SamplingFrame, chance: Floats) -> Floats:
        """How dense labels are on the items of each cell, 1 on average; all alike where a design does not say."""
        return np.ones(len(frame.sizes))

    @property
    def traits(self) -> DesignTraits:
        return DesignTraits()

    @property
    def forecast(self) -> LabelForecast | None:
        return self

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Self:
        return cls(**typed_settings(settings))

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        return cls.from_settings(options)

    def settings(self) -> dict[str, Any]:
        return plain_settings(asdict(self))  # type: ignore[call-overload]

    def aimed_at(self, promise: Mapping[str, float]) -> Self:
        return self

    def size(self, pool: PoolExpectation, target: Target, *, corrected: bool = True) -> SampleSize:
        return size_for_prevalence(pool, target, corrected=corrected)

    def size_below(self, frame: SamplingFrame, target: Below, pool: PoolExpectation, *, least: int) -> int:
        return size_below(frame, self, target, pool.prevalence, least=least).n

    def check_drawable(self, pool: SamplingPool, rng: np.random.Generator) -> None:
        self.draw(pool.frame, DrawnSoFar(), pool.labels, rng)

    def batch_sizes(self, pool: SamplingPool) -> tuple[int, ...]:
        return self.sizes(pool.frame, pool.labels)

    def next_draw(
        self, pool: SamplingPool, done: DrawnSoFar, rng: np.random.Generator, *, until_kept: bool
    ) -> SampleBatch | None:
        if len(done.gone) >= pool.labels or done.most == 0:
            return None
        return self.draw(pool.frame, done, pool.labels, rng)

    def choose_clusters(self, pool: SamplingPool, rng: np.random.Generator) -> Ints:
        return NO_PLACES

    def read_draw(self, content: Mapping[str, Any], size: int) -> SampleBatch:
        return SampleBatch.from_data(content, size)

    def labels_to_come(self, pool: SamplingPool, *, batches: int, drawn: int, kept: bool | None) -> int | None:
        return max(0, pool.labels - drawn)

    def share(self, pool: SamplingPool, past: Sequence[LabelledBatch], *, group: int | None = None) -> SurveyShare:
        """The share of a group is that of its own labels."""
        places, label = gather_labels(past)
        frame, whole, items = pool.frame, np.ones(len(label), dtype=np.bool_), pool.items
        if group is not None:
            whole = frame.groups[frame.cell_of(places)] == group
            items = int(frame.sizes[frame.groups == group].sum())
        if not whole.any():
            raise Undefined(UNLABELLED)
        return self.label_draws(frame, past).share(label, whole, part=not whole.all(), items=items)

    def other_shares(
        self, pool: SamplingPool, past: Sequence[LabelledBatch]
    ) -> Iterable[tuple[Estimator, SurveyShare]]:
        _, label = gather_labels(past)
        inclusion = self.label_weights(pool, past).inclusion
        yield Estimator.HORVITZ_THOMPSON, horvitz_thompson(label, inclusion, pool.items)
        yield Estimator.HAJEK, hajek(label, inclusion)

    def strata(self, pool: SamplingPool, past: Sequence[LabelledBatch]) -> Iterable[FixedStratum]:
        return ()

    def label_weights(self, pool: SamplingPool, past: Sequence[LabelledBatch]) -> LabelWeights:
        """The inclusion probability is one over the weight, and not more than 1."""
        frame, planned = pool.frame, self.label_draws(pool.frame, past)
        groups = frame.groups[frame.cell_of(gather_labels(past)[0])]
        return LabelWeights(planned, 1.0 / np.maximum(planned.weights, 1.0), groups, self.stratum_names(frame, past))

    def stratum_names(self, frame: SamplingFrame, past: Sequence[LabelledBatch]) -> list[str]:
        """Of each label: the number of its batch and that of its stratum."""
        joined = [JoinedStrata.from_draw(done.batch.draw).strata.tolist() for done in past]
        return [f"{batch}.{stratum + 1}" for batch, strata in enumerate(joined, start=1) for stratum in strata]

    def caveats(self, pool: SamplingPool, past: Sequence[LabelledBatch]) -> Iterator[str]:
        yield from ()
