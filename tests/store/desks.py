"""Stores for tests: with people, a policy and a clock that a test moves; and what must hold of every store."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from evenhand.store import DeskPolicy, NewItem, NewScore, Store, perform, rebuild, seal, signed_head, verify
from evenhand.store import events as ev
from evenhand.store.connection import Database
from evenhand.store.keys import StoreKeys
from evenhand.store.rebuilding import APART
from evenhand.store.schema import events, items, metadata, tasks
from evenhand.store.store import create_store

SECOND = 1_000_000
START = 1_800_000_000 * SECOND
PEOPLE = {"ana": "moderator", "bo": "moderator", "cy": "moderator", "lee": "lead", "max": "lead", "io": "service"}


@dataclass
class Clock:
    """Microseconds; one passes at every look."""

    at: int = START

    def __call__(self) -> int:
        self.at += 1
        return self.at

    def pass_seconds(self, seconds: float) -> None:
        self.at += int(seconds * SECOND)


@dataclass
class Chances:
    """Numbers from 0 to 1, the same in every run."""

    state: int = 1

    def __call__(self) -> float:
        self.state = self.state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        return (self.state >> 11) / (1 << 53)


@dataclass
class Desk:
    """A store that people work with."""

    store: Store
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.store.clock, self.store.chance = self.clock, Chances()

    def do(self, name: str, actor: str = "system", /, **more: Any) -> dict[str, Any]:
        return perform(self.store, name, actor=actor, **more)

    def staff(self, **policy: Any) -> Desk:
        for person, role in PEOPLE.items():
            self.do("invite", person=person, role=role)
        settings = {"upper": 0.9, "lower": 0.1, "measured": 0.3, "reserved": 0.3, "second": 0.2, **policy}
        self.do("activate", "lee", policy=DeskPolicy.from_thresholds(**settings))
        return self

    def receive(self, *scores: float, prefix: str = "e", **more: Any) -> list[str]:
        made = [
            NewItem(f"{prefix}{number}", f"text {number} {score}", scores=[NewScore("m", "1", score)], **more)
            for number, score in enumerate(scores)
        ]
        return [answer["item"] for answer in self.do("receive", "io", items=made)["items"]]

    def row(self, item: str) -> Any:
        with self.store.database.reading() as connection:
            return connection.execute(sa.select(items).where(items.c.id == item)).one()

    def history(self, item: str) -> list[ev.StoreEvent]:
        with self.store.database.reading() as connection:
            query = sa.select(events).where(events.c.stream == item).order_by(events.c.version)
            return [ev.read_event(row.kind, row.payload) for row in connection.execute(query)]


def sqlite_desk(folder: Path, name: str = "desk.db", **policy: Any) -> Desk:
    """In a file that does not wait for the disk, as what is tested with it survives no power cut anyway."""
    store = create_store(str(folder / name))
    store.close()
    sa.event.listen(store.database.engine, "connect", lambda raw, _: raw.execute("PRAGMA synchronous = OFF"))
    return Desk(store).staff(**policy)


def emptied(url: str, folder: Path) -> Desk:
    """A fresh store in a PostgreSQL database that may hold an old one."""
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    engine.dispose()
    key = folder / f"{len(list(folder.iterdir()))}.key"
    return Desk(create_store(url, key=key))


def check(store: Store) -> None:
    """What holds of every store, whatever was done with it."""
    seal(store)
    result = verify(store, signed_head(store))
    assert result.ok, result.fault
    assert result.unsealed == 0
    again = rebuild(store)
    assert again.same, again.difference
    with store.database.reading() as connection:
        _check_items(connection)
        _check_tasks(connection)


def streams(connection: sa.Connection) -> Iterator[tuple[str, list[tuple[str, ev.StoreEvent]]]]:
    found = defaultdict(list)
    for row in connection.execute(sa.select(events).order_by(events.c.number)):
        found[row.stream].append((row.actor, ev.read_event(row.kind, row.payload)))
    yield from found.items()


def _check_items(connection: sa.Connection) -> None:
    rows = {row.id: row for row in connection.execute(sa.select(items))}
    received = 0
    for stream, history in streams(connection):
        if stream not in rows:
            assert stream in APART or stream.startswith("study-")
            continue
        received += 1
        row, kinds = rows[stream], Counter(event.kind for _, event in history)
        undone = sum(isinstance(event, ev.Undone) and event.decision is not None for _, event in history)
        effective = kinds["decided"] - kinds["reversed"] - undone
        assert effective == (row.basis in ("review", "measurement", "resolve", "appeal")), (stream, kinds)
        assert row.notices == kinds["noticed"]
        assert min(row.notices, 1) <= row.reporters <= row.notices
        if row.gold is not None:
            assert not kinds["decided"]
            assert row.action is None
        _check_nobody_twice(history)
    assert received == len(rows)


def _check_nobody_twice(history: list[tuple[str, ev.StoreEvent]]) -> None:
    """Whoever has judged, skipped, passed on or reversed an item never gets it again, and never two tasks of it."""
    done: dict[str, str] = {}
    first: dict[str, str] = {}
    for actor, event in history:
        if isinstance(event, ev.Decided) and event.task is None:
            done[actor] = "a reversal"
        if isinstance(event, ev.TaskClaimed):
            assert event.person not in done
            assert first.setdefault(event.person, event.task) == event.task
        if isinstance(event, ev.Judged | ev.TaskSkipped | ev.TaskEscalated) and event.person:
            done[event.person] = event.task
        if isinstance(event, ev.Undone):
            assert done.pop(event.person) == event.task


def _check_tasks(connection: sa.Connection) -> None:
    for row in connection.execute(sa.select(tasks)):
        held = row.holder is not None and row.lease_until is not None
        assert held == (row.state == "claimed")
        assert (row.done_at is not None) == (row.state in ("done", "withdrawn"))
        assert row.state in ("waiting", "claimed", "done", "withdrawn")


def reopened(store: Store) -> Store:
    """Another process with the same store."""
    return Store(Database(store.database.url.render_as_string(hide_password=False)), store.keys, clock=store.clock)


__all__ = ["PEOPLE", "Clock", "Desk", "StoreKeys", "check", "emptied", "metadata", "reopened", "sqlite_desk"]
