"""What each column means, and how values of annotator columns are spelled. Roles are declared, never guessed."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, get_origin, get_type_hints

import polars as pl

from evenhand.errors import InputError, nearest
from evenhand.evidence.declaration_checks import NEAR_DUPLICATES, check_declaration
from evenhand.evidence.scales import SCALES, ScoreScale
from evenhand.evidence.terms import normalised_terms
from evenhand.files import read_toml
from evenhand.finding import column_key
from evenhand.loose_values import fits, one_or_several, typed

NOT_STATED = "not stated"
REST = "*"  # everything that no other name takes

Spellings = Mapping[str, Mapping[str, tuple[str, ...]]]  # by column: name, and how it is spelled


def apply_spellings(values: pl.Series, names: Mapping[str, tuple[str, ...]]) -> pl.Series:
    """Each value by the name it goes by; what nobody wrote down is "not stated"; case and blanks do not matter."""
    if not names:
        return values.fill_null(NOT_STATED)
    known = {
        _plain_spelling(spelling): name for name, several in names.items() for spelling in several if spelling != REST
    }
    rest = next((name for name, several in names.items() if REST in several), None)
    plain = values.str.strip_chars().str.to_lowercase()
    respelled = plain.replace_strict(known, default=None, return_dtype=pl.String)
    return (
        respelled.fill_null(values if rest is None else pl.Series([rest]))
        .set(values.is_null(), None)
        .fill_null(NOT_STATED)
    )


def unused_spellings(values: pl.Series, names: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Spellings that nobody used: perhaps misspelled themselves."""
    there = set(values.drop_nulls().str.strip_chars().str.to_lowercase().unique())
    return [one for several in names.values() for one in several if one != REST and _plain_spelling(one) not in there]


def read_spellings(value: object) -> dict[str, dict[str, tuple[str, ...]]]:
    """From loosely typed tables, or a TOML file of them: per column names with one spelling or several."""
    if isinstance(value, (str, Path)):
        value = read_toml(Path(value))
    if not isinstance(value, Mapping):
        raise InputError("spellings are tables: a column, and in it names with the ways they are spelled")
    by_column: dict[str, dict[str, tuple[str, ...]]] = {}
    for column, names in value.items():
        if not isinstance(names, Mapping) or not names:
            raise InputError(f"the spellings of '{column}' are a table: name = [\"spelling\", …]")
        by_column[str(column)] = {
            str(name): _spelling_list(column, name, spellings) for name, spellings in names.items()
        }
        _check_spellings(str(column), by_column[str(column)])
    return by_column


def _spelling_list(column: str, name: str, spellings: object) -> tuple[str, ...]:
    several = one_or_several(spellings) if isinstance(spellings, (str, list, tuple)) else ()
    if not several or not all(isinstance(one, str) and one.strip() for one in several):
        raise InputError(f"the spellings of '{name}' in '{column}' must be words")
    return several


def _check_spellings(column: str, names: Mapping[str, tuple[str, ...]]) -> None:
    taken: dict[str, str] = {}
    for name, several in names.items():
        for one in several:
            if taken.setdefault(_plain_spelling(one), name) != name:
                raise InputError(
                    f"'{one}' in '{column}' is a spelling of '{taken[_plain_spelling(one)]}' and of '{name}'"
                )


def _plain_spelling(text: str) -> str:
    return text.strip().lower()


PREDICTIONS = "score or probabilities"  # what an audit asks for that takes either
OUTCOME = "decision or inclusion"


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """The roles of the columns of one table of items.

    >>> eh.Declaration(score="p", label="toxic", groups=["women", "men"])
    Declaration(score=('p',), label='toxic', groups=('women', 'men'))
    """

    score: tuple[str, ...] = ()
    probabilities: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    normalise: bool = False
    scale: tuple[str, ...] = ("probability",)
    label: str | None = None
    positive: tuple[str, ...] = ()
    label_threshold: float = 0.5
    groups: tuple[str, ...] = ()
    group_by: str | None = None
    terms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    group_threshold: float = 0.5
    text: str | None = None
    id: str | None = None
    slices: tuple[str, ...] = ()
    count: str | None = None
    inclusion: str | None = None
    weight: str | None = None
    decision: str | None = None
    removes: tuple[str, ...] = ()
    stratum: str | None = None
    cluster: tuple[str, ...] = ()
    skip_unscored: bool = False
    where: str | None = None
    uncertainty: tuple[str, ...] = ()
    reviews: tuple[str, ...] = ()
    gold: str | None = None
    item: str | None = None
    annotator: str | None = None
    annotator_groups: tuple[str, ...] = ()
    within: str | None = None
    spellings: Spellings = field(default_factory=dict)
    skip: tuple[str, ...] = ()
    duplicates: str = "refuse"

    def __post_init__(self) -> None:
        for name, kind in _role_types().items():
            object.__setattr__(self, name, _normalised_role(name, kind, getattr(self, name)))
        check_declaration(self)

    @classmethod
    def of(cls, roles: Mapping[str, Any]) -> Declaration:
        """From the roles of a TOML file, a command line or a notebook; what is None is not declared."""
        known = _role_types()
        for name in roles:
            if name not in known:
                raise InputError(f"there is no role '{name}'; {nearest(name, known)}")
        return cls(**{name: value for name, value in roles.items() if value is not None})

    def __repr__(self) -> str:
        """Only what was declared."""
        plain = {f.name: f.default if f.default_factory is MISSING else f.default_factory() for f in fields(self)}
        declared = [f"{name}={getattr(self, name)!r}" for name in plain if getattr(self, name) != plain[name]]
        return f"Declaration({', '.join(declared)})"

    @property
    def declared(self) -> frozenset[str]:
        """The roles that audits ask for: the names of those that are filled; `groups` however they are given."""
        filled = {f.name for f in fields(self) if f.name not in ("scale", "positive") and getattr(self, f.name)}
        also = {"groups"} if self.group_by or self.terms else set[str]()
        also |= {PREDICTIONS} if self.score or self.probabilities else set()
        return frozenset(filled | also | ({OUTCOME} if self.decision or self.inclusion else set()))

    @property
    def kind(self) -> str:
        """What a row is: an item, or one annotator's label of one."""
        return "annotations" if self.annotator else "items"

    @property
    def columns(self) -> list[str]:
        """Every column that is named, once; the text last, of which only some things are looked at."""
        single = (
            self.label,
            self.group_by,
            self.id,
            self.count,
            self.inclusion,
            self.weight,
            self.decision,
            self.stratum,
            self.gold,
            self.item,
            self.annotator,
            self.within,
        )
        several = (*self.score, *self.probabilities, *self.groups, *self.slices, *self.uncertainty)
        several += self.reviews
        several += (*self.annotator_groups, *self.cluster_columns)
        named = [*several, *(column for column in single if column)]
        return list(dict.fromkeys([*named, *([self.text] if self.text else [])]))

    @property
    def cluster_columns(self) -> tuple[str, ...]:
        """The columns by which items belong together; near-duplicates of texts are found, not declared."""
        return tuple(name for name in self.cluster if name != NEAR_DUPLICATES)

    @property
    def class_names(self) -> tuple[str, ...]:
        """The class that each column of probabilities stands for, as labels name it."""
        return self.classes or _without_common(self.probabilities)

    @property
    def slice_keys(self) -> dict[str, str]:
        """The key that each column of slices has in findings, which use some names themselves."""
        return {column: column_key(column, self.slices) for column in self.slices}

    def uncertainty_of(self, index: int) -> str | None:
        """The column that says how unsure the model with this number is, where there is one."""
        if not self.uncertainty:
            return None
        return self.uncertainty[index] if len(self.uncertainty) > 1 else self.uncertainty[0]

    def scale_of(self, index: int) -> ScoreScale:
        """The scale of the score with this number."""
        return SCALES[self.scale[index] if len(self.scale) > 1 else self.scale[0]]

    def as_dict(self) -> dict[str, Any]:
        """The roles that were declared, for the provenance of a finding."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        plain = {name: list(v) if isinstance(v, tuple) else v for name, v in values.items() if v}
        if self.terms:
            plain["terms"] = {name: list(words) for name, words in self.terms.items()}
        return plain


def _without_common(columns: tuple[str, ...]) -> tuple[str, ...]:
    """What columns do not share: `p_calm` and `p_rude` are the classes `calm` and `rude`."""
    start = re.match(r"(?:.*[\W_])?", os.path.commonprefix(columns), re.DOTALL)  # noqa: RUF071 (by characters is meant)
    ends = os.path.commonprefix([column[::-1] for column in columns])  # noqa: RUF071
    end = re.match(r"(?:.*[\W_])?", ends, re.DOTALL)
    cut = slice(start.end() if start else 0, -end.end() if end and end.end() else None)
    short = tuple(column[cut] for column in columns)
    return short if all(short) else columns


@cache
def _role_types() -> dict[str, Any]:
    return get_type_hints(Declaration)


def _normalised_role(name: str, kind: object, value: object) -> Any:
    """A name alone is a tuple of one, and so on: `score="p"` and `score=("p",)` are the same."""
    if value is None:
        return None
    reader = {"terms": normalised_terms, "spellings": read_spellings}.get(name)
    return reader(value) if reader else _role(name, kind, value)


def _role(name: str, hint: object, value: object) -> Any:
    """A value of the type that the role has."""
    if get_origin(hint) is tuple:
        return tuple(_name(name, part) for part in one_or_several(value))
    return typed(name, hint, value) if hint in (bool, float) else _name(name, value)


def _name(role: str, value: object) -> str:
    """A column or a label by its name, which may be a number."""
    if not fits(value, str | float) or value == "":
        raise InputError(f"{role} must be a name, not {value!r}")
    return str(value)
