"""A table from a database: one query that reads, in a session that may not write.

Every database refuses to write in its own way. SQLite opens the file for reading and asks before everything a statement
does, a view that somebody else defined included; PostgreSQL and MySQL begin a transaction that reads. Nothing is ever
committed. What the account in the URL may read remains its own matter.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from evenhand.errors import InputError
from evenhand.evidence import sqlite_reader
from evenhand.evidence.database_address import parse_address, shown_address, without_secrets
from evenhand.evidence.query import check_query
from evenhand.inputs import note_input

if TYPE_CHECKING:
    from sqlalchemy import URL

WEB = ("http", "https", "ftp")


def read_query(url: str, query: str | None) -> tuple[str, pl.DataFrame]:
    """What a query gives, and the name of the database without its password."""
    import sqlalchemy

    address = parse_address(url)
    name = shown_address(address)
    if address.get_backend_name() in WEB:
        raise InputError("a web address is not a file or a database: download the file, and give its path", source=name)
    if query is None:
        raise InputError("a database URL needs a query: set `query`", source=name)
    if address.database and Path(address.database).is_file():
        note_input(address.database)
    try:
        check_query(query, address.get_backend_name())
        return name, _read(address, query)
    except InputError as error:
        raise error.within(name) from None
    except ImportError as error:
        postgres = address.get_backend_name() == "postgresql"
        hint = "pip install 'evenhand[postgres]'" if postgres else "install it"
        raise InputError(f"the driver of this database is not installed ({error}): {hint}", source=name) from None
    except (sqlalchemy.exc.SQLAlchemyError, sqlite3.Error, pl.exceptions.PolarsError) as error:
        reason = without_secrets(str(getattr(error, "orig", None) or error), address)
        reason = reason.replace("interrupted", "it takes or gives too much for a file of this size")
        raise InputError(f"the query failed: {reason}", source=name) from None


def _read(address: URL, query: str) -> pl.DataFrame:
    import sqlalchemy

    kind = address.get_backend_name()
    engine = sqlalchemy.create_engine(address, poolclass=sqlalchemy.NullPool, **_read_only_engine(kind, address))
    with engine.connect() as connection:
        if kind == "postgresql":
            connection = connection.execution_options(postgresql_readonly=True)
        elif kind in ("mysql", "mariadb"):
            connection.exec_driver_sql("SET SESSION TRANSACTION READ ONLY")
            connection.rollback()  # it counts for the next one
        elif kind == "sqlite":
            opened: Any = connection.connection.driver_connection
            sqlite_reader.restrict(opened, address.database)
        try:
            return pl.read_database(query, connection=connection, infer_schema_length=None)
        finally:
            connection.rollback()


def _read_only_engine(kind: str, address: URL) -> dict[str, Any]:
    """How the database is opened."""
    if kind == "sqlite":
        return {"creator": sqlite_reader.opener(address.database)}
    if address.drivername == "postgresql+psycopg":  # prepared at once: that takes one statement and no more
        return {"connect_args": {"prepare_threshold": 0}}
    return {}
