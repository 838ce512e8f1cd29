"""All sentences that the phrasebooks can make, numbered, so that drawing one is drawing a number."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import polars as pl

from evenhand.synthetic.community.phrasebook import GROUP
from evenhand.synthetic.community.phrases import PHRASEBOOKS
from evenhand.synthetic.community.planted import LANGUAGES
from evenhand.synthetic.community.setting import Whole


@dataclass(frozen=True)
class Bank:
    """All sentences of all languages in one column, and where those of one role in one language begin."""

    before: pl.Series  # the hole for the group, or all of the sentence
    after: pl.Series
    start: Whole  # where the fillings of one pattern begin
    count: Whole
    roles: dict[str, int]
    first: Whole  # language by role: its first pattern
    patterns: Whole

    def pick(self, rng: np.random.Generator, language: Whole, role: Whole, turn: Whole) -> Whole:
        """The number of a sentence of the role for every item: the pattern whose turn it is, and any filling of it.

        Sentences of one comment with turns that follow one another do not repeat a pattern.
        """
        pattern = self.first[language, role] + turn % self.patterns[language, role]
        return np.asarray(self.start[pattern] + (rng.random(len(role)) * self.count[pattern]).astype(np.int64))


@cache
def bank() -> Bank:
    """Fill every pattern of every phrasebook once."""
    roles = {role: number for number, (role, _) in enumerate(PHRASEBOOKS["en"].roles())}
    first, many = np.zeros((2, len(LANGUAGES), len(roles)), dtype=np.int64)
    filled: list[list[str]] = []
    for language, name in enumerate(LANGUAGES):
        for role, patterns in PHRASEBOOKS[name].roles():
            first[language, roles[role]], many[language, roles[role]] = len(filled), len(patterns)
            filled += [PHRASEBOOKS[name].sentences(pattern) for pattern in patterns]
    count = np.asarray([len(some) for some in filled])
    halves = pl.Series([sentence for some in filled for sentence in some]).str.split_exact(GROUP, 1).struct.unnest()
    start = np.cumsum(count) - count
    return Bank(halves["field_0"], halves["field_1"].fill_null(""), start, count, roles, first, many)
