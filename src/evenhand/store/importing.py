"""Decisions of the past, from a platform's own table, as items of the store: a batch is one transaction.

An item that the store knows by its external id stays as it is, so that an import that was interrupted can be repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from evenhand.errors import InputError, nearest
from evenhand.evidence.source import Source, open_source
from evenhand.progress import Progress, silent
from evenhand.store import schema
from evenhand.store.cases import BENIGN, VERDICTS, VIOLATING, Case
from evenhand.store.events import ItemImported
from evenhand.store.ledger import EventLedger, batches, new_id
from evenhand.store.store import Store

BATCH = 10_000
COLUMNS = (
    *("id", "text", "author", "language", "community", "created_at", "score", "model", "model_version"),
    *("verdict", "action", "decided_by", "decided_at"),
)
TIMES = ("created_at", "decided_at")
WORDS = {"1": VIOLATING, "0": BENIGN, "true": VIOLATING, "false": BENIGN, **{word: word for word in VERDICTS}}


@dataclass(frozen=True)
class StoreImport:
    """How many items are new, and how many the store knew."""

    new: int
    known: int


def import_decisions(store: Store, path: str, columns: Mapping[str, str], progress: Progress = silent) -> StoreImport:
    """Take in a table; `columns` maps names of `COLUMNS` to columns of the table."""
    source = open_source(path)
    _check_columns(source, columns)
    new = known = row = 0
    wanted = list(dict.fromkeys(columns.values()))
    for batch in source.batches(BATCH, columns=wanted, verbatim=True):
        items = [_item(source, columns, values, row + place) for place, values in enumerate(batch.to_dicts(), 1)]
        with store.write() as ledger:
            added = _add(ledger, items)
        new, known, row = new + added, known + len(items) - added, row + len(items)
        progress("importing", row, row)
    return StoreImport(new, known)


def parse_columns(told: Sequence[str]) -> dict[str, str]:
    """Columns by role, from ROLE=COLUMN."""
    columns: dict[str, str] = {}
    for one in told:
        role, equals, column = one.partition("=")
        if not equals or not column or role in columns:
            raise InputError(f"invalid `column`: '{one}' (must be ROLE=COLUMN, each role once)")
        columns[role] = column
    return columns


def _check_columns(source: Source, columns: Mapping[str, str]) -> None:
    if unknown := set(columns) - set(COLUMNS):
        name = min(unknown)
        raise InputError(f"invalid `column`: there is no role '{name}'; {nearest(name, COLUMNS)}")
    if "id" not in columns:
        raise InputError("set `column` to id=COLUMN, the column of ids")
    for column in columns.values():
        if column not in source.columns():
            raise source.unknown_column(column)


def _item(source: Source, columns: Mapping[str, str], values: dict[str, Any], row: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, column in columns.items():
        try:
            value = values[column]
            made[name] = None if value is None or value == "" else _READERS.get(name, str)(value)
        except (ValueError, KeyError, OverflowError):
            allowed = {"verdict": f"one of {', '.join(WORDS)}", "score": "a number from 0 to 1"}
            must = allowed.get(name, "a date and time, as in 2026-01-31T12:00:00Z")
            raise InputError(
                f"invalid: '{values[column]}' (must be {must})", source=source.name, column=column, row=row
            ) from None
    if made["id"] is None:
        raise InputError("an item has no id", source=source.name, column=columns["id"], row=row)
    return made


def _score(value: Any) -> float:
    number = float(value)
    if not 0.0 <= number <= 1.0:
        raise ValueError("not a probability")
    return number


def _time(value: Any) -> int:
    when = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return round(when.timestamp() * 1_000_000)


_READERS = {
    "verdict": lambda value: WORDS[str(value).strip().lower().removesuffix(".0")],
    "score": _score,
    "created_at": _time,
    "decided_at": _time,
}


def _add(ledger: EventLedger, items: list[dict[str, Any]]) -> int:
    table, known = schema.items, set[str]()
    names = [item["id"] for item in items]
    for batch in batches(names, 500):
        known.update(ledger.connection.scalars(sa.select(table.c.external_id).where(table.c.external_id.in_(batch))))
    ledger.look_up_keys("author", (item.get("author") for item in items))
    added = 0
    for item in items:
        if item["id"] in known:
            continue
        known.add(item["id"])
        _import(ledger, item)
        added += 1
    return added


def _import(ledger: EventLedger, values: dict[str, Any]) -> None:
    name = new_id(ledger.at)
    kept = {key: value for key, value in values.items() if key not in ("id", "text", "author")}
    if kept.get("action") is None and kept.get("verdict") in (VIOLATING, BENIGN):
        kept["action"] = "remove" if kept["verdict"] == VIOLATING else "leave"
    text, author = ledger.keep("text", values.get("text"), name), ledger.keep("author", values.get("author"))
    event = ItemImported(external_id=values["id"], text=text, author=author, **kept)
    case = Case.begin(name, ledger.at, event)
    ledger.begin(case)
    ledger.record(case, event)
