"""The language of a comment, and whether an attribute is there for it.

A model of one language gives numbers for every other too, and they mean nothing. So a comment is refused that is
clearly in a language the model was not made for. Short comments hardly show their language ("lol", "nice pic"), and
whoever runs a model for English expects English; therefore a language that the models are for needs a twentieth of the
evidence that another needs.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from threading import Lock
from typing import Protocol

EXPECTED_COUNTS = 20.0  # times as likely, before the text is read, as any other language
LONGEST_READ = 2000  # characters: more say nothing new
NO_LANGUAGE = "zxx"
MOST_NAMED = 3
LEAST_LIKELY = 0.25  # of the likelihood of the first, to be named beside it


def detect_languages(text: str, expected: Collection[str]) -> list[str]:
    """The languages of a text, the most likely first; none where it has no letters."""
    start = text[:LONGEST_READ]
    if not any(map(str.isalpha, start)):
        return []
    known = {base_language(tag) for tag in expected}
    ranked = {
        language: likelihood * (EXPECTED_COUNTS if language in known else 1.0)
        for language, likelihood in load_detector().rank(start)
        if language != NO_LANGUAGE
    }
    first = max(ranked.values())
    likely = sorted((name for name in ranked if ranked[name] >= LEAST_LIKELY * first), key=ranked.__getitem__)
    return likely[::-1][:MOST_NAMED]


def base_language(tag: str) -> str:
    """The language of a BCP 47 tag, without script and region."""
    return tag.lower().replace("_", "-").partition("-")[0]


def is_supported(tag: str, supported: Collection[str]) -> bool:
    """Whether a tag names one of these languages, of whatever region; romanised writing is a language of its own."""
    return any(_key(tag) == _key(other) for other in supported)


def unsupported(tags: Sequence[str], supported: Collection[str]) -> bool:
    """Whether none of the languages is supported."""
    return not any(is_supported(tag, supported) for tag in tags)


def _key(tag: str) -> tuple[str, bool]:
    return base_language(tag), "latn" in tag.lower().replace("_", "-").split("-")[1:]


class LanguageDetector(Protocol):
    """The part of py3langid that is used here."""

    def rank(self, text: str) -> list[tuple[str, float]]:
        """Languages with their likelihoods."""


_LOADING = Lock()


def load_detector() -> LanguageDetector:
    """The detector; reading it takes about a second, once."""
    with _LOADING:
        return _read_detector()


@cache
def _read_detector() -> LanguageDetector:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]

    detector: LanguageDetector = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    return detector
