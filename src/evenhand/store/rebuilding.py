"""The state derived again from the events, item by item, and compared with the state that is stored.

Events are read in the order of their streams, so that only one batch of items is in memory. A difference names the item
and the column; `repair` puts the derived rows in the place of the stored ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any, NamedTuple

import sqlalchemy as sa

from evenhand.store import events as ev
from evenhand.store import schema
from evenhand.store import study_events as study_ev
from evenhand.store.cases import Case, task_row
from evenhand.store.store import Store
from evenhand.store.study_state import StudyCase

BATCH = 500  # items
APART = ("policy", "people", "store", "suggestions")  # streams that are not items
OWNERS = {"items": "id", "tasks": "item", "seen": "item", "notices": "item", "studies": "id"} | dict.fromkeys(
    ("study_batches", "study_items", "study_tasks"), "study"
)  # the column that says to which item or study a row belongs
Rows = dict[tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True)
class Rebuild:
    """What a rebuild found: how many items and events, and the first difference, if there is one.

    >>> eh.store.rebuild(eh.store.create_store("desk.db")).same
    True
    """

    items: int
    events: int
    difference: str | None = None

    @property
    def same(self) -> bool:
        """Derived and stored state are equal."""
        return self.difference is None


class RecordedEvent(NamedTuple):
    """An event with its number in the chain, its time and who caused it."""

    number: int | None
    at: int
    actor: str
    event: ev.StoreEvent


class DerivedState:
    """Rows by table and key, derived from events."""

    def __init__(self) -> None:
        self.rows: dict[str, Rows] = {table.name: {} for table in schema.DERIVED}
        self.events = 0

    def add_case(self, case: Case) -> None:
        """All rows of one item."""
        item = case.item.id
        self.rows["items"][(item,)] = case.row()
        self.rows["tasks"] |= {(task.id,): task_row(task) for task in case.tasks.values()}
        self.rows["notices"] |= {(item, row["version"]): row for row in case.notices}
        for person, (task, final) in case.seen.items():
            self.rows["seen"][item, person] = {"item": item, "person": person, "task": task, "final": final}

    def add_study(self, case: StudyCase) -> None:
        """All rows of one study."""
        for name, rows in case.rows().items():
            keys = tuple(column.name for column in schema.metadata.tables[name].primary_key)
            self.rows[name] |= {tuple(row[key] for key in keys): row for row in rows}

    def add_apart(self, event: ev.StoreEvent, at: int, actor: str) -> None:
        """An event of a policy or a person."""
        if isinstance(event, ev.PolicyActivated):
            document = json.dumps(event.document, sort_keys=True)
            row = {"version": event.policy, "document": document, "activated_at": at, "activated_by": actor}
            self.rows["policies"][(event.policy,)] = row
        if isinstance(event, ev.PersonInvited):
            queues = json.dumps(list(event.queues))
            row = {"id": event.person, "role": event.role, "queues": queues, "active": event.active}
            self.rows["people"][(event.person,)] = row


def event_streams(
    connection: sa.Connection, *, at: int | None = None, only: sa.Select[tuple[str]] | None = None
) -> Iterator[tuple[str, list[RecordedEvent]]]:
    """The events of each stream in order; at a snapshot, those that were sealed up to this number."""
    events = schema.events
    query = sa.select(events).order_by(events.c.stream, events.c.version)
    if at is not None:
        query = query.where(events.c.number <= at)
    if only is not None:
        query = query.where(events.c.stream.in_(only))
    rows = connection.execute(query.execution_options(yield_per=5000))
    for stream, history in groupby(rows, key=lambda row: str(row.stream)):
        yield (
            stream,
            [RecordedEvent(row.number, row.at, row.actor, ev.read_event(row.kind, row.payload)) for row in history],
        )


def derive_case(item: str, history: list[RecordedEvent]) -> Case:
    """An item as its events left it."""
    first = history[0].event
    assert isinstance(first, ev.Received | ev.ItemImported)
    case = Case.begin(item, history[0].at, first)
    for recorded in history:
        case.apply(recorded.event, recorded.at, recorded.actor)
    return case


def derive_study(history: list[RecordedEvent]) -> StudyCase:
    """A study as its events left it."""
    first = history[0]
    assert isinstance(first.event, study_ev.StudyOpened)
    case = StudyCase.begin(first.event, first.at, first.actor)
    for recorded in history:
        case.apply(recorded.event, recorded.at, recorded.actor)
    return case


def is_study(stream: str) -> bool:
    """Whether the events of a stream are those of a study."""
    return stream.startswith(study_ev.STREAM)


def derive(streams: Iterator[tuple[str, list[RecordedEvent]]]) -> Iterator[DerivedState]:
    """The state of batches of streams."""
    while True:
        state = DerivedState()
        for stream, history in islice(streams, BATCH):
            state.events += len(history)
            if is_study(stream):
                state.add_study(derive_study(history))
                continue
            if stream not in APART:
                state.add_case(derive_case(stream, history))
                continue
            for recorded in history:
                state.add_apart(recorded.event, recorded.at, recorded.actor)
        if not state.events:
            return
        yield state


def rebuild(store: Store, *, repair: bool = False) -> Rebuild:
    """Derive the state again; where it differs, say the first difference, or put it right.

    >>> store = eh.store.create_store("desk.db")
    >>> eh.store.rebuild(store).items
    0
    """
    totals, difference, items, count = dict[str, int](), None, 0, 0
    opened = store.database.writing() if repair else store.database.reading()
    with opened as connection:
        if repair:
            for table in schema.DERIVED:
                connection.execute(table.delete())
        for state in derive(event_streams(connection)):
            items, count = items + len(state.rows["items"]), count + state.events
            for name, rows in state.rows.items():
                totals[name] = totals.get(name, 0) + len(rows)
            if repair:
                _write(connection, state)
            else:
                difference = difference or _difference(connection, state)
        difference = difference or (None if repair else _left_over(connection, totals))
    return Rebuild(items, count, difference)


def _write(connection: sa.Connection, state: DerivedState) -> None:
    for table in schema.DERIVED:
        if rows := list(state.rows[table.name].values()):
            connection.execute(table.insert(), rows)


def _difference(connection: sa.Connection, state: DerivedState) -> str | None:
    for table in schema.DERIVED:
        expected = state.rows[table.name]
        stored = _stored(connection, table, expected)
        for key, row in expected.items():
            where = f"{table.name} {', '.join(map(str, key))}"
            if key not in stored:
                return f"{where}: the row is missing"
            for name, value in row.items():
                if stored[key][name] != value:
                    return f"{where}: {name} is {stored[key][name]!r}, and the events say {value!r}"
    return None


def _stored(connection: sa.Connection, table: sa.Table, expected: Rows) -> Rows:
    """The stored rows of the same items, or all of a small table."""
    keys = tuple(column.name for column in table.primary_key)
    query = sa.select(table)
    owner = OWNERS.get(table.name)
    if owner is not None:
        query = query.where(table.c[owner].in_(sorted({str(row[owner]) for row in expected.values()})))
    rows = [dict(row._mapping) for row in connection.execute(query)] if expected else []
    return {tuple(row[name] for name in keys): row for row in rows}


def _left_over(connection: sa.Connection, totals: dict[str, int]) -> str | None:
    for table in schema.DERIVED:
        stored = int(connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0)
        if stored != totals.get(table.name, 0):
            return f"{table.name}: {stored:,} rows are stored, and the events say {totals.get(table.name, 0):,}"
    return None
