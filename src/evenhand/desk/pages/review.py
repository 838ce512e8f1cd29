"""The review page: what a reviewer sees before deciding, and nothing that could influence the decision.

Neither score nor route, purpose, earlier verdicts or the time of arrival are shown; only somebody who answers an appeal
or gets what was passed on reads why (`handovers`). Items are named by an opaque ticket, since the ids of the store tell
when something was opened. A ticket stands for a task and the text that was seen: after an edit it does not fit.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from evenhand.desk.pages.handovers import Handover, handover_of
from evenhand.desk.pages.words import PhraseConflictError
from evenhand.desk.people import Person, Role
from evenhand.store import Store, perform, schema
from evenhand.store.cases import APPEAL, CLAIMED, DONE
from evenhand.store.policy import ESCALATED
from evenhand.store.reasons import notice_reasons

AHEAD = 2  # the item on the screen, and the one that comes next
RECENT_EVENTS = 10_000  # the tail of the history that is searched for what a person just did
LANGUAGE_TAG = re.compile("[a-z]{2}")
FINAL = {"judged": "verdict", "skipped": "skip", "escalated": "escalate"}  # events that end a person's part
VERDICT_BUTTONS = {"remove": "violating", "leave": "benign", "unclear": "unclear"}


@dataclass(frozen=True)
class ReviewItem:
    """What there is to read."""

    ticket: str
    text: str | None
    language: str | None
    community: str | None
    edited: bool
    notices: tuple[tuple[str, int], ...]  # reasons, and how often each was given
    handover: Handover | None = None

    @property
    def language_tag(self) -> str | None:
        """The language, where it is written as a browser knows it."""
        return self.language if self.language and LANGUAGE_TAG.fullmatch(self.language) else None

    @property
    def notice_count(self) -> int:
        """How often it was reported."""
        return sum(number for _, number in self.notices)


@dataclass(frozen=True)
class ReviewPage:
    """One item to decide, the next one, and the queues to choose from."""

    queue: str
    queues: tuple[str, ...]
    current: ReviewItem | None
    following: ReviewItem | None
    lease_seconds: int


@dataclass(frozen=True)
class ContextPage:
    """Texts around an item, the newest first: of its thread, and of its author."""

    ticket: str
    queue: str
    thread: tuple[str | None, ...]
    author: tuple[str | None, ...]


@dataclass(frozen=True)
class HeldTask:
    """A task that somebody holds."""

    id: str
    version: int
    item: str
    content: str | None
    ticket: str
    purpose: str


def ticket_of(store: Store, task: str, content: str | None) -> str:
    """What a page calls a task: it tells nothing about it."""
    message = f"ticket\x1f{task}\x1f{content}".encode()
    return hmac.digest(store.keys.drawing, message, hashlib.sha256).hex()[:32]


def queues_of(store: Store, person: Person) -> tuple[str, ...]:
    """The queues that a person may review; what others passed on is for leads, and for those who were given it."""
    with store.database.reading() as connection:
        names = store.policy(connection)[1].queue_names
    usual = names if person.role == Role.LEAD else tuple(name for name in names if name != ESCALATED)
    return person.queues or usual


def choose_queue(store: Store, person: Person, asked: str | None) -> str:
    """The queue that was asked for, if it is one of the person's; otherwise their first."""
    own = queues_of(store, person)
    return asked if asked in own else own[0]


def review_page(store: Store, person: Person, queue: str, *, first: str | None = None) -> ReviewPage:
    """The item that a person holds in a queue, or a new one; and the one after it. `first` is a ticket."""
    held = claim_ahead(store, person, queue)
    held.sort(key=lambda task: task.ticket != first)
    items = [*_items(store, held[:AHEAD]), None, None]
    with store.database.reading() as connection:
        lease = store.policy(connection)[1].lease_seconds
    return ReviewPage(queue, queues_of(store, person), items[0], items[1], lease)


def following_item(store: Store, person: Person, queue: str, showing: str | None) -> ReviewItem | None:
    """What comes after the item that a page shows already."""
    held = [task for task in claim_ahead(store, person, queue) if task.ticket != showing]
    return next(_items(store, held[:1]), None)


def claim_ahead(store: Store, person: Person, queue: str) -> list[HeldTask]:
    """What a person holds in a queue, with more claimed until there is one ahead."""
    held = held_tasks(store, person.id, queue)
    while len(held) < AHEAD and perform(store, "claim", actor=person.id, queue=queue)["task"] is not None:
        held = held_tasks(store, person.id, queue)
    return held


def held_tasks(store: Store, person: str, queue: str) -> list[HeldTask]:
    """The tasks of a queue whose lease a person has, the oldest lease first."""
    tasks, items = schema.tasks, schema.items
    query = (
        sa.select(tasks.c.id, tasks.c.version, tasks.c.item, tasks.c.purpose, items.c.text)
        .join(items, items.c.id == tasks.c.item)
        .where(tasks.c.state == sa.literal_column(f"'{CLAIMED}'"), tasks.c.holder == person, tasks.c.queue == queue)
        .where(tasks.c.lease_until > store.clock())
        .order_by(tasks.c.lease_until, tasks.c.id)
    )
    with store.database.reading() as connection:
        rows = connection.execute(query).all()
    return [
        HeldTask(row.id, row.version, row.item, row.text, ticket_of(store, row.id, row.text), row.purpose)
        for row in rows
    ]


def _items(store: Store, held: list[HeldTask]) -> Iterator[ReviewItem]:
    items, contents = schema.items, schema.contents
    columns = (items.c.language, items.c.community, items.c.edits, contents.c.value)
    query = sa.select(*columns).join(contents, contents.c.id == items.c.text, isouter=True)
    with store.database.reading() as connection:
        for task in held:
            row = connection.execute(query.where(items.c.id == task.item)).one()
            told = notice_reasons(connection, task.item)
            reasons = tuple(sorted(Counter(told).items(), key=lambda pair: (-pair[1], pair[0])))
            handover = handover_of(connection, task.id, task.item, is_appeal=task.purpose == APPEAL)
            yield ReviewItem(task.ticket, row.value, row.language, row.community, row.edits > 0, reasons, handover)


def find_held(store: Store, person: Person, queue: str, ticket: str) -> HeldTask:
    """The task of a ticket; `PhraseConflictError` says what became of it where the person does not hold it."""
    for task in held_tasks(store, person.id, queue):
        if hmac.compare_digest(task.ticket, ticket):
            return task
    raise PhraseConflictError("conflict.decided" if _was_ended(store, person, ticket) else "conflict.lease")


def _was_ended(store: Store, person: Person, ticket: str) -> dict[str, Any] | None:
    """The event with which a person answered, skipped or passed on the task of a ticket, a short time ago."""
    return next((event for event in recent_events(store, person) if event["ticket"] == ticket), None)


def recent_events(store: Store, person: Person) -> list[dict[str, Any]]:
    """What a person ended lately, the last first: kind, task, ticket and what was said."""
    events, items = schema.events, schema.items
    with store.database.reading() as connection:
        last = connection.scalar(sa.select(sa.func.max(events.c.id))) or 0
        query = (
            sa.select(events.c.kind, events.c.payload, items.c.text)
            .join(items, items.c.id == events.c.stream)
            .where(events.c.id > last - RECENT_EVENTS, events.c.actor == person.id, events.c.kind.in_(list(FINAL)))
            .order_by(events.c.id.desc())
        )
        rows = connection.execute(query).all()
    told = [{**json.loads(row.payload), "kind": row.kind, "content": row.text} for row in rows]
    return [{**one, "ticket": ticket_of(store, one["task"], one["content"])} for one in told]


def is_repeated(store: Store, person: Person, ticket: str, kind: str, verdict: str | None = None) -> bool:
    """Whether a request is one that was carried out already: its answer was lost on the way."""
    event = _was_ended(store, person, ticket)
    return event is not None and event["kind"] == kind and (verdict is None or event.get("verdict") == verdict)


def last_verdict(store: Store, person: Person) -> str:
    """The task of a person's last verdict that holds; `PhraseConflictError` where there is none."""
    tasks = schema.tasks
    for event in recent_events(store, person):
        if event["kind"] == "judged":
            with store.database.reading() as connection:
                row = connection.execute(sa.select(tasks).where(tasks.c.id == event["task"])).one()
            if row.state == DONE and row.person == person.id:
                return str(row.id)
    raise PhraseConflictError("conflict.nothing_to_undo")


def context_page(store: Store, person: Person, queue: str, ticket: str) -> ContextPage:
    """The thread and the author's other texts. What was decided about them is not told."""
    task = find_held(store, person, queue, ticket)
    around = perform(store, "context", actor=person.id, item=task.item)
    return ContextPage(
        ticket, queue, tuple(one["text"] for one in around["thread"]), tuple(one["text"] for one in around["author"])
    )
