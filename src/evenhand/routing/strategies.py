"""The review strategies there are, and how their names are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError, nearest
from evenhand.measures.collaboration.capacity import whole_items
from evenhand.pandas_frames import rows_as_given
from evenhand.routing.strategy import ReviewBasis, Strategy, StrategyKind
from evenhand.routing.threshold_strategies import parse_below_threshold, parse_benefit

__all__ = [
    "STRATEGIES",
    "TOXICITY",
    "UNCERTAINTY",
    "ColumnStrategy",
    "HybridStrategy",
    "ReviewBasis",
    "Strategy",
    "StrategyKind",
    "parse_strategy",
]


@dataclass(frozen=True, slots=True)
class _ScoreStrategy(Strategy):
    """A strategy that needs nothing but the model's probability."""

    name: str
    key: Callable[[Floats], Floats]
    basis: ReviewBasis = ReviewBasis.PROBABILITY
    column: None = None

    def rank(self, values: Floats) -> Floats:
        return self.key(values)


UNCERTAINTY = _ScoreStrategy(StrategyKind.UNCERTAINTY.value, lambda p: p * (1.0 - p))
TOXICITY = _ScoreStrategy(StrategyKind.TOXICITY.value, lambda p: p, ReviewBasis.SCORE)


@dataclass(frozen=True, slots=True)
class ColumnStrategy(Strategy):
    """By a column: the variance of an ensemble (higher first), a vendor's confidence (lower first).

    >>> eh.routing.ColumnStrategy("spread").review_score([0.9, 0.5], [0.01, 0.2]).tolist()
    [0.01, 0.2]
    """

    column: str
    lower_first: bool = False
    basis = ReviewBasis.COLUMN
    tied = 0.0  # values are as they were given: a variance may be tiny

    @property
    def name(self) -> str:  # type: ignore[override]
        """As `parse` reads it."""
        return f"{StrategyKind.COLUMN}:{self.column}{':lower' if self.lower_first else ''}"

    def rank(self, values: Floats) -> Floats:
        return -values if self.lower_first else values

    @rows_as_given
    def review_score(self, p: npt.ArrayLike, given: npt.ArrayLike | None = None) -> Floats:
        if given is None:
            raise InputError("the strategy needs the values of this column", column=self.column)
        return self.rank(arrays.numbers(given, self.column, size=len(arrays.probabilities(p, "p"))))


@dataclass(frozen=True, slots=True)
class HybridStrategy(Strategy):
    """A share of the capacity by toxicity, the rest by uncertainty among what is left.

    The selections at growing capacities hold one another, so they are the beginnings of one order, which is that of
    `review_score` on a batch. A queue that grows asks `turn`: that share of its reviews, spread evenly, is picked by
    toxicity and the others by uncertainty, each among what is then waiting.

    >>> eh.routing.HybridStrategy(part=0.5).shares_reviewed([0.95, 0.5, 0.1, 0.9], 2).tolist()
    [1.0, 1.0, 0.0, 0.0]
    """

    part: float = 0.5
    column: None = None

    def __post_init__(self) -> None:
        arrays.share(self.part, "the share of a hybrid strategy", closed=True)

    @property
    def name(self) -> str:  # type: ignore[override]
        """As `parse` reads it."""
        return f"{StrategyKind.HYBRID}:{self.part:g}"

    @property
    def shares(self) -> tuple[tuple[Strategy, float], ...]:
        """By toxicity first."""
        return (TOXICITY, self.part), (UNCERTAINTY, 1.0 - self.part)

    @rows_as_given
    def review_score(self, p: npt.ArrayLike, given: npt.ArrayLike | None = None) -> Floats:
        """The place in the order of the batch, turned round. It depends on what else is there; ties as they came."""
        toxicity, uncertainty = (np.argsort(stage.ties, kind="stable") for stage in self.stages(p))
        order = _interleave(toxicity, uncertainty, [self.turn(number) is TOXICITY for number in range(len(toxicity))])
        score = np.empty(len(order))
        score[order] = np.arange(len(order), 0, -1)
        return score

    def turn(self, number: int) -> Strategy:
        before, after = (whole_items(self.part * reviews) for reviews in (number, number + 1))
        return TOXICITY if after > before else UNCERTAINTY


def _interleave(toxicity: Ints, uncertainty: Ints, by_toxicity: list[bool]) -> Ints:
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
            raise InputError(f"the strategy '{strategy.name}' takes no argument after a colon ('{argument}')")
        return strategy

    return read


def _hybrid(argument: str) -> Strategy:
    try:
        return HybridStrategy(float(argument)) if argument else HybridStrategy()
    except ValueError:
        raise InputError(f"invalid hybrid: '{argument}' (must be a share, as in 'hybrid:0.3')") from None


def _column(argument: str) -> Strategy:
    name, _, direction = argument.rpartition(":")
    if name and direction in ("lower", "higher"):
        return ColumnStrategy(name, lower_first=direction == "lower")
    if not argument:
        raise InputError("name the column, as in 'column:model_uncertainty' or 'column:confidence:lower'")
    return ColumnStrategy(argument)


STRATEGIES: dict[str, Callable[[str], Strategy]] = {
    StrategyKind.UNCERTAINTY.value: _plain(UNCERTAINTY),
    StrategyKind.TOXICITY.value: _plain(TOXICITY),
    StrategyKind.HYBRID.value: _hybrid,
    StrategyKind.COLUMN.value: _column,
    StrategyKind.BELOW_THRESHOLD.value: parse_below_threshold,
    StrategyKind.BENEFIT.value: parse_benefit,
}


def parse_strategy(words: str) -> Strategy:
    """A strategy from words: uncertainty, toxicity, hybrid:0.3, column:confidence:lower, below-threshold:0.8.

    >>> eh.routing.parse_strategy("hybrid:0.3").name
    'hybrid:0.3'
    """
    kind, _, argument = words.strip().partition(":")
    if kind not in STRATEGIES:
        raise InputError(f"there is no strategy '{kind}'; {nearest(kind, STRATEGIES)}")
    return STRATEGIES[kind](argument)
