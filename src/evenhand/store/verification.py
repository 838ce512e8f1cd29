"""Does the chain hold? The first event that does not fit is named, and what is missing or rewritten is found."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import sqlalchemy as sa

from evenhand.store import schema
from evenhand.store.chain import GENESIS, ChainHead
from evenhand.store.events import KINDS, may_refer, payload_references
from evenhand.store.ledger import content_hash
from evenhand.store.store import Store

BATCH = 20_000


@cache
def kinds_with_contents() -> frozenset[str]:
    """The kinds of events that can refer to contents."""
    return frozenset(name for name, kind in KINDS.items() if may_refer(kind))


@dataclass(frozen=True)
class ChainCheck:
    """What a verification found: how many events were checked, and the first fault, if there is one.

    >>> eh.store.verify(eh.store.create_store("desk.db")).events
    0
    """

    events: int
    unsealed: int
    contents: int
    fault: str | None = None
    number: int | None = None  # of the event that does not fit

    @property
    def ok(self) -> bool:
        """Nothing is wrong."""
        return self.fault is None

    def record(self) -> dict[str, Any]:
        """Plain data."""
        names = ("events", "unsealed", "contents", "fault", "number")
        return {"ok": self.ok, **{name: getattr(self, name) for name in names}}


class _MismatchError(Exception):
    def __init__(self, problem: str, number: int | None = None) -> None:
        super().__init__(problem)
        self.number = number


def verify(store: Store, head: ChainHead | None = None) -> ChainCheck:
    """Check every sealed event against the chain, contents against their hashes, and the head, where one is given.

    >>> store = eh.store.create_store("desk.db")
    >>> head = eh.store.signed_head(store)
    >>> eh.store.verify(store, head).ok
    True
    """
    checked, contents, fault, number = 0, 0, None, None
    with store.database.reading() as connection:
        unsealed = int(connection.scalar(sa.select(sa.func.count()).where(schema.events.c.number.is_(None))) or 0)
        try:
            if head is not None:
                _check_head(store, head)
            for last, links in _links(connection, head):
                checked = last
                contents += _check_contents(connection, links)
            if head is not None and head.number > checked:
                missing = f"events {checked + 1:,} to {head.number:,} are missing: the end was cut off"
                raise _MismatchError(f"{missing} after the head was signed", checked + 1)
        except _MismatchError as found:
            fault, number = str(found), found.number
            checked = checked if number is None else number - 1
    return ChainCheck(checked, unsealed, contents, fault, number)


def _check_head(store: Store, head: ChainHead) -> None:
    if head.store != store.id:
        raise _MismatchError("the head belongs to another store")
    if not head.is_genuine(store.keys.public):
        raise _MismatchError("the head was not signed with the key of this store")


def _links(connection: sa.Connection, head: ChainHead | None) -> Iterator[tuple[int, list[tuple[int, str, str]]]]:
    """Batch by batch: the last number that fits, and the events of the batch that refer to contents."""
    events, number, chain, sha256 = schema.events, 0, GENESIS, hashlib.sha256
    columns = (events.c.number, events.c.chain, events.c.stream, events.c.version, events.c.at, events.c.kind)
    query = sa.select(*columns, events.c.actor, events.c.payload).where(events.c.number.is_not(None))
    rows = connection.execute(query.order_by(events.c.number).execution_options(yield_per=BATCH))
    with_contents = kinds_with_contents()
    expected_at_head = None if head is None else (head.number, head.chain)
    for batch in rows.partitions(BATCH):
        referring = []
        for found, stored, stream, version, at, kind, actor, payload in batch:
            number += 1
            if found != number:
                raise _MismatchError(f"event {number:,} is missing: the next one is {found:,}", number)
            body = f"{stream}\x1f{version}\x1f{at}\x1f{kind}\x1f{actor}\x1f{payload}".encode()
            chain = sha256(chain + number.to_bytes(8, "big") + body).digest()
            if chain != stored:
                raise _MismatchError(
                    f"event {number:,} ({kind}) does not fit: it was changed after it was sealed", number
                )
            if expected_at_head and number == expected_at_head[0] and chain.hex() != expected_at_head[1]:
                raise _MismatchError(
                    f"the history up to event {number:,} was rewritten after the head was signed", number
                )
            if kind in with_contents:
                referring.append((number, kind, payload))
        yield number, referring


def _check_contents(connection: sa.Connection, links: list[tuple[int, str, str]]) -> int:
    """Contents that are there are what their events say; those that were erased have neither value nor salt."""
    expected = {}
    for number, _, payload in links:
        for reference in payload_references(json.loads(payload)).values():
            expected[reference.id] = (number, reference.sha256)
    checked, there = 0, set[str]()
    for name, value, salt in connection.execute(*_contents_query(connection, list(expected))):
        number, sha256 = expected[name]
        there.add(name)
        if salt is None and value is None:
            continue
        checked += 1
        if salt is None or value is None or content_hash(bytes(salt), value) != sha256:
            raise _MismatchError(f"a content of event {number:,} is not the one that was received", number)
    if lost := expected.keys() - there:
        number = min(expected[name][0] for name in lost)
        raise _MismatchError(f"a content of event {number:,} is missing without a record of its erasure", number)
    return checked


def _contents_query(connection: sa.Connection, names: list[str]) -> tuple[sa.TextClause, dict[str, Any]]:
    """One statement for any number of names."""
    if connection.dialect.name == "sqlite":
        return _SQLITE_CONTENTS, {"names": json.dumps(names)}
    return _POSTGRES_CONTENTS, {"names": names}


_SQLITE_CONTENTS = sa.text("SELECT id, value, salt FROM contents WHERE id IN (SELECT value FROM json_each(:names))")
_POSTGRES_CONTENTS = sa.text("SELECT id, value, salt FROM contents WHERE id = ANY(:names)")
