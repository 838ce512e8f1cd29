"""A snapshot is the same whether it is read from the stored state or derived from the events."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from evenhand.errors import InputError
from evenhand.store import schema, seal
from evenhand.store.cases import ITEM_COLUMNS, TASK_COLUMNS
from evenhand.store.snapshots import StoreSnapshot, read_snapshot
from store.desks import sqlite_desk


def values(snapshot: StoreSnapshot) -> list[list[tuple[object, ...]]]:
    return [
        [tuple(getattr(row, name) for name in columns) for row in rows]
        for rows, columns in ((snapshot.items, ITEM_COLUMNS), (snapshot.tasks, TASK_COLUMNS))
    ]


def test_stored_and_derived_are_the_same(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path)
    desk.receive(0.95, 0.5, 0.05, 0.4)
    task = desk.do("claim", "ana", queue="review")
    desk.do("decide", "ana", task=task["task"], version=task["version"], verdict="violating")
    stored = read_snapshot(desk.store)
    later = desk.receive(0.3, prefix="later")
    derived = read_snapshot(desk.store, stored.number)
    assert values(stored) == values(derived)
    assert (stored.chain, stored.roles) == (derived.chain, derived.roles)
    assert stored.roles["ana"] == "moderator"
    assert later[0] in {row.id for row in read_snapshot(desk.store).items}
    with desk.store.database.reading() as connection:
        chain = connection.scalar(sa.select(schema.events.c.chain).where(schema.events.c.number == stored.number))
    assert stored.chain == bytes(chain or b"").hex()


def test_what_is_not_sealed_is_not_in_it(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path)
    seal(desk.store)
    number = read_snapshot(desk.store).number
    desk.receive(0.5)
    assert read_snapshot(desk.store, number).items == []


@pytest.mark.parametrize("number", [0, -1, 10**9])
def test_a_number_that_is_not_there_is_one_line(tmp_path: Path, number: int) -> None:
    with pytest.raises(InputError, match="invalid `snapshot`") as refused:
        read_snapshot(sqlite_desk(tmp_path).store, number)
    assert "\n" not in str(refused.value)
