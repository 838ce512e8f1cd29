"""Strategies that know what is decided without review: from a threshold on, items are removed.

Below the threshold, highest scores first, is the order for finding more violations. The expected benefit of a review is
what it changes on average: a violation that would be left is worth the cost of a missed violation, a benign item that
would be removed the cost of a false removal. It needs calibrated probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand import arrays
from evenhand.arrays import Floats
from evenhand.errors import InputError
from evenhand.routing.strategy import Strategy, StrategyKind

USUAL_THRESHOLD = 0.5


@dataclass(frozen=True, slots=True)
class BelowThresholdStrategy(Strategy):
    """The highest scores below the threshold first; what is removed anyway comes last.

    >>> eh.routing.BelowThresholdStrategy(0.8).shares_reviewed([0.9, 0.7, 0.2], 1).tolist()
    [0.0, 1.0, 0.0]
    """

    threshold: float = USUAL_THRESHOLD
    column = None

    def __post_init__(self) -> None:
        arrays.share(self.threshold, "the threshold of a strategy", closed=True)

    @property
    def name(self) -> str:  # type: ignore[override]
        """As `parse` reads it."""
        return f"{StrategyKind.BELOW_THRESHOLD}:{self.threshold:.10g}"

    def rank(self, values: Floats) -> Floats:
        return np.where(values < self.threshold, values, -values)


@dataclass(frozen=True, slots=True)
class BenefitStrategy(Strategy):
    """The items first whose review is worth most: costs times the probability that the model decides wrongly.

    >>> eh.routing.BenefitStrategy(0.8, false_removal=1, missed_violation=5).review_score([0.9, 0.7]).round(2).tolist()
    [0.1, 3.5]
    """

    threshold: float = USUAL_THRESHOLD
    false_removal: float = 1.0
    missed_violation: float = 1.0
    column = None

    def __post_init__(self) -> None:
        arrays.share(self.threshold, "the threshold of a strategy", closed=True)
        for cost in (self.false_removal, self.missed_violation):
            if cost != 0.0:
                arrays.positive(cost, "a cost of a strategy")

    @property
    def name(self) -> str:  # type: ignore[override]
        """As `parse` reads it."""
        costs = f"{self.false_removal:.10g}:{self.missed_violation:.10g}"
        return f"{StrategyKind.BENEFIT}:{self.threshold:.10g}:{costs}"

    def rank(self, values: Floats) -> Floats:
        removed = values >= self.threshold
        return np.where(removed, self.false_removal * (1.0 - values), self.missed_violation * values)


def parse_below_threshold(argument: str) -> Strategy:
    """`below-threshold` or `below-threshold:0.8`."""
    return BelowThresholdStrategy(*_numbers(argument, 1, f"{StrategyKind.BELOW_THRESHOLD}:0.8"))


def parse_benefit(argument: str) -> Strategy:
    """`benefit`, `benefit:0.8` or, with the costs of a false removal and of a missed violation, `benefit:0.8:1:5`."""
    return BenefitStrategy(*_numbers(argument, 3, f"{StrategyKind.BENEFIT}:0.8:1:5"))


def _numbers(argument: str, most: int, example: str) -> list[float]:
    parts = argument.split(":") if argument else []
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        numbers = []
    if len(numbers) != len(parts) or len(numbers) > most:
        raise InputError(f"invalid strategy argument: '{argument}' (write, for example, '{example}')")
    return numbers
