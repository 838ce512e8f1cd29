"""Labelling in a study: the next item of a person, an answer, and taking the last one back.

A person sees the text and the codebook: no score, no stratum, no answer of anybody else, and not how many there are.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import sqlalchemy as sa

from evenhand.errors import InputError
from evenhand.store import schema
from evenhand.store import study_events as ev
from evenhand.store.cases import DONE, WAITING
from evenhand.store.ledger import ConflictError, EventLedger, MissingError
from evenhand.store.studies import check_open
from evenhand.store.study_asking import ask_adjudication
from evenhand.store.study_ledger import StudyLedger
from evenhand.store.study_state import ADJUDICATE, ANSWER_VALUES, SPLIT, LabelTaskState

SECOND = 1_000_000
LONGEST_PAUSE = 10 * 60 * SECOND  # between two answers, beyond which somebody was away
PACE_ANSWERS = 50  # the last so many


@dataclass(frozen=True)
class LabelProgress:
    """What a person has labelled in a study, what waits, and how many labels an hour they give, where it is known."""

    done: int
    waiting: int
    per_hour: float | None = None

    @property
    def total(self) -> int:
        """Of all labels asked of the person so far."""
        return self.done + self.waiting


@dataclass(frozen=True)
class LabelView:
    """What a person is shown of the item that comes next."""

    task: str
    version: int
    text: str | None
    language: str | None


def next_label(connection: sa.Connection, study: str, person: str) -> LabelView | None:
    """The next item in the random order of a person; None where nothing waits."""
    tasks, items, contents = schema.study_tasks, schema.items, schema.contents
    placed = schema.study_items
    query = (
        sa.select(tasks.c.id, tasks.c.version, contents.c.value, items.c.language)
        .join(placed, sa.and_(placed.c.study == tasks.c.study, placed.c.id == tasks.c.subject))
        .join(items, items.c.id == placed.c.item)
        .join(contents, contents.c.id == placed.c.text, isouter=True)
        .where(tasks.c.study == study, tasks.c.person == person, tasks.c.state == WAITING)
        .order_by(tasks.c.batch, tasks.c.place, tasks.c.id)
    )
    row = connection.execute(query.limit(1)).first()
    return None if row is None else LabelView(row.id, row.version, row.value, row.language)


def label_progress(connection: sa.Connection, study: str, person: str) -> LabelProgress:
    """How far a person is, by their own answers alone."""
    tasks = schema.study_tasks
    own = (tasks.c.study == study, tasks.c.person == person)
    counts = connection.execute(sa.select(tasks.c.state, sa.func.count()).where(*own).group_by(tasks.c.state))
    number = {row[0]: int(row[1]) for row in counts}
    last = sa.select(tasks.c.at).where(*own, tasks.c.state == DONE).order_by(tasks.c.at.desc()).limit(PACE_ANSWERS)
    return LabelProgress(number.get(DONE, 0), number.get(WAITING, 0), _per_hour(list(connection.scalars(last))))


def _per_hour(times: list[int]) -> float | None:
    """From the median time between answers, without pauses; of fewer than five nothing is said."""
    gaps = sorted(late - early for late, early in pairwise(times) if late - early < LONGEST_PAUSE)
    return 3600 * SECOND / max(gaps[len(gaps) // 2], 1) if len(gaps) >= 5 else None


def own_studies(connection: sa.Connection, person: str) -> list[sa.Row[Any]]:
    """The studies in which a person labels or adjudicates, the newest first."""
    studies = schema.studies
    rows = connection.execute(sa.select(studies).order_by(studies.c.opened_at.desc(), studies.c.id))
    return [row for row in rows if person in (*json.loads(row.annotators), *json.loads(row.adjudicators))]


def own_study(connection: sa.Connection, study: str, person: str) -> sa.Row[Any]:
    """A study in which a person labels or adjudicates; `MissingError` where they do not."""
    row = next((row for row in own_studies(connection, person) if row.id == study), None)
    if row is None:
        raise MissingError(f"there is no study '{study:.40}' in which you label")
    return row


def label_item(
    ledger: EventLedger,
    study: str,
    task: str,
    version: int,
    answer: str,
    *,
    note: str | None = None,
    lead_time: float | None = None,
) -> dict[str, Any]:
    """Answer: yes, no or cannot tell. A vote that this splits goes to somebody else."""
    if answer not in ANSWER_VALUES:
        raise InputError(f"invalid answer: '{answer:.100}' (choose from: {', '.join(ANSWER_VALUES)})")
    opened, own = _own_task(ledger, study, task)
    if own.state != WAITING:
        raise ConflictError("you have answered this item already, or somebody else is asked instead")
    if own.version != version:
        raise ConflictError(f"the item has changed: look at it again (version {own.version}, not {version})")
    item = opened.case.items[own.subject]
    kept = ledger.keep("note", note or None, item.item)
    opened.record(ev.Labelled(task=task, person=ledger.actor, answer=answer, note=kept, lead_time=lead_time))
    if item.state == SPLIT:
        ask_adjudication(opened, item.id)
    opened.save()
    return {"study": study, "task": task, "version": own.version}


def undo_label(ledger: EventLedger, study: str) -> dict[str, Any]:
    """Take one's own last answer back, unless it has been used: by an adjudicator, or for the next batch."""
    tasks = schema.study_tasks
    query = sa.select(tasks.c.id).where(tasks.c.study == study, tasks.c.person == ledger.actor, tasks.c.state == DONE)
    last = ledger.connection.scalar(query.order_by(tasks.c.at.desc(), tasks.c.id).limit(1))
    if last is None:
        raise ConflictError("there is no answer of yours to undo here")
    opened, own = _own_task(ledger, study, last)
    case = opened.case
    deciding = [task for task in case.tasks_of(own.subject) if task.purpose == ADJUDICATE and task is not own]
    if own.batch < case.study.batches or any(task.state == DONE for task in deciding):
        raise ConflictError("too late: this answer has been used")
    opened.record(ev.LabelUndone(task=last, person=ledger.actor))
    if deciding and case.items[own.subject].state != SPLIT:
        opened.record(ev.LabelsWithdrawn(tasks=tuple(task.id for task in deciding), reason="undone"))
    opened.save()
    return {"study": study, "task": last, "version": own.version}


def _own_task(ledger: EventLedger, study: str, task: str) -> tuple[StudyLedger, LabelTaskState]:
    """A task of the actor with its study, which is open, locked, and loaded as far as the item goes."""
    tasks = schema.study_tasks
    query = sa.select(tasks.c.subject).where(tasks.c.id == task, tasks.c.study == study, tasks.c.person == ledger.actor)
    subject = ledger.connection.scalar(query)
    if subject is None:
        raise MissingError("you are not asked for this label")
    opened = StudyLedger.load(ledger, study, subjects=[subject])
    check_open(opened)
    return opened, opened.case.tasks[task]
