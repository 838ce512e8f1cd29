"""A store as it was at a snapshot: its items and tasks after the event with a sealed number.

At the last event the stored state is read; at an earlier one it is derived from the events up to there. Both give the
same rows, which a test compares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from evenhand.errors import ErrorKind, InputError
from evenhand.store import events as ev
from evenhand.store import schema
from evenhand.store.chain import GENESIS, last_sealed, seal
from evenhand.store.rebuilding import APART, derive_case, event_streams
from evenhand.store.store import Store


@dataclass(frozen=True)
class StoreSnapshot:
    """The state after event `number`, whose hash in the chain stands for all that was before it.

    `items` and `tasks` have the columns of the tables of these names, in the order of their ids; `roles` is by person.
    """

    store: str
    number: int
    chain: str
    items: Sequence[Any]
    tasks: Sequence[Any]
    roles: Mapping[str, str]

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"store {self.store[:8]} at event {self.number:,}"


def read_snapshot(store: Store, number: int | None = None) -> StoreSnapshot:
    """The state at a number; without one, after what is committed now."""
    if number is None:
        seal(store)
    with store.database.reading() as connection:
        last, chain = last_sealed(connection)
        number = last if number is None else number
        check_number(number, last, store.name)
        if number == last and not _unsealed(connection):
            items, tasks = _stored(connection)
        else:
            chain = _chain_at(connection, number)
            items, tasks = _derived(connection, number)
        return StoreSnapshot(store.id, number, chain.hex(), items, tasks, _roles(connection, number))


def check_number(number: int, last: int, source: str) -> None:
    """`InputError` where no sealed event has this number."""
    if not 1 <= number <= last:
        problem = f"invalid `snapshot`: {number} (must be from 1 to {last:,}, the last sealed event)"
        raise InputError(problem, source=source, kind=ErrorKind.NOT_FOUND if number > last else ErrorKind.INVALID)


def _unsealed(connection: sa.Connection) -> bool:
    events = schema.events
    return connection.scalar(sa.select(events.c.id).where(events.c.number.is_(None)).limit(1)) is not None


def _stored(connection: sa.Connection) -> tuple[Sequence[Any], Sequence[Any]]:
    items, tasks = schema.items, schema.tasks
    rows = connection.execute(sa.select(items)).all()
    return _by_id(rows), _by_id(connection.execute(sa.select(tasks)).all())


def _derived(connection: sa.Connection, number: int) -> tuple[Sequence[Any], Sequence[Any]]:
    streams = event_streams(connection, at=number)
    cases = [derive_case(stream, history) for stream, history in streams if stream not in APART]
    return _by_id(case.item for case in cases), _by_id(task for case in cases for task in case.tasks.values())


def _by_id(rows: Any) -> Sequence[Any]:
    """In an order that no database chooses."""
    return sorted(rows, key=lambda row: row.id)


def _chain_at(connection: sa.Connection, number: int) -> bytes:
    events = schema.events
    return bytes(connection.scalar(sa.select(events.c.chain).where(events.c.number == number)) or GENESIS)


def _roles(connection: sa.Connection, number: int) -> dict[str, str]:
    events = schema.events
    query = sa.select(events.c.kind, events.c.payload).where(events.c.stream == "people", events.c.number <= number)
    recorded = (ev.read_event(row.kind, row.payload) for row in connection.execute(query.order_by(events.c.number)))
    return {event.person: event.role for event in recorded if isinstance(event, ev.PersonInvited)}
