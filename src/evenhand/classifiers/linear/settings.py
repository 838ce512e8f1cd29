"""The settings of a linear model, saved beside its weights."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import inf
from typing import Literal

import numpy as np

from evenhand.choices import check_limits
from evenhand.classifiers.linear.words import Words
from evenhand.errors import InputError
from evenhand.synthetic.terms import IDENTITIES, PEOPLE


def _identity_words() -> tuple[str, ...]:
    """Every word by which people are described or named, also as "woman's", and the articles before it."""
    plain = {word for i in IDENTITIES for words in i.words for word in re.findall(r"\w+", words)} | set(PEOPLE)
    return tuple(sorted(plain | {f"{word}s" for word in plain} | {"a", "an"}))


IDENTITY_WORDS = _identity_words()
LATER_SETTING = {"later": True}  # settings that older models lack: see `recorded` of the methods


@dataclass(frozen=True, kw_only=True)
class LinearSettings:
    """Features, regularisation and ensemble.

    `neutral` words say who is spoken of: a text is scored alike whichever of them it has. `anchor` is how strongly each
    member is drawn to random coefficients of its own instead of to zero, so that members differ most where they have
    seen nothing; 0 turns it off. `oversample` adds synthetic items to the rare classes until each has
    `oversample_share` times as many as the largest.
    """

    bits: int = 19
    characters: tuple[int, ...] = (3, 4, 5)
    pairs: float = 3.0
    shouts: bool = True
    counts: bool = False
    stop_words: bool = False
    neutral: tuple[str, ...] = IDENTITY_WORDS
    strength: float = 5.0
    members: int = 8
    anchor: float = 0.3
    rounds: int = 150
    seed: int = 0
    oversample: Literal["none", "smote"] = field(default="none", metadata=LATER_SETTING)
    oversample_neighbours: int = field(default=5, metadata=LATER_SETTING)
    oversample_share: float = field(default=1.0, metadata=LATER_SETTING)

    def __post_init__(self) -> None:
        check_limits(vars(self))
        if not 10 <= self.bits <= 24:
            raise InputError(f"bits is {self.bits}: choose 10 to 24")
        if not 1 <= self.members <= 100:
            raise InputError(f"members is {self.members}: choose 1 to 100")
        if not (0 < self.strength < inf and 0 <= self.anchor < inf and 0 <= self.pairs < inf):
            raise InputError("strength must be above 0, anchor and pairs 0 or more, and none of them infinite")
        if any(not 1 <= size <= 8 for size in self.characters) or len(set(self.characters)) < len(self.characters):
            raise InputError("characters are the lengths of parts of words: 1 to 8, each once")
        if self.rounds < 1 or self.seed < 0:
            raise InputError("rounds must be 1 or more, and seed 0 or more")
        if self.oversample_neighbours < 1 or not 0 < self.oversample_share <= 1:
            raise InputError("oversample_neighbours must be 1 or more, and oversample_share above 0 and at most 1")
        empty = np.bincount(Words.from_texts(self.neutral).text, minlength=len(self.neutral)) == 0
        if empty.any():
            raise InputError(f"neutral takes words, not '{self.neutral[int(empty.argmax())]}'")

    @property
    def buckets(self) -> int:
        """How many coefficients each member has."""
        return 1 << self.bits


UNIGRAM = LinearSettings(  # the bag of words of Wei, Zufall and Jia 2023: TF-IDF of lower-cased words
    bits=20,
    characters=(),
    pairs=0.0,
    shouts=False,
    counts=True,
    stop_words=True,
    neutral=(),
    strength=1.0,
    members=1,
    anchor=0.0,
)
