"""Texts and keys of people can go, and leave nothing that a guess could be tested against; a hold keeps them."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from evenhand.errors import InputError
from evenhand.store import ConflictError, NewItem
from evenhand.store.erasure import COMPLAINT_DAYS, erase_by_age
from evenhand.store.schema import contents
from store.desks import Desk, check, sqlite_desk

SECRET = "a sentence that nobody else wrote 8417"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = sqlite_desk(tmp_path)
    items = [NewItem(f"s{number}", f"{SECRET} {number}", author="mail@example.org") for number in range(3)]
    made.do("receive", "io", items=items)
    return made


def ids(desk: Desk) -> list[str]:
    return [
        one["item"]
        for one in desk.do("receive", "io", items=[NewItem(f"s{n}", f"{SECRET} {n}") for n in range(3)])["items"]
    ]


def left(desk: Desk) -> int:
    with desk.store.database.reading() as connection:
        return int(connection.scalar(sa.select(sa.func.count()).where(contents.c.salt.is_not(None))) or 0)


def bytes_of(desk: Desk) -> bytes:
    """All that is on the disk, once the log is written back."""
    with desk.store.database.engine.connect() as connection:
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    return Path(str(desk.store.database.file)).read_bytes()


def test_nothing_is_left_of_an_erased_text(desk: Desk) -> None:
    assert SECRET.encode() in bytes_of(desk)
    assert desk.do("erase_person", "lee", author="mail@example.org", reason="request")["items"] == 3
    check(desk.store)
    assert SECRET.encode() not in bytes_of(desk)
    assert b"mail@example.org" not in bytes_of(desk)
    with pytest.raises(InputError, match="no author"):
        desk.do("erase_person", "lee", author="mail@example.org", reason="again")


def test_an_erased_text_is_not_taken_for_an_edit(desk: Desk) -> None:
    item = ids(desk)[0]
    desk.do("erase_item", "lee", item=item, reason="request")
    assert [one["outcome"] for one in desk.do("receive", "io", items=[NewItem("s0", "other")])["items"]] == ["known"]


def test_a_hold_keeps_everything_until_it_is_lifted(desk: Desk) -> None:
    item = ids(desk)[0]
    desk.do("hold", "lee", item=item, held=True, reason="court order")
    with pytest.raises(ConflictError, match="legal hold"):
        desk.do("erase_item", "lee", item=item, reason="request")
    answer = desk.do("erase_person", "lee", author="mail@example.org", reason="request")
    assert (answer["held"], answer["items"]) == (1, 2)
    desk.clock.pass_seconds(86_400 * 400)
    with desk.store.write() as ledger:
        assert erase_by_age(ledger, 200) == 0
    desk.do("hold", "lee", item=item, held=False, reason="closed")
    assert desk.do("erase_item", "lee", item=item, reason="request")["erased"] == 1
    check(desk.store)


def test_retention_by_age_respects_the_complaint_window(desk: Desk) -> None:
    desk.clock.pass_seconds(86_400 * (COMPLAINT_DAYS + 1))
    desk.receive(0.5)
    before = left(desk)
    with desk.store.write() as ledger:
        with pytest.raises(InputError, match="period for complaints"):
            erase_by_age(ledger, 30)
        assert erase_by_age(ledger, COMPLAINT_DAYS) == 3
    assert left(desk) == before - 3
    with desk.store.write() as ledger:
        assert erase_by_age(ledger, 0, below_complaint_window=True) == 1
    check(desk.store)


def test_reading_a_text_is_recorded(desk: Desk) -> None:
    item = ids(desk)[1]
    assert desk.do("read_text", "lee", item=item, reason="press")["text"] == f"{SECRET} 1"
    assert desk.history(item)[-1].kind == "read"
