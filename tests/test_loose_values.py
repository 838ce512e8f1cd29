"""Loosely typed values against the types that annotations write."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from evenhand.errors import InputError
from evenhand.loose_values import fits, in_words, one_or_several, typed


@pytest.mark.parametrize(
    ("value", "hint", "right"),
    [
        (1, float, True),
        (True, float, False),
        (True, int, False),
        (1.0, int, False),
        (None, float | None, True),
        ("a", Literal["a", "b"], True),
        ("c", Literal["a", "b"], False),
        ([1, 2], list[int], True),
        ([1, "2"], list[int], False),
        ((1, 2), list[int], False),
        ({"a": 1}, dict[str, float], True),
        ({"a": "1"}, dict[str, float], False),
        (object(), Any, True),
    ],
)
def test_whether_a_value_fits(value: object, hint: object, right: bool) -> None:
    assert fits(value, hint) is right


def test_a_whole_number_becomes_a_float_only_where_one_is_wanted() -> None:
    assert [type(typed("n", hint, 3)) for hint in (float, float | None, int, int | None)] == [float, float, int, int]
    assert typed("n", tuple[float, ...], 3) == typed("n", tuple[float, ...], [3]) == (3.0,)


def test_one_value_alone_is_a_list_of_one() -> None:
    assert one_or_several("word") == ("word",)
    assert one_or_several({"a": 1}) == ({"a": 1},)
    assert one_or_several(iter(["a", "b"])) == ("a", "b")


@pytest.mark.parametrize(
    ("hint", "value", "says"),
    [
        (bool, 1, "x must be true or false, not 1"),
        (int | None, True, "x must be a whole number, not True"),
        (float, "3", "x must be a number, not '3'"),
        (tuple[str, ...], ["a", 3], "x must be a word, not 3"),
        (float, 10**400, "x is larger than any number can be"),
    ],
)
def test_what_is_said_of_another_type(hint: object, value: object, says: str) -> None:
    with pytest.raises(InputError) as refused:
        typed("x", hint, value)
    assert str(refused.value) == says


def test_what_would_have_been_right() -> None:
    assert in_words(Literal["a", "b"]) == "'a' or 'b'"
    assert in_words(dict[str, int]) == "a table"
    assert in_words(list[int]) == "a list"
