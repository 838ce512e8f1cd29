"""A template test set: the same sentences about every term, half of them violating by construction.

Because only the term differs between two groups, a difference in scores is due to the term alone. Real comments are
less simple: what a template set finds is there, what it does not find may still be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from evenhand.errors import CONTROL, InputError
from evenhand.synthetic.sentence_templates import FILLERS, TEMPLATES
from evenhand.synthetic.terms import IDENTITIES

ABOUT = {word: identity.about for identity in IDENTITIES for word in identity.words}
PAIRED = len(TEMPLATES)  # sentences about each pair of terms, unless fewer rows are asked for
SAID_FIRST = (
    "age",
    "disability",
    "gender",
    "sexuality",
    "ethnicity",
    "origin",
    "religion",
)  # "old german", "deaf muslim"
LIKE_A_VOWEL = re.compile(r"[aeio]|u(?!ni(?![mn])|se|sa|k|[brt][aeiou])|hon|heir|hour|lgb|mp\b|x-", re.IGNORECASE)
LIKE_A_CONSONANT = re.compile(r"eu|ew|on(?:c)?e\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a sentence is about: a term, or two terms about different things."""

    term: str
    second: str | None = None

    @property
    def words(self) -> str:
        return f"{self.term} {self.second}" if self.second else self.term

    @property
    def article(self) -> str:
        """`a` or `an`, by how the first term is said."""
        return "an" if LIKE_A_VOWEL.match(self.term) and not LIKE_A_CONSONANT.match(self.term) else "a"


def templates(
    *, terms: Sequence[str] | None = None, intersections: bool = False, rows: int | None = None, seed: int = 0
) -> pl.DataFrame:
    """The test set: `id`, `text`, `label`, `template`, `term` and `second` (the other term of two, null where one).

    Every term meets the same sentences, as many violating as benign. `intersections` adds every pair of terms that are
    about different things. `rows` is the most there may be: a part of the sentences, drawn with `seed`, is then taken.
    """
    if seed < 0:
        raise InputError(f"invalid `seed`: {seed} (must be 0 or more)")
    named = _checked_terms(tuple(identity.term for identity in IDENTITIES) if terms is None else tuple(terms))
    pairs = _pairs(named) if intersections else []
    alone, paired = _sentences_each(len(named), len(pairs), rows)
    rng = np.random.default_rng(seed)
    parts = [_fill_sentences([Subject(term) for term in named], _draw_sentences(alone, rng))]
    if pairs:
        parts.append(_fill_sentences(pairs, _draw_sentences(paired, rng)))
    return (
        pl.concat(parts)
        .with_row_index("id")
        .with_columns(pl.format("t{}", pl.col("id").cast(pl.String).str.zfill(7)).alias("id"))
    )


def _checked_terms(terms: tuple[str, ...]) -> tuple[str, ...]:
    clean = tuple(term.strip() for term in terms)
    if not clean:
        raise InputError("a template set needs at least one term")
    seen: set[str] = set()
    for term in clean:
        if not term or CONTROL.search(term) or not re.search(r"\w", term):
            raise InputError(f"invalid term: '{term}' (must be one word or a few)")
        if term.casefold() in seen:
            raise InputError(f"the term '{term}' is given twice")
        seen.add(term.casefold())
    return clean


def _pairs(terms: tuple[str, ...]) -> list[Subject]:
    """Every two terms that are about different things, in the order in which they are said."""
    for term in terms:
        if term.casefold() not in ABOUT:
            raise InputError(
                f"the category of the term '{term}' is not known: leave out either intersections or the term"
            )
    every = combinations(sorted(terms, key=lambda term: SAID_FIRST.index(ABOUT[term.casefold()])), 2)
    pairs = [Subject(one, two) for one, two in every if ABOUT[one.casefold()] != ABOUT[two.casefold()]]
    if not pairs:
        raise InputError("intersections need terms of at least two categories")
    return pairs


def _sentences_each(terms: int, pairs: int, rows: int | None) -> tuple[int, int]:
    """How many sentences a term gets, and how many a pair: even numbers, as many of either label."""
    most = len(TEMPLATES) * FILLERS
    if rows is None:
        return most, PAIRED
    if rows < 2 * (terms + pairs):
        raise InputError(
            f"{rows:,} rows are too few: at least {2 * (terms + pairs):,} are needed, two for each term or pair"
        )
    paired = min(PAIRED, max(2, rows // 2 // pairs // 2 * 2)) if pairs else 0
    return min(most, (rows - paired * pairs) // terms // 2 * 2), paired


def _draw_sentences(size: int, rng: np.random.Generator) -> pl.DataFrame:
    """So many sentences with their holes, half of them violating, the templates as even as can be."""
    halves = []
    for violates in (False, True):
        kind = [(t.name, t.violates, text) for t in TEMPLATES if t.violates is violates for text in t.sentences()]
        frame = pl.DataFrame(kind, schema={"template": pl.String, "label": pl.Boolean, "text": pl.String}, orient="row")
        turn = pl.Series("turn", rng.permutation(len(frame)))
        order = frame.with_row_index("place").with_columns(turn)
        order = order.with_columns(pl.col("turn").rank("ordinal").over("template").alias("round"))
        halves.append(order.sort("round", "turn").head(size // 2).sort("place").drop("place", "turn", "round"))
    return pl.concat(halves)


def _fill_sentences(subjects: Sequence[Subject], frame: pl.DataFrame) -> pl.DataFrame:
    """Every sentence of the frame about every subject."""
    who = pl.DataFrame(
        {
            "term": [subject.term for subject in subjects],
            "second": pl.Series([subject.second for subject in subjects], dtype=pl.String),
            "words": [subject.words for subject in subjects],
            "article": [subject.article for subject in subjects],
        }
    )
    text = pl.col("text")
    for hole, value in (
        ("{term}", pl.col("words")),
        ("{a}", pl.col("article")),
        ("{A}", pl.col("article").str.to_titlecase()),
    ):
        text = text.str.replace(hole, value, literal=True)
    return who.join(frame, how="cross").select(text, "label", "template", "term", "second")
