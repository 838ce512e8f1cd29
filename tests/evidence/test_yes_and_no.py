"""Yes and no are the same words for decisions and for answers; true and false are also 1 and 0 among numbers."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from evenhand.errors import InputError
from evenhand.evidence import checks
from evenhand.evidence.columns import BOOLEANS, PEOPLE, YES_NO, SourceTable, is_number, yes_or_no
from evenhand.evidence.rules import AMOUNT
from evenhand.measurement.answers import answer_value

SPELLED = [(form, value) for word, value in YES_NO.items() for form in (word, word.upper(), f" {word.title()} ")]


@pytest.mark.parametrize(("word", "value"), SPELLED)
def test_decisions_and_answers_take_the_same_words(word: str, value: bool) -> None:
    assert yes_or_no(word) is value
    assert answer_value(word, Path("sheet.csv"), "label", 1) == float(value)
    assert checks.read_decisions(SourceTable("t", pl.DataFrame({"d": [word, "no"]})), "d").tolist() == [value, False]


@pytest.mark.parametrize("values", [[True, False], [1, 0], [1.0, 0.0], ["true", "0"]])
def test_decisions_may_be_of_any_type(values: list) -> None:
    assert checks.read_decisions(SourceTable("t", pl.DataFrame({"d": values})), "d").tolist() == [True, False]


def test_a_word_that_is_neither_is_refused_with_its_row() -> None:
    table = SourceTable("t", pl.DataFrame({"d": ["yes", "Maybe"]}))
    with pytest.raises(InputError, match=r"column 'd', row 2: a decision is yes or no .*, not 'Maybe'"):
        checks.read_decisions(table, "d")
    assert yes_or_no("maybe") is None


def test_only_what_programs_write_is_a_number() -> None:
    assert [word for word in YES_NO if not is_number(word)] == list(PEOPLE)
    table = SourceTable("t", pl.DataFrame({"p": [*BOOLEANS, "0.5"]}))
    assert table.numbers("p", AMOUNT).to_list() == [*map(float, BOOLEANS.values()), 0.5]
