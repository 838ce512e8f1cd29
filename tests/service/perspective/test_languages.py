"""A comment is refused only where it is clearly in another language than the models are for."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from evenhand.service.perspective.languages import detect_languages, is_supported

SHORT_ENGLISH = [
    "lol",
    "ok",
    "wtf",
    "shut up",
    "nice pic",
    "stfu noob",
    "u r stupid",
    "your dumb",
    "Thanks",
    "gg",
    "hello",
]
OTHERS = {
    "de": "Du bist ein Idiot und das weißt du auch ganz genau",
    "fr": "va te faire foutre, espèce de connard",
    "es": "eres un idiota y no sabes nada de lo que hablas",
    "it": "sei un idiota e non capisci niente di politica",
    "pt": "você é um idiota e não sabe de nada do que fala",
    "nl": "je bent een idioot en dat weet je zelf ook wel",
    "pl": "jesteś idiotą i nic nie rozumiesz z tego tematu",
    "ru": "ты дурак и ничего не понимаешь в этом вопросе",
    "ja": "お前は馬鹿だ、何も分かっていない",
    "ko": "너는 바보야 아무것도 모르면서",
    "ar": "أنت غبي ولا تفهم شيئا في هذا الموضوع",
}


@pytest.mark.parametrize("text", SHORT_ENGLISH)
def test_what_is_too_short_to_tell_is_taken_for_what_is_expected(text: str) -> None:
    assert detect_languages(text, ["en"])[0] == "en"


@pytest.mark.parametrize("language", OTHERS)
def test_other_languages_are_told_apart(language: str) -> None:
    assert detect_languages(OTHERS[language], ["en"])[0] == language
    assert "en" not in detect_languages(OTHERS[language], ["en"])


@pytest.mark.parametrize("text", ["", "!!!", "👍👍", "12 345", "\u0301", "\0"])
def test_without_letters_there_is_no_language(text: str) -> None:
    assert detect_languages(text, ["en"]) == []


def test_a_long_comment_is_read_in_part() -> None:
    assert detect_languages("this is a plain English sentence. " * 600, ["en"]) == ["en"]


@pytest.mark.parametrize(
    ("tag", "supported", "fits"),
    [
        ("en", ("en",), True),
        ("en-US", ("en",), True),
        ("EN_gb", ("en",), True),
        ("pt", ("pt-BR",), True),
        ("zh-Hant", ("zh",), True),
        ("hi-Latn", ("hi",), False),
        ("hi-Latn", ("hi-Latn",), True),
        ("hi", ("hi-Latn",), False),
        ("eng", ("en",), False),
        ("", ("en",), False),
    ],
)
def test_a_region_is_no_other_language_and_romanised_writing_is(
    tag: str, supported: tuple[str, ...], fits: bool
) -> None:
    assert is_supported(tag, supported) is fits


@pytest.mark.verify
@pytest.mark.parametrize(("file", "most"), [("wikipedia_talk", 0.005), ("reddit_cad", 0.01)])
def test_english_comments_are_hardly_ever_refused(real_data: Path, file: str, most: float) -> None:
    """Some of them are in other languages in truth."""
    texts = pl.read_parquet(real_data / f"{file}.parquet")["text"].drop_nulls().sample(2500, seed=1)
    found = [detect_languages(text, ["en"]) for text in texts]
    assert sum(bool(one) and one[0] != "en" for one in found) / len(found) < most
