"""Tables are made by migrations, brought up to date all or nothing, and those of a newer program are refused."""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from evenhand.errors import InputError
from evenhand.store import open_store, verify
from evenhand.store.connection import Database
from evenhand.store.exporting import export
from evenhand.store.migrations.upgrading import migrate, newest, upgrade_schema
from evenhand.store.schema import metadata
from store.desks import Desk, check, sqlite_desk

FIRST = Path(__file__).parent / "first_schema.db.gz"  # written by the program of the first schema, people at work in it


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


def first_store(folder: Path) -> Path:
    """The committed file, with its key."""
    return committed_store(folder, FIRST, "first.db")


def committed_store(folder: Path, packed: Path, name: str) -> Path:
    path = folder / name
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    key = packed.with_name(packed.name.replace(".db.gz", ".key"))
    (folder / f"{name}.key").write_text(key.read_text())
    return path


def test_a_store_of_the_first_schema_upgrades_verifies_and_goes_on(tmp_path: Path) -> None:
    path = first_store(tmp_path)
    with pytest.raises(InputError, match="evenhand store upgrade"):
        open_store(str(path))
    assert upgrade_schema(Database(str(path))) == ("0001", newest())
    assert upgrade_schema(Database(str(path))) == (newest(), newest())
    with open_store(str(path)) as store:
        assert set(sa.inspect(store.database.engine).get_table_names()) >= set(metadata.tables)
        before = verify(store)
        assert (before.ok, before.events, before.contents) == (True, 258, 61)
        desk = Desk(store)
        desk.clock.at = 1_790_000_000_000_000
        (item,) = desk.receive(0.5, prefix="later")
        desk.do("notice", "io", item=item, reason="spam", reporter="reporter 0")
        view = desk.do("claim", "ana", queue="review")
        desk.do("decide", "ana", task=view["task"], version=view["version"], verdict="violating")
        check(store)
        export(store, tmp_path / "out", file_format="csv")
    assert "it was irony" in (tmp_path / "out" / "appeals.csv").read_text()  # in the payload, as it was written then


@pytest.mark.parametrize(
    ("version", "name", "events"), [("0002", "second", 143), ("0003", "third", 378), ("0004", "fourth", 396)]
)
def test_a_store_of_every_later_schema_upgrades_too(tmp_path: Path, version: str, name: str, events: int) -> None:
    """Each written by the program of its time, with reversals and, where there were any, a study under way."""
    path = committed_store(tmp_path, FIRST.with_name(f"{name}_schema.db.gz"), "old.db")
    with pytest.raises(InputError, match="evenhand store upgrade"):
        open_store(str(path))
    assert upgrade_schema(Database(str(path))) == (version, newest())
    with open_store(str(path)) as store:
        assert verify(store).events == events
        desk = Desk(store)
        desk.clock.at = 1_900_000_000_000_000
        check(store)
        desk.receive(0.5, prefix="later")
        check(store)


def test_an_upgrade_knows_who_reversed_a_decision(tmp_path: Path) -> None:
    path = first_store(tmp_path)
    upgrade_schema(Database(str(path)))
    with closing(sqlite3.connect(path)) as connection:
        seen = connection.execute("SELECT person, final FROM seen WHERE task = ''").fetchall()
        fingerprints = connection.execute("SELECT DISTINCT fingerprint FROM requests").fetchall()
    assert seen == [("lee", 1)]
    assert fingerprints == [("",)]  # they were hashes of texts without a salt


def test_an_upgrade_counts_the_notices_that_there_are(tmp_path: Path) -> None:
    path = first_store(tmp_path)
    upgrade_schema(Database(str(path)))
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT notices, reporters, trusted_notice FROM items WHERE notices > 0").fetchall()
    assert len(rows) == 8
    assert all(notices == reporters for notices, reporters, _ in rows)
    assert sum(trusted for _, _, trusted in rows) == 1


@pytest.mark.verify
def test_a_store_of_the_first_schema_upgrades_on_postgres(tmp_path: Path, postgres: str) -> None:
    """Its rows, in tables that only the first migration made."""
    path = first_store(tmp_path)
    engine = sa.create_engine(postgres)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    engine.dispose()
    database = Database(postgres, create=True)
    migrate(database, "0001")
    copied = sa.MetaData()
    copied.reflect(database.engine)
    with closing(sqlite3.connect(path)) as first, database.writing() as connection:
        first.row_factory = sqlite3.Row
        for table in copied.sorted_tables:
            if table.name != "alembic_version" and (rows := first.execute(f"SELECT * FROM {table.name}").fetchall()):
                flags = [column.name for column in table.c if isinstance(column.type, sa.Boolean)]
                made = [{**dict(row), **{flag: bool(row[flag]) for flag in flags}} for row in rows]
                connection.execute(table.insert(), made)
        connection.exec_driver_sql("SELECT setval('events_id_seq', (SELECT max(id) FROM events))")
    assert upgrade_schema(database) == ("0001", newest())
    database.close()
    with open_store(postgres, key=tmp_path / "first.db.key") as store:
        assert verify(store).events == 258
        Desk(store).receive(0.5, prefix="later")
        check(store)


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
