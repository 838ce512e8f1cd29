"""Groups by words: lists extended by files, ambiguous words counted apart, and each word found as a whole word."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.evidence import Declaration
from evenhand.evidence.terms import BY_AMBIGUOUS, TERM, ListedTerms, mentions_expression, read_terms

ROLES = {"score": "p", "label": "y", "text": "text"}


def table(texts: list[str], copies: int = 20) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    n = copies * len(texts)
    return pl.DataFrame({"text": texts * copies, "p": rng.random(n), "y": rng.random(n) < 0.5})


def test_mentions_equal_a_search_for_each_word() -> None:
    rng = np.random.default_rng(3)
    pieces = ["gay", "BLACK", "black people", "trans", "woman", "É", "_", " ", "-", ",", "\n", "c++", "+x", "\x01"]
    texts = ["".join(rng.choice(pieces, rng.integers(0, 8))) for _ in range(3000)]
    terms = {"a": ("gay", "c++"), "b": ("black?", "black people", "+x"), "c": ("trans?",), "d": ("woman",)}
    expression = mentions_expression(pl.col("text"), terms).alias("m")
    frame = pl.DataFrame({"text": [*texts, None]}).select(expression).unnest("m")
    for name, words in terms.items():
        certain = [word for word in words if not word.endswith("?")]
        for row, text in enumerate(texts):
            every = any(_holds(text, word.removesuffix("?")) for word in words)
            assert frame[TERM + name][row] is every, (text, name)
            if len(certain) < len(words):
                only = every and not any(_holds(text, word) for word in certain)
                assert frame[BY_AMBIGUOUS + name][row] is only, (text, name)
        assert frame[TERM + name][-1] is None


def _holds(text: str, word: str) -> bool:
    return re.search(rf"(?:^|\W){re.escape(word)}(?:\W|$)", text.lower()) is not None


def test_a_list_is_extended_by_a_file(tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("# ours\nBlack people: -blacks, black folks\nchair users: wheelchair\nSikhs: -\nwomen: woman?\n")
    plain, terms = read_terms("default:en"), read_terms("default:en+own.txt", tmp_path)
    assert isinstance(terms, ListedTerms)
    assert "black folks" in terms["Black people"]
    assert not {"blacks", "blacks?"} & set(terms["Black people"])
    assert terms["chair users"] == ("wheelchair",)
    assert "Sikhs" not in terms
    assert "woman?" in terms["women"]
    assert "woman" not in terms["women"]
    assert set(plain) - set(terms) == {"Sikhs"}
    for line, says in (("women: -horse\n", "no word 'horse'"), ("Martians: -\n", "no group 'Martians'")):
        own.write_text(line)
        with pytest.raises(InputError, match=says):
            read_terms("default:en+own.txt", tmp_path)


def test_the_share_of_ambiguous_mentions_is_said() -> None:
    texts = ["black cats", "black people here", "nothing", "a woman", "straight ahead", "no"]
    finding = eh.audit(table(texts), audits="bias", terms="default", **ROLES).findings[0]
    (note,) = [text for text in finding.caveats if "other meanings" in text]
    assert note.startswith("40 of 80 mentions of groups (50 %) rest on words with other meanings")
    assert "heterosexual people (100 % of 20), Black people (50 % of 40)" in note
    assert {m.slice["group"] for m in finding if "group" in m.slice} >= {"women", "Black people", "heterosexual people"}
    (absent,) = [text for text in finding.caveats if "left out" in text]
    assert "Muslims" in absent
    assert "women" not in absent
    strict = eh.audit(table(texts), audits="bias", terms="strict", **ROLES).findings[0]
    assert not [text for text in strict.caveats if "other meanings" in text]


def test_nobody_is_mentioned() -> None:
    with pytest.raises(InputError, match="no members"):
        eh.audit(table(["nothing", "at all"]), audits="bias", terms="strict", **ROLES)


def test_a_file_of_that_name_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "default").write_text("cats: cat, cats\n")
    assert read_terms("default", tmp_path) == {"cats": ("cat", "cats")}


def test_a_declaration_takes_a_list(tmp_path: Path) -> None:
    table(["eine Frau", "ein Hund", "Juden", "nichts"]).write_csv(tmp_path / "items.csv")
    (tmp_path / "own.txt").write_text("dogs: hund\n")
    declaration = 'data = "items.csv"\naudits = ["bias"]\n[columns]\nscore = "p"\nlabel = "y"\ntext = "text"\n'
    (tmp_path / "audit.toml").write_text(declaration + 'terms = "default:de+own.txt"\n')
    finding = eh.audit(tmp_path / "audit.toml").findings[0]
    assert {m.slice["group"] for m in finding if "group" in m.slice} >= {"women", "Jewish people", "dogs"}


def test_a_question_mark_in_a_file_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("black?\nwomen: woman\n")
    texts = ["black cats", "a woman", "nothing", "no"]
    finding = eh.audit(table(texts), audits="bias", terms=str(tmp_path / "own.txt"), **ROLES).findings[0]
    assert any("20 of 40 mentions of groups (50 %)" in text for text in finding.caveats)
    assert any(m.slice.get("group") == "black" for m in finding)


def test_words_too_long_to_look_for_are_refused() -> None:
    """Of signs alone, some ten thousand took minutes."""
    roles = {"score": "p", "label": "y", "text": "t"}
    with pytest.raises(InputError, match="terms: 201 characters in one word, and at most 200 are looked for"):
        Declaration.of({**roles, "terms": {"a": ("[" * 201,)}})
    with pytest.raises(InputError, match="characters, and at most 500,000 are looked for"):
        Declaration.of({**roles, "terms": {"a": tuple(f"{number:0199}" for number in range(2600))}})
