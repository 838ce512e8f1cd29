"""A file of SQLite as somebody else may have made it: only read, and with limits on what its views can take.

A view runs whatever it was defined as when it is selected from: without end, with values of a gigabyte, or calling
functions. So the file is opened for reading, SQLite asks before everything that a statement does, and what a query
gives is held against the size of the file.
"""

from __future__ import annotations

import sqlite3
import sys
import time
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evenhand import limits
from evenhand.errors import InputError
from evenhand.files import regular_file

ALLOWED = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
REFUSED_FUNCTIONS = ("load_extension", "readfile", "writefile", "edit", "fts3_tokenizer")
MAGIC = b"SQLite format 3\0"
WITH_LOG = b"\2\2"  # bytes 18 and 19 of a file that is written, and read, with a log of changes
STEPS_BETWEEN = 500  # of SQLite, between looks at what a query takes: some fifty rows


def is_sqlite_file(path: Path) -> bool:
    """Whether a file is a database of SQLite, by its first bytes; a pipe is not opened, as one could wait for ever."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as opened:
            return opened.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):  # the second of a name with a NUL
        return False


def opener(database: str | None) -> Callable[[], sqlite3.Connection]:
    """Opens the file for reading alone; without a file, a database in memory."""
    if not database or database == ":memory:":
        return lambda: sqlite3.connect(":memory:")
    path = Path(database)
    if not path.exists():
        raise InputError("there is no such database file")
    file = f"file:{urllib.parse.quote(str(regular_file(path).absolute()))}?mode=ro" + _without_log(path)
    return lambda: sqlite3.connect(file, uri=True)


def _without_log(path: Path) -> str:
    """For a file that keeps a log of changes and has none now: even a reader would make an empty log beside it."""
    log, index = (path.with_name(path.name + ending) for ending in ("-wal", "-shm"))
    with path.open("rb") as file:
        keeps_log = file.read(20)[18:] == WITH_LOG
    if not keeps_log or index.exists():
        return ""
    if log.exists() and log.stat().st_size:
        raise InputError(
            f"the last changes of the database are in {log.name}: open it once with the program that wrote it"
        )
    return "&immutable=1"


def restrict(connection: sqlite3.Connection, database: str | None) -> None:
    """Nothing but reading from now on."""
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")  # views call harmless functions only
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limits.FIELD_BYTES)
    connection.set_authorizer(_authorise)
    size = Path(database).stat().st_size if database and database != ":memory:" else 0
    connection.set_progress_handler(_Budget(size).is_spent, STEPS_BETWEEN)


def _authorise(action: int, _first: str | None, second: str | None, *_place: str | None) -> int:
    harmless = action in ALLOWED and not (action == sqlite3.SQLITE_FUNCTION and second in REFUSED_FUNCTIONS)
    return sqlite3.SQLITE_OK if harmless else sqlite3.SQLITE_DENY


@dataclass
class _Budget:
    """The memory and the time that a query may take, by the size of the file it is put to."""

    size: int

    def __post_init__(self) -> None:
        seconds, peak = _used()
        self.until = seconds + limits.QUERY_SECONDS + self.size // limits.MIB
        self.most = peak + (limits.UNPACKED_FREE + limits.UNPACKED_TABLE * self.size) // limits.KIB

    def is_spent(self) -> bool:
        """Ends the query where it is true."""
        seconds, peak = _used()
        return seconds > self.until or peak > self.most


def _used() -> tuple[float, int]:
    """Seconds of the processor and, on systems that say it, the most kilobytes of memory so far."""
    try:
        import resource
    except ImportError:
        return time.process_time(), 0
    usage = resource.getrusage(resource.RUSAGE_SELF)
    peak = usage.ru_maxrss // limits.KIB if sys.platform == "darwin" else usage.ru_maxrss  # in bytes there
    return usage.ru_utime + usage.ru_stime, peak
