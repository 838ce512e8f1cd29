"""What a sampling design is: everything that a plan, a draw and an estimate ask of it.

A design draws from a pool and is asked by nobody what it is: what it needs and what it cannot do are its `traits`, and
the rest are methods. Each design is one class in a module of its own; `evenhand.sampling.designs` is the table of them.
What a design draws (`Drawn`) and makes of labels is known to that design alone; others hand it back as it was given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Bools, Floats, Ints
from evenhand.intervals.sampled_labels import SampledLabels
from evenhand.intervals.survey import SurveyShare
from evenhand.sampling.frame import SamplingFrame
from evenhand.sampling.sizes import Below, SampleSize, Target, checked_prevalence

NO_PLACES = np.empty(0, dtype=np.int64)


class SamplingPool(Protocol):
    """A part of the population that is sampled by itself, and how many labels it is to get."""

    @property
    def items(self) -> int:
        """How many there are."""

    @property
    def labels(self) -> int:
        """How many of them are to be labelled."""

    @property
    def clusters(self) -> int:
        """How many clusters there are, where clusters are drawn."""

    @property
    def wanted(self) -> int:
        """How many of them are to be drawn."""

    @property
    def frame(self) -> SamplingFrame:
        """Its cells, where items are drawn."""


class Drawn(Protocol):
    """What was drawn of a pool at once, in the order of the draws."""

    @property
    def places(self) -> Ints:
        """Where the items are: places of the frame, or rows of the file where clusters are drawn."""

    def usable(self, labelled: Bools) -> Bools:
        """Which draws can be estimated from, where only some items are labelled so far."""

    def only(self, keep: Bools) -> Self:
        """Some of the draws."""

    def with_labels(self, known: Bools, label: Floats) -> Any:
        """Together with the labels of the known items, as the design takes them."""

    def to_data(self) -> dict[str, Any]:
        """As plain data for the file of a plan; under `items` columns with a value for each draw."""

    def check(self, pool: SamplingPool) -> None:
        """`ValueError` where it cannot have been drawn from this pool."""


@dataclass(frozen=True)
class DrawnSoFar:
    """What was drawn and labelled so far; `gone` are all places drawn, those without a label among them.

    >>> score = np.linspace(0.01, 0.99, 400)
    >>> frame = eh.sampling.SamplingFrame.of(score)
    >>> batch = eh.sampling.next_batch(frame, [], 100, seed=1)
    >>> labels = (score[batch.draw.rows] > 0.5).astype(float)
    >>> past = [eh.sampling.LabelledBatch(batch, labels)]
    >>> len(eh.sampling.DrawnSoFar(past, batch.places).past)
    1
    """

    past: Sequence[Any] = ()
    gone: Ints = field(default_factory=lambda: NO_PLACES)
    most: int | None = None  # labels that the next batch should not exceed, where fewer are expected to do


@dataclass(frozen=True, slots=True)
class DesignTraits:
    """What a design needs, and what it cannot do."""

    score: bool = True  # goes by a score
    clusters: bool = False  # draws whole clusters instead of items
    pools: bool = True  # can sample what was removed and what is visible side by side
    groups: bool = True  # can be estimated by group
    joins_strata: bool = True  # strata with too few labels are joined to a neighbour
    open_ended: bool = False  # goes on until the interval is narrow enough
    unforeseeable: str = ""  # why nobody can say beforehand how many labels it takes


@dataclass(frozen=True, slots=True)
class PoolExpectation:
    """The prevalence of a pool, the variance of its estimate times the labels, its items, and the fewest labels.

    `mean_weight` is how many times its share a label stands for, in the mean over all items: 1 where all are drawn
    alike. `hit_share` is the share of labels that violate, where that is not the prevalence.
    """

    prevalence: float
    variance: float
    items: int
    fewest: int = 0
    mean_weight: float = 1.0
    hit_share: float | None = None

    @property
    def variation(self) -> float:
        """Standard deviation over prevalence, of one label."""
        return float(np.sqrt(self.variance)) / checked_prevalence(self.prevalence)


class LabelForecast(Protocol):
    """What a design can say before there are any labels."""

    def variance(self, frame: SamplingFrame, chance: Floats) -> float:
        """Of the estimate times the number of labels, if items of each cell violate with this chance."""

    def density(self, frame: SamplingFrame, chance: Floats) -> Floats:
        """How dense labels are on the items of each cell: 1 on average."""

    def fewest(self, frame: SamplingFrame) -> int:
        """Labels that it takes at least."""

    def size(self, pool: PoolExpectation, target: Target, *, corrected: bool = True) -> SampleSize:
        """Labels for a target about the prevalence of one pool; not corrected, as if there were no end of items."""

    def size_below(self, frame: SamplingFrame, target: Below, pool: PoolExpectation, *, least: int) -> int:
        """Labels that can show a prevalence to be below a safe level, `least` or more."""


class Estimator(StrEnum):
    """How else a share is estimated from the same labels."""

    HORVITZ_THOMPSON = "horvitz_thompson"
    HAJEK = "hajek"
    DIFFERENCE = "difference"
    UNCORRECTED = "uncorrected"  # as annotators labelled, errors and all
    ROBUST = "robust"  # with the interval that holds whatever the score misses


@dataclass(frozen=True)
class FixedStratum:
    """A stratum that was there before any label: its first and last cell, its items, and the labels in it."""

    first: int
    last: int
    items: int
    label: Floats


@dataclass(frozen=True)
class LabelWeights:
    """Of each label: what an interval needs to know of its draw, its inclusion probability, and the group of its item.

    `strata` are names that no other batch of the pool has; none where clusters were drawn.
    """

    planned: SampledLabels
    inclusion: Floats
    groups: Ints | None = None
    strata: Sequence[str] | None = None

    @property
    def weights(self) -> Floats:
        """How many items each label stands for."""
        return self.planned.weights

    @property
    def clusters(self) -> Ints | None:
        """The cluster of each label, where clusters were drawn."""
        return self.planned.clusters


class SamplingDesign(Protocol):
    """A way to draw. `past` are batches with their labels, as `Drawn.with_labels` made them.

    >>> isinstance(eh.sampling.DESIGNS["random"](), eh.sampling.RandomDesign)
    True
    """

    name: ClassVar[str]  # in plan files, options and docs
    options: ClassVar[tuple[str, ...]]  # settings that only this design has

    @property
    def traits(self) -> DesignTraits:
        """What it needs, and what it cannot do."""

    @property
    def forecast(self) -> LabelForecast | None:
        """What it can say before there are any labels; None where it can say nothing."""

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Self:
        """From plain data, as in the file of a plan."""

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        """From what was typed."""

    def settings(self) -> dict[str, Any]:
        """As plain data."""

    def aimed_at(self, promise: Mapping[str, float]) -> Self:
        """The design for a target precision."""

    def check_drawable(self, pool: SamplingPool, rng: np.random.Generator) -> None:
        """`InputError` where what is planned for a pool cannot be drawn."""

    def batch_sizes(self, pool: SamplingPool) -> tuple[int, ...]:
        """Labels of each batch, as far as it can be said beforehand."""

    def next_draw(
        self, pool: SamplingPool, done: DrawnSoFar, rng: np.random.Generator, *, until_kept: bool
    ) -> Drawn | None:
        """The next batch of items; None where all is drawn. `until_kept`: until the target precision is reached."""

    def choose_clusters(self, pool: SamplingPool, rng: np.random.Generator) -> Ints:
        """Which clusters are drawn whole, by number, in random order; none where items are drawn one by one."""

    def read_draw(self, content: Mapping[str, Any], size: int) -> Drawn:
        """What was drawn, from plain data; `ValueError` or `KeyError` where that is something else."""

    def labels_to_come(self, pool: SamplingPool, *, batches: int, drawn: int, kept: bool | None) -> int | None:
        """Labels that are planned and not drawn after so many batches and draws; None where nobody can say.

        `kept` is whether the target precision is reached, if there is one.
        """

    def share(self, pool: SamplingPool, past: Sequence[Any], *, group: int | None = None) -> SurveyShare:
        """The share of violating items, of all or of a group; undefined where a group has no labels of its own."""

    def other_shares(self, pool: SamplingPool, past: Sequence[Any]) -> Iterable[tuple[Estimator, SurveyShare]]:
        """The same share by other estimators, for comparison."""

    def strata(self, pool: SamplingPool, past: Sequence[Any]) -> Iterable[FixedStratum]:
        """Strata that were there before any label."""

    def label_weights(self, pool: SamplingPool, past: Sequence[Any]) -> LabelWeights:
        """How many items each label stands for; `InputError` where labels have no weights."""

    def caveats(self, pool: SamplingPool, past: Sequence[Any]) -> Iterator[str]:
        """What to beware of in an estimate by this design."""


def plain_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as plain data: lists in place of tuples."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}


def typed_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings from plain data: tuples in place of lists."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()}


def column_lists(columns: Mapping[str, npt.NDArray[Any]]) -> dict[str, list[Any]]:
    """Columns as plain data."""
    return {name: values.tolist() for name, values in columns.items()}


def number_columns(columns: Mapping[str, Any], size: int, *, whole: Collection[str]) -> dict[str, npt.NDArray[Any]]:
    """Columns of finite numbers, all of one length; whole ones where a place or a count is meant; else `ValueError`."""
    arrays_by_name = {name: np.array(values, dtype=None if len(values) else int) for name, values in columns.items()}
    for name, values in arrays_by_name.items():
        kinds = "i" if name in whole else "if"
        if values.shape != (size,) or values.dtype.kind not in kinds or not np.isfinite(values).all():
            raise ValueError
    return arrays_by_name
