"""The word lists that come with the package: by which words texts in a language mention groups of people.

A list is a TOML file in `words/`: for each group its words, and apart the `ambiguous` ones with what else they mean.
`~a` at the end of a word stands for the endings of that name, and words with accents are also found without them.
A word of which `elsewhere` says that it means something else in another language is ambiguous where the list of that
language is used too.
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from evenhand.errors import InputError, nearest

LANGUAGES = ("en", "de", "fr", "es", "it", "pt")
FIRST_LANGUAGE = LANGUAGES[0]
AMBIGUOUS_MARK = "?"  # behind a word that has other meanings too
GERMAN_SPELLINGS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
HEADER = ("language", "shared", "keep_accents", "endings", "elsewhere")


@dataclass(frozen=True, slots=True)
class WordList:
    """One language: of each group its words, each with what else it means, or nothing."""

    language: str
    name: str
    groups: Mapping[str, Mapping[str, str]]
    shared: frozenset[str]
    elsewhere: Mapping[str, Mapping[str, str]]

    def other_meaning(self, group: str, word: str, languages: Sequence[str]) -> str:
        """What else a word means in texts in these languages; nothing if there is no such meaning."""
        abroad = (self.elsewhere.get(language, {}).get(word, "") for language in languages)
        return "; ".join(meaning for meaning in (self.groups[group][word], *abroad) if meaning)


@cache
def word_list(language: str) -> WordList:
    """The list of one language."""
    if language not in LANGUAGES:
        raise InputError(f"there is no word list '{language}'; {nearest(language, LANGUAGES)}")
    content = tomllib.loads(files("evenhand.evidence").joinpath("words", f"{language}.toml").read_text("utf-8"))
    return WordList(
        language,
        content["language"],
        {name: dict(_words(language, content, group)) for name, group in content.items() if name not in HEADER},
        frozenset(content["shared"]),
        content["elsewhere"],
    )


def listed_terms(languages: Sequence[str], *, strict: bool) -> dict[str, tuple[str, ...]]:
    """Groups with the words of these languages together; ambiguous ones are marked or, in a strict list, left out.

    A word that is ambiguous in one of the languages is ambiguous.
    """
    groups: dict[str, dict[str, bool]] = {}
    for words in map(word_list, languages):
        for group in words.groups:
            own = groups.setdefault(group, {})
            for word in words.groups[group]:
                own[word] = own.get(word, False) or bool(words.other_meaning(group, word, languages))
    marked = {
        group: tuple(word + AMBIGUOUS_MARK * ambiguous for word, ambiguous in own.items() if not (strict and ambiguous))
        for group, own in groups.items()
    }
    return {group: words for group, words in marked.items() if words}


def _words(language: str, content: Mapping[str, Any], group: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Every form of every word, with what else it means."""
    meanings = {**dict.fromkeys(group["words"], ""), **group.get("ambiguous", {})}
    for entry, meaning in meanings.items():
        for form in _forms(entry, content["endings"]):
            yield form, meaning
            plain = form if form in content.get("keep_accents", ()) else _without_accents(language, form)
            if plain != form:
                yield plain, meaning


def _forms(entry: str, endings: Mapping[str, Sequence[str]]) -> list[str]:
    stem, mark, name = entry.partition("~")
    return [stem + ending for ending in endings[name]] if mark else [stem]


def _without_accents(language: str, word: str) -> str:
    if language == "de":
        return word.translate(GERMAN_SPELLINGS)
    return "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))
