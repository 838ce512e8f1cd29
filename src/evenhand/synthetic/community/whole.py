"""A whole community made up: items, what models and people said about them, what was done, and the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from evenhand.errors import InputError
from evenhand.synthetic.community import people
from evenhand.synthetic.community.moderation import Moderation, history, moderation
from evenhand.synthetic.community.nature import LOOKS, Nature, nature
from evenhand.synthetic.community.planted import ASKED, CALLED, KINDS, LANGUAGES, PERIODS, PLACES, RATERS, SHORT
from evenhand.synthetic.community.scores import probabilities, scores, shifts
from evenhand.synthetic.community.setting import Bools, Setting, setting
from evenhand.synthetic.community.texts import texts
from evenhand.synthetic.community.truth import truth, truths

FEWEST, MOST = 100, 10_000_000
PARTS = ("setting", "nature", "texts", "scores", "probabilities", "raters", "moderation", "history", "people", "labels")


@dataclass(frozen=True)
class Community:
    """The frames an audit may see, and beside them `truths` (item by item) and `truth` (what was planted, and came)."""

    items: pl.DataFrame
    annotators: pl.DataFrame
    annotations: pl.DataFrame
    history: pl.DataFrame
    truths: pl.DataFrame
    truth: dict[str, Any]


def community(items: int, *, seed: int = 0) -> Community:
    """Make up so many items and everything around them; the same seed gives the same community."""
    if not FEWEST <= items <= MOST:
        raise InputError(f"{items} items: a community has {FEWEST:,} to {MOST:,}")
    if seed < 0:
        raise InputError(f"the seed is {seed}: it must not be negative")
    rng = {part: np.random.default_rng([seed, number]) for number, part in enumerate(PARTS)}
    where = setting(items, rng["setting"])
    what = nature(where, rng["nature"])
    text = texts(where, what, rng["texts"])
    short = (text.str.len_chars() < SHORT).to_numpy()
    scored = scores(what, short, rng["scores"])
    done = moderation(where, what, scored["model_a"].to_numpy(), rng["moderation"])
    ids = _numbered("c", np.arange(items))
    columns = {**_raters(what, rng["raters"]), **scored, **probabilities(what, rng["probabilities"])}
    table = _items(ids, text, where, what, columns, done)
    hidden = truths(ids, what, done.visible, pl.Series(shifts(what, short)))
    who = people.annotators(items, rng["people"])
    said = people.labels(who, what, ids, rng["labels"])
    events = history(where, done, ids, rng["history"])
    return Community(table, who, said, events, hidden, truth(table, hidden, said, who, seed=seed))


def _items(
    ids: pl.Series, text: pl.Series, where: Setting, what: Nature, columns: dict[str, pl.Series], done: Moderation
) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": ids,
            "text": text,
            "language": pl.Series(list(LANGUAGES)).gather(where.language),
            "community": pl.Series(list(PLACES)).gather(where.place),
            "thread": _numbered("t", where.thread),
            "author": _numbered("u", where.author),
            "period": pl.Series(list(PERIODS)).gather(where.period),
            "created": pl.Series(where.created).cast(pl.Datetime("us")),
            "kind": pl.Series(KINDS).gather(what.kind),
            **columns,
            **done.columns(),
        }
    )


def _raters(what: Nature, rng: np.random.Generator) -> dict[str, pl.Series]:
    """`toxicity`, the share of ten raters who call an item violating, and the share who see each group mentioned.

    Some items were never shown with the question about groups: their shares are null, which is not 0.
    """
    chance = np.asarray([CALLED[look] for look in LOOKS])[what.look]
    asked = rng.random(len(chance)) < ASKED
    toxicity = pl.Series(rng.binomial(RATERS, chance) / RATERS)
    return {"toxicity": toxicity, **{name: _shares(inside, asked, rng) for name, inside in what.groups.items()}}


def _shares(inside: Bools, asked: Bools, rng: np.random.Generator) -> pl.Series:
    seen = pl.Series(rng.binomial(RATERS, np.where(inside, 0.9, 0.01)) / RATERS)
    return pl.select(pl.when(pl.Series(asked)).then(seen)).to_series()


def _numbered(letter: str, numbers: np.typing.NDArray[np.int64]) -> pl.Series:
    digits = pl.Series(numbers).cast(pl.String).str.zfill(7)
    return pl.select(pl.format(f"{letter}{{}}", digits)).to_series()
