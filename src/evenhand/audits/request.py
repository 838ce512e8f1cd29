"""A whole request: which data, what its columns mean, which audits, which settings. A TOML file can hold one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from evenhand.audits.registry import AUDITS, known_settings
from evenhand.choices import CoverOptions, LayoutOptions, TableOptions
from evenhand.errors import InputError, nearest
from evenhand.evidence import Declaration, TableSource
from evenhand.evidence.database_address import resolve_address
from evenhand.evidence.terms import read_terms
from evenhand.files import read_toml

TABLES = tuple(TableOptions.__annotations__)
LAYOUT = tuple(LayoutOptions.__annotations__)
COVER = tuple(CoverOptions.__annotations__)
ROLES = tuple(f.name for f in fields(Declaration))
SETTINGS = known_settings()


@dataclass(frozen=True)
class AuditRequest:
    """What to audit and how."""

    data: Any
    declaration: Declaration
    settings: Mapping[str, Any]
    audits: tuple[str, ...] | None = None
    query: str | None = None
    tables: Mapping[str, Any] = field(default_factory=dict)
    layout: Mapping[str, str] = field(default_factory=dict)
    cover: Mapping[str, Any] = field(default_factory=dict)  # what stands at the head of the report

    @classmethod
    def of(
        cls,
        data: TableSource | None,
        *,
        audits: str | Sequence[str] | None = None,
        query: str | None = None,
        options: Mapping[str, Any],
    ) -> AuditRequest:
        """From data and loosely typed options; from a TOML file, on top of what that says."""
        if isinstance(data, (str, Path)) and str(data).endswith(".toml"):
            try:
                return cls._of(read_request_file(Path(data)), data, audits, query, options)
            except InputError as error:
                raise error.within(str(data)) from None
        return cls._of({}, data, audits, query, options)

    @classmethod
    def _of(
        cls,
        written: dict[str, Any],
        data: TableSource | None,
        audits: str | Sequence[str] | None,
        query: str | None,
        options: Mapping[str, Any],
    ) -> AuditRequest:
        data = written.pop("data", data)
        set_options = {name: value for name, value in options.items() if value is not None}
        declared = written.pop("options", {})
        if "score" in set_options or "probabilities" in set_options:  # one in place of the other
            declared = {name: value for name, value in declared.items() if name not in ("score", "probabilities")}
        merged = {**declared, **set_options}
        tables = {name: merged.pop(name) for name in TABLES if name in merged}
        layout = {name: str(merged.pop(name)) for name in LAYOUT if name in merged}
        cover = {name: merged.pop(name) for name in COVER if name in merged}
        for name in merged:
            if name not in (*ROLES, *SETTINGS):
                raise InputError(f"there is no option '{name}'; {nearest(name, (*ROLES, *SETTINGS))}")
        chosen = audits or written.get("audits") or ()
        if not all(isinstance(name, str) for name in (chosen if isinstance(chosen, (list, tuple)) else [chosen or ""])):
            raise InputError(f"audits are names, not {chosen!r}")
        return cls(
            data,
            Declaration.of({name: value for name, value in merged.items() if name in ROLES}),
            _checked_settings({name: value for name, value in merged.items() if name in SETTINGS}),
            ((chosen,) if isinstance(chosen, str) else tuple(chosen)) or None,
            query or written.get("query"),
            tables,
            layout,
            cover,
        )


def _checked_settings(values: dict[str, Any]) -> dict[str, Any]:
    """As given, after every audit has looked at what concerns it: a slip is found before anything is read."""
    for audit in AUDITS:
        audit.settings.of(values)
    return values


def read_request_file(path: Path) -> dict[str, Any]:
    """The parts of a TOML file; a data path in it is relative to it."""
    content = read_toml(path)
    known = ("data", "query", *LAYOUT, *TABLES, *COVER, "audits", "columns", "spellings", "settings")
    for name in content:
        if name not in known:
            part = "columns" if name in ROLES else "settings" if name in SETTINGS else None
            remedy = f"it belongs in the table [{part}]" if part else nearest(name, known)
            raise InputError(f"there is no entry '{name}'; {remedy}", source=str(path))
    if not isinstance(content.get("data"), str):
        raise InputError("the entry 'data' must name a file or a database URL", source=str(path))
    if not isinstance(content.get("query", ""), str):
        raise InputError("the entry 'query' must be a statement in SQL", source=str(path))
    for part in ("columns", "spellings", "settings"):
        if not isinstance(content.get(part, {}), dict):
            raise InputError(f"'{part}' must be a table: [{part}]", source=str(path))
    columns = dict(content.get("columns", {}))
    if isinstance(columns.get("terms"), str):
        columns["terms"] = read_terms(columns["terms"], path.parent)
    try:
        data = resolve_address(content["data"])
    except InputError as error:
        raise error.within(str(path)) from None
    settings = dict(content.get("settings", {}))
    if isinstance(settings.get("rank_with"), str):
        settings["rank_with"] = str(path.parent / settings["rank_with"])
    options = {**columns, **settings}
    options |= {name: path.parent / str(content[name]) for name in TABLES if name in content}
    options |= {name: content[name] for name in (*LAYOUT, *COVER) if name in content}
    options |= {"spellings": content["spellings"]} if content.get("spellings") else {}
    return {**content, "data": data if "://" in data else path.parent / data, "options": options}
