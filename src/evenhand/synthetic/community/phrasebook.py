"""What one language has to say: sentences by role, with slots to be filled, and where each role lies in the whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evenhand.synthetic.filling import fillings

GROUP = "{group}"  # the hole for the people a sentence mentions
MOST = 600  # fillings of one pattern
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
        filled = fillings(pattern, self.slots, holes=("group",), most=MOST)
        return [sentence[0].upper() + sentence[1:] for sentence in filled]


def about(patterns: Patterns, **nouns: tuple[str, ...]) -> tuple[dict[str, tuple[str, ...]], dict[str, Patterns]]:
    """The same patterns about different topics: the nouns as slots, and the patterns of each topic."""
    return nouns, {name: tuple(pattern.replace("{topic}", f"{{{name}}}") for pattern in patterns) for name in nouns}
