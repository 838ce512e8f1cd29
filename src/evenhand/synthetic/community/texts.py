"""The texts of the items, composed from the sentences of the phrasebooks, column by column.

All sentences that the phrasebooks can make are numbered, so that drawing a sentence is drawing a number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
import polars as pl

from evenhand.arrays import Bools, Ints
from evenhand.synthetic.community.items import ItemContent, ItemContext
from evenhand.synthetic.community.parameters import GROUPS, KINDS, LANGUAGES, PLACES
from evenhand.synthetic.community.phrases.english import ENGLISH
from evenhand.synthetic.community.phrases.french import FRENCH
from evenhand.synthetic.community.phrases.german import GERMAN
from evenhand.synthetic.community.phrases.italian import ITALIAN
from evenhand.synthetic.community.phrases.portuguese import PORTUGUESE
from evenhand.synthetic.community.phrases.spanish import SPANISH
from evenhand.synthetic.phrasebook import GROUP_SLOT, Phrasebook

PHRASEBOOKS: dict[str, Phrasebook] = {
    "en": ENGLISH,
    "es": SPANISH,
    "de": GERMAN,
    "fr": FRENCH,
    "it": ITALIAN,
    "pt": PORTUGUESE,
}


@dataclass(frozen=True)
class SentenceBank:
    """All sentences of all languages in one column, and where those of one role in one language begin."""

    before: pl.Series  # the hole for the group, or all of the sentence
    after: pl.Series
    start: Ints  # where the fillings of one pattern begin
    count: Ints
    roles: dict[str, int]
    first: Ints  # language by role: its first pattern
    patterns: Ints

    def pick(self, rng: np.random.Generator, language: Ints, role: Ints, turn: Ints) -> Ints:
        """The number of a sentence of the role for every item: the pattern whose turn it is, and any filling of it.

        Sentences of one comment with turns that follow one another do not repeat a pattern.
        """
        pattern = self.first[language, role] + turn % self.patterns[language, role]
        return np.asarray(self.start[pattern] + (rng.random(len(role)) * self.count[pattern]).astype(np.int64))


@cache
def sentence_bank() -> SentenceBank:
    """Fill every pattern of every phrasebook once."""
    roles = {role: number for number, (role, _) in enumerate(PHRASEBOOKS["en"].roles())}
    first, many = np.zeros((2, len(LANGUAGES), len(roles)), dtype=np.int64)
    filled: list[list[str]] = []
    for language, name in enumerate(LANGUAGES):
        for role, patterns in PHRASEBOOKS[name].roles():
            first[language, roles[role]], many[language, roles[role]] = len(filled), len(patterns)
            filled += [PHRASEBOOKS[name].sentences(pattern) for pattern in patterns]
    count = np.asarray([len(some) for some in filled])
    halves = (
        pl.Series([sentence for some in filled for sentence in some]).str.split_exact(GROUP_SLOT, 1).struct.unnest()
    )
    start = np.cumsum(count) - count
    return SentenceBank(halves["field_0"], halves["field_1"].fill_null(""), start, count, roles, first, many)


TERSE_SHARE = 0.4  # of the comments are a sentence or two
LATE_SHARE, REPEATED_SHARE = (
    0.7,
    0.35,
)  # of attacks come at the end; of overt ones come at the beginning and again at the end
LOWERCASE_SHARE, NO_FULL_STOP_SHARE = 0.12, 0.1  # of them are written without capitals; without a full stop at the end


def compose_texts(setting: ItemContext, nature: ItemContent, rng: np.random.Generator) -> pl.Series:
    """The text of every item."""
    turn = rng.integers(0, 2**20, setting.size)
    roles = _plain_roles(setting, nature, rng)
    pieces = [_sentences(rng, setting, role, turn + number) for number, role in enumerate(roles)]
    pieces.insert(4, _about_groups(rng, setting, nature, turn))
    text = pl.concat_str(pieces, separator=" ", ignore_nulls=True)
    lower, bare = (pl.Series(rng.random(setting.size) < share) for share in (LOWERCASE_SHARE, NO_FULL_STOP_SHARE))
    full = pl.select(text.alias("text")).to_series()
    return pl.select(
        pl.when(lower)
        .then(full.str.to_lowercase())
        .when(bare & (full.str.len_chars() > 20))
        .then(full.str.strip_suffix("."))
        .otherwise(full)
        .alias("text")
    ).to_series()


def _plain_roles(setting: ItemContext, nature: ItemContent, rng: np.random.Generator) -> list[Ints]:
    """The roles of the sentences that mention no group, in the order in which they are said.

    An opening, the attack where it comes early, up to four sentences on the topic, the attack where it comes late, a
    closing. A terse comment has one sentence on the topic or, where there is something else in it, seldom any.
    """
    terse, late = rng.random(setting.size) < TERSE_SHARE, rng.random(setting.size) < LATE_SHARE
    attack = _attack(nature)
    again = nature.violates & ~nature.veiled & (rng.random(setting.size) < REPEATED_SHARE)
    insult = np.where(attack >= 0, attack, _role_number("overt harassment"))  # hate has its attack in another sentence
    something = (attack >= 0) | nature.mentions
    topics = np.where(
        terse, (~something | (rng.random(setting.size) < 0.2)).astype(np.int64), 1 + rng.integers(0, 4, setting.size)
    )
    about = np.where(setting.fresh, _role_number("topics fresh"), _role_numbers("topics", PLACES)[setting.place])
    opening = ~terse & (topics < 4) & (rng.random(setting.size) < 0.4)
    closing = rng.random(setting.size) < np.where(terse, 0.12, 0.3)
    return [
        np.where(opening, _role_number("openings"), -1),
        np.where(late & ~again, -1, attack),
        *(np.where(topics > number, about, -1) for number in range(4)),
        np.where(again, insult, np.where(late, attack, -1)),
        np.where(closing, _role_number("closings"), -1),
    ]


def _attack(nature: ItemContent) -> Ints:
    """The role of the rude or harmful sentence without a group in it; -1 where there is none."""
    overt, veiled = (_role_numbers(how, KINDS[1:])[nature.kind - 1] for how in ("overt", "veiled"))
    violating = nature.violates & (nature.kind != KINDS.index("hate"))
    rough = nature.rough & ~_defends(nature)
    return np.where(violating, np.where(nature.veiled, veiled, overt), np.where(rough, _role_number("rough"), -1))


def _defends(nature: ItemContent) -> Bools:
    """A rough benign item that mentions people defends them; what is rude in it is quoted."""
    return nature.rough & nature.mentions


def _about_groups(rng: np.random.Generator, setting: ItemContext, nature: ItemContent, turn: Ints) -> pl.Series:
    """The sentence that mentions groups, null where there is none."""
    hate = nature.kind == KINDS.index("hate")
    roles = np.where(_defends(nature), _role_number("defended"), _role_number("mention"))
    roles = np.where(hate, np.where(nature.veiled, _role_number("veiled hate"), _role_number("overt hate")), roles)
    rows = np.flatnonzero(nature.mentions)
    sentence = sentence_bank().pick(rng, setting.language[rows], roles[rows], turn[rows])
    names = _names(rng, setting.language[rows], {name: inside[rows] for name, inside in nature.groups.items()})
    whole = pl.select(
        pl.concat_str(sentence_bank().before.gather(sentence), names, sentence_bank().after.gather(sentence))
    ).to_series()
    return _at_rows(whole, rows, setting.size)


def _names(rng: np.random.Generator, language: Ints, groups: dict[str, Bools]) -> pl.Series:
    """The groups of each item, named in its language and joined by `and`."""
    variant = rng.integers(0, 2, len(language))
    parts = []
    for name in GROUPS:
        words = pl.Series([word for code in LANGUAGES for word in PHRASEBOOKS[code].groups[name]])
        parts.append(pl.when(pl.Series(groups[name])).then(words.gather(2 * language + variant)))
    joined = pl.select(pl.concat_str(parts, separator="\0", ignore_nulls=True)).to_series()
    joins = pl.Series([PHRASEBOOKS[code].join for code in LANGUAGES]).gather(language)
    return pl.select(joined.str.split("\0").list.join(pl.lit(joins))).to_series()


def _sentences(rng: np.random.Generator, setting: ItemContext, role: Ints, turn: Ints) -> pl.Series:
    """One sentence an item, null where the role is none."""
    rows = np.flatnonzero(role >= 0)
    picked = sentence_bank().pick(rng, setting.language[rows], role[rows], turn[rows])
    return _at_rows(sentence_bank().before.gather(picked), rows, setting.size)


def _at_rows(some: pl.Series, rows: Ints, size: int) -> pl.Series:
    """A column with these values in these rows, null elsewhere."""
    place = np.full(size, len(some))
    place[rows] = np.arange(len(some))
    return some.extend_constant(None, 1).gather(place)


def _role_number(name: str) -> int:
    return sentence_bank().roles[name]


def _role_numbers(how: str, of: Iterable[str]) -> Ints:
    return np.asarray([_role_number(f"{how} {name}") for name in of])
