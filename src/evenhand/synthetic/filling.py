"""Sentences with slots, and all the ways to fill them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import product
from math import prod

SLOT = re.compile(r"\{(\w+)\}")


def fillings(pattern: str, slots: Mapping[str, tuple[str, ...]], *, holes: Collection[str], most: int) -> list[str]:
    """At most so many fillings of a pattern, spread evenly over all of them; holes stay open, to be filled later."""
    choices = [slots[slot] for slot in SLOT.findall(pattern) if slot not in holes]
    every = prod(len(choice) for choice in choices)
    picked = {number * every // most for number in range(most)} if every > most else range(every)
    return [_fill(pattern, words, holes) for number, words in enumerate(product(*choices)) if number in picked]


def _fill(pattern: str, words: tuple[str, ...], holes: Collection[str]) -> str:
    rest = iter(words)
    return SLOT.sub(lambda slot: slot[0] if slot[1] in holes else next(rest), pattern)
