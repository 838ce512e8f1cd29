"""What each column means. Roles are declared, never guessed from values."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.evidence.contradictions import check_declaration
from evenhand.evidence.scales import SCALES, Scale
from evenhand.evidence.spellings import Spellings, read_spellings

PREDICTIONS = "score or probabilities"  # what an audit asks for that takes either
OUTCOME = "decision or inclusion"


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """The roles of the columns of one table of items."""

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
    decision: str | None = None
    removes: tuple[str, ...] = ()
    stratum: str | None = None
    where: str | None = None
    uncertainty: tuple[str, ...] = ()
    item: str | None = None
    annotator: str | None = None
    annotator_groups: tuple[str, ...] = ()
    within: str | None = None
    spellings: Spellings = field(default_factory=dict)
    skip: tuple[str, ...] = ()
    duplicates: str = "refuse"

    def __post_init__(self) -> None:
        check_declaration(self)

    @classmethod
    def of(cls, roles: Mapping[str, Any]) -> Declaration:
        """From loosely typed values, as a TOML file, a command line or a notebook gives them."""
        known = {f.name: f for f in fields(cls)}
        given: dict[str, Any] = {}
        for name, value in roles.items():
            if name not in known:
                raise InputError(f"there is no role '{name}'; {nearest(name, known)}")
            if value is None:
                continue
            reader = {"terms": _terms, "spellings": read_spellings}.get(name)
            given[name] = reader(value) if reader else _typed(name, str(known[name].type), value)
        return cls(**given)

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
            self.decision,
            self.stratum,
            self.item,
            self.annotator,
            self.within,
        )
        several = (*self.score, *self.probabilities, *self.groups, *self.slices, *self.uncertainty)
        several += self.annotator_groups
        named = [*several, *(column for column in single if column)]
        return list(dict.fromkeys([*named, *([self.text] if self.text else [])]))

    @property
    def class_names(self) -> tuple[str, ...]:
        """The class that each column of probabilities stands for, as labels name it."""
        return self.classes or _without_common(self.probabilities)

    def uncertainty_of(self, index: int) -> str | None:
        """The column that says how unsure the model with this number is, where there is one."""
        if not self.uncertainty:
            return None
        return self.uncertainty[index] if len(self.uncertainty) > 1 else self.uncertainty[0]

    def scale_of(self, index: int) -> Scale:
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


def _typed(name: str, kind: str, value: Any) -> Any:
    if kind.startswith("tuple"):
        one = isinstance(value, (str, Mapping)) or not isinstance(value, Iterable)
        parts = (value,) if one else tuple(value)
        return tuple(_text(name, part) for part in parts)
    if kind == "bool":
        if not isinstance(value, bool):
            raise InputError(f"{name} must be true or false, not {value!r}")
        return value
    if kind == "float":
        if isinstance(value, bool) or not isinstance(value, (int, float)) or abs(value) > sys.float_info.max:
            raise InputError(f"{name} must be a number, not {value!r}")
        return float(value)
    return _text(name, value)


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)) or value == "":
        raise InputError(f"{name} must be a name, not {value!r}")
    return str(value)


def _terms(value: Any) -> dict[str, tuple[str, ...]]:
    """Groups by words: a list of words, or names with their words."""
    listed = (value,) if isinstance(value, str) else value
    if not isinstance(listed, Iterable):
        raise InputError(f"terms must be words, or names with their words, not {value!r}")
    named = listed if isinstance(listed, Mapping) else {str(word): word for word in listed}
    terms = {
        str(name): (words,) if isinstance(words, str) else tuple(words) if isinstance(words, Iterable) else ()
        for name, words in named.items()
    }
    for name, words in terms.items():
        if not words or not all(isinstance(word, str) and word.strip() for word in words):
            raise InputError(f"the group '{name}' has no words")
    return {name: tuple(word.strip().lower() for word in words) for name, words in terms.items()}
