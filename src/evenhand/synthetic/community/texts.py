"""The words: sentences of the phrasebooks, put together item by item without looking at one item at a time."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from evenhand.synthetic.community.bank import bank
from evenhand.synthetic.community.nature import Nature
from evenhand.synthetic.community.phrases import PHRASEBOOKS
from evenhand.synthetic.community.planted import GROUPS, KINDS, LANGUAGES, PLACES
from evenhand.synthetic.community.setting import Bools, Setting, Whole

TERSE = 0.4  # of the comments are a sentence or two
LATE, HEATED = 0.7, 0.35  # of attacks come at the end; of overt ones come at the beginning and again at the end
LOWER, BARE = 0.12, 0.1  # of them are written without capitals; without a full stop at the end


def texts(setting: Setting, nature: Nature, rng: np.random.Generator) -> pl.Series:
    """The text of every item."""
    turn = rng.integers(0, 2**20, setting.size)
    roles = _plain_roles(setting, nature, rng)
    pieces = [_sentences(rng, setting, role, turn + number) for number, role in enumerate(roles)]
    pieces.insert(4, _about_groups(rng, setting, nature, turn))
    text = pl.concat_str(pieces, separator=" ", ignore_nulls=True)
    lower, bare = (pl.Series(rng.random(setting.size) < share) for share in (LOWER, BARE))
    full = pl.select(text.alias("text")).to_series()
    return pl.select(
        pl.when(lower)
        .then(full.str.to_lowercase())
        .when(bare & (full.str.len_chars() > 20))
        .then(full.str.strip_suffix("."))
        .otherwise(full)
        .alias("text")
    ).to_series()


def _plain_roles(setting: Setting, nature: Nature, rng: np.random.Generator) -> list[Whole]:
    """The roles of the sentences that mention no group, in the order in which they are said.

    An opening, the attack where it comes early, up to four sentences on the topic, the attack where it comes late, a
    closing. A terse comment has one sentence on the topic or, where there is something else in it, seldom any.
    """
    terse, late = rng.random(setting.size) < TERSE, rng.random(setting.size) < LATE
    attack = _attack(nature)
    again = nature.violates & ~nature.veiled & (rng.random(setting.size) < HEATED)
    insult = np.where(attack >= 0, attack, _role("overt harassment"))  # hate has its attack in another sentence
    something = (attack >= 0) | nature.mentions
    topics = np.where(
        terse, (~something | (rng.random(setting.size) < 0.2)).astype(np.int64), 1 + rng.integers(0, 4, setting.size)
    )
    about = np.where(setting.fresh, _role("topics fresh"), _named("topics", PLACES)[setting.place])
    opening = ~terse & (topics < 4) & (rng.random(setting.size) < 0.4)
    closing = rng.random(setting.size) < np.where(terse, 0.12, 0.3)
    return [
        np.where(opening, _role("openings"), -1),
        np.where(late & ~again, -1, attack),
        *(np.where(topics > number, about, -1) for number in range(4)),
        np.where(again, insult, np.where(late, attack, -1)),
        np.where(closing, _role("closings"), -1),
    ]


def _attack(nature: Nature) -> Whole:
    """The role of the rude or harmful sentence without a group in it; -1 where there is none."""
    overt, veiled = (_named(how, KINDS[1:])[nature.kind - 1] for how in ("overt", "veiled"))
    violating = nature.violates & (nature.kind != KINDS.index("hate"))
    rough = nature.rough & ~_defends(nature)
    return np.where(violating, np.where(nature.veiled, veiled, overt), np.where(rough, _role("rough"), -1))


def _defends(nature: Nature) -> Bools:
    """A rough benign item that mentions people defends them; what is rude in it is quoted."""
    return nature.rough & nature.mentions


def _about_groups(rng: np.random.Generator, setting: Setting, nature: Nature, turn: Whole) -> pl.Series:
    """The sentence that mentions groups, null where there is none."""
    hate = nature.kind == KINDS.index("hate")
    said = np.where(_defends(nature), _role("defended"), _role("mention"))
    said = np.where(hate, np.where(nature.veiled, _role("veiled hate"), _role("overt hate")), said)
    rows = np.flatnonzero(nature.mentions)
    sentence = bank().pick(rng, setting.language[rows], said[rows], turn[rows])
    names = _names(rng, setting.language[rows], {name: inside[rows] for name, inside in nature.groups.items()})
    whole = pl.select(pl.concat_str(bank().before.gather(sentence), names, bank().after.gather(sentence))).to_series()
    return _at(whole, rows, setting.size)


def _names(rng: np.random.Generator, language: Whole, groups: dict[str, Bools]) -> pl.Series:
    """The groups of each item, named in its language and joined by `and`."""
    variant = rng.integers(0, 2, len(language))
    parts = []
    for name in GROUPS:
        words = pl.Series([word for code in LANGUAGES for word in PHRASEBOOKS[code].groups[name]])
        parts.append(pl.when(pl.Series(groups[name])).then(words.gather(2 * language + variant)))
    joined = pl.select(pl.concat_str(parts, separator="\0", ignore_nulls=True)).to_series()
    joins = pl.Series([PHRASEBOOKS[code].join for code in LANGUAGES]).gather(language)
    return pl.select(joined.str.split("\0").list.join(pl.lit(joins))).to_series()


def _sentences(rng: np.random.Generator, setting: Setting, role: Whole, turn: Whole) -> pl.Series:
    """One sentence an item, null where the role is none."""
    rows = np.flatnonzero(role >= 0)
    picked = bank().pick(rng, setting.language[rows], role[rows], turn[rows])
    return _at(bank().before.gather(picked), rows, setting.size)


def _at(some: pl.Series, rows: Whole, size: int) -> pl.Series:
    """A column with these values in these rows, null elsewhere."""
    place = np.full(size, len(some))
    place[rows] = np.arange(len(some))
    return some.extend_constant(None, 1).gather(place)


def _role(name: str) -> int:
    return bank().roles[name]


def _named(how: str, of: Iterable[str]) -> Whole:
    return np.asarray([_role(f"{how} {name}") for name in of])
