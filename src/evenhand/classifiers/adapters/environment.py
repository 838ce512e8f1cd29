"""Keys live in the environment, never in a file: `${NAME}` stands for them, and nothing that is said contains them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, quote_plus

from evenhand.errors import InputError

NAME = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
SHORTEST = 4  # values this short are no keys, and hiding them would hide half of every sentence


@dataclass(frozen=True)
class Environment:
    """The variables that a description refers to. Its repr shows names only."""

    values: Mapping[str, str] = field(repr=False)

    @classmethod
    def for_(cls, *templates: Any, variables: Mapping[str, str] | None = None) -> Environment:
        """Of all names in these (nested) templates; one that is not set is named in the error."""
        known = os.environ if variables is None else variables
        names = {name for text in strings(templates) for name in NAME.findall(text)}
        values = {name: known.get(name, "").strip() for name in names}  # a key read from a file ends in a new line
        missing = sorted(name for name, value in values.items() if not value)
        if missing:
            raise InputError(f"the environment variable {missing[0]} is not set, and the description refers to it")
        return cls(values)

    def fill(self, template: str) -> str:
        """With every `${NAME}` replaced by its value, once: what a value contains is not looked at again."""
        return NAME.sub(lambda found: self.values[found[1]], template)

    def hide(self, said: str) -> str:
        """With every value replaced by its `${NAME}`, also as it would be written in an address."""
        for name, value in sorted(self.values.items(), key=lambda pair: -len(pair[1])):
            if len(value) >= SHORTEST:
                for spelt in {value, quote(value, safe=""), quote_plus(value)}:
                    said = said.replace(spelt, f"${{{name}}}")
        return said


def strings(value: Any) -> Iterator[str]:
    """All strings in a nest of tables and lists; keys are no values."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from strings(one)
