"""Drawing for an interval that may be looked at any time: one independent draw after another, recalibrated in batches.

Every draw gives an unbiased value of the prevalence by itself: what is expected of all items, and what the label says
beyond, over the item's share of the draws. Bets need values with bounds, so that all items get a larger part of the
draws alike than in the default design, and items thought sure to violate get theirs. Items are drawn with replacement:
one that comes again keeps its label and costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import InputError
from evenhand.intervals.anytime import BOLDEST, Bets
from evenhand.sampling.batches import learned
from evenhand.sampling.frame import Frame


@dataclass(frozen=True, slots=True)
class Sequential:
    """Settings: bets aim at "within" this share of the prevalence; floors to choose from; the part of sure items."""

    within: float = 0.2
    first: int = 25
    floors: tuple[float, ...] = (0.3, 0.5, 0.8)
    anchor: float = 0.1

    def next_size(self, drawn: int) -> int:
        """A batch as large as all before it."""
        return max(self.first, drawn)


@dataclass(frozen=True)
class Draws:
    """A batch of independent draws: the value of each if its item violates, and if not; bounds and stake for all."""

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

    def only(self, keep: Bools) -> Draws:
        """Some of the draws."""
        names = ("rows", "places", "violating", "other")
        return replace(self, **{name: getattr(self, name)[keep] for name in names})

    def values(self, label: Floats) -> Floats:
        """Unbiased values of the prevalence; of a share, where annotators differ, in between."""
        return np.where(label == 1.0, self.violating, self.other + label * (self.violating - self.other))


@dataclass(frozen=True)
class Answered:
    """Draws with the labels of their items, in order."""

    draws: Draws
    label: Floats

    @classmethod
    def of(cls, draws: Draws, label: npt.ArrayLike) -> Answered:
        """Checked."""
        return cls(draws, arrays.labels(label, size=len(draws.rows)))


def next_draws(frame: Frame, past: Sequence[Answered], n: int, *, seed: int, design: Sequential | None = None) -> Draws:
    """The next so many draws. The same seed and the same past draw the same items."""
    rng = np.random.default_rng([arrays.whole(seed, "the seed", least=0), len(past)])
    return draw_next(frame, past, arrays.whole(n, "the number of draws"), rng, design or Sequential())


def draw_next(frame: Frame, past: Sequence[Answered], n: int, rng: np.random.Generator, design: Sequential) -> Draws:
    """The same, from a generator."""
    chance = _chances(frame, past)
    mean = float(chance @ frame.sizes) / len(frame)
    prevalence = max(float(np.mean(np.concatenate(_values(past)))), 0.1 * mean) if past else mean
    plans = [_Plan.of(frame, chance, floor, design) for floor in design.floors]
    plan = max(plans, key=lambda p: p.growth(design.within * prevalence))
    variance = plan.variance if past else plan.worst
    edges = np.cumsum(plan.density * frame.sizes)
    cells = np.minimum(np.searchsorted(edges, rng.random(n) * edges[-1], side="right"), len(edges) - 1)
    places = frame.starts[cells] + (rng.random(n) * frame.sizes[cells]).astype(np.int64)
    other = mean - chance[cells] / plan.density[cells]
    return Draws(
        rows=frame.rows(places),
        places=places,
        violating=other + 1.0 / plan.density[cells],
        other=other,
        low=mean - float(np.max(chance / plan.density)),
        high=mean + plan.reach,
        stake=max(design.within * prevalence / variance, 1e-9),
        mean=mean,
    )


def bets(past: Sequence[Answered]) -> Bets:
    """All draws so far, for the interval that may be looked at any time."""
    if not past:
        raise InputError("there are no labels to estimate from")
    sizes = [len(done.label) for done in past]

    def each(name: str) -> Floats:
        return np.repeat(np.array([getattr(done.draws, name) for done in past], dtype=np.float64), sizes)

    return Bets.of(np.concatenate(_values(past)), each("low"), each("high"), each("stake"))


@dataclass(frozen=True)
class _Plan:
    """How dense draws are on each cell's items, on average 1, and what follows: the variance of a value, its reach.

    `worst` is the variance if the score knew nothing, by which the first bets are sized: nobody has seen it at work.
    """

    density: Floats
    variance: float
    worst: float
    reach: float

    @classmethod
    def of(cls, frame: Frame, chance: Floats, floor: float, design: Sequential) -> _Plan:
        share = frame.sizes / len(frame)
        spread = np.sqrt(chance * (1.0 - chance))
        uncertain, sure = spread / float(spread @ share), chance / float(chance @ share)
        density: Floats = floor + (1.0 - floor - design.anchor) * uncertain + design.anchor * sure
        variance = float(np.sum(share * chance * (1.0 - chance) / density))
        worst = float(np.sum(share * np.maximum(chance, 0.25) / density))
        return cls(density, variance, worst, float(np.max((1.0 - chance) / density)))

    def growth(self, distance: float) -> float:
        """How fast wealth grows against a value this much too high; a far reach forbids large stakes."""
        stake = min(distance / self.variance, BOLDEST / self.reach)
        return stake * distance - 0.5 * stake**2 * self.variance


def _values(past: Sequence[Answered]) -> list[Floats]:
    return [done.draws.values(done.label) for done in past]


def _chances(frame: Frame, past: Sequence[Answered]) -> Floats:
    places = np.concatenate([np.empty(0, dtype=np.int64), *(done.draws.places for done in past)])
    label = np.concatenate([np.empty(0), *(done.label for done in past)])
    return np.clip(learned(frame, places, label).chance(frame.logits), 1e-9, 1.0 - 1e-9)
