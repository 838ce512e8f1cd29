"""Settings of the collaboration audit alone: strategies, and review capacities as users write and readers see them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from evenhand.audits.settings import Settings
from evenhand.audits.tolerance import TOLERATED_DIFFERENCE, check_tolerance
from evenhand.errors import InputError
from evenhand.formatting import format_share
from evenhand.measures.collaboration import Capacity, CapacityKind
from evenhand.routing.strategies import TOXICITY, UNCERTAINTY, Strategy, parse_strategy

PAPER_CAPACITIES = ("0.001", "0.005", "0.01", "0.02", "0.05", "0.1", "0.15", "0.2")
USUAL_STRATEGIES = (UNCERTAINTY.name, TOXICITY.name)
USUAL_SHARE = 0.01  # of the items, where one capacity must do


@dataclass(frozen=True, kw_only=True)
class CollaborationSettings(Settings):
    """How much people can look at, by what they choose, and which difference between strategies matters.

    A capacity is a share of the items ("0.01", "1%", up to 1: all of them), a number of them ("500", "500 items"), or
    everything whose review score is at or above a level (">=0.2").
    """

    capacities: tuple[str, ...] = PAPER_CAPACITIES
    strategies: tuple[str, ...] = USUAL_STRATEGIES
    tolerance: float = TOLERATED_DIFFERENCE

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("capacities", "strategies"):
            values = getattr(self, name)
            if not values:
                raise InputError(f"{name} is empty: name at least one")
            if len(set(values)) < len(values):
                raise InputError(f"{name} names '{next(v for v in values if values.count(v) > 1)}' more than once")
        if len(set(self.capacity_by_text.values())) < len(self.capacity_by_text):
            kinds = list(self.capacity_by_text.values())
            same = [text for text, kind in self.capacity_by_text.items() if kinds.count(kind) > 1]
            raise InputError(f"capacities: '{same[0]}' and '{same[1]}' are the same")
        check_tolerance(self.tolerance)
        _ = self.chosen  # read, so that a slip is found before the work

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """As the settings of every audit; a capacity may be a number too."""
        capacities = values.get("capacities")
        listed = capacities if isinstance(capacities, (list, tuple)) else [] if capacities is None else [capacities]
        texts = [repr(v) if isinstance(v, (int, float)) and not isinstance(v, bool) else v for v in listed]
        return super().of({**values, "capacities": None if capacities is None else texts})

    @cached_property
    def capacity_by_text(self) -> dict[str, Capacity]:
        """The capacities, by how they were written."""
        return {text: parse_capacity(text) for text in self.capacities}

    @cached_property
    def chosen(self) -> dict[str, Strategy]:
        """The strategies, by name."""
        return {name: parse_strategy(name) for name in self.strategies}


def parse_capacity(text: str) -> Capacity:
    """A capacity as it is written."""
    match = re.fullmatch(r"\s*(>=)?\s*([-+0-9.eE]+)\s*(%|items)?\s*", text)
    try:
        value = float(match[2]) if match else float("nan")
    except ValueError:
        match, value = None, float("nan")
    if match is None or (match[1] and match[3]):
        raise InputError(
            f"invalid capacity: '{text}' (use a share such as 0.01 or 1%, a number of items such as 500, or >=0.2)"
        )
    if match[1]:
        return Capacity.threshold(value)
    if value < 0.0 or (match[3] == "%" and value > 100.0):
        raise InputError(f"invalid capacity: '{text}' (a share is from 0 to 1, a number of items 0 or more)")
    if match[3] == "%":
        return Capacity.fraction(value / 100.0)
    if match[3] == "items" or value > 1.0:
        return Capacity.items(_whole(value, text))
    return Capacity.fraction(value)


def _whole(value: float, text: str) -> float:
    if math.isinf(value) or value != int(value):
        raise InputError(f"invalid capacity: '{text}' (a share is at most 1, a number of items is a whole number)")
    return value


def capacity_share(text: str) -> float | None:
    """The share of the items that a capacity is; None for other kinds."""
    capacity = parse_capacity(text)
    return capacity.value if capacity.kind is CapacityKind.FRACTION else None


def capacity_in_words(text: str) -> str:
    """How a capacity is written for a reader: 1 %, 500 items, ≥ 0.2."""
    capacity = parse_capacity(text)
    if capacity.kind is CapacityKind.FRACTION:
        return format_share(capacity.value)
    return f"{capacity.value:,.0f} items" if capacity.kind is CapacityKind.ITEMS else f"≥ {capacity.value:g}"


def reviewed_in_words(text: str) -> str:
    """What is reviewed, in a sentence: 1 % of the items, 500 items, every item with a review score of …"""
    capacity = parse_capacity(text)
    if capacity.kind is CapacityKind.THRESHOLD:
        return f"every item with a review score of {capacity.value:g} or more"
    words = capacity_in_words(text)
    return f"{words} of the items" if capacity.kind is CapacityKind.FRACTION else words


def headline_capacity(capacities: Sequence[str]) -> str:
    """The share nearest to one in a hundred; where there are no shares, the first capacity."""
    shares = {text: value for text in capacities if (value := capacity_share(text))}
    if not shares:
        return capacities[0]
    return min(shares, key=lambda text: abs(math.log(shares[text] / USUAL_SHARE)))
