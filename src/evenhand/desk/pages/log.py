"""The log: every event, the newest first, with filters. It shows what was recorded, never the text of an item."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import sqlalchemy as sa

from evenhand.desk import feeds
from evenhand.store import Store, schema
from evenhand.store.erasure import DAY
from evenhand.store.events import KINDS, REFERENCES, read_event
from evenhand.store.reasons import reason_texts

PER_PAGE = 50
PIECE = 2000  # events in memory while all are written
DAYS_OF = ("since", "until")
LONGEST = 120  # characters of one detail
TIMES = frozenset({"until", "reopened", "created_at", "decided_at"})  # microseconds
NOT_SHOWN = (REFERENCES - {"reason"}) | {"task", "document", "attributes", "public_key"}


@dataclass(frozen=True)
class LogFilter:
    """Which events: by kind, by who acted, by the item's id at the platform, between two days, up to a number."""

    kind: str = ""
    actor: str = ""
    item: str = ""
    since: str = ""  # the first and the last day, in UTC
    until: str = ""
    before: int | None = None

    @classmethod
    def from_values(cls, values: Mapping[str, str]) -> LogFilter:
        """From the query of an address; what makes no sense is left out."""
        before = values.get("before", "")
        known = values.get("kind", "") if values.get("kind") in KINDS else ""
        number = int(before) if before.isascii() and before.isdigit() and len(before) < 19 else None
        since, until = (text if _begin_of(text := values.get(name, "")) is not None else "" for name in DAYS_OF)
        return cls(known, values.get("actor", "")[:200], values.get("item", "")[:512], since, until, number)

    @property
    def address(self) -> str:
        """The query of an address with this filter, from its newest events."""
        names = ("kind", "actor", "item", *DAYS_OF)
        return urlencode({name: getattr(self, name) for name in names})


@dataclass(frozen=True)
class LogEntry:
    """One event."""

    id: int
    number: int | None  # once sealed
    at: str
    kind: str
    actor: str
    item: str | None
    details: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class LogPage:
    """Events, and where older ones begin."""

    chosen: LogFilter
    kinds: tuple[str, ...]
    entries: tuple[LogEntry, ...]
    older: int | None


def log_page(store: Store, chosen: LogFilter) -> LogPage:
    """The newest events that a filter lets through."""
    events, items = schema.events, schema.items
    query = sa.select(events, items.c.external_id).join(items, items.c.id == events.c.stream, isouter=True)
    wanted = {events.c.kind: chosen.kind, events.c.actor: chosen.actor, items.c.external_id: chosen.item}
    for column, value in wanted.items():
        if value:
            query = query.where(column == value)
    if (begin := _begin_of(chosen.since)) is not None:
        query = query.where(events.c.at >= begin)
    if (last := _begin_of(chosen.until)) is not None:
        query = query.where(events.c.at < last + DAY)
    if chosen.before is not None:
        query = query.where(events.c.id < chosen.before)
    with store.database.reading() as connection:
        rows = connection.execute(query.order_by(events.c.id.desc()).limit(PER_PAGE + 1)).all()
        read = [read_event(row.kind, row.payload) for row in rows]
        texts = reason_texts(connection, (getattr(event, "reason", None) for event in read))
    shown = tuple(_entry(row, texts) for row in rows[:PER_PAGE])
    return LogPage(chosen, tuple(sorted(KINDS)), shown, shown[-1].id if len(rows) > PER_PAGE else None)


def _begin_of(day: str) -> int | None:
    """The first microsecond of a day that is written as 2026-01-31."""
    try:
        return int(datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()) * 1_000_000
    except ValueError:
        return None


def event_lines(store: Store) -> Iterator[str]:
    """All sealed events from the first, a line of JSON each, as the API has them."""
    after = 0
    while True:
        with store.database.reading() as connection:
            piece = feeds.events_after(connection, after, PIECE)
        if not piece["events"]:
            return
        yield "".join(json.dumps(event, sort_keys=True) + "\n" for event in piece["events"])
        after = piece["next"]


def _entry(row: Any, texts: Mapping[str, str | None]) -> LogEntry:
    payload = {name: value for name, value in json.loads(row.payload).items() if name not in NOT_SHOWN}
    if isinstance(payload.get("reason"), list):
        payload["reason"] = texts.get(payload["reason"][0])
    details = tuple(
        (name, _short(name, value)) for name, value in sorted(payload.items()) if value not in (None, "", [])
    )
    return LogEntry(row.id, row.number, time_of(row.at), row.kind, row.actor, row.external_id, details)


def time_of(at: int) -> str:
    """To the second, in UTC."""
    return datetime.fromtimestamp(at / 1e6, UTC).strftime("%Y-%m-%d %H:%M:%S")


def time_of_event(store: Store, number: int) -> str:
    """When a sealed event happened."""
    events = schema.events
    with store.database.reading() as connection:
        at = connection.scalar(sa.select(events.c.at).where(events.c.number == number))
    return "" if at is None else time_of(at)


def _short(name: str, value: Any) -> str:
    if name in TIMES and isinstance(value, int):
        return time_of(value)
    text = value if isinstance(value, str) else f"{value:.4g}" if isinstance(value, float) else json.dumps(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
