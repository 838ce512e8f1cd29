"""Settings of the service: by option, environment variable (EVENHAND_SERVE_PORT) or TOML file, in this order.

The rows of `choices.service` are the only list of settings. A model is given as [NAME=]MODEL[@VERSION], or in a file as
a table [models.NAME] with source, version and calibrator. What the names of other APIs mean here is said in tables of
that file too (`mappings`).
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, get_type_hints

from evenhand.choices import ChoiceRow, choice_rows, comma_separated, without_unset
from evenhand.choices.service import ServiceOptions
from evenhand.errors import InputError, nearest
from evenhand.files import read_toml
from evenhand.loose_values import one_or_several, typed
from evenhand.service.mappings import INTERFACES, NO_ATTRIBUTES, NO_CATEGORIES, ModerationTable, PerspectiveTable

VARIABLE_PREFIX = "EVENHAND_SERVE_"
CONFIG_VARIABLE = f"{VARIABLE_PREFIX}CONFIG"
MODEL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
MODEL_TEXT = re.compile(rf"(?:(?P<name>{MODEL_NAME.pattern})=)?(?P<source>.+?)(?:@(?P<version>[0-9a-f]{{8,64}}))?")
TRUE_WORDS, FALSE_WORDS = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")


@dataclass(frozen=True)
class ServedModel:
    """A model to serve: `name` is its own unless another is given; another `version` than this one is refused."""

    source: str
    name: str | None = None
    version: str | None = None
    calibrator: str | None = None

    @classmethod
    def parse(cls, text: str) -> ServedModel:
        """From [NAME=]MODEL[@VERSION]."""
        match = MODEL_TEXT.fullmatch(text.strip())
        if not match:
            raise InputError(f"invalid `model`: '{text}' (must be [NAME=]MODEL[@VERSION])")
        return cls(match["source"], match["name"], match["version"])

    @classmethod
    def of_table(cls, name: str, table: object, folder: Path) -> ServedModel:
        """From a table of a TOML file; paths in it are relative to the file."""
        known = {field.name for field in fields(cls)} - {"name"}
        if not MODEL_NAME.fullmatch(name):
            raise InputError(f"models.{name} is not a name: letters, digits, '.', '_' and '-' only")
        if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
            raise InputError(f"models.{name} must be a table of strings: {', '.join(sorted(known))}")
        for key in table:
            if key not in known:
                raise InputError(f"models.{name} has no '{key}'; {nearest(key, known)}")
        if "source" not in table:
            raise InputError(f"models.{name} must have a source")
        placed = {key: _beside(folder, value) for key, value in table.items() if key != "version"}
        return cls(**{**table, **placed}, name=name)


@dataclass(frozen=True)
class ServiceSettings:
    """All settings of the service, validated; each field is explained by its row in `choices.service`."""

    models: tuple[ServedModel, ...] = (ServedModel("default"),)
    device: str | None = None
    trust: tuple[str, ...] = ()
    send_to: str | None = None
    secrets: tuple[str, ...] = ()
    store: str | None = None
    store_key: Path | None = None
    webhook_networks: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    port: int = 8717
    token_file: Path | None = None
    require_token: bool = False
    trusted_proxies: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] = ()
    cors_origins: tuple[str, ...] = ()
    max_body: int = 8 * 1024 * 1024
    max_text: int = 100_000
    max_texts: int = 1000
    max_lines: int = 100_000
    max_depth: int = 32
    max_waiting: int = 20_000
    max_requests: int = 512
    timeout: float = 30.0
    stop_timeout: float = 60.0
    perspective: PerspectiveTable = NO_ATTRIBUTES
    moderations: ModerationTable = NO_CATEGORIES

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise InputError(f"invalid `port`: {self.port} (must be from 0 to 65535)")
        for name in (field.name for field in fields(self) if field.name.startswith("max_")):
            if getattr(self, name) < 1:
                raise InputError(f"invalid `{name}`: {getattr(self, name)} (must be 1 or more)")
        for name in ("timeout", "stop_timeout"):
            if not 0.0 < getattr(self, name) <= 3600.0:
                raise InputError(f"invalid `{name}`: {getattr(self, name)} (must be above 0, and 3600 at most)")
        for name in ("trusted_proxies", "webhook_networks"):
            for network in getattr(self, name):
                _check_network(name, network)

    @cached_property
    def on_loopback(self) -> bool:
        """Whether only programs on this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def read_settings(
    options: Mapping[str, Any], *, config: Path | None = None, environ: Mapping[str, str] = os.environ
) -> ServiceSettings:
    """The settings: options count for more than variables, and these for more than the file."""
    config = config or (Path(environ[CONFIG_VARIABLE]) if environ.get(CONFIG_VARIABLE) else None)
    told = {**_file_values(config), **_variables(environ), **without_unset(options)}
    tables, texts = told.pop("models", ()), one_or_several(told.pop("model", ()))
    models = tuple(map(ServedModel.parse, map(str, texts))) or tables or ServiceSettings.models
    calibrators = one_or_several(told.pop("calibrator", ()))
    hints = get_type_hints(ServiceSettings)
    values = {name: _typed(name, hints[name], value) for name, value in told.items()}
    return ServiceSettings(models=_with_calibrators(models, calibrators), **values)


def setting_rows() -> dict[str, ChoiceRow]:
    """The rows by name."""
    return {row.name: row for row in choice_rows(ServiceOptions)}


def _file_values(config: Path | None) -> dict[str, Any]:
    if config is None:
        return {}
    table, rows = read_toml(config), setting_rows()
    try:
        tables = table.pop("models", {})
        interfaces = {name: kind.read(table.pop(name)) for name, kind in INTERFACES.items() if name in table}
        if not isinstance(tables, dict):
            raise InputError("models must be tables: [models.NAME]")
        if tables and "model" in table:
            raise InputError("give models either with `model` or as tables [models.NAME], not both")
        for name in table:
            if name not in rows:
                raise InputError(f"there is no setting '{name}'; {nearest(name, [*rows, 'models', *INTERFACES])}")
        for name in ("token_file", "store", "store_key"):
            if isinstance(table.get(name), str):
                table[name] = _beside(config.parent, table[name])
        models = tuple(ServedModel.of_table(name, given, config.parent) for name, given in tables.items())
        return {**table, **interfaces, **({"models": models} if models else {})}
    except InputError as error:
        raise error.within(str(config)) from None


def _variables(environ: Mapping[str, str]) -> dict[str, Any]:
    """What variables say, as the types of the settings want it."""
    hints, values = get_type_hints(ServiceSettings), dict[str, Any]()
    rows = setting_rows()
    for variable, text in environ.items():
        if not variable.startswith(VARIABLE_PREFIX) or variable == CONFIG_VARIABLE:
            continue
        name = variable.removeprefix(VARIABLE_PREFIX).lower()
        if name not in rows:
            raise InputError(f"there is no setting '{name}'; {nearest(name, rows)}", source=variable)
        values[name] = _from_text(text, hints.get(name, tuple[str, ...]), variable)
    return values


def _from_text(text: str, hint: Any, variable: str) -> Any:
    if hint is bool:
        if text.strip().lower() not in (*TRUE_WORDS, *FALSE_WORDS):
            raise InputError(f"invalid: {text} (must be true or false)", source=variable)
        return text.strip().lower() in TRUE_WORDS
    if hint in (int, float):
        try:
            return hint(text)
        except ValueError:
            wanted = "a whole number" if hint is int else "a number"
            raise InputError(f"invalid: {text} (must be {wanted})", source=variable) from None
    return comma_separated(text) if hint == tuple[str, ...] else text


def _typed(name: str, hint: Any, value: Any) -> Any:
    if name in ("token_file", "store_key"):
        return Path(value)
    if name in INTERFACES:
        return value
    if name in ("device", "send_to", "store"):
        return str(value)
    return typed(f"`{name}`", hint, list(value) if isinstance(value, tuple) and hint is not tuple else value)


def _with_calibrators(models: tuple[ServedModel, ...], texts: tuple[Any, ...]) -> tuple[ServedModel, ...]:
    """Each calibrator with the model it is for: the named one, or the only one."""
    served = list(models)
    for text in texts:
        name, named, file = str(text).rpartition("=")
        fitting = [k for k, model in enumerate(served) if not named or name in (model.name, model.source)]
        if len(fitting) != 1:
            raise InputError(f"`calibrator` {text}: name its model, as NAME=FILE")
        served[fitting[0]] = replace(served[fitting[0]], calibrator=file)
    return tuple(served)


def _beside(folder: Path, value: str) -> str:
    """A path relative to the file that names it, where there is one; or the value as it is ('default')."""
    return str(folder / value) if (folder / value).exists() else value


def _check_network(name: str, text: str) -> None:
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise InputError(f"invalid `{name}`: '{text}' (must be an address or a network)") from None
