"""A study in a transaction: loaded and locked, events recorded, rows stored. What an action of a study writes with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from evenhand.store import schema
from evenhand.store import study_events as ev
from evenhand.store.events import StoreEvent
from evenhand.store.ledger import EventLedger, MissingError, batches, upsert
from evenhand.store.study_state import BatchState, LabelTaskState, StudyCase, StudyItemState, StudyState

TABLES = {table.name: table for table in schema.STUDIES}
KEYS = {name: tuple(column.name for column in table.primary_key) for name, table in TABLES.items()}


class StudyLedger:
    """One study in one transaction. `save` stores what changed; events go with those of the ledger."""

    def __init__(self, ledger: EventLedger, case: StudyCase) -> None:
        self.ledger, self.case = ledger, case
        self._stored = {(name, self._key(name, row)): row for name, rows in case.rows().items() for row in rows}

    @classmethod
    def begin(cls, ledger: EventLedger, first: ev.StudyOpened) -> StudyLedger:
        """A study that is new."""
        study = cls(ledger, StudyCase.begin(first, ledger.at, ledger.actor))
        study._stored = {}
        study.record(first)
        return study

    @classmethod
    def load(cls, ledger: EventLedger, study: str, *, subjects: Sequence[str] | None = None) -> StudyLedger:
        """A study, locked, with its items and their labels: all of them, or those of some items."""
        return cls(ledger, load_study(ledger.connection, study, subjects=subjects, lock=True))

    def record(self, event: StoreEvent) -> None:
        """An event of the study."""
        self.case.apply(event, self.ledger.at, self.ledger.actor)
        self.ledger.record_apart(f"{ev.STREAM}{self.case.study.id}", event)

    def save(self) -> None:
        """Store the rows that changed."""
        for name, rows in self.case.rows().items():
            changed = [row for row in rows if self._stored.get((name, self._key(name, row))) != row]
            if changed:
                statement = upsert(self.ledger.connection, TABLES[name], KEYS[name])
                self.ledger.connection.execute(statement, changed)

    @staticmethod
    def _key(name: str, row: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(row[column] for column in KEYS[name])


def load_study(
    connection: sa.Connection, study: str, *, subjects: Sequence[str] | None = None, lock: bool = False
) -> StudyCase:
    """A study as it stands; of its items and labels all, or those of some items."""
    query = sa.select(schema.studies).where(schema.studies.c.id == study)
    row = connection.execute(query.with_for_update() if lock else query).first()
    if row is None:
        raise MissingError(f"there is no study '{study:.40}'")
    case = StudyCase(StudyState(**row._mapping))
    of_study = schema.study_batches.c.study == study
    for batch in connection.execute(sa.select(schema.study_batches).where(of_study)):
        case.batches[batch.number] = BatchState(**batch._mapping)
    for part in [None] if subjects is None else batches(list(subjects), 500):
        _load_items(connection, case, part)
    return case


def _load_items(connection: sa.Connection, case: StudyCase, subjects: list[str] | None) -> None:
    items, tasks = schema.study_items, schema.study_tasks
    which = [] if subjects is None else [items.c.id.in_(subjects)]
    for row in connection.execute(sa.select(items).where(items.c.study == case.study.id, *which)):
        case.items[row.id] = StudyItemState(**row._mapping)
    which = [] if subjects is None else [tasks.c.subject.in_(subjects)]
    for row in connection.execute(sa.select(tasks).where(tasks.c.study == case.study.id, *which)):
        case.add_task(LabelTaskState(**row._mapping))
