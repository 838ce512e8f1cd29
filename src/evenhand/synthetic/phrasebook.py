"""Sentences with slots, all the ways to fill them, and the sentences that one language needs for a community."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
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


GROUP_SLOT = "{group}"  # the hole for the people a sentence mentions
MOST_FILLINGS = 600  # fillings of one pattern
Patterns = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Phrasebook:
    """The patterns of one language.

    `topics` are by community, and `fresh` for what only the second period talks about. `mention`, `defended` and the
    kind `hate` have a hole for the group; `defended` and `rough` are benign with a rude word in them.
    """

    slots: Mapping[str, tuple[str, ...]]
    topics: Mapping[str, Patterns]
    openings: Patterns
    closings: Patterns
    groups: Mapping[str, tuple[str, str]]
    join: str
    mention: Patterns
    defended: Patterns
    rough: Patterns
    overt: Mapping[str, Patterns]
    veiled: Mapping[str, Patterns]

    def roles(self) -> Iterator[tuple[str, Patterns]]:
        """Every role a sentence can have in a comment, and its patterns."""
        for name in ("openings", "closings", "mention", "defended", "rough"):
            yield name, getattr(self, name)
        for name in ("topics", "overt", "veiled"):
            for of, patterns in getattr(self, name).items():
                yield f"{name} {of}", patterns

    def sentences(self, pattern: str) -> list[str]:
        """All fillings of one pattern, as sentences."""
        filled = fillings(pattern, self.slots, holes=("group",), most=MOST_FILLINGS)
        return [sentence[0].upper() + sentence[1:] for sentence in filled]


def topic_patterns(
    patterns: Patterns, **nouns: tuple[str, ...]
) -> tuple[dict[str, tuple[str, ...]], dict[str, Patterns]]:
    """The same patterns about different topics: the nouns as slots, and the patterns of each topic."""
    return nouns, {name: tuple(pattern.replace("{topic}", f"{{{name}}}") for pattern in patterns) for name in nouns}
