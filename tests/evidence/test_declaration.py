"""What a declaration may say."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from evenhand.errors import InputError, nearest
from evenhand.evidence import Declaration


def test_a_role_that_there_is_not() -> None:
    with pytest.raises(InputError, match="there is no role 'scores'; did you mean 'score'"):
        Declaration.of({"scores": "p"})


def test_a_name_alone_is_one_name_however_it_is_declared() -> None:
    plain = Declaration(score="score", label="y", groups="women", scale="percent")  # type: ignore[arg-type]
    assert plain.score == ("score",)
    assert plain.groups == ("women",)
    assert plain == Declaration.of({"score": ["score"], "label": "y", "groups": ("women",), "scale": "percent"})
    assert Declaration(score="p", label="y", text="t", terms="gay").terms == {"gay": ("gay",)}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("terms", "says"),
    [
        ([f"word{number}" for number in range(501)], "501 groups, and at most 500"),
        ({"all": [f"word{number}" for number in range(20_001)]}, "20,001 words, and at most 20,000"),
    ],
)
def test_more_words_than_can_be_looked_for(terms: object, says: str) -> None:
    with pytest.raises(InputError, match=says):
        Declaration.of({"score": "p", "label": "y", "text": "t", "terms": terms})


def test_many_names_are_checked_in_no_time() -> None:
    names = [f"group{number}" for number in range(50_000)]
    start = time.process_time()
    with pytest.raises(InputError, match="'group7' is named twice"):
        Declaration.of({"score": "p", "label": "y", "groups": [*names, "group7"]})
    assert time.process_time() - start < 8.0


def test_the_nearest_of_many_long_names_is_found_in_no_time() -> None:
    word = "abcdefghijklmnopqrstuvwxyz" * 4_000
    start = time.process_time()
    assert "choose from: " in nearest(word, [word[::-1] + str(number) for number in range(200)])
    assert time.process_time() - start < 8.0


def test_terms_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("gay\nwomen: she, her\n")
    expected = {"gay": ("gay",), "women": ("she", "her")}
    for given in (path, str(path)):
        assert Declaration(score="p", label="y", text="t", terms=given).terms == expected  # type: ignore[arg-type]
    other = path.rename(tmp_path / "words.lst")
    assert Declaration(score="p", label="y", text="t", terms=str(other)).terms == expected  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"nowhere\.txt"):
        Declaration(score="p", label="y", text="t", terms="nowhere.txt")  # type: ignore[arg-type]


def test_spellings_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "spellings.toml"
    path.write_text('[gender]\nwomen = ["female", "F"]\n')
    roles = {"item": "i", "annotator": "a", "annotator_groups": "gender", "score": "p", "label": "y"}
    assert Declaration.of({**roles, "spellings": str(path)}).spellings == {"gender": {"women": ("female", "F")}}
