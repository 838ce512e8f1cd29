"""What is known around an item, and how reliable a reporter is."""

from __future__ import annotations

from pathlib import Path

import pytest

from evenhand.errors import InputError
from evenhand.store.context import reporter_reliability
from store.desks import sqlite_desk

PLAIN = {"measured": 0.0001, "reserved": 0.0, "second": 0.0}


def test_the_thread_and_the_author_come_newest_first(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, **PLAIN)
    items = []
    for number in range(3):
        items += desk.receive(0.95, prefix=f"{number}-", author="someone", thread="t" if number else None)
    found = desk.do("context", "ana", item=items[2])
    assert [row["item"] for row in found["author"]] == [items[1], items[0]]
    assert [row["item"] for row in found["thread"]] == [items[1]]
    assert found["author"][0]["action"] == "remove"
    assert found["author"][0]["text"] == "text 0 0.95"


def test_a_reporter_is_reliable_as_far_as_reports_were_right(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path, **PLAIN)
    items = desk.receive(*[0.5] * 4)
    for item in items:
        for _ in range(2):  # twice counts once
            desk.do("notice", "io", item=item, reason="spam", reporter="user")
    with desk.store.database.reading() as connection:
        assert reporter_reliability(connection, "user").note == "nothing that they reported has been judged"
    for verdict in ("violating", "violating", "benign", "unclear"):
        view = desk.do("claim", "ana", queue="review")
        desk.do("decide", "ana", task=view["task"], version=view["version"], verdict=verdict)
    with desk.store.database.reading() as connection:
        share = reporter_reliability(connection, "user")
        assert (share.value, share.n) == (pytest.approx(2 / 3), 3)
        with pytest.raises(InputError, match="nobody"):
            reporter_reliability(connection, "other")
