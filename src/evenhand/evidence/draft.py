"""A first declaration for a table that has none: a TOML file, its roles guessed from names and values.

A person checks every line of it: only they know what a column means.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import polars as pl

from evenhand.choices import (
    ChoiceRow,
    CoverOptions,
    LayoutOptions,
    RoleOptions,
    SettingOptions,
    TableOptions,
    choice_rows,
)
from evenhand.errors import InputError
from evenhand.evidence import reading_errors
from evenhand.evidence.columns import BOOLEANS, yes_or_no
from evenhand.evidence.condition import sql_condition
from evenhand.evidence.database_address import declared_address
from evenhand.evidence.source import Source
from evenhand.evidence.text_layout import SKIPPED, declared_layout_values
from evenhand.visible_text import visible

SCORE = re.compile(r"score|prob|pred|logit|conf|model|risk|^p$|_p$", re.IGNORECASE)
OF_A_CLASS = re.compile(r"^p_", re.IGNORECASE)  # one class of several, or the model with this name
LABEL = re.compile(r"label|target|truth|gold|^y$|verdict", re.IGNORECASE)
TOPIC = re.compile(r"class|toxic|violat|hate|abus", re.IGNORECASE)  # a label, or what a model says of it
TEXT = re.compile(r"text|comment|body|content|post|message|phrase", re.IGNORECASE)
ID = re.compile(r"(^|_)id$", re.IGNORECASE)
DECISION = re.compile(r"decision|decided|removed|taken_down|action", re.IGNORECASE)
REMOVES = re.compile(r"remov|delet|taken? ?down|block|lösch|entfern|supprim", re.IGNORECASE)
IGNORED = re.compile(
    r"annotator|count(?!er|ry)|rating|likes|created|date|weight|inclusion|^incl|uncertain|appeal|reinstat|report",
    re.IGNORECASE,
)
MOST_LABELS = 20  # distinct values: more than annotators can make of a label, fewer than a model makes


@dataclass
class RoleGuess:
    """Which column might be what."""

    score: list[str] = field(default_factory=list)
    scale: str | None = None
    probabilities: list[str] = field(default_factory=list)
    label: str | None = None
    positive: str | None = None
    groups: list[str] = field(default_factory=list)
    text: str | None = None
    id: str | None = None
    slices: list[str] = field(default_factory=list)
    decision: str | None = None
    removes: list[str] = field(default_factory=list)
    where: str | None = None  # given, not guessed

    @property
    def needed(self) -> dict[str, str | list[str]]:
        """What an audit cannot do without and nobody could guess."""
        predicted = self.score or self.probabilities or self.decision
        return {**({} if predicted else {"score": [UNKNOWN]}), **({} if self.label else {"label": UNKNOWN})}

    @property
    def questions(self) -> list[str]:
        """The roles that are left to a person."""
        unsure = {"positive": self.positive, "removes": next(iter(self.removes), None)}
        return [*self.needed, *(name for name, value in unsure.items() if value == UNKNOWN)]


UNKNOWN = "?"  # stands where a person must say what we could not guess


def guess_roles(frame: pl.DataFrame) -> RoleGuess:
    """Every column has one role at the most, in the order in which roles are easiest to tell."""
    guess, left = RoleGuess(), [name for name in frame.columns if not IGNORED.search(name)]

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
    guess.decision = first(take(lambda n: bool(DECISION.search(n)) and _is_label(frame[n]), 1))
    guess.removes = _removing_values(frame[guess.decision]) if guess.decision else []
    guess.probabilities = take(lambda n: n in _class_columns(frame), len(frame.columns))
    guess.score = take(lambda n: bool(SCORE.search(n)) and _is_score(frame[n]), 0 if guess.probabilities else 8)
    guess.score += take(lambda n: bool(OF_A_CLASS.search(n)) and _is_score(frame[n]), 0 if _predicted(guess) else 8)
    if not _predicted(guess):
        guess.score = take(lambda n: bool(SCORE.search(n)) and _is_per_cent(frame[n]), 8)
        guess.scale = "percent" if guess.score else None
    guess.label = first(
        take(lambda n: bool(LABEL.search(n)) and _is_label(frame[n]), 1)
        or take(lambda n: bool(TOPIC.search(n)) and not _is_score(frame[n]) and _is_label(frame[n]), 1)
        or take(lambda n: bool(TOPIC.search(n)) and bool(guess.score) and _is_share(frame[n]), 1)
    )
    guess.score = guess.score or take(lambda n: _is_score(frame[n]), 0 if guess.probabilities else 8)
    if guess.label and frame[guess.label].dtype == pl.String and not guess.probabilities:
        guess.positive = None if _is_yes_or_no(frame[guess.label]) else UNKNOWN
    guess.groups = take(lambda n: _is_group(frame[n]), 200)
    guess.slices = take(lambda n: frame[n].dtype == pl.String and 2 <= _distinct(frame[n]) <= MOST_LABELS, 3)
    return guess


def _predicted(guess: RoleGuess) -> bool:
    return bool(guess.score or guess.probabilities)


def _class_columns(frame: pl.DataFrame) -> list[str]:
    """Columns `p_<class>` of every class: in each row they sum to one."""
    columns = [name for name in frame.columns if OF_A_CLASS.search(name) and _is_share(frame[name])]
    if len(columns) < 2:
        return []
    sums = frame.select(pl.sum_horizontal(columns)).to_series().drop_nulls()
    return columns if len(sums) and bool(sums.is_between(1 - ROUNDED, 1 + ROUNDED).all()) else []


def _is_per_cent(values: pl.Series) -> bool:
    """From 0 to 100, with more than 1 among them; or written with a per cent sign."""
    known = values.drop_nulls()
    if values.dtype == pl.String:
        return len(known) > 0 and bool(known.str.contains(r"^\s*[\d.,]+\s*%\s*$").all())
    between = values.dtype.is_numeric() and len(known) > 0 and bool(known.is_between(0, 100).all())
    return between and bool((known > 1).any()) and _distinct(values) > MOST_LABELS


def _is_yes_or_no(values: pl.Series) -> bool:
    return all(yes_or_no(word) is not None for word in values.drop_nulls().unique().to_list())


def _removing_values(values: pl.Series) -> list[str]:
    """Of decisions in words those that remove an item, or a question."""
    if values.dtype != pl.String or _is_yes_or_no(values):
        return []
    return sorted(word for word in values.drop_nulls().unique().to_list() if REMOVES.search(word)) or [UNKNOWN]


def _is_text(values: pl.Series) -> bool:
    lengths = values.str.len_chars() if values.dtype == pl.String else pl.Series([0])
    return bool(lengths.sum() > 25 * len(lengths.drop_nulls()))


def _is_share(values: pl.Series) -> bool:
    known = values.drop_nulls()
    if values.dtype == pl.Boolean or (values.dtype == pl.String and 0 < _distinct(values) <= 2):
        return values.dtype == pl.Boolean or all(word.strip().lower() in BOOLEANS for word in known.unique().to_list())
    return values.dtype.is_numeric() and len(known) > 0 and bool(known.is_between(0, 1).all())


def _is_score(values: pl.Series) -> bool:
    return _is_share(values) and _distinct(values) > MOST_LABELS and not _is_group(values)


def _is_group(values: pl.Series) -> bool:
    """True or false, or a share that is 0 for most items."""
    return _is_share(values) and (_distinct(values) <= 2 or bool((values.drop_nulls() == 0).mean() >= 0.5))  # type: ignore[operator]


def _is_named(values: pl.Series) -> bool:
    return values.dtype == pl.String and _distinct(values) <= 5


def _is_label(values: pl.Series) -> bool:
    return _is_share(values) or _is_named(values)


def _distinct(values: pl.Series) -> int:
    """How many values there are, beside empty ones."""
    return values.drop_nulls().n_unique()


LOOKED_AT = 10_000  # rows
ROUNDED = 0.02  # how far rounding may take the sum of a row from one
SPELLINGS = """
# [spellings.gender]        # of a column that describes annotators: names, and how each is spelled
# women = ["female", "F"]   # "*" is everything else
"""


class DraftDeclaration(NamedTuple):
    """The text of a TOML declaration, and the roles in it that are left to a person."""

    text: str
    questions: list[str]


def draft_declaration(
    source: Source, data: str, query: str | None, *, beside: Path, where: str | None = None
) -> DraftDeclaration:
    """A TOML declaration for this source, or for its rows that meet a condition, to be written to `beside`."""
    reading_errors.literal_names(list(source.columns()), source.name)
    frame = _first_rows(source, where)
    guess = replace(guess_roles(frame), where=where)
    lines = [
        f"# What the columns of {visible(source.name)} mean, for: evenhand audit THIS-FILE",
        "# Filled in by looking at names and values. Check every line: only you know what a column means.",
        "#",
        "# The columns, with what the first rows hold:",
        *(f"#   {visible(name)}: {_describe(frame[name])}" for name in frame.columns),
        "",
        _data_line(data, beside),
        *([f"query = {_toml_string(query)}"] if query else []),
        *_layout_lines(),
        *map(_example, choice_rows(TableOptions)),
        *map(_example, choice_rows(CoverOptions)),
        "",
        "[columns]",
        *_role_lines(guess),
        SPELLINGS,
        "[settings]",
        *map(_example, choice_rows(SettingOptions)),
        "",
    ]
    return DraftDeclaration("\n".join(lines), guess.questions)


def _first_rows(source: Source, where: str | None) -> pl.DataFrame:
    """The rows that are looked at; those of the condition, if there is one."""
    condition = pl.lit(True) if where is None else sql_condition(where, source)
    frame = source.collect(lambda lazy: lazy.filter(condition).head(LOOKED_AT))
    if where is not None and not len(frame):
        raise InputError(f"no row meets the condition `where`: {where}", source=source.name)
    return frame


def _layout_lines() -> Iterator[str]:
    """How the table is written as text: what was declared, or an example."""
    declared = declared_layout_values()
    for row in choice_rows(LayoutOptions):
        value = declared.get(row.name)
        yield _line(f"{row.name} = {_layout_value(value)}", _remark(row)) if value else _example(row)


def _layout_value(value: str) -> str:
    return value if value == SKIPPED else _toml_string(value)


def _role_lines(guess: RoleGuess) -> Iterator[str]:
    """A line for every role: what was guessed, a question where an audit cannot do without, else an example."""
    for row in choice_rows(RoleOptions):
        value = getattr(guess, row.name, None) or guess.needed.get(row.name)
        if value:
            yield _line(f"{row.name} = {_toml_value(value)}", _remark(row))
        elif row.choice.toml:
            yield _example(row)


def _example(row: ChoiceRow) -> str:
    """How the choice would be written, commented out."""
    return _line(f"# {row.name} = {row.choice.toml.partition('  # ')[0]}", _remark(row))


def _remark(row: ChoiceRow) -> str:
    return row.choice.toml.partition("  # ")[2]


def _line(entry: str, remark: str) -> str:
    return f"{entry:<26}  # {remark}"


def _data_line(data: str, beside: Path) -> str:
    """A path in a declaration is read from where the declaration is; a password is not written into it."""
    if "://" not in data:
        return f"data = {_toml_string(os.path.relpath(data, beside.parent))}"
    declared = declared_address(data)
    remark = "  # the database URL, which is not written here: set this environment variable to it"
    return f"data = {_toml_string(declared)}{remark if declared != data else ''}"


def _describe(values: pl.Series) -> str:
    empty = f", {values.null_count() / max(1, len(values)):.0%} empty" if values.null_count() else ""
    if values.dtype.is_numeric() and values.drop_nulls().len():
        return f"{values.dtype}, {values.min()!s} to {values.max()!s}{empty}"
    if values.dtype == pl.String and _distinct(values) <= 6:
        shown = ", ".join(sorted(str(value)[:20] for value in values.drop_nulls().unique().to_list()))
        return f"text: {visible(' '.join(shown.split()))}{empty}"
    return f"{values.dtype}{empty}"


def _toml_value(value: str | list[str]) -> str:
    return f"[{', '.join(map(_toml_string, value))}]" if isinstance(value, list) else _toml_string(value)


def _toml_string(text: str) -> str:
    escaped = "".join(c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08x}" for c in text)
    return f'"{escaped}"'
