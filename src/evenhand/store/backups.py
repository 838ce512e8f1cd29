"""Backups while the store is in use, and how one becomes a store again.

A backup is one file of SQLite that is itself a store, whatever database it came from: it can be verified, exported and
audited where it lies. It is one state of the database, sealed at that moment. The key file is not in it.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from evenhand.errors import InputError
from evenhand.files import check_writable, fresh_file
from evenhand.store import schema
from evenhand.store.chain import seal
from evenhand.store.connection import Database
from evenhand.store.keys import StoreKeys, key_path
from evenhand.store.migrations.upgrading import check_schema, create_schema, version_of
from evenhand.store.store import Store, open_store
from evenhand.store.verification import verify

BATCH = 5000


@dataclass(frozen=True)
class StoreCopy:
    """What was copied, and how long it took."""

    path: str
    events: int
    seconds: float


def back_up(store: Store, path: Path, *, force: bool = False) -> StoreCopy:
    """Copy the store into a new file while others use it; the copy is verified before it gets its name.

    With `force` it may take the place of another file, once it is whole.
    """
    began = time.monotonic()
    if os.path.lexists(path) and not force:
        raise InputError("this file exists: choose another name, or set `force` to replace it", source=str(path))
    check_writable(path)
    seal(store)
    with fresh_file(path) as fresh:
        if store.database.file is not None:
            _copy_file(store.database.file, fresh)
        else:
            target = Database(str(fresh), create=True)
            create_schema(target)
            with store.database.reading() as source:
                _copy_tables(source, target)
            target.close()
            _drop_log(fresh)
        events = _checked(fresh, store.keys)
    return StoreCopy(str(path), events, time.monotonic() - began)


def restore(path: Path, location: str, *, key: Path, new_key: Path | None = None) -> StoreCopy:
    """Make a store of a backup: a new file, or an empty PostgreSQL database. `key` is the key file of the store."""
    began = time.monotonic()
    keys = StoreKeys.read(key)
    source = open_store(str(path), key=key)
    result = verify(source)
    if not result.ok:
        raise InputError(f"the backup does not verify: {result.fault}", source=str(path))
    target = Database(location, create=True)
    if version_of(target) is not None:
        raise InputError("this database holds a store already", source=target.name)
    create_schema(target)
    with source.database.reading() as connection:
        _copy_tables(connection, target)
    place = key_path(new_key, target.file)
    if not place.exists():
        keys.write(place)
    target.close()
    with open_store(location, key=place) as restored:
        again = verify(restored)
    if again.fault or again.events != result.events:
        raise InputError(f"the restored store does not verify: {again.fault}", source=target.name)
    return StoreCopy(target.name, again.events, time.monotonic() - began)


def _copy_file(source: str, target: Path) -> None:
    """By the online backup of SQLite, which takes in what is written meanwhile."""
    with closing(sqlite3.connect(source)) as reading, closing(sqlite3.connect(target)) as writing:
        reading.backup(writing, pages=-1)
    _drop_log(target)


def _drop_log(path: Path) -> None:
    """One file, without a log beside it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")


def _checked(path: Path, keys: StoreKeys) -> int:
    database = Database(str(path))
    check_schema(database)
    result = verify(Store(database, keys))
    database.close()
    if not result.ok:
        raise InputError(f"the copy does not verify: {result.fault}", source=str(path))
    return result.events


def _copy_tables(source: sa.Connection, target: Database) -> None:
    with target.writing() as connection:
        for table in schema.metadata.sorted_tables:
            rows = source.execute(sa.select(table).execution_options(yield_per=BATCH))
            for batch in rows.partitions(BATCH):
                connection.execute(table.insert(), [dict(row._mapping) for row in batch])
        if connection.dialect.name == "postgresql":
            connection.execute(_CONTINUE_NUMBERS)


_CONTINUE_NUMBERS: Any = sa.text(
    "SELECT setval(pg_get_serial_sequence('events', 'id'), (SELECT COALESCE(MAX(id), 1) FROM events))"
)
