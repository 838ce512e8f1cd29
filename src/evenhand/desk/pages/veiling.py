"""Words that may hurt, covered until somebody asks: a packaged list by language, and what a person adds.

Which words are covered depends on the text and on the reader's choice alone, so it says nothing else about an item. The
word stays in the page; the style sheet hides it from the eye and from screen readers until it is asked for.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files

from markupsafe import Markup, escape

from evenhand.visible_text import visible

ANY_ENDING = "*"
MOST_WORDS, LONGEST_WORDS = 40, 250  # that a person adds, and their characters
COVER = Markup('<span class="covered"><span>{}</span></span>')


@cache
def packaged_words() -> frozenset[str]:
    """Those of all languages: people do not keep to one."""
    content = tomllib.loads((files("evenhand.desk.pages") / "veiled_words.toml").read_text(encoding="utf-8"))
    return frozenset(word for words in content.values() for word in words)


def own_words(text: str) -> tuple[str, ...]:
    """What a person typed, comma-separated; what has no letter is left out."""
    words = (" ".join(word.split()).lower() for word in text[:LONGEST_WORDS].split(","))
    return tuple(dict.fromkeys(word for word in words if any(map(str.isalnum, word))))[:MOST_WORDS]


@lru_cache(maxsize=64)
def _pattern(own: tuple[str, ...]) -> re.Pattern[str]:
    known = sorted(packaged_words() | set(own), key=lambda word: (-len(word), word))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(_expression, known))})(?!\w)", re.IGNORECASE)


def _expression(word: str) -> str:
    ending = r"\w*" if word.endswith(ANY_ENDING) else ""
    return re.escape(word.rstrip(ANY_ENDING)) + ending


def veiled_text(text: str, own: tuple[str, ...] = ()) -> Markup:
    """What somebody wrote, with the words covered: lines stay lines, nothing is markup, nothing is invisible."""
    pattern = _pattern(own)
    return Markup("\n").join(Markup("").join(_parts(line, pattern)) for line in text.splitlines())


def _parts(line: str, pattern: re.Pattern[str]) -> Iterator[Markup]:
    end = 0
    for match in pattern.finditer(line):
        yield escape(visible(line[end : match.start()]))
        yield COVER.format(visible(match[0]))
        end = match.end()
    yield escape(visible(line[end:]))
