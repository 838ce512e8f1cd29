"""The export of a store as the tables that reports and statements of reasons are made from.

A store knows actions and clauses in the words of the platform. A file of codes says what they are in the Digital
Services Act: `[statement]` holds fields of every decision, `[otherwise]` those of decisions without a clause,
`[clauses.NAME]`, `[actions.NAME]` and `[account_actions.NAME]` those of one clause or action. An action without fields,
such as a warning, is no restriction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.errors import InputError, nearest
from evenhand.evidence import TableSource
from evenhand.exchange.dsa.appeal_census import APPEAL_COLUMNS
from evenhand.exchange.dsa.census import DECISION_COLUMNS
from evenhand.exchange.dsa.codes import (
    FULLY_AUTOMATED,
    ILLEGAL,
    INCOMPATIBLE,
    NOT_SPECIFIED_NOTICE,
    TRUSTED_FLAGGER,
    VOLUNTARY,
)
from evenhand.exchange.dsa.notice_census import NOTICE_COLUMNS
from evenhand.exchange.dsa.statement_rules import STATEMENT_FIELDS
from evenhand.exchange.records import SEVERAL, RecordTable
from evenhand.files import read_toml
from evenhand.output_folder import FolderContents, check_folder_writable, staged_folder
from evenhand.visible_text import spreadsheet_text

NAMES = ("decisions", "notices", "appeals")
CENSUS_FILES = FolderContents(tuple(f"{name}.csv" for name in NAMES))
ENDINGS = (".parquet", ".csv", ".jsonl")
NEEDED = {
    "decisions": ("decision_id", "created_at", "decided_at", "action", "automated", "source"),
    "notices": ("notice_id", "received_at", "action"),
    "appeals": ("appeal_id", "submitted_at", "action"),
}
OPTIONAL = {
    "decisions": ("account_action", "language", "clause", "ground", "territory", "until"),
    "notices": ("account_action", "clause", "trusted", "acted_at", "ground", "automated"),
    "appeals": ("account_action", "outcome", "decided_at"),
}
KEPT = {"decisions": DECISION_COLUMNS, "notices": NOTICE_COLUMNS, "appeals": APPEAL_COLUMNS}
WRITTEN = {
    "decisions": tuple(name for name in STATEMENT_FIELDS if name != "content_id"),
    "notices": (*NOTICE_COLUMNS, "trusted_flagger", "acted_at", "action", "automated"),
    "appeals": (*APPEAL_COLUMNS, "outcome", "decided_at"),
}
SOURCES = {"own": VOLUNTARY, "notice": "SOURCE_ARTICLE_16", "trusted_flagger": TRUSTED_FLAGGER}
GROUNDS = {"illegal": ILLEGAL, "terms": INCOMPATIBLE}
OUTCOMES = {"upheld": "upheld", "overturned": "reversed"}
RESTRICTIONS = ("visibility", "provision", "account", "monetary")
SECTIONS = ("statement", "otherwise", "clauses", "actions", "account_actions")
LEFT = "leave"
Fields = Mapping[str, str]


@dataclass(frozen=True)
class PlatformCodes:
    """What the platform's clauses and actions are in the Digital Services Act."""

    statement: Fields = field(default_factory=dict)
    otherwise: Fields = field(default_factory=dict)
    clauses: Mapping[str, Fields] = field(default_factory=dict)
    actions: Mapping[str, Fields] = field(default_factory=dict)
    account_actions: Mapping[str, Fields] = field(default_factory=dict)
    source: str = ""

    @classmethod
    def read(cls, path: Path) -> PlatformCodes:
        """From a TOML file; every field must be one of a statement of reasons."""
        content = read_toml(path)
        for name in content:
            if name not in SECTIONS:
                raise InputError(f"there is no section '{name}'; {nearest(name, SECTIONS)}", source=str(path))
        plain: dict[str, Any] = {name: _fields(content.get(name, {}), name, path) for name in SECTIONS[:2]}
        named: dict[str, Any] = {
            section: {name: _fields(one, f"{section}.{name}", path) for name, one in content.get(section, {}).items()}
            for section in SECTIONS[2:]
        }
        return cls(**plain, **named, source=str(path))

    def restriction(self, row: Mapping[str, Any]) -> Fields:
        """What a decision restricts, on the item and on the account of its author; the file must know both actions."""
        on_item = {} if row["action"] in (None, LEFT) else self._known("actions", row["action"])
        account = row.get("account_action")
        return {**on_item, **({} if account is None else self._known("account_actions", account))}

    def _known(self, section: str, name: str) -> Fields:
        described: Mapping[str, Fields] = getattr(self, section)
        if name not in described:
            problem = f"the action '{name}' is not described: add [{section}.{name}], empty if it restricts nothing"
            raise InputError(problem, source=self.source)
        return described[name]

    def clause(self, name: str | None) -> Fields:
        """The fields of a clause, or of decisions without one."""
        return self.clauses.get(name or "", self.otherwise)


def _fields(section_fields: object, section: str, path: Path) -> dict[str, str]:
    if not isinstance(section_fields, dict):
        raise InputError(f"[{section}] must be a table of fields", source=str(path))
    for name, value in section_fields.items():
        if name not in STATEMENT_FIELDS:
            problem = f"[{section}]: there is no field '{name}'; {nearest(name, STATEMENT_FIELDS)}"
            raise InputError(problem, source=str(path))
        if not isinstance(value, str | list) or not all(isinstance(part, str) for part in value):
            raise InputError(f"[{section}]: '{name}' must be a text or a list of codes", source=str(path))
    return {name: value if isinstance(value, str) else SEVERAL.join(value) for name, value in section_fields.items()}


@dataclass(frozen=True)
class DeskTables:
    """Decisions, notices and appeals, ready for `report dsa` and `statements write`."""

    tables: Mapping[str, pl.DataFrame]

    @classmethod
    def read(cls, folder: Path, codes: PlatformCodes) -> DeskTables:
        """From the folder that `store export` wrote."""
        return cls.from_census({name: _exported(folder, name) for name in NAMES}, codes)

    @classmethod
    def from_census(cls, census: Mapping[str, TableSource | None], codes: PlatformCodes) -> DeskTables:
        """From the census of a store: its tables of decisions, notices and appeals; None is an empty one."""
        decided = ((row, codes.restriction(row)) for row in _rows(census, "decisions"))
        rows = {
            "decisions": [_decision(row, codes, restriction) for row, restriction in decided if restriction],
            "notices": [_notice(row, codes) for row in _rows(census, "notices")],
            "appeals": [_appeal(row, codes) for row in _rows(census, "appeals")],
        }
        return cls(
            {name: pl.DataFrame(made, schema=dict.fromkeys(WRITTEN[name], pl.String)) for name, made in rows.items()}
        )

    def save(self, folder: Path) -> None:
        """Three files, or nothing; optional columns that are all empty are left out."""
        check_folder_writable(folder, CENSUS_FILES)
        with staged_folder(folder, CENSUS_FILES) as staging:
            for name, table in self.tables.items():
                used = [
                    column.name for column in table if column.name in KEPT[name] or column.null_count() < len(table)
                ]
                shown = table.select(pl.col(used).map_elements(spreadsheet_text, return_dtype=pl.String))
                shown.write_csv(staging / f"{name}.csv")


def _exported(folder: Path, name: str) -> Path | None:
    path = next((path for ending in ENDINGS if (path := folder / f"{name}{ending}").exists()), None)
    if path is None:
        problem = f"there is no table of {name}: give the folder that `evenhand store export` wrote"
        raise InputError(problem, source=str(folder))
    return path if path.stat().st_size else None  # JSON lines of nothing are an empty file


def _rows(census: Mapping[str, TableSource | None], name: str) -> Iterator[dict[str, Any]]:
    if (source := census[name]) is not None:
        table = RecordTable.read(source, NEEDED[name], OPTIONAL[name])
        table.check_complete(*(column for column in NEEDED[name] if column != "action" or name == "decisions"))
        table.check_words("source", SOURCES)
        table.check_words("ground", GROUNDS)
        yield from table.frame.iter_rows(named=True)


def _decision(row: Mapping[str, Any], codes: PlatformCodes, restriction: Fields) -> dict[str, str | None]:
    source, by_machine = row["source"], _is_yes(row["automated"])
    facts: dict[str, str | None] = {
        "puid": row["decision_id"],
        "content_date": row["created_at"][:10],
        "application_date": row["decided_at"][:10],
        "source_type": SOURCES[source],
        "automated_detection": "Yes" if source == "own" else "No",
        "automated_decision": FULLY_AUTOMATED if by_machine else "AUTOMATED_DECISION_NOT_AUTOMATED",
        "content_language": (row.get("language") or "")[:2].upper() or None,
        "territorial_scope": row.get("territory"),
    }
    if row.get("until"):
        facts |= {f"end_date_{kind}_restriction": row["until"][:10] for kind in _restricted(restriction)}
    ground = {"decision_ground": GROUNDS[row["ground"]]} if row.get("ground") in GROUNDS else {}
    fields = {**codes.statement, **codes.clause(row.get("clause")), **ground, **restriction}
    return {**dict.fromkeys(WRITTEN["decisions"]), **facts, **fields}


def _restricted(restriction: Fields) -> list[str]:
    """What is restricted, as end dates call it."""
    named = {"provision": "service"}
    return [named.get(kind, kind) for kind in RESTRICTIONS if restriction.get(f"decision_{kind}")]


def _notice(row: Mapping[str, Any], codes: PlatformCodes) -> dict[str, str | None]:
    fields = codes.clauses.get(row.get("clause") or "", {})
    return {
        "notice_id": row["notice_id"],
        "received_at": row["received_at"],
        "category": fields.get("category", NOT_SPECIFIED_NOTICE),
        "trusted_flagger": "yes" if _is_yes(row.get("trusted")) else "no",
        "acted_at": row.get("acted_at"),
        "action": None if row["action"] is None else _noticed_action(row, codes),
        "automated": "yes" if _is_yes(row.get("automated")) else "no",
    }


def _noticed_action(row: Mapping[str, Any], codes: PlatformCodes) -> str:
    if not codes.restriction(row):
        return "none"
    return "law" if row.get("ground") == "illegal" else "terms"


def _appeal(row: Mapping[str, Any], codes: PlatformCodes) -> dict[str, str | None]:
    fields = codes.restriction(row)
    about = next((kind for kind in RESTRICTIONS if fields.get(f"decision_{kind}")), "no_action")
    return {
        "appeal_id": row["appeal_id"],
        "submitted_at": row["submitted_at"],
        "about": about,
        "outcome": OUTCOMES.get(row.get("outcome") or ""),
        "decided_at": row.get("decided_at"),
    }


def _is_yes(text: str | None) -> bool:
    return (text or "").lower() == "true"
