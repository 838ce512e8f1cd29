"""Review strategies: which item a person should see next.

A strategy works offline and online. An audit asks `shares_reviewed`: which items would be reviewed if k of n can be. A
queue asks `turn(number).review_score(p)`: the key, higher = sooner, by which the review of that number is picked among
the waiting. For all but the mixture that key is always the same one, so that a queue can keep it in a column.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.errors import InputError, nearest
from evenhand.measures.cells import TIED
from evenhand.measures.collaboration import Stage
from evenhand.measures.collaboration.capacity import whole
from evenhand.measures.collaboration.stages import spend
from evenhand.routing import columns
from evenhand.routing.columns import Places
from evenhand.tally import FloatArray


class Strategy:
    """What all strategies can do. `name` is what `parse` understands; `column` is what it needs besides p."""

    name: str
    column: str | None
    tied = TIED  # review scores nearer than this are equal

    def review_score(self, p: npt.ArrayLike, given: npt.ArrayLike | None = None) -> FloatArray:
        """One number per item, higher = sooner. `given` is the supplied column, where the strategy has one."""
        raise NotImplementedError

    def stages(self, p: npt.ArrayLike, given: npt.ArrayLike | None = None) -> tuple[Stage, ...]:
        """How the capacity is spent: most strategies have one stage."""
        return (Stage(self.review_score(p, given), tied=self.tied),)

    def shares_reviewed(
        self,
        p: npt.ArrayLike,
        capacity_items: float,
        given: npt.ArrayLike | None = None,
        counts: npt.ArrayLike | None = None,
    ) -> FloatArray:
        """Of each item the share that is reviewed: 1, 0, or what a tie at the boundary leaves to each of the tied."""
        weight = columns.counts(counts, len(columns.probabilities(p)))
        if not 0.0 <= capacity_items < np.inf:
            raise InputError(f"the capacity must be a number of items from 0 up, not {capacity_items:g}")
        prefix = np.concatenate(([0.0], np.cumsum(weight)))
        reviewed: FloatArray = 1.0 - spend(self.stages(p, given), prefix, capacity_items).per_cell()
        return reviewed

    def turn(self, number: int) -> Strategy:
        """The strategy by which a queue picks its review of this number, from 0 on, among what is waiting."""
        return self

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class _OfScore(Strategy):
    """A strategy that needs nothing but the model's probability."""

    name: str
    key: Callable[[FloatArray], FloatArray]
    column: None = None

    def review_score(self, p: npt.ArrayLike, given: npt.ArrayLike | None = None) -> FloatArray:
        return self.key(columns.probabilities(p))


UNCERTAINTY = _OfScore("uncertainty", lambda p: p * (1.0 - p))
TOXICITY = _OfScore("toxicity", lambda p: p)


@dataclass(frozen=True, slots=True)
class Supplied(Strategy):
    """By a column: the variance of an ensemble (higher first), a vendor's confidence (lower first)."""

    column: str
    lower_first: bool = False
    tied = 0.0  # values are as they were given: a variance may be tiny

    @property
    def name(self) -> str:  # type: ignore[override]
        """As `parse` reads it."""
        return f"column:{self.column}{':lower' if self.lower_first else ''}"

    def review_score(self, p: npt.ArrayLike, given: npt.ArrayLike | None = None) -> FloatArray:
        if given is None:
            raise InputError("the strategy reviews by this column; give its values", column=self.column)
        values = columns.matched(arrays.numbers(given, self.column), len(columns.probabilities(p)), self.column)
        return -values if self.lower_first else values


@dataclass(frozen=True, slots=True)
class Hybrid(Strategy):
    """A share of the capacity by toxicity, the rest by uncertainty among what is left.

    The selections at growing capacities hold one another, so they are the beginnings of one order, which is that of
    `review_score` on a batch. A queue that grows asks `turn`: that share of its reviews, spread evenly, is picked by
    toxicity and the others by uncertainty, each among what is then waiting.
    """

    part: float = 0.5
    column: None = None

    def __post_init__(self) -> None:
        columns.share(self.part, "the share of a hybrid strategy")

    @property
    def name(self) -> str:  # type: ignore[override]
        """As `parse` reads it."""
        return f"hybrid:{self.part:g}"

    def review_score(self, p: npt.ArrayLike, given: npt.ArrayLike | None = None) -> FloatArray:
        """The place in the order of the batch, turned round. It depends on what else is there; ties as they came."""
        toxicity, uncertainty = (np.argsort(stage.ties, kind="stable") for stage in self.stages(p))
        order = _interleave(toxicity, uncertainty, [self.turn(number) is TOXICITY for number in range(len(toxicity))])
        score = np.empty(len(order))
        score[order] = np.arange(len(order), 0, -1)
        return score

    def stages(self, p: npt.ArrayLike, given: npt.ArrayLike | None = None) -> tuple[Stage, ...]:
        (toxicity,), (uncertainty,) = TOXICITY.stages(p), UNCERTAINTY.stages(p)
        return replace(toxicity, share=self.part), replace(uncertainty, share=1.0 - self.part)

    def turn(self, number: int) -> Strategy:
        before, after = (whole(self.part * reviews) for reviews in (number, number + 1))
        return TOXICITY if after > before else UNCERTAINTY


def _interleave(toxicity: Places, uncertainty: Places, by_toxicity: list[bool]) -> Places:
    """The order whose first k are what two stages select: where toxicity comes to an item that uncertainty already
    took, the two stages overlap there, and uncertainty goes one deeper.
    """
    high, unsure = toxicity.tolist(), uncertainty.tolist()
    taken, order, deep, next_high = bytearray(len(high)), [], 0, 0
    for toxic in by_toxicity:
        item = -1
        if toxic:
            item, next_high = high[next_high], next_high + 1
        if item < 0 or taken[item]:
            while taken[unsure[deep]]:
                deep += 1
            item = unsure[deep]
        taken[item] = 1
        order.append(item)
    return np.array(order, dtype=np.int64)


def _plain(strategy: Strategy) -> Callable[[str], Strategy]:
    def read(argument: str) -> Strategy:
        if argument:
            raise InputError(f"the strategy '{strategy.name}' takes nothing after a colon, not '{argument}'")
        return strategy

    return read


def _hybrid(argument: str) -> Strategy:
    try:
        return Hybrid(float(argument)) if argument else Hybrid()
    except ValueError:
        raise InputError(f"a hybrid takes the share by toxicity, as in 'hybrid:0.3', not '{argument}'") from None


def _column(argument: str) -> Strategy:
    name, _, direction = argument.rpartition(":")
    if name and direction in ("lower", "higher"):
        return Supplied(name, lower_first=direction == "lower")
    if not argument:
        raise InputError("name the column, as in 'column:model_uncertainty' or 'column:confidence:lower'")
    return Supplied(argument)


STRATEGIES: dict[str, Callable[[str], Strategy]] = {
    "uncertainty": _plain(UNCERTAINTY),
    "toxicity": _plain(TOXICITY),
    "hybrid": _hybrid,
    "column": _column,
}


def parse(words: str) -> Strategy:
    """A strategy from words: uncertainty, toxicity, hybrid:0.3, column:model_uncertainty, column:confidence:lower."""
    kind, _, argument = words.strip().partition(":")
    if kind not in STRATEGIES:
        raise InputError(f"there is no strategy '{kind}'; {nearest(kind, STRATEGIES)}")
    return STRATEGIES[kind](argument)
