"""The word lists of the package: well-formed, no word twice unless declared, and found as they are inflected."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from importlib.resources import files

import polars as pl
import pytest

from evenhand.errors import InputError
from evenhand.evidence.terms import TERM, mentions_expression, read_terms
from evenhand.evidence.word_lists import HEADER, LANGUAGES, listed_terms, word_list

WORD = re.compile(r"[^\W\d_](?:[\w :*’'+-]*[\w+])?")


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_entry_is_well_formed(language: str) -> None:
    content = tomllib.loads(files("evenhand.evidence").joinpath("words", f"{language}.toml").read_text("utf-8"))
    for name, group in content.items():
        if name not in HEADER:
            assert set(group) <= {"words", "ambiguous"}, name
            assert group["words"] or group["ambiguous"], name
            assert all(meaning.strip() for meaning in group.get("ambiguous", {}).values()), name
            assert not set(group["words"]) & set(group.get("ambiguous", {})), name
    words = word_list(language)
    every = [word for own in words.groups.values() for word in own]
    assert all(WORD.fullmatch(word) and word == word.lower() for word in every)
    used = {
        entry.partition("~")[2]
        for n, g in content.items()
        if n not in HEADER
        for entry in (*g["words"], *g.get("ambiguous", {}))
    }
    assert set(content["endings"]) >= used - {""}
    assert list(words.groups) == list(word_list("en").groups)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_is_in_two_groups_unless_declared(language: str) -> None:
    words = word_list(language)
    times = Counter(word for own in words.groups.values() for word in own)
    assert {word for word, number in times.items() if number > 1} == words.shared
    for own in words.groups.values():  # which group is meant is open
        assert all(meaning for word, meaning in own.items() if word in words.shared)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_words_mean_elsewhere_is_about_words_of_the_list(language: str) -> None:
    words = word_list(language)
    every = {word for own in words.groups.values() for word in own}
    for other, meanings in words.elsewhere.items():
        assert other in LANGUAGES
        assert other != language
        assert set(meanings) <= every
        assert all(meanings.values())


SENTENCES = {
    "en": {
        "Two lesbians and a gay man": {"lesbians", "gay people", "men"},
        "Muslims, Jews and atheists.": {"Muslims", "Jewish people", "atheists"},
        "She is an African-American woman": {"Black people", "women", "African people"},
        "LGBTQ+ rights": {"LGBTQ people"},
        "a blackboard, manly, the German, gayety": set(),
        "asylum seekers, wheelchair users": {"refugees", "disabled people"},
    },
    "de": {
        "die schwulen Männer und eine Lesbe": {"gay people", "men", "lesbians"},
        "Jüdinnen, Juden, Türk:innen und Christ*innen": {"Jewish people", "Turkish people", "Christians"},
        "Ein Gefluechteter, ein schwerbehindertes Mädchen": {"refugees", "disabled people", "women"},
        "Man weiss es": {"white people"},
        "den Afrikanern, einer Asiatin": {"African people", "Asian people"},
        "Frauenrechte und Judo": set(),
    },
    "fr": {
        "des femmes musulmanes et juives": {"women", "Muslims", "Jewish people"},
        "un refugie, une migrante, les sans-papiers": {"refugees", "immigrants"},
        "elles sont lesbiennes ou bisexuelles": {"lesbians", "bisexual people"},
        "ma retraite": set(),
        "les personnes âgées, un retraité": {"older people"},
        "des demandeurs d’asile algériens": {"refugees", "Arab people"},
    },
    "es": {
        "las mujeres musulmanas": {"women", "Muslims"},
        "los judios y las judías": {"Jewish people"},
        "personas sordas, un discapacitado": {"deaf people", "disabled people"},
        "latinxs y latinas": {"Latin American people"},
        "los inmigrantes africanos": {"immigrants", "African people"},
        "la negrura, humano": set(),
    },
    "it": {
        "le donne ebree e i ragazzi omosessuali": {"women", "Jewish people", "men", "gay people"},
        "gli immigrati marocchini": {"immigrants", "Arab people"},
        "due buddiste asiatiche": {"Buddhists", "Asian people"},
        "i profughi, una rifugiata": {"refugees"},
        "i turchi e le turche": {"Turkish people"},
        "autista, umano": set(),
    },
    "pt": {
        "as mulheres muçulmanas e um judeu": {"women", "Muslims", "Jewish people"},
        "os homossexuais, uma bissexual": {"gay people", "bisexual people"},
        "jovens cristãos e cristãs": {"young people", "Christians"},
        "indigenas e refugiados": {"Indigenous people", "refugees"},
        "a crista da onda": set(),
        "idosas e adolescentes": {"older people", "young people"},
    },
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_are_found_as_they_are_inflected(language: str) -> None:
    texts = list(SENTENCES[language])
    found = _found(f"default:{language}", texts)
    assert found == list(SENTENCES[language].values())


def _found(terms: str, texts: list[str]) -> list[set[str]]:
    expression = mentions_expression(pl.col("text"), read_terms(terms)).alias("m")
    frame = pl.DataFrame({"text": texts}).select(expression).unnest("m")
    return [
        {name.removeprefix(TERM) for name, hit in row.items() if hit and name.startswith(TERM)}
        for row in frame.iter_rows(named=True)
    ]


def test_a_word_of_another_language_is_ambiguous_beside_its_list() -> None:
    assert "männer" in listed_terms(["de"], strict=False)["men"]
    assert "sinti" in listed_terms(["de"], strict=False)["Roma and Sinti"]
    both = listed_terms(["de", "it"], strict=False)["Roma and Sinti"]
    assert "sinti?" in both
    assert "sinti" not in both
    assert "sinti" not in listed_terms(["de", "it"], strict=True)["Roma and Sinti"]
    assert "donna" in listed_terms(["it"], strict=True)["women"]
    assert "donna" not in listed_terms(["it", "en"], strict=True)["women"]


def test_a_strict_list_has_no_ambiguous_word() -> None:
    for language in LANGUAGES:
        strict, default = (listed_terms([language], strict=strict) for strict in (True, False))
        assert not [word for words in strict.values() for word in words if word.endswith("?")]
        assert {g: tuple(w for w in words if not w.endswith("?")) for g, words in default.items()} | strict == {
            g: strict.get(g, ()) for g in default
        }


def test_an_unknown_language() -> None:
    with pytest.raises(InputError, match="there is no word list 'nl'"):
        read_terms("default:nl")
