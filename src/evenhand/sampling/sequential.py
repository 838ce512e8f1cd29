"""The sequential design, for an interval that may be looked at any time: independent draws, recalibrated in batches.

Every draw gives an unbiased value of the prevalence by itself: what is expected of all items, plus what the label says
beyond, over the item's share of the draws. Bets need bounded values, so a larger part of the draws than in the default
design is spread over all items alike, and items expected to violate get a part of their own. Items are drawn with
replacement: one that comes again keeps its label and costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import InputError
from evenhand.estimate import Estimate
from evenhand.intervals.confidence_sequence import BOLDEST_STAKE, ConfidenceSequence
from evenhand.intervals.survey import GoldCounts, SurveyShare
from evenhand.sampling.batches import recalibrate_frame
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
    column_lists,
    number_columns,
    plain_settings,
    typed_settings,
)
from evenhand.sampling.expectations import one_sided_target, size_for_prevalence
from evenhand.sampling.frame import SamplingFrame
from evenhand.sampling.score_driven import ScoreDrivenDesign
from evenhand.sampling.sizes import Below, SampleSize, Target, Within, random_size

BET_FIELDS = ("low", "high", "stake", "mean")  # of all draws of a batch, in the file of a plan
SEQUENTIAL_FACTOR = 2.2  # times the labels of the default, until a sequential plan is as sure (docs/sampling.md)
ANYTIME_CAVEAT = (
    "The interval remains valid however often it is looked at and whenever labelling stops; in return it is wider."
)


@dataclass(frozen=True, slots=True)
class SequentialDesign:
    """Settings: bets aim at "within" this share of the prevalence; floors to choose from; the part of sure items.

    Methods are as in `SamplingDesign`.

    >>> eh.sampling.SequentialDesign().name
    'sequential'
    """

    name: ClassVar[str] = "sequential"
    options: ClassVar[tuple[str, ...]] = ()

    within: float = 0.2
    first: int = 25
    floors: tuple[float, ...] = (0.3, 0.5, 0.8)
    anchor: float = 0.1

    def next_size(self, drawn: int) -> int:
        """A batch as large as all before it."""
        return max(self.first, drawn)

    @property
    def traits(self) -> DesignTraits:
        return DesignTraits(pools=False, groups=False, joins_strata=False, open_ended=True)

    @property
    def forecast(self) -> LabelForecast | None:
        return self

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> SequentialDesign:
        return cls(**typed_settings(settings))

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> SequentialDesign:
        return cls.from_settings(options)

    def settings(self) -> dict[str, Any]:
        return plain_settings(asdict(self))

    def aimed_at(self, promise: Mapping[str, float]) -> SequentialDesign:
        """Bets aim at the target precision."""
        within = promise.get(Within.name)
        return replace(self, within=within) if within else self

    def variance(self, frame: SamplingFrame, chance: Floats) -> float:
        """As of the default design, so many times as many labels."""
        return SEQUENTIAL_FACTOR * ScoreDrivenDesign().variance(frame, chance)

    def density(self, frame: SamplingFrame, chance: Floats) -> Floats:
        """Its interval allows for every label to be the worst: it needs no other."""
        return np.ones(len(frame.sizes))

    def fewest(self, frame: SamplingFrame) -> int:
        return ScoreDrivenDesign().fewest(frame)

    def size(self, pool: PoolExpectation, target: Target, *, corrected: bool = True) -> SampleSize:
        return size_for_prevalence(pool, target, corrected=corrected)

    def size_below(self, frame: SamplingFrame, target: Below, pool: PoolExpectation, *, least: int) -> int:
        return max(least, random_size(pool.prevalence, one_sided_target(target), items=pool.items).n)

    def check_drawable(self, pool: SamplingPool, rng: np.random.Generator) -> None:
        """With replacement, any number can be drawn."""

    def batch_sizes(self, pool: SamplingPool) -> tuple[int, ...]:
        return (pool.labels,)

    def next_draw(
        self, pool: SamplingPool, done: DrawnSoFar, rng: np.random.Generator, *, until_kept: bool
    ) -> SequentialDraws | None:
        drawn = sum(len(one.label) for one in done.past)
        size = self.next_size(drawn) if until_kept else min(self.next_size(drawn), pool.labels - drawn)
        return draw_sequential(pool.frame, done.past, size, rng, self) if size > 0 else None

    def choose_clusters(self, pool: SamplingPool, rng: np.random.Generator) -> Ints:
        return NO_PLACES

    def read_draw(self, content: Mapping[str, Any], size: int) -> SequentialDraws:
        return SequentialDraws.from_data(content, size)

    def labels_to_come(self, pool: SamplingPool, *, batches: int, drawn: int, kept: bool | None) -> int | None:
        """It goes on until its target precision is reached, if there is one."""
        if kept is not None:
            return 0 if kept else None
        return max(0, pool.labels - drawn)

    def share(self, pool: SamplingPool, past: Sequence[LabelledDraws], *, group: int | None = None) -> AnytimeShare:
        return AnytimeShare.from_batches(past)

    def other_shares(
        self, pool: SamplingPool, past: Sequence[LabelledDraws]
    ) -> Iterable[tuple[Estimator, SurveyShare]]:
        return ()

    def strata(self, pool: SamplingPool, past: Sequence[LabelledDraws]) -> Iterable[FixedStratum]:
        return ()

    def label_weights(self, pool: SamplingPool, past: Sequence[LabelledDraws]) -> LabelWeights:
        raise InputError("a sequential plan draws with replacement, so its items have no weights")

    def caveats(self, pool: SamplingPool, past: Sequence[LabelledDraws]) -> Iterator[str]:
        yield ANYTIME_CAVEAT


@dataclass(frozen=True)
class SequentialDraws:
    """A batch of independent draws: the value of each if its item violates, and if not; bounds and stake for all.

    >>> score = np.linspace(0.01, 0.99, 400)
    >>> frame = eh.sampling.SamplingFrame.of(score)
    >>> eh.sampling.next_sequential_draws(frame, [], 25, seed=1).rows.shape
    (25,)
    """

    rows: Ints
    places: Ints
    violating: Floats
    other: Floats
    low: float
    high: float
    stake: float
    mean: float  # of what was expected of all items

    @property
    def expected(self) -> Floats:
        """The label at which a draw says nothing new: what was expected of its item."""
        return np.clip((self.mean - self.other) / (self.violating - self.other), 0.0, 1.0)

    def only(self, keep: Bools) -> SequentialDraws:
        """Some of the draws."""
        names = ("rows", "places", "violating", "other")
        return replace(self, **{name: getattr(self, name)[keep] for name in names})

    def usable(self, labelled: Bools) -> Bools:
        """As in `Drawn`: draws up to the first without a label."""
        usable: Bools = np.cumsum(~labelled) == 0
        return usable

    def with_labels(self, known: Bools, label: Floats) -> LabelledDraws:
        """As in `Drawn`: of draws without a label nothing is learned beyond what was expected."""
        filled = self.expected
        filled[known] = label
        return LabelledDraws(self, filled, known)

    def to_data(self) -> dict[str, Any]:
        """As in `Drawn`."""
        columns = {"place": self.places, "if_violating": self.violating, "if_not": self.other}
        return {"bets": {name: getattr(self, name) for name in BET_FIELDS}, "items": column_lists(columns)}

    @classmethod
    def from_data(cls, content: Mapping[str, Any], size: int) -> SequentialDraws:
        """From plain data."""
        items = number_columns(content["items"], size, whole=("place",))
        bets = {name: float(content["bets"][name]) for name in BET_FIELDS}
        return cls(items["place"], items["place"], items["if_violating"], items["if_not"], **bets)

    def check(self, pool: SamplingPool) -> None:
        """As in `Drawn`."""
        if len(self.places) and self.places.max() >= len(pool.frame):
            raise ValueError

    def values(self, label: Floats) -> Floats:
        """Unbiased values of the prevalence; of a share, where annotators differ, in between."""
        return np.where(label == 1.0, self.violating, self.other + label * (self.violating - self.other))


@dataclass(frozen=True)
class LabelledDraws:
    """Draws with the labels of their items, in order; `known` are those that somebody labelled, all unless said.

    >>> score = np.linspace(0.01, 0.99, 400)
    >>> frame = eh.sampling.SamplingFrame.of(score)
    >>> draws = eh.sampling.next_sequential_draws(frame, [], 25, seed=1)
    >>> eh.sampling.LabelledDraws(draws, (score[draws.rows] > 0.5).astype(float)).label.shape
    (25,)
    """

    draws: SequentialDraws
    label: Floats
    known: Bools | None = None

    @classmethod
    def of(cls, draws: SequentialDraws, label: npt.ArrayLike) -> LabelledDraws:
        """Checked."""
        return cls(draws, arrays.labels(label, size=len(draws.rows)))


def next_sequential_draws(
    frame: SamplingFrame, past: Sequence[LabelledDraws], n: int, *, seed: int, design: SequentialDesign | None = None
) -> SequentialDraws:
    """The next so many draws. The same seed and the same past draw the same items.

    >>> score = np.linspace(0.01, 0.99, 400)
    >>> frame = eh.sampling.SamplingFrame.of(score)
    >>> draws = eh.sampling.next_sequential_draws(frame, [], 25, seed=1)
    >>> len(draws.rows)
    25
    """
    rng = np.random.default_rng([arrays.whole(seed, "the seed", least=0), len(past)])
    return draw_sequential(frame, past, arrays.whole(n, "the number of draws"), rng, design or SequentialDesign())


def draw_sequential(
    frame: SamplingFrame, past: Sequence[LabelledDraws], n: int, rng: np.random.Generator, design: SequentialDesign
) -> SequentialDraws:
    """The same, from a generator."""
    chance = _recalibrated_chances(frame, past)
    mean = float(chance @ frame.sizes) / len(frame)
    prevalence = max(float(np.mean(np.concatenate(_draw_values(past)))), 0.1 * mean) if past else mean
    plans = [_DrawingDensity.from_frame(frame, chance, floor, design) for floor in design.floors]
    plan = max(plans, key=lambda p: p.growth(design.within * prevalence))
    variance = plan.variance if past else plan.worst
    edges = np.cumsum(plan.density * frame.sizes)
    cells = np.minimum(np.searchsorted(edges, rng.random(n) * edges[-1], side="right"), len(edges) - 1)
    places = frame.starts[cells] + (rng.random(n) * frame.sizes[cells]).astype(np.int64)
    other = mean - chance[cells] / plan.density[cells]
    return SequentialDraws(
        rows=frame.rows(places),
        places=places,
        violating=other + 1.0 / plan.density[cells],
        other=other,
        low=mean - float(np.max(chance / plan.density)),
        high=mean + plan.reach,
        stake=max(design.within * prevalence / variance, 1e-9),
        mean=mean,
    )


def combined_bets(past: Sequence[LabelledDraws]) -> ConfidenceSequence:
    """All draws so far, for the interval that may be looked at any time.

    >>> score = np.linspace(0.01, 0.99, 400)
    >>> frame = eh.sampling.SamplingFrame.of(score)
    >>> draws = eh.sampling.next_sequential_draws(frame, [], 200, seed=1)
    >>> past = [eh.sampling.LabelledDraws(draws, (score[draws.rows] > 0.5).astype(float))]
    >>> estimate = eh.sampling.combined_bets(past).estimate()
    >>> estimate.low < 0.5 < estimate.high
    True
    """
    if not past:
        raise InputError("there are no labels to estimate from")
    sizes = [len(done.label) for done in past]

    def each(name: str) -> Floats:
        return np.repeat(np.array([getattr(done.draws, name) for done in past], dtype=np.float64), sizes)

    return ConfidenceSequence.from_values(np.concatenate(_draw_values(past)), each("low"), each("high"), each("stake"))


@dataclass(frozen=True, slots=True, kw_only=True)
class AnytimeShare(SurveyShare):
    """The share that independent draws show: the mean of their values, with the interval of a confidence sequence.

    `labels` are different items; one that is drawn again costs no label.
    """

    bets: ConfidenceSequence
    labels: int

    @classmethod
    def from_batches(cls, past: Sequence[LabelledDraws]) -> AnytimeShare:
        """From draws with their labels."""
        bets, items = combined_bets(past), _labels_of_items(past)
        labels = [label for label in items.values() if label is not None]
        return cls(
            value=float(bets.values.mean()),
            variance=float(bets.values.var()) / len(bets.values),
            freedom=len(bets.values) - 1.0,
            n=len(labels),
            hits=sum(labels),
            heaviest=1.0 / len(bets.values),
            bets=bets,
            labels=len(items),
        )

    def estimate(self, level: float = 0.95) -> Estimate:
        """With the interval that may be looked at any time."""
        return self.bets.estimate(level, n=self.labels)

    def corrected(self, gold: GoldCounts) -> AnytimeShare:
        """Refused: bets are on what annotators say, and the gold items would be left out of the interval."""
        raise InputError("a sequential plan cannot be corrected for annotator error: leave out `gold`")


def _labels_of_items(past: Sequence[LabelledDraws]) -> dict[int, float | None]:
    """The label of each drawn item, by its place; None where nobody labelled it."""
    labels: dict[int, float | None] = {}
    for done in past:
        known = np.ones(len(done.label), dtype=np.bool_) if done.known is None else done.known
        for place, label, is_known in zip(done.draws.places.tolist(), done.label.tolist(), known.tolist(), strict=True):
            labels[place] = label if is_known else labels.get(place)
    return labels


@dataclass(frozen=True)
class _DrawingDensity:
    """How dense draws are on each cell's items, on average 1, and what follows: the variance of a value, its reach.

    `worst` is the variance if the score knew nothing, by which the first bets are sized: nobody has seen it at work.
    """

    density: Floats
    variance: float
    worst: float
    reach: float

    @classmethod
    def from_frame(
        cls, frame: SamplingFrame, chance: Floats, floor: float, design: SequentialDesign
    ) -> _DrawingDensity:
        share = frame.sizes / len(frame)
        spread = np.sqrt(chance * (1.0 - chance))
        uncertain, certain = spread / float(spread @ share), chance / float(chance @ share)
        density: Floats = floor + (1.0 - floor - design.anchor) * uncertain + design.anchor * certain
        variance = float(np.sum(share * chance * (1.0 - chance) / density))
        worst = float(np.sum(share * np.maximum(chance, 0.25) / density))
        return cls(density, variance, worst, float(np.max((1.0 - chance) / density)))

    def growth(self, distance: float) -> float:
        """How fast wealth grows against a value this much too high; a far reach forbids large stakes."""
        stake = min(distance / self.variance, BOLDEST_STAKE / self.reach)
        return stake * distance - 0.5 * stake**2 * self.variance


def _draw_values(past: Sequence[LabelledDraws]) -> list[Floats]:
    return [done.draws.values(done.label) for done in past]


def _recalibrated_chances(frame: SamplingFrame, past: Sequence[LabelledDraws]) -> Floats:
    places = np.concatenate([np.empty(0, dtype=np.int64), *(done.draws.places for done in past)])
    label = np.concatenate([np.empty(0), *(done.label for done in past)])
    return np.clip(recalibrate_frame(frame, places, label).chance(frame.logits), 1e-9, 1.0 - 1e-9)
