"""Which column of a table might be what: a guess from names and values, for a person to check."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import polars as pl

SCORE = re.compile(r"score|prob|pred|logit|conf|model|risk|^p$|_p$", re.IGNORECASE)
OF_A_CLASS = re.compile(r"^p_", re.IGNORECASE)  # one class of several, or the model with this name
LABEL = re.compile(r"label|target|truth|gold|^y$|verdict", re.IGNORECASE)
TOPIC = re.compile(r"class|toxic|violat|hate|abus", re.IGNORECASE)  # a label, or what a model says of it
TEXT = re.compile(r"text|comment|body|content|post|message|phrase", re.IGNORECASE)
ID = re.compile(r"(^|_)id$", re.IGNORECASE)
IGNORED = re.compile(
    r"annotator|count|rating|likes|created|date|weight|inclusion|^incl|uncertain|decision|decided|appeal|reinstat|report",
    re.IGNORECASE,
)
MANY = 20  # distinct values: more than annotators can make of a label, fewer than a model makes


@dataclass
class Guess:
    """Which column might be what."""

    score: list[str] = field(default_factory=list)
    label: str | None = None
    positive: str | None = None
    groups: list[str] = field(default_factory=list)
    text: str | None = None
    id: str | None = None
    slices: list[str] = field(default_factory=list)


def guess_roles(frame: pl.DataFrame) -> Guess:
    """Every column has one role at the most, in the order in which roles are easiest to tell."""
    guess, left = Guess(), [name for name in frame.columns if not IGNORED.search(name)]

    def take(fits: Callable[[str], bool], most: int) -> list[str]:
        taken = [name for name in left if fits(name)][:most]
        for name in taken:
            left.remove(name)
        return taken

    def first(taken: list[str]) -> str | None:
        return taken[0] if taken else None

    guess.id = first(take(lambda n: bool(ID.search(n)) and frame[n].n_unique() == len(frame), 1))
    guess.text = first(take(lambda n: bool(TEXT.search(n)) and _is_text(frame[n]), 1)) or first(
        take(lambda n: _is_text(frame[n]), 1)
    )
    guess.score = take(lambda n: bool(SCORE.search(n)) and _is_score(frame[n]), 8)
    guess.score += take(lambda n: bool(OF_A_CLASS.search(n)) and _is_score(frame[n]), 0 if guess.score else 8)
    guess.label = first(
        take(lambda n: bool(LABEL.search(n)) and _is_label(frame[n]), 1)
        or take(lambda n: bool(TOPIC.search(n)) and not _is_score(frame[n]) and _is_label(frame[n]), 1)
        or take(lambda n: bool(TOPIC.search(n)) and bool(guess.score) and _is_share(frame[n]), 1)
    )
    guess.score = guess.score or take(lambda n: _is_score(frame[n]), 8)
    if guess.label and frame[guess.label].dtype == pl.String:
        guess.positive = "?"
    guess.groups = take(lambda n: _is_group(frame[n]), 200)
    guess.slices = take(lambda n: frame[n].dtype == pl.String and 2 <= distinct(frame[n]) <= MANY, 3)
    return guess


def _is_text(values: pl.Series) -> bool:
    lengths = values.str.len_chars() if values.dtype == pl.String else pl.Series([0])
    return bool(lengths.sum() > 25 * len(lengths.drop_nulls()))


def _is_share(values: pl.Series) -> bool:
    if values.dtype == pl.Boolean:
        return True
    known = values.drop_nulls()
    return values.dtype.is_numeric() and len(known) > 0 and bool(known.is_between(0, 1).all())


def _is_score(values: pl.Series) -> bool:
    return _is_share(values) and distinct(values) > MANY and not _is_group(values)


def _is_group(values: pl.Series) -> bool:
    """True or false, or a share that is 0 for most items."""
    return _is_share(values) and (distinct(values) <= 2 or bool((values.drop_nulls() == 0).mean() >= 0.5))  # type: ignore[operator]


def _is_named(values: pl.Series) -> bool:
    return values.dtype == pl.String and distinct(values) <= 5


def _is_label(values: pl.Series) -> bool:
    return _is_share(values) or _is_named(values)


def distinct(values: pl.Series) -> int:
    """How many values there are, beside empty ones."""
    return values.drop_nulls().n_unique()
