"""The file of settings: models and tables of other APIs, and what a file may decide at all.

A file may come from a stranger. It says what is served and how much is taken. What a model may build, where texts,
variables and webhooks may go, and which server is connected to, only the command line and the environment say: a row of
`choices.service` without an example for a file is refused in one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evenhand.choices import ChoiceRow, choice_rows
from evenhand.choices.service import ServiceOptions
from evenhand.errors import InputError, nearest
from evenhand.evidence.database_address import PLACEHOLDER
from evenhand.files import read_toml
from evenhand.loose_values import typed
from evenhand.service.mappings import INTERFACES
from evenhand.service.served_models import ServedModel

VARIABLE_PREFIX = "EVENHAND_SERVE_"
PATHS = ("token_file", "store", "store_key")
OF_THE_DESK = ("store", "store_key")  # these files are written to


def setting_rows() -> dict[str, ChoiceRow]:
    """The rows by name."""
    return {row.name: row for row in choice_rows(ServiceOptions)}


def read_configuration(path: Path, environ: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """The settings of a file by name; `models` are those of its tables, and paths are relative to it."""
    table = read_toml(path)
    try:
        tables = table.pop("models", {})
        interfaces = {name: kind.read(table.pop(name)) for name, kind in INTERFACES.items() if name in table}
        if not isinstance(tables, dict):
            raise InputError("models must be tables: [models.NAME]")
        if tables and "model" in table:
            raise InputError("give models either with `model` or as tables [models.NAME], not both")
        _check_names(table)
        for name in PATHS:
            if name in table:
                table[name] = _location(name, typed(f"`{name}`", str, table[name]), path.parent, environ)
        models = tuple(ServedModel.of_table(name, values, path.parent) for name, values in tables.items())
        return {**table, **interfaces, **({"models": models} if models else {})}
    except InputError as error:
        raise error.within(str(path)) from None


def _check_names(names: Mapping[str, object]) -> None:
    """Every name is a setting, and one that a file may decide."""
    rows = setting_rows()
    for name in names:
        if name not in rows:
            raise InputError(f"there is no setting '{name}'; {nearest(name, [*rows, 'models', *INTERFACES])}")
        if not rows[name].choice.toml:
            remedy = f"use {flag(rows[name])} or the variable {variable(name)}"
            raise InputError(f"`{name}` may not be set in a file: {remedy}")


def flag(row: ChoiceRow) -> str:
    """The option of a setting."""
    return row.choice.flags[0] if row.choice.flags else f"--{row.name.replace('_', '-')}"


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return f"{VARIABLE_PREFIX}{name.upper()}"


def _location(name: str, value: str, folder: Path, environ: Mapping[str, str]) -> str:
    """A path beside the file; of a store also what a variable says, which the environment decides."""
    named = PLACEHOLDER.fullmatch(value) if name == "store" else None
    if named:
        if not environ.get(named[1]):
            raise InputError(f"`{name}` is the environment variable {named[1]}, which is not set")
        if "://" not in environ[named[1]]:  # its value may be a secret: a message must not show it
            raise InputError(f"`{name}` is the environment variable {named[1]}, which is not a database URL")
        return environ[named[1]]
    if name == "store" and "://" in value:
        raise InputError(
            "`store` may not be a URL in a file: put the URL into an environment variable, and write "
            f'store = "${{VARIABLE}}", or give it by option or in the variable {variable(name)}'
        )
    place = folder / value
    if name in OF_THE_DESK and not place.resolve().is_relative_to(folder.resolve()):
        problem = f"`{name}` must be in the folder of this file: use {flag(setting_rows()[name])} for another place"
        raise InputError(problem)
    return str(place) if name in OF_THE_DESK or place.exists() else value
