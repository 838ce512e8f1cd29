"""Keys from the environment, written `${NAME}` in a description: read only where allowed, hidden in every message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, quote_plus

from evenhand.classifiers.adapters.json_path import JsonValue
from evenhand.errors import InputError

VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
SHORTEST_KEY = 4  # shorter values are not keys, and hiding them would hide half of every sentence


@dataclass(frozen=True)
class EnvironmentKeys:
    """The values of the variables that a description refers to. Its repr shows names only."""

    values: Mapping[str, str] = field(repr=False)

    @classmethod
    def read(cls, templates: Mapping[str, JsonValue], environment: Mapping[str, str]) -> EnvironmentKeys:
        """The values of all variables in the templates; the error names a variable that is not set, and its place."""
        places = variable_places(templates)
        values = {
            name: environment.get(name, "").strip() for name in places
        }  # a key read from a file ends in a newline
        for name, value in values.items():
            if not value:
                problem = f"'{places[name]}' refers to the environment variable {name}, which is not set"
                raise InputError(problem, remedy=f"set {name} before you run this")
        return cls(values)

    def fill(self, template: str) -> str:
        """With every `${NAME}` replaced by its value, once: a value is not searched again."""
        return VARIABLE.sub(lambda match: self.values[match[1]], template)

    def hide(self, message: str) -> str:
        """With every value replaced by its `${NAME}`, also as it would be written in an address."""
        for name, value in sorted(self.values.items(), key=lambda pair: -len(pair[1])):
            if len(value) >= SHORTEST_KEY:
                for spelling in {value, quote(value, safe=""), quote_plus(value)}:
                    message = message.replace(spelling, f"${{{name}}}")
        return message


def variable_places(templates: Mapping[str, JsonValue]) -> dict[str, str]:
    """Every variable in the templates, by name, and the first key of the description that refers to it."""
    places: dict[str, str] = {}
    for place, text in nested_strings(templates):
        for name in VARIABLE.findall(text):
            places.setdefault(name, place)
    return dict(sorted(places.items()))


def nested_strings(value: JsonValue, place: str = "") -> Iterator[tuple[str, str]]:
    """All strings in nested tables and lists, each with the keys that lead to it; keys themselves are not included."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from nested_strings(inner, f"{place}.{key}" if place else key)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from nested_strings(inner, place)
