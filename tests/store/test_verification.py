"""Every change of history is found, and named by the first event that does not fit."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from evenhand.errors import InputError
from evenhand.store import open_store, seal, signed_head, verify
from evenhand.store.chain import GENESIS, ChainHead, link, row_bytes
from evenhand.store.schema import events
from store.desks import Desk, check, emptied, sqlite_desk

GUARDS = ("events_unchanged", "events_kept")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = sqlite_desk(tmp_path)
    made.receive(*(number / 40 for number in range(40)))
    for _ in range(8):
        view = made.do("claim", "ana", queue="review")
        made.do("decide", "ana", task=view["task"], version=view["version"], verdict="violating", note="insult")
    seal(made.store)
    return made


def tamper(desk: Desk, *statements: str) -> None:
    """As somebody who may write the database: the guards are removed first."""
    with closing(sqlite3.connect(str(desk.store.database.file))) as connection:
        for guard in GUARDS:
            connection.execute(f"DROP TRIGGER IF EXISTS {guard}")
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def reseal(desk: Desk) -> None:
    """The whole chain computed again, as somebody would who hides a change."""
    chain = GENESIS
    with desk.store.database.writing() as connection:
        for row in connection.execute(sa.select(events).order_by(events.c.number)).all():
            chain = link(chain, row.number, row_bytes(row))
            connection.execute(events.update().where(events.c.id == row.id).values(chain=chain))


def test_an_untouched_store_verifies(desk: Desk) -> None:
    result = verify(desk.store, signed_head(desk.store))
    assert result.ok
    assert result.events > 100
    assert result.contents == 40 + 8
    check(desk.store)


@pytest.mark.parametrize(
    "change",
    [
        "payload = replace(payload, '\"m\"', '\"n\"')",
        "actor = 'somebody'",
        "at = at + 1",
        "kind = 'skipped'",
        "stream = stream || 'x'",
        "version = version + 1000",
        "chain = randomblob(32)",
    ],
)
def test_a_changed_field_is_found(desk: Desk, change: str) -> None:
    number = 12
    with desk.store.database.reading() as connection:
        row = connection.execute(sa.select(events).where(events.c.kind == "scored").limit(1)).one()
        number = row.number
    tamper(desk, f"UPDATE events SET {change} WHERE number = {number}")
    result = verify(desk.store)
    assert result.number == number
    assert result.events == number - 1
    assert f"event {number:,}" in str(result.fault)


def test_an_event_cut_out_is_found(desk: Desk) -> None:
    tamper(desk, "DELETE FROM events WHERE number = 9")
    assert verify(desk.store).fault == "event 9 is missing: the next one is 10"
    tamper(desk, "UPDATE events SET number = number - 1 WHERE number > 9")
    assert "event 9" in str(verify(desk.store).fault)


def test_a_cut_off_end_is_found_with_a_head(desk: Desk) -> None:
    head = signed_head(desk.store)
    tamper(desk, f"DELETE FROM events WHERE number > {head.number - 3}")
    assert verify(desk.store).ok  # without a head it cannot be told
    result = verify(desk.store, head)
    assert result.number == head.number - 2
    assert "cut off" in str(result.fault)


def test_a_rewritten_history_is_found_with_a_head(desk: Desk) -> None:
    head = signed_head(desk.store)
    tamper(desk, "UPDATE events SET actor = 'somebody' WHERE kind = 'decided'")
    reseal(desk)
    assert verify(desk.store).ok
    result = verify(desk.store, head)
    assert result.number == head.number
    assert "rewritten" in str(result.fault)


def test_a_false_head_is_found(desk: Desk, tmp_path: Path) -> None:
    head = signed_head(desk.store)
    false = ChainHead(**{**vars(head), "number": head.number - 1})
    assert "not signed" in str(verify(desk.store, false).fault)
    other = sqlite_desk(tmp_path, "other.db")
    assert "another store" in str(verify(other.store, head).fault)


def test_a_changed_text_is_found_and_an_erased_one_is_not_a_fault(desk: Desk) -> None:
    items = desk.receive(0.5, prefix="x")
    desk.do("erase_item", "lee", item=items[0], reason="request")
    seal(desk.store)
    assert verify(desk.store).ok
    tamper(desk, "UPDATE contents SET value = 'another' WHERE kind = 'text' AND value LIKE 'text 7 %'")
    assert "is not the one that was received" in str(verify(desk.store).fault)
    tamper(desk, "DELETE FROM contents WHERE value = 'another'")
    assert "is missing without a record" in str(verify(desk.store).fault)


def test_the_database_itself_refuses_changes(desk: Desk) -> None:
    for statement in ("UPDATE events SET actor = 'x'", "DELETE FROM events", "UPDATE events SET number = NULL"):
        with (
            closing(sqlite3.connect(str(desk.store.database.file))) as connection,
            pytest.raises(sqlite3.IntegrityError, match="append-only"),
        ):
            connection.execute(statement)


@pytest.mark.verify
def test_postgres_refuses_changes_too(postgres: str, tmp_path: Path) -> None:
    desk = emptied(postgres, tmp_path).staff()
    desk.receive(0.5, 0.6)
    seal(desk.store)
    for statement in ("UPDATE events SET actor = 'x'", "DELETE FROM events", "TRUNCATE events"):
        with pytest.raises(InputError, match="append-only"), desk.store.database.writing() as connection:
            connection.exec_driver_sql(statement)
    check(desk.store)
    desk.store.close()


def test_a_head_file_of_something_else_is_refused(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "head.json"
    signed_head(desk.store).write(path)
    assert ChainHead.read(path) == ChainHead.read(path)
    for text in (
        "",
        "[]",
        "{}",
        '{"kind": "evenhand-head-1"}',
        path.read_text().replace('"number": ', '"number": "x",  "y":'),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match="head"):
            ChainHead.read(path)


def test_events_are_sealed_once_and_in_order(desk: Desk) -> None:
    assert seal(desk.store) == 0
    desk.receive(0.5, prefix="later")
    with open_store(str(desk.store.database.file)) as again:
        before = verify(again)
        assert before.unsealed >= 4
        assert seal(again) == before.unsealed
        assert verify(again).events == before.events + before.unsealed
