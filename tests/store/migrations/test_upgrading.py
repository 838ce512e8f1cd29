"""Tables are made by migrations, brought up to date all or nothing, and those of a newer program are refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from evenhand.errors import InputError
from evenhand.store import open_store
from evenhand.store.connection import Database
from evenhand.store.migrations.upgrading import known, newest, upgrade_schema
from evenhand.store.schema import metadata
from store.desks import check, sqlite_desk

STUDIES = ("studies", "study_batches", "study_items", "study_tasks")
LATER = {  # tables since a version
    "0001": ("credentials", "invitations", "sessions", "sign_in_attempts", "webhooks", "deliveries", *STUDIES),
    "0002": STUDIES,
}


def test_migrations_make_what_the_schema_says(tmp_path: Path) -> None:
    """Columns, their types and indexes; a change of the schema without a migration fails here."""
    desk = sqlite_desk(tmp_path)
    made = sa.create_engine("sqlite://")
    metadata.create_all(made)

    def described(engine: sa.Engine) -> dict[str, str]:
        with engine.connect() as connection:
            query = "SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'index') AND sql IS NOT NULL"
            rows = connection.exec_driver_sql(query).all()
        return {
            name: " ".join(sorted(sql.replace(",", " ").replace('"', "").split()))
            for name, sql in rows
            if name in names
        }

    names = {table.name for table in metadata.sorted_tables}
    names |= {str(index.name) for table in metadata.sorted_tables for index in table.indexes}
    assert described(desk.store.database.engine) == described(made)


def test_a_newer_store_is_refused_in_one_line(tmp_path: Path) -> None:
    sqlite_desk(tmp_path).store.close()
    path = tmp_path / "desk.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    for use in (lambda: open_store(str(path)), lambda: upgrade_schema(Database(str(path)))):
        with pytest.raises(InputError, match="newer than this program") as error:
            use()
        assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize("version", LATER)
def test_an_upgrade_of_every_version_verifies(tmp_path: Path, version: str) -> None:
    """As each earlier program left it: with what its tables had, and nothing of what came later."""
    assert known() == {*LATER, newest()}
    desk = sqlite_desk(tmp_path)
    desk.receive(0.5)
    with desk.store.database.writing() as connection:
        for table in LATER[version]:
            connection.exec_driver_sql(f"DROP TABLE {table}")
        connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{version}'")
    with pytest.raises(InputError, match="evenhand store upgrade"):
        open_store(str(tmp_path / "desk.db"))
    assert upgrade_schema(desk.store.database) == (version, newest())
    assert upgrade_schema(desk.store.database) == (newest(), newest())
    assert set(sa.inspect(desk.store.database.engine).get_table_names()) >= set(metadata.tables)
    check(desk.store)


def test_what_is_no_store_is_said_and_left_as_it_is(tmp_path: Path) -> None:
    other, text, missing = tmp_path / "other.db", tmp_path / "text.db", tmp_path / "missing.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE mine (x)")
    text.write_text("no database at all, and long enough to be looked at")
    for path, problem in ((other, "not a store"), (text, "not an SQLite database"), (missing, "no such store")):
        before = path.read_bytes() if path.exists() else None
        with pytest.raises(InputError, match=problem):
            open_store(str(path))
        assert (path.read_bytes() if path.exists() else None) == before
        assert list(tmp_path.glob(f"{path.name}-*")) == []
