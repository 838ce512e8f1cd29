"""Tables made and brought up to date; a database of a newer version is refused."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory

from evenhand.errors import InputError
from evenhand.store.connection import Database
from evenhand.store.schema import metadata

FOLDER = Path(__file__).parent


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


@cache
def newest() -> str:
    """The version of the tables that this program writes."""
    return str(ScriptDirectory.from_config(_config()).get_current_head())


@cache
def known() -> frozenset[str]:
    """All versions that it can read or bring up to date."""
    return frozenset(script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions())


def version_of(database: Database) -> str | None:
    """The version of the tables of a database; None where it is not a store."""
    with database.reading() as connection:
        if not sa.inspect(connection).has_table("alembic_version"):
            return None
        return MigrationContext.configure(connection).get_current_revision()


def check_schema(database: Database) -> None:
    """An `InputError` where the database is no store, or of another version."""
    version = version_of(database)
    if version is None:
        remedy = f"create one with 'evenhand store init {database.name}'"
        raise InputError("this database is not a store", source=database.name, remedy=remedy)
    if version not in known():
        raise InputError(
            f"the store has version {version} of the tables, which is newer than this program ({newest()}): "
            "upgrade Evenhand",
            source=database.name,
        )
    if version != newest():
        raise InputError(
            f"the store has version {version} of the tables, and this program needs {newest()}",
            source=database.name,
            remedy=f"back it up and run 'evenhand store upgrade {database.name}'",
        )


def create_schema(database: Database) -> None:
    """The tables, in a database that has none of ours."""
    if version_of(database) is not None:
        raise InputError("this database holds a store already", source=database.name)
    database.keep_log()
    migrate(database)


def upgrade_schema(database: Database) -> tuple[str, str]:
    """Bring the tables up to date, all or nothing; the version before and after."""
    version = version_of(database)
    if version is None or version not in known():
        check_schema(database)
    migrate(database)
    return str(version), newest()


def migrate(database: Database, version: str = "head") -> None:
    """Up to a version, in one transaction.

    Without the script of Alembic's own command line, which a package does not need.
    """
    scripts = ScriptDirectory.from_config(_config())

    def steps(revision: Any, _context: Any) -> Any:
        return scripts._upgrade_revs(version, revision)

    with database.writing() as connection, EnvironmentContext(_config(), scripts, fn=steps) as environment:
        environment.configure(connection=connection, target_metadata=metadata, transactional_ddl=True)
        environment.run_migrations()
