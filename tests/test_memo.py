"""A memo works a thing out once."""

from __future__ import annotations

import pytest

from evenhand.memo import Memo


def test_once() -> None:
    memo, calls = Memo(), []

    def make() -> int:
        calls.append(1)
        return 7

    assert (memo.once(("seven", None), make), memo.once(("seven", None), make)) == (7, 7)
    assert len(calls) == 1
    assert memo.once(("none",), lambda: None) is None
    assert ("none",) in memo


def test_an_error_is_not_kept() -> None:
    memo = Memo()
    with pytest.raises(ZeroDivisionError):
        memo.once("x", lambda: 1 / 0)
    assert memo.once("x", lambda: 1.0) == 1.0
