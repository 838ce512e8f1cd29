"""One write to the store: cases are loaded and locked, events recorded, and all of it stored in one transaction.

Events are inserted after the rows that they change are locked. So the number of an event is larger than that of every
event that its author could know of, and sealing in the order of numbers keeps cause before effect.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from evenhand.errors import EvenhandError
from evenhand.store import schema
from evenhand.store.cases import Case, ItemState, TaskState, task_row
from evenhand.store.events import ContentRef, StoreEvent
from evenhand.store.roles import SYSTEM, StaffMember

if TYPE_CHECKING:
    from evenhand.store.policy import DeskPolicy
    from evenhand.store.store import Store


class ConflictError(EvenhandError):
    """Somebody else changed it meanwhile, has it, or has decided: look at it again. Nothing was changed.

    >>> raise_conflict = eh.store.ConflictError("the task is held by somebody else")
    >>> str(raise_conflict)
    'the task is held by somebody else'
    """

    exit_code = 2


class MissingError(ConflictError):
    """There is no such item or task."""


class ForbiddenError(EvenhandError):
    """The person may not do that.

    >>> issubclass(eh.store.ForbiddenError, eh.EvenhandError)
    True
    """

    exit_code = 2


def new_id(at: int) -> str:
    """An id that nobody can foresee and that grows with time, so that new rows lie together."""
    return f"{at:014x}{secrets.token_hex(6)}"


def content_hash(salt: bytes, value: str) -> str:
    """What an event holds of a content."""
    return hashlib.sha256(salt + value.encode()).hexdigest()


class EventLedger:
    """A transaction that writes: by whom, and when."""

    def __init__(self, store: Store, connection: sa.Connection, actor: str, at: int) -> None:
        self.store, self.connection, self.actor, self.at = store, connection, actor, at
        self._cases: dict[str, Case] = {}
        self._new, self._changed = dict[str, None](), dict[str, None]()
        self._loaded: dict[str, dict[str, Any]] = {}  # rows of tasks
        self._events: list[dict[str, Any]] = []
        self._contents: list[dict[str, Any]] = []
        self._keys: dict[tuple[str, str], ContentRef | None] = {}  # None: nobody is kept under it

    @cached_property
    def _policy(self) -> tuple[int, DeskPolicy]:
        return self.store.policy(self.connection)

    @property
    def policy(self) -> DeskPolicy:
        """The policy that holds."""
        return self._policy[1]

    @property
    def policy_version(self) -> int:
        """Its version."""
        return self._policy[0]

    @cached_property
    def member(self) -> StaffMember:
        """Who acts; `ForbiddenError` where they do not work here."""
        if self.actor == SYSTEM:
            return StaffMember(SYSTEM, None)
        row = self.connection.execute(sa.select(schema.people).where(schema.people.c.id == self.actor)).first()
        if row is None or not row.active:
            raise ForbiddenError(
                f"'{self.actor:.100}' has no access to this store: a lead or administrator must invite them"
            )
        return StaffMember(row.id, row.role, tuple(json.loads(row.queues)))

    # what there is

    def case(self, item: str) -> Case:
        """An item with its tasks, locked; `ConflictError` where there is none."""
        if item not in self._cases and not self.cases([item]):
            raise MissingError(f"there is no item '{item}'")
        return self._cases[item]

    def cases(self, items: Iterable[str]) -> list[Case]:
        """Several, in the order of their ids, so that two writers never wait for one another."""
        wanted = sorted(set(items))
        missing = [item for item in wanted if item not in self._cases]
        rows, tasks = schema.items, schema.tasks
        for batch in batches(missing, 500):
            query = sa.select(rows).where(rows.c.id.in_(batch)).order_by(rows.c.id).with_for_update()
            for row in self.connection.execute(query):
                self._cases[row.id] = Case(ItemState(**row._mapping))
            for row in self.connection.execute(sa.select(tasks).where(tasks.c.item.in_(batch))):
                self._cases[row.item].tasks[row.id] = TaskState(**row._mapping)
                self._loaded[row.id] = dict(row._mapping)
        return [self._cases[item] for item in wanted if item in self._cases]

    def case_of_task(self, task: str) -> tuple[Case, TaskState]:
        """A task and what it belongs to."""
        item = self.connection.scalar(sa.select(schema.tasks.c.item).where(schema.tasks.c.id == task))
        if item is None:
            raise MissingError(f"there is no task '{task}'")
        case = self.case(item)
        return case, case.tasks[task]

    # what happens

    def begin(self, case: Case) -> None:
        """A case that is new."""
        self._cases[case.item.id] = case
        self._new[case.item.id] = None

    def record(self, case: Case, event: StoreEvent, *, actor: str | None = None) -> None:
        """An event of an item."""
        actor = self.actor if actor is None else actor
        case.apply(event, self.at, actor)
        self._add(case.item.id, case.item.version, event, actor)
        if case.item.id not in self._new:
            self._changed[case.item.id] = None

    def record_apart(self, stream: str, event: StoreEvent) -> None:
        """An event that is not about one item."""
        events = schema.events
        last = self.connection.scalar(sa.select(sa.func.max(events.c.version)).where(events.c.stream == stream))
        pending = sum(row["stream"] == stream for row in self._events)
        self._add(stream, (last or 0) + pending + 1, event, self.actor)

    def _add(self, stream: str, version: int, event: StoreEvent, actor: str) -> None:
        row = {"stream": stream, "version": version, "at": self.at, "kind": event.kind, "actor": actor}
        self._events.append({**row, "payload": event.payload()})

    def keep(self, kind: str, value: str | None, item: str | None = None) -> ContentRef | None:
        """Keep a content apart from the events, with a salt of its own; keys of people are kept once."""
        if value is None:
            return None
        if item is None and (known := self._known_key(kind, value)):
            return known
        salt, name = secrets.token_bytes(16), new_id(self.at)
        row = {"id": name, "item": item, "kind": kind, "value": value, "salt": salt, "at": self.at}
        self._contents.append(row)
        reference = ContentRef(name, content_hash(salt, value))
        if item is None:
            self._keys[kind, value] = reference
        return reference

    def _known_key(self, kind: str, value: str) -> ContentRef | None:
        self.look_up_keys(kind, [value])
        return self._keys[kind, value]

    def look_up_keys(self, kind: str, values: Iterable[str | None]) -> None:
        """Look for the keys of many people at once, before `keep` asks for each of them."""
        table = schema.contents
        missing = sorted({value for value in values if value is not None and (kind, value) not in self._keys})
        for batch in batches(missing, 500):
            query = sa.select(table.c.id, table.c.value, table.c.salt).where(table.c.kind == kind)
            query = query.where(table.c.value.in_(batch), table.c.item.is_(None)).order_by(table.c.id.desc())
            rows = self.connection.execute(query)
            kept = {row.value: ContentRef(row.id, content_hash(row.salt, row.value)) for row in rows}
            self._keys |= {(kind, value): kept.get(value) for value in batch}

    # storing it

    def flush(self) -> None:
        """Store everything so far, for queries to see; the transaction goes on."""
        connection = self.connection
        for table, rows in ((schema.events, self._events), (schema.contents, self._contents)):
            if rows:
                connection.execute(table.insert(), rows)
        if self._new:
            connection.execute(schema.items.insert(), [self._cases[name].row() for name in self._new])
        for name in self._changed:
            item = self._cases[name].row()
            connection.execute(_UPDATE_ITEM, {f"new_{column}": value for column, value in item.items()} | {"row": name})
        touched = [self._cases[name] for name in (*self._new, *self._changed)]
        self._flush_tasks(touched)
        seen = [
            {"item": case.item.id, "person": person, "task": task, "final": final}
            for case in touched
            for person, (task, final) in case.seen.items()
        ]
        if seen:
            connection.execute(upsert(connection, schema.seen, ("item", "person")), seen)
        if notices := [row for case in touched for row in case.notices]:
            connection.execute(schema.notices.insert(), notices)
        for case in touched:
            case.seen, case.notices = {}, []
        self._events, self._contents, self._new, self._changed = [], [], {}, {}

    def _flush_tasks(self, touched: list[Case]) -> None:
        rows = [task_row(task) for case in touched for task in case.tasks.values()]
        if fresh := [row for row in rows if row["id"] not in self._loaded]:
            self.connection.execute(schema.tasks.insert(), fresh)
        for row in rows:
            if self._loaded.get(row["id"], row) != row:
                changed = {f"new_{column}": value for column, value in row.items()}
                self.connection.execute(_UPDATE_TASK, {**changed, "row": row["id"]})
            self._loaded[row["id"]] = row


def _update(table: sa.Table) -> sa.Update:
    values: dict[str, Any] = {
        column.name: sa.bindparam(f"new_{column.name}") for column in table.c if column.name != "id"
    }
    return table.update().where(table.c.id == sa.bindparam("row")).values(values)


_UPDATE_ITEM, _UPDATE_TASK = _update(schema.items), _update(schema.tasks)


def upsert(connection: sa.Connection, table: sa.Table, keys: tuple[str, ...]) -> Any:
    """Insert rows, or give those that are there new values."""
    insert: Any = (sqlite if connection.dialect.name == "sqlite" else postgresql).insert(table)
    changed: Mapping[str, Any] = {
        column.name: insert.excluded[column.name] for column in table.c if column.name not in keys
    }
    return insert.on_conflict_do_update(index_elements=list(keys), set_=changed)


def batches(values: list[Any], size: int) -> Iterable[list[Any]]:
    """Lists of at most so many."""
    return (values[start : start + size] for start in range(0, len(values), size))
