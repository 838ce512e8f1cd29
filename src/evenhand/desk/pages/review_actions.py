"""What a reviewer can do to the item on the screen: each once, however often the request arrives.

The answer is the key of the words that say what happened. A request that was carried out already, because its answer
was lost on the way, is answered as the first time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sqlalchemy as sa

from evenhand.desk.pages.review import (
    VERDICT_BUTTONS,
    HeldTask,
    find_held,
    held_tasks,
    is_repeated,
    last_verdict,
    ticket_of,
)
from evenhand.desk.pages.words import PhraseConflictError
from evenhand.desk.people import Person
from evenhand.store import ConflictError, Store, perform, schema
from evenhand.store.policy import ESCALATED

LONGEST_NOTE, LONGEST_CLAUSE = 5000, 200
Fields = Mapping[str, str]


def decide(store: Store, person: Person, queue: str, fields: Fields) -> str:
    """Answer with one of three verdicts."""
    button = fields["do"]
    verdict = VERDICT_BUTTONS[button]
    if task := _still_to_do(store, person, queue, fields, "judged", verdict):
        clause = fields.get("clause", "").strip()
        perform(
            store, "decide", actor=person.id, task=task.id, version=task.version, verdict=verdict,
            clause=clause[:LONGEST_CLAUSE] or None, note=_note(fields),
            ground=fields.get("ground") or None,
        )  # fmt: skip
    return f"done.{button}"


def skip(store: Store, person: Person, queue: str, fields: Fields) -> str:
    """Leave it to somebody else."""
    if task := _still_to_do(store, person, queue, fields, "skipped"):
        perform(store, "skip", actor=person.id, task=task.id, version=task.version, note=_note(fields))
    return "done.skip"


def escalate(store: Store, person: Person, queue: str, fields: Fields) -> str:
    """Pass it on to a lead; in the queue of what was passed on there is nobody to pass it on to."""
    if queue == ESCALATED:
        raise PhraseConflictError("conflict.escalated")
    if task := _still_to_do(store, person, queue, fields, "escalated"):
        reason = fields.get("clause", "").strip()[:LONGEST_CLAUSE]
        perform(
            store, "escalate", actor=person.id, task=task.id, version=task.version, reason=reason, note=_note(fields)
        )
    return "done.escalate"


def _note(fields: Fields) -> str | None:
    """What was typed; it is kept apart from the history, so that it can be erased."""
    return fields.get("note", "").strip()[:LONGEST_NOTE] or None


def _still_to_do(
    store: Store, person: Person, queue: str, fields: Fields, kind: str, verdict: str | None = None
) -> HeldTask | None:
    """The task of a form, or None where the same was done to it already."""
    ticket = fields.get("ticket", "")
    try:
        return find_held(store, person, queue, ticket)
    except PhraseConflictError:
        if is_repeated(store, person, ticket, kind, verdict):
            return None
        raise


def second(store: Store, person: Person, queue: str, fields: Fields) -> str:
    """Ask for the opinion of somebody else; the item stays on the screen."""
    task = find_held(store, person, queue, fields.get("ticket", ""))
    perform(store, "ask_second", actor=person.id, task=task.id, version=task.version)
    return "done.second"


REVIEW_ACTIONS: dict[str, Callable[[Store, Person, str, Fields], str]] = {
    **dict.fromkeys(VERDICT_BUTTONS, decide),
    "skip": skip,
    "escalate": escalate,
    "second": second,
}


def undo(store: Store, person: Person) -> tuple[str, str]:
    """Take the last verdict back; the queue and the ticket of its item, which is held again.

    Why something cannot be undone is not told: it would tell what the item was for.
    """
    task = last_verdict(store, person)
    try:
        perform(store, "undo", actor=person.id, task=task)
    except ConflictError:
        raise PhraseConflictError("conflict.undo") from None
    tasks, items = schema.tasks, schema.items
    query = sa.select(tasks.c.queue, items.c.text).join(items, items.c.id == tasks.c.item)
    with store.database.reading() as connection:
        row = connection.execute(query.where(tasks.c.id == task)).one()
    return row.queue, ticket_of(store, task, row.text)


def renew(store: Store, person: Person, queue: str) -> None:
    """Keep everything that a person holds in a queue for another lease."""
    for task in held_tasks(store, person.id, queue):
        perform(store, "renew", actor=person.id, task=task.id, version=task.version)
