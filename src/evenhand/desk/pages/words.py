"""The words of the interface: one catalogue for each language, in `catalogue/<language>.toml`.

A translation is another file with the same keys; what it leaves out is said in English. Values are put in by name, and
templates escape the result. Where a number decides between singular and plural, the key has `one` and `other`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from evenhand.errors import InputError
from evenhand.store import ConflictError

ENGLISH = "en"
FOLDER = files("evenhand.desk.pages") / "catalogue"


class DeskWords:
    """The catalogue of one language; called with a key and values."""

    def __init__(self, language: str, phrases: Mapping[str, str]) -> None:
        self.language, self.phrases = language, phrases

    def __call__(self, key: str, /, **values: Any) -> str:
        """The words for a key; `n` is written with its thousands separated and chooses singular or plural."""
        number = values.get("n")
        if number is not None and f"{key}.other" in self.phrases:
            key = f"{key}.one" if number == 1 else f"{key}.other"
        if isinstance(number, int):
            values["n"] = f"{number:,}"
        return self.phrases[key].format(**values) if values else self.phrases[key]

    def has(self, key: str) -> bool:
        """Whether there are words for a key."""
        return key in self.phrases


class PhraseError(InputError):
    """Something that cannot be done, by the key of its words."""

    def __init__(self, key: str, /, **values: Any) -> None:
        super().__init__(words()(key, **values))
        self.key, self.values = key, values


class PhraseConflictError(ConflictError):
    """Why something could not be done, as what it rests on has changed; by the key of its words."""

    def __init__(self, key: str, /) -> None:
        super().__init__(words()(key))
        self.key, self.values = key, dict[str, Any]()


def languages() -> list[str]:
    """The languages that there is a file for."""
    return sorted(entry.name.removesuffix(".toml") for entry in FOLDER.iterdir() if entry.name.endswith(".toml"))


@cache
def words(language: str = ENGLISH) -> DeskWords:
    """The catalogue of a language, on top of the English one."""
    phrases = _phrases(ENGLISH)
    return DeskWords(language, phrases if language == ENGLISH else {**phrases, **_phrases(language)})


def _phrases(language: str) -> dict[str, str]:
    return dict(_flat(tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))))


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
