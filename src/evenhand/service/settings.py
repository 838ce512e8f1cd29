"""Settings of the service: by option, environment variable (EVENHAND_SERVE_PORT) or TOML file, in this order.

The rows of `choices.service` are the only list of settings. A model is given as [NAME=]MODEL[@VERSION], or in a file as
a table [models.NAME] with source, version and calibrator (`served_models`). What the names of other APIs mean here is
said in tables of that file too (`mappings`); what a file may not decide is in `configuration_file`.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, get_type_hints

from evenhand.choices import comma_separated, without_unset
from evenhand.errors import InputError, nearest
from evenhand.loose_values import one_or_several, typed
from evenhand.service.configuration_file import VARIABLE_PREFIX, read_configuration, setting_rows
from evenhand.service.mappings import INTERFACES, NO_ATTRIBUTES, NO_CATEGORIES, ModerationTable, PerspectiveTable
from evenhand.service.served_models import ServedModel, with_calibrators

CONFIG_VARIABLE = f"{VARIABLE_PREFIX}CONFIG"
TRUE_WORDS, FALSE_WORDS = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")


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
    shadow: tuple[str, ...] = ()
    webhook_networks: tuple[str, ...] = ()
    coop_fields: tuple[str, ...] = ()
    require_second_factor: bool = False
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
    told = {**(read_configuration(config, environ) if config else {}), **_variables(environ), **without_unset(options)}
    tables, texts = told.pop("models", ()), one_or_several(told.pop("model", ()))
    models = tuple(map(ServedModel.parse, map(str, texts))) or tables or ServiceSettings.models
    calibrators = one_or_several(told.pop("calibrator", ()))
    hints = get_type_hints(ServiceSettings)
    values = {name: _typed(name, hints[name], value) for name, value in told.items()}
    return ServiceSettings(models=with_calibrators(models, calibrators), **values)


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


def _check_network(name: str, text: str) -> None:
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise InputError(f"invalid `{name}`: '{text}' (must be an address or a network)") from None
