"""A whole request: which data, what its columns mean, which audits, which settings. A TOML file can hold one."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from evenhand.audits.table import AUDITS, known_settings
from evenhand.choices import Tables
from evenhand.errors import InputError, nearest
from evenhand.evidence import Declaration

TABLES = tuple(Tables.__annotations__)
ROLES = tuple(f.name for f in fields(Declaration))
SETTINGS = known_settings()


@dataclass(frozen=True)
class Request:
    """What to audit and how."""

    data: Any
    declaration: Declaration
    settings: Mapping[str, Any]
    audits: tuple[str, ...] | None = None
    query: str | None = None
    tables: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        data: Any,
        *,
        audits: str | Sequence[str] | None = None,
        query: str | None = None,
        options: Mapping[str, Any],
    ) -> Request:
        """From data and loosely typed options; from a TOML file, on top of what that says."""
        if isinstance(data, (str, Path)) and str(data).endswith(".toml"):
            try:
                return cls._of(_read(Path(data)), data, audits, query, options)
            except InputError as error:
                raise error.within(str(data)) from None
        return cls._of({}, data, audits, query, options)

    @classmethod
    def _of(
        cls,
        written: dict[str, Any],
        data: Any,
        audits: str | Sequence[str] | None,
        query: str | None,
        options: Mapping[str, Any],
    ) -> Request:
        data = written.pop("data", data)
        given = {name: value for name, value in options.items() if value is not None}
        merged = {**written.pop("options", {}), **given}
        tables = {name: merged.pop(name) for name in TABLES if name in merged}
        for name in merged:
            if name not in (*ROLES, *SETTINGS):
                raise InputError(f"there is no option '{name}'; {nearest(name, (*ROLES, *SETTINGS))}")
        chosen = audits or written.get("audits") or ()
        if not all(isinstance(name, str) for name in (chosen if isinstance(chosen, (list, tuple)) else [chosen or ""])):
            raise InputError(f"audits are names, not {chosen!r}")
        return cls(
            data,
            Declaration.of({name: value for name, value in merged.items() if name in ROLES}),
            _settings({name: value for name, value in merged.items() if name in SETTINGS}),
            ((chosen,) if isinstance(chosen, str) else tuple(chosen)) or None,
            query or written.get("query"),
            tables,
        )


def _settings(values: dict[str, Any]) -> dict[str, Any]:
    """As given, after every audit has looked at what concerns it: a slip is found before anything is read."""
    for audit in AUDITS:
        audit.settings.of(values)
    return values


def _read(path: Path) -> dict[str, Any]:
    """The parts of a TOML file; a data path in it is relative to it."""
    content = read_toml(path)
    known = ("data", "query", *TABLES, "audits", "columns", "spellings", "settings")
    for name in content:
        if name not in known:
            raise InputError(f"there is no part '{name}'; {nearest(name, known)}", source=str(path))
    if not isinstance(content.get("data"), str):
        raise InputError("the entry 'data' must name a file or a database URL", source=str(path))
    if not isinstance(content.get("query", ""), str):
        raise InputError("the entry 'query' must be a statement in SQL", source=str(path))
    for part in ("columns", "spellings", "settings"):
        if not isinstance(content.get(part, {}), dict):
            raise InputError(f"'{part}' must be a table: [{part}]", source=str(path))
    columns = dict(content.get("columns", {}))
    if isinstance(columns.get("terms"), str):
        columns["terms"] = read_terms(path.parent / columns["terms"])
    data = content["data"]
    settings = dict(content.get("settings", {}))
    if isinstance(settings.get("rank_with"), str):
        settings["rank_with"] = str(path.parent / settings["rank_with"])
    options = {**columns, **settings}
    options |= {name: path.parent / str(content[name]) for name in TABLES if name in content}
    options |= {"spellings": content["spellings"]} if content.get("spellings") else {}
    return {**content, "data": data if "://" in data else path.parent / data, "options": options}


def read_toml(path: Path) -> dict[str, Any]:
    """What a TOML file holds."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("there is no such file", source=str(path)) from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"not a readable TOML file: {error}", source=str(path)) from None


def read_terms(path: Path) -> dict[str, tuple[str, ...]]:
    """Groups by words from a text file: one a line, "word" or "name: word, word"; # starts a comment."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise InputError("there is no such file", source=str(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the terms cannot be read: {error}", source=str(path)) from None
    terms: dict[str, tuple[str, ...]] = {}
    for row, line in enumerate(lines, start=1):
        text = line.split("#", 1)[0].strip()
        if not text:
            continue
        name, _, words = text.partition(":")
        found = tuple(word.strip() for word in (words or name).split(",") if word.strip())
        if not found or name.strip() in terms:
            problem = "this group is there already" if found else "this group has no words"
            raise InputError(problem, source=str(path), row=row)
        terms[name.strip()] = found
    if not terms:
        raise InputError("the file holds no terms", source=str(path))
    return terms
