"""Capacities as they are shown, and the one that is shown where there is room for one only."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evenhand.audits.collaboration.settings import capacity

USUAL = 0.01  # of the items, where one capacity must do


def share(text: str) -> float | None:
    """The share of the items that a capacity is; None for other kinds."""
    found = capacity(text)
    return found.value if found.kind == "fraction" else None


def in_words(text: str) -> str:
    """How a capacity is written for a reader: 1 %, 500 items, ≥ 0.2."""
    found = capacity(text)
    if found.kind == "fraction":
        return percent(found.value)
    return f"{found.value:,.0f} items" if found.kind == "items" else f"≥ {found.value:g}"


def looked_at(text: str) -> str:
    """What people look at, in a sentence: 1 % of the items, 500 items, every item with a review score of …"""
    kind, words = capacity(text).kind, in_words(text)
    if kind == "threshold":
        return f"every item with a review score of {words.removeprefix('≥ ')} or more"
    return f"{words} of the items" if kind == "fraction" else words


def percent(value: float) -> str:
    """A share as it is written for a reader."""
    return f"{100.0 * value:.3g} %"


def headline(capacities: Sequence[str]) -> str:
    """The share nearest to one in a hundred; where there are no shares, the first capacity."""
    shares = {text: value for text in capacities if (value := share(text))}
    if not shares:
        return capacities[0]
    return min(shares, key=lambda text: abs(math.log(shares[text] / USUAL)))
