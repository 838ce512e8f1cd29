"""How the database is opened: SQLite with a write-ahead log that is flushed at every commit, or PostgreSQL by URL.

A write on SQLite begins with the lock that it needs (`BEGIN IMMEDIATE`), so that it waits at its start and never fails
in the middle; on PostgreSQL writers lock the rows that they change.
"""

from __future__ import annotations

import sqlite3
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError

from evenhand.errors import ErrorKind, InputError
from evenhand.evidence.database_address import parse_address, shown_address, without_secrets
from evenhand.inputs import note_input

PATIENCE = 60  # seconds that a writer waits for another one on SQLite
SQLITE_PRAGMAS = (
    f"busy_timeout = {PATIENCE * 1000}",
    "synchronous = FULL",
    "secure_delete = ON",  # what is erased is overwritten
    "trusted_schema = OFF",
)
SEAL_LOCK = 0x45764861  # the advisory lock of the one sealer, the same in every process


class DatabaseError(InputError):
    """The database does not do what it was asked: it is away, full or damaged."""


def parse_location(location: str) -> sa.URL:
    """The URL of a store: a path is a file of SQLite."""
    if "://" not in location:
        return sa.URL.create("sqlite", database=location)
    address: sa.URL = parse_address(location)
    if address.get_backend_name() == "postgresql":
        return address.set(drivername="postgresql+psycopg")
    if address.get_backend_name() != "sqlite" or not address.database or address.database == ":memory:":
        name = shown_address(address)
        raise InputError("a store is a file (store.db) or a PostgreSQL URL (postgresql://…)", source=name)
    return address


class Database:
    """One database, with the two ways to use it: `reading` and `writing`."""

    def __init__(self, location: str, *, create: bool = False) -> None:
        self.url = parse_location(location)
        self.name = self.url.database or "" if self.is_sqlite else shown_address(self.url)
        if self.is_sqlite:
            self._check_file(Path(self.name), create=create)
            note_input(self.name)
        self.engine = self._engine()
        self._turn = threading.Lock() if self.is_sqlite else nullcontext()  # in one process, writers queue up fairly

    @property
    def is_sqlite(self) -> bool:
        """Otherwise it is PostgreSQL."""
        return self.url.get_backend_name() == "sqlite"

    @property
    def file(self) -> str | None:
        """The path of a database that is a file."""
        return self.url.database if self.is_sqlite else None

    def _check_file(self, path: Path, *, create: bool) -> None:
        if create:
            if path.exists() or path.is_symlink():
                raise InputError("this file exists: choose another name", source=self.name)
            if not path.absolute().parent.is_dir():
                raise InputError("the folder does not exist", source=self.name, kind=ErrorKind.NOT_FOUND)
        elif not path.is_file():
            remedy = f"create one with 'evenhand store init {self.name}'"
            raise InputError("there is no such store", source=self.name, kind=ErrorKind.NOT_FOUND, remedy=remedy)
        elif not _has_versions(path):
            raise InputError("this database is not a store", source=self.name)

    def _engine(self) -> sa.Engine:
        try:
            if not self.is_sqlite:
                return sa.create_engine(self.url, pool_size=20, max_overflow=80, pool_pre_ping=True)
            engine = sa.create_engine(self.url, connect_args={"timeout": PATIENCE, "check_same_thread": False})
        except ImportError:
            raise InputError(
                "PostgreSQL needs its driver: pip install 'evenhand[postgres]'", source=self.name
            ) from None
        sa.event.listen(engine, "connect", _prepare)
        sa.event.listen(engine, "begin", _begin)
        return engine

    def keep_log(self) -> None:
        """From now on, write changes of a file to a log first, so that readers never wait; the file remembers it."""
        if self.file is not None:
            with closing(sqlite3.connect(self.file)) as opened:
                opened.execute("PRAGMA journal_mode = WAL")

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction that changes something: all of it, or nothing."""
        with self._turn, self._explained(), self.engine.connect() as connection:
            yield from self._transaction(connection.execution_options(writes=True))

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A transaction that sees one state of the database from its first to its last query."""
        options: dict[str, Any] = (
            {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        )
        with self._explained(), self.engine.connect() as connection:
            yield from self._transaction(connection.execution_options(**options))

    @staticmethod
    def _transaction(connection: sa.Connection) -> Iterator[sa.Connection]:
        with connection.begin():
            yield connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """What the database itself complains about, in one line without secrets."""
        try:
            yield
        except IntegrityError:
            raise
        except DBAPIError as error:
            reason = without_secrets(str(error.orig).strip().splitlines()[0], self.url)
            raise DatabaseError(f"the database failed: {reason}", source=self.name) from None

    def close(self) -> None:
        """Give back all connections."""
        self.engine.dispose()


def _has_versions(path: Path) -> bool:
    """Whether a file is a store, without changing anything if it is not."""
    log = path.with_name(f"{path.name}-wal")
    mode = "mode=ro" if log.exists() else "mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(f"file:{urllib.parse.quote(str(path.absolute()))}?{mode}", uri=True)) as opened:
            query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'alembic_version'"
            return opened.execute(query).fetchone() is not None
    except sqlite3.Error:
        raise InputError("not an SQLite database, or damaged", source=str(path)) from None


def is_store(location: str) -> bool:
    """Whether a path or a URL is of a store, by its tables; nothing is changed in it."""
    try:
        url = parse_location(location)
    except InputError:  # a database of another kind
        return False
    if url.get_backend_name() == "sqlite":
        return _has_versions(Path(str(url.database)))
    database = Database(location)
    try:
        with database.reading() as connection:
            tables = set(sa.inspect(connection).get_table_names())
    finally:
        database.close()
    return {"alembic_version", "events", "about"} <= tables


def _prepare(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions begin as `_begin` says
    for pragma in SQLITE_PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN")


def hold_sealer_lock(connection: sa.Connection) -> bool:
    """Whether this transaction is the one that may seal; on SQLite every writer is alone anyway."""
    if connection.dialect.name == "sqlite":
        return True
    return bool(connection.scalar(sa.text("SELECT pg_try_advisory_xact_lock(:key)"), {"key": SEAL_LOCK}))
