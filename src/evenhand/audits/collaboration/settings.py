"""What may be chosen about the collaboration audit alone."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from evenhand.audits.settings import Settings
from evenhand.errors import InputError
from evenhand.measures.collaboration import Capacity
from evenhand.routing.strategies import Strategy, parse

PAPER = ("0.001", "0.005", "0.01", "0.02", "0.05", "0.1", "0.15", "0.2")
USUAL = ("uncertainty", "toxicity")


@dataclass(frozen=True, kw_only=True)
class CollaborationSettings(Settings):
    """How much people can look at, and by what they choose.

    A capacity is a share of the items ("0.01", "1%", up to 1: all of them), a number of them ("500", "500 items"), or
    everything whose review score is at or above a level (">=0.2").
    """

    capacities: tuple[str, ...] = PAPER
    strategies: tuple[str, ...] = USUAL

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("capacities", "strategies"):
            values = getattr(self, name)
            if not values:
                raise InputError(f"name at least one of the {name}")
            if len(set(values)) < len(values):
                raise InputError(f"{name} names '{next(v for v in values if values.count(v) > 1)}' more than once")
        if len(set(self.asked.values())) < len(self.asked):
            kinds = list(self.asked.values())
            same = [text for text, kind in self.asked.items() if kinds.count(kind) > 1]
            raise InputError(f"capacities names one thing in two ways: '{same[0]}' and '{same[1]}'")
        _ = self.chosen  # read, so that a slip is found before the work

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """As the settings of every audit; a capacity may be a number too."""
        given = values.get("capacities")
        listed = given if isinstance(given, (list, tuple)) else [] if given is None else [given]
        texts = [repr(v) if isinstance(v, (int, float)) and not isinstance(v, bool) else v for v in listed]
        return super().of({**values, "capacities": None if given is None else texts})

    @cached_property
    def asked(self) -> dict[str, Capacity]:
        """The capacities, by how they were written."""
        return {text: capacity(text) for text in self.capacities}

    @cached_property
    def chosen(self) -> dict[str, Strategy]:
        """The strategies, by name."""
        return {name: parse(name) for name in self.strategies}


def capacity(text: str) -> Capacity:
    """A capacity as it is written."""
    found = re.fullmatch(r"\s*(>=)?\s*([-+0-9.eE]+)\s*(%|items)?\s*", text)
    try:
        value = float(found[2]) if found else float("nan")
    except ValueError:
        found, value = None, float("nan")
    if found is None or (found[1] and found[3]):
        raise InputError(f"'{text}' is no capacity: write a share (0.01 or 1%), a number of items (500) or >=0.2")
    if found[1]:
        return Capacity.threshold(value)
    if found[3] == "%":
        return Capacity.fraction(value / 100.0)
    if found[3] == "items" or value > 1.0:
        return Capacity.items(_whole(value, text))
    return Capacity.fraction(value)


def _whole(value: float, text: str) -> float:
    if math.isinf(value) or value != int(value):
        raise InputError(f"'{text}' is no capacity: shares go up to 1, and items are counted in whole numbers")
    return value
