"""A first declaration for a table nobody has declared yet: a TOML file with guesses, to be mended by a person."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from evenhand.errors import CONTROL
from evenhand.evidence import Source

LOOKED_AT = 10_000  # rows
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


def sketch(source: Source, data: str, query: str | None, *, beside: Path) -> str:
    """The text of a TOML declaration for this source, to be written to `beside`."""
    frame = source.collect(lambda lazy: lazy.head(LOOKED_AT))
    guess = _guess(frame)
    columns = "\n".join(f"#   {CONTROL.sub('�', name)}: {_describe(frame[name])}" for name in frame.columns)
    lines = [
        f"# What the columns of {CONTROL.sub('�', data)} mean, for: evenhand audit THIS-FILE",
        "# Filled in by looking at names and values. Check every line: only you know what a column means.",
        "#",
        "# The columns, with what the first rows hold:",
        columns,
        "",
        f"data = {_quoted(_relative(data, beside))}",
        *([f"query = {_quoted(query)}"] if query else []),
        '# items = "…"               # for labels by annotators: a file with the score of each item,',
        '# annotators = "…"          # and one that describes each annotator, where they are not beside the labels',
        "",
        "[columns]",
        _line("score", guess.score or ["?"], "the model's score; several models: several columns"),
        '# scale = "probability"     # or percent, logit, rank',
        '# probabilities = ["p_calm", "p_rude"]  # instead of a score: one column for each class',
        '# classes = ["calm", "rude"]             # the labels they stand for, where names do not say it',
        _line("label", guess.label or "?", "violating or not: true/false, 0/1, or a share of annotators"),
        _line("positive", guess.positive, "for labels in words: the one that means violating"),
        "# label_threshold = 0.5     # for shares of annotators",
        _line("groups", guess.groups, "columns of true/false, 0/1 or shares of annotators; empty means not annotated"),
        '# group_by = "…"            # or one column whose values are the groups',
        '# terms = "terms.txt"       # or words in the text, from a file: one a line, or name: word, word',
        _line("text", guess.text, "lets short items be looked at apart"),
        _line("id", guess.id, "ids must differ"),
        _line("slices", guess.slices, "columns to look at value by value"),
        '# uncertainty = "…"         # how unsure the model is of each item, such as the spread of an ensemble',
        '# count = "…"               # the row stands for so many equal rows',
        '# inclusion = "…"           # the row was sampled with this probability',
        '# decision = "…"            # for the audit accuracy: whether the item was removed',
        "# where = \"lang = 'en'\"     # keep only these rows",
        '# item = "…"                # where a row is a label that somebody gave: of which item,',
        '# annotator = "…"           # by whom,',
        '# annotator_groups = ["…"]  # and columns that describe them',
        '# within = "…"              # country or batch within which annotators are comparable',
        '# skip = ["…"]              # labels that are no judgement, such as cannot tell',
        '# duplicates = "refuse"     # somebody labelled an item twice differently: first, last or drop',
        "",
        "# [spellings.gender]        # of a column that describes annotators: names, and how each is spelled",
        '# women = ["female", "F"]   # "*" is everything else',
        "",
        "[settings]",
        "# threshold = 0.5           # items with this score or more are flagged",
        "# level = 0.95",
        '# interval = "analytic"     # or bootstrap',
        "# intersections = true      # pairs of groups as well",
        '# majority = "all"          # whose majority judges annotators: all, others, or the name of a group',
        '# ties = "drop"             # items with a tied majority; or lowest, highest',
        "# fewest_labels = 20        # that an annotator must have given to be clustered",
        "# miss = 0.1                # share of labels that prediction sets may miss",
        '# capacities = ["0.5%", "1%", "5%"]             # what people can review: shares, or numbers of items',
        "# bins = 15                 # that probabilities are sorted into to see whether they are honest",
        '# strategies = ["uncertainty", "toxicity"]      # how they choose; also hybrid:0.3, column:NAME',
        "",
    ]
    return "\n".join(lines)


def _relative(data: str, beside: Path) -> str:
    """A path in a declaration is read from where the declaration is."""
    return data if "://" in data else os.path.relpath(data, beside.parent)


def _guess(frame: pl.DataFrame) -> Guess:
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
    guess.slices = take(lambda n: frame[n].dtype == pl.String and 2 <= _distinct(frame[n]) <= MANY, 3)
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
    return _is_share(values) and _distinct(values) > MANY and not _is_group(values)


def _is_group(values: pl.Series) -> bool:
    """True or false, or a share that is 0 for most items."""
    return _is_share(values) and (_distinct(values) <= 2 or bool((values.drop_nulls() == 0).mean() >= 0.5))  # type: ignore[operator]


def _is_named(values: pl.Series) -> bool:
    return values.dtype == pl.String and _distinct(values) <= 5


def _is_label(values: pl.Series) -> bool:
    return _is_share(values) or _is_named(values)


def _distinct(values: pl.Series) -> int:
    return values.drop_nulls().n_unique()


def _describe(values: pl.Series) -> str:
    empty = f", {values.null_count() / max(1, len(values)):.0%} empty" if values.null_count() else ""
    if values.dtype.is_numeric() and values.drop_nulls().len():
        return f"{values.dtype}, {values.min()!s} to {values.max()!s}{empty}"
    if values.dtype == pl.String and _distinct(values) <= 6:
        shown = ", ".join(sorted(str(value)[:20] for value in values.drop_nulls().unique().to_list()))
        return f"text: {CONTROL.sub('�', ' '.join(shown.split()))}{empty}"
    return f"{values.dtype}{empty}"


def _line(name: str, value: str | list[str] | None, meaning: str) -> str:
    shown = f"[{', '.join(_quoted(v) for v in value)}]" if isinstance(value, list) else _quoted(value or "…")
    prefix = "" if value else "# "
    return f"{prefix}{name} = {shown}  # {meaning}"


def _quoted(text: str) -> str:
    escaped = "".join(c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08x}" for c in text)
    return f'"{escaped}"'
