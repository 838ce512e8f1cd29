"""Which class of which model answers under a name of another API: the tables [perspective] and [moderations].

Nothing is guessed from the name of a class. What is not declared here does not exist for those who ask, with one
exception: the model that Evenhand comes with, whose training is known (`service.perspective.attributes`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from evenhand.errors import InputError, nearest
from evenhand.loose_values import typed

ATTRIBUTE_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
ADDRESS = re.compile(r"https?://[^\s/?#@]+")
CATEGORIES = (
    "harassment",
    "harassment/threatening",
    "hate",
    "hate/threatening",
    "illicit",
    "illicit/violent",
    "self-harm",
    "self-harm/instructions",
    "self-harm/intent",
    "sexual",
    "sexual/minors",
    "violence",
    "violence/graphic",
)


@dataclass(frozen=True)
class AttributeMapping:
    """An attribute of Perspective: the class that answers it, of a model by name or of the first, and its languages."""

    class_name: str
    model: str | None = None
    languages: tuple[str, ...] = ()


@dataclass(frozen=True)
class CategoryMapping:
    """A category of OpenAI's moderations: the class that answers it, and the score from which it is true."""

    class_name: str
    threshold: float
    model: str | None = None


@dataclass(frozen=True)
class PerspectiveTable:
    """What [perspective] says; without `attributes` only those of the shipped model are there."""

    attributes: Mapping[str, AttributeMapping] | None = None
    address: str | None = None

    @classmethod
    def read(cls, table: object) -> PerspectiveTable:
        """From a TOML file."""
        values = _values("perspective", table, {"attributes": dict, "languages": tuple[str, ...], "address": str})
        address = values.get("address")
        if address is not None and not ADDRESS.fullmatch(address.rstrip("/")):
            raise InputError(f"perspective.address must be like https://scores.example.org, not '{address}'")
        given, languages = values.get("attributes"), values.get("languages", ())
        attributes = None if given is None else _each(given, "perspective.attributes", _attribute(languages))
        return cls(attributes, address and address.rstrip("/"))


@dataclass(frozen=True)
class ModerationTable:
    """What [moderations] says; without categories the interface is off."""

    categories: Mapping[str, CategoryMapping] | None = None

    @classmethod
    def read(cls, table: object) -> ModerationTable:
        """From a TOML file."""
        values = _values("moderations", table, {"categories": dict})
        return cls(_each(values.get("categories", {}), "moderations.categories", _category))


Mapped = TypeVar("Mapped")
NO_ATTRIBUTES, NO_CATEGORIES = PerspectiveTable(), ModerationTable()  # nothing was declared
INTERFACES: Mapping[str, type[PerspectiveTable] | type[ModerationTable]] = {
    "perspective": PerspectiveTable,
    "moderations": ModerationTable,
}


def find_class(
    where: str, mapping: AttributeMapping | CategoryMapping, classes: Mapping[str, Sequence[str]]
) -> tuple[str, int]:
    """The model that a mapping names, or the first, and the number of the class among those it has."""
    model = mapping.model or next(iter(classes))
    if model not in classes:
        raise InputError(f"{where}: there is no model '{model}'; {nearest(model, classes)}")
    if mapping.class_name not in classes[model]:
        hint = nearest(mapping.class_name, classes[model])
        raise InputError(f"{where}: the model '{model}' has no class '{mapping.class_name}'; {hint}")
    return model, classes[model].index(mapping.class_name)


def _each(table: Mapping[str, Any], where: str, read: Callable[[str, str, Any], Mapped]) -> dict[str, Mapped]:
    return {name: read(name, f"{where}.{name}", row) for name, row in table.items()}


def _attribute(languages: tuple[str, ...]) -> Callable[[str, str, Any], AttributeMapping]:
    """A reader of attributes for which these languages hold where they say none themselves."""

    def read(name: str, where: str, row: object) -> AttributeMapping:
        if not ATTRIBUTE_NAME.fullmatch(name):
            raise InputError(f"{where} is not an attribute name: use capitals, digits and '_' only, as in TOXICITY")
        values = _values(where, row, {"class": str, "model": str, "languages": tuple[str, ...]})
        own = values.get("languages", languages)
        if "class" not in values or not own:
            raise InputError(f"{where} must have {'languages' if 'class' in values else 'a class'}")
        for tag in own:
            if not LANGUAGE_TAG.fullmatch(tag):
                raise InputError(f"{where}: '{tag}' is not a language; give codes such as en, pt-BR, hi-Latn")
        return AttributeMapping(values["class"], values.get("model"), tuple(own))

    return read


def _category(name: str, where: str, row: object) -> CategoryMapping:
    if name not in CATEGORIES:
        raise InputError(f"{where}: there is no such category; {nearest(name, CATEGORIES)}")
    values = _values(where, row, {"class": str, "model": str, "threshold": float})
    for key in ("class", "threshold"):
        if key not in values:
            raise InputError(f"{where} must have a {key}")
    if not 0.0 < values["threshold"] <= 1.0:
        raise InputError(f"{where}.threshold must be above 0, and 1 at most")
    return CategoryMapping(values["class"], values["threshold"], values.get("model"))


def _values(where: str, table: Any, kinds: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of a table, each of its kind."""
    if not isinstance(table, dict):
        raise InputError(f"{where} must be a table: {', '.join(kinds)}")
    for key in table:
        if key not in kinds:
            raise InputError(f"{where} has no '{key}'; {nearest(key, kinds)}")
    return {key: _typed(f"{where}.{key}", kinds[key], value) for key, value in table.items()}


def _typed(where: str, kind: Any, value: Any) -> Any:
    if kind is not dict:
        return typed(where, kind, value)
    if not isinstance(value, dict):
        raise InputError(f"{where} must be a table")
    return value
