"""A backup under load is one state, verifies, and becomes a store again, in either database."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from evenhand.errors import InputError
from evenhand.store import open_store, rebuild, verify
from evenhand.store.backups import back_up, restore
from evenhand.store.schema import metadata
from store.desks import Desk, check, emptied, sqlite_desk


def contents_of(desk_store: object) -> dict[str, list[tuple[object, ...]]]:
    with desk_store.database.reading() as connection:  # type: ignore[attr-defined]
        return {
            table.name: sorted(map(tuple, connection.execute(sa.select(table))), key=repr)
            for table in metadata.sorted_tables
        }


def test_backup_and_restore_give_the_same_store(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path)
    desk.receive(0.5, 0.95, 0.05)
    copy = tmp_path / "copy.db"
    made = back_up(desk.store, copy)
    assert [path.name for path in tmp_path.glob("copy*")] == ["copy.db"]  # no log beside it
    restored = restore(copy, str(tmp_path / "again.db"), key=tmp_path / "desk.db.key")
    assert restored.events == made.events
    with open_store(str(tmp_path / "again.db")) as again:
        assert contents_of(again) == contents_of(desk.store)
        assert rebuild(again).same
        Desk(again).receive(0.4, prefix="new")  # and it goes on
        check(again)


def test_a_backup_while_people_write(tmp_path: Path) -> None:
    desk, stop = sqlite_desk(tmp_path), threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            desk.receive(0.5, prefix=f"w{number}-")
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(3):
            back_up(desk.store, tmp_path / f"copy{number}.db")
    finally:
        stop.set()
        writer.join()
    for number in range(3):
        with open_store(str(tmp_path / f"copy{number}.db"), key=tmp_path / "desk.db.key") as copy:
            assert verify(copy).ok
            assert rebuild(copy).same
    check(desk.store)


def test_nothing_is_written_over(tmp_path: Path) -> None:
    desk = sqlite_desk(tmp_path)
    taken = tmp_path / "taken.db"
    taken.write_text("mine")
    with pytest.raises(InputError, match="this file exists"):
        back_up(desk.store, taken)
    back_up(desk.store, tmp_path / "copy.db")
    with pytest.raises(InputError, match="this file exists"):
        restore(tmp_path / "copy.db", str(taken), key=tmp_path / "desk.db.key")
    assert taken.read_text() == "mine"


def test_the_key_of_another_store_is_refused(tmp_path: Path) -> None:
    desk, other = sqlite_desk(tmp_path), sqlite_desk(tmp_path, "other.db")
    back_up(desk.store, tmp_path / "copy.db")
    with pytest.raises(InputError, match="another store"):
        restore(tmp_path / "copy.db", str(tmp_path / "again.db"), key=tmp_path / "other.db.key")
    other.store.close()


@pytest.mark.verify
def test_from_postgres_to_a_file_and_back(postgres: str, tmp_path: Path) -> None:
    desk = emptied(postgres, tmp_path).staff()
    desk.receive(*[number / 30 for number in range(30)])
    key = next(tmp_path.glob("*.key"))
    back_up(desk.store, tmp_path / "copy.db")
    before = contents_of(desk.store)
    desk.store.close()
    empty = emptied(postgres, tmp_path)
    empty.store.close()
    engine = sa.create_engine(postgres)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    engine.dispose()
    place = tmp_path / "new.key"
    restore(tmp_path / "copy.db", postgres, key=key, new_key=place)
    with open_store(postgres, key=place) as again:
        assert contents_of(again) == before
        Desk(again).receive(0.4, prefix="new")
        check(again)
