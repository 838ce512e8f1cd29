"""Who reviews what next: claims with a lease, renewed, given back, expired.

A claim takes the first waiting task of a queue that the person may have: never an item that they have judged, skipped
or passed on, and never another task of an item that they have seen. On PostgreSQL rows that another claim is about to
take are passed over (`FOR UPDATE SKIP LOCKED`), so that reviewers never wait for one another.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa

from evenhand.routing import Strategy
from evenhand.store import events as ev
from evenhand.store import schema
from evenhand.store.cases import (
    APPEAL,
    CLAIMED,
    DONE,
    GOLD,
    MEASUREMENT,
    PANEL,
    RESOLVE,
    REVIEW,
    SECOND,
    WAITING,
    Case,
    TaskState,
)
from evenhand.store.intake import open_task
from evenhand.store.ledger import ConflictError, EventLedger, ForbiddenError
from evenhand.store.policy import DAY_MICROS, DeskPolicy

BLIND = (RESOLVE, APPEAL, SECOND, PANEL)  # after what is overdue these come first, in this order
SECOND_MICROS = 1_000_000
MOST_AT_ONCE = 50  # virtual places or expired leases that one claim deals with
MOST_HELD = 10  # tasks that one person may hold
TURNS = 1 << 20


def claim(ledger: EventLedger, queue: str) -> dict[str, Any]:
    """The next task of a queue for the actor, with a lease; `task` is None where nothing waits for them."""
    expire(ledger)
    if held_by(ledger, ledger.actor) >= MOST_HELD:
        raise ConflictError(f"you hold {MOST_HELD} tasks already: decide or release one first")
    policy = ledger.policy
    if ledger.store.chance() < policy.gold and (shown := _show_gold(ledger, queue)):
        return _lease(ledger, *shown, policy)
    lanes = [(MEASUREMENT, "first_key"), (REVIEW, _order_key(policy))]
    if ledger.store.chance() >= policy.reserved:
        lanes.reverse()
    for purpose, key in (*((purpose, "first_key") for purpose in BLIND), *lanes):
        if ledger.member.may_take(purpose) and (found := _next(ledger, queue, purpose, key)):
            return _lease(ledger, *found, policy)
    return {"task": None}


def _order_key(policy: DeskPolicy) -> str:
    """The column that has the key of the strategy whose turn it is."""
    turn: Strategy = policy.order.turn(secrets.randbelow(TURNS))
    return "first_key" if turn.name == policy.order.shares[0][0].name else "second_key"


def _next(ledger: EventLedger, queue: str, purpose: str, key: str) -> tuple[Case, TaskState] | None:
    """The first task that the person may have. Places that the measurement has filled are counted as reached."""
    for _ in range(MOST_AT_ONCE):
        wanted = {"queue": queue, "purpose": purpose, "person": ledger.actor}
        row = ledger.connection.execute(_waiting(key), wanted).first()
        if row is None:
            return None
        case = ledger.case(row.item)
        task = case.tasks[row.id]
        if not task.virtual and not is_barred(ledger, case, task):  # asked again now that the rows are locked
            return case, task
        if not task.virtual:
            continue
        ledger.record(case, ev.ReviewReached(task=task.id))
        ledger.flush()
    return None


@cache
def _waiting(key: str) -> sa.Select[Any]:
    """The first waiting task of a queue and a purpose that a person may have."""
    tasks, items, seen = schema.tasks, schema.items, schema.seen
    barred = sa.exists().where(
        seen.c.item == tasks.c.item,
        seen.c.person == sa.bindparam("person"),
        sa.or_(seen.c.final, seen.c.task != tasks.c.id),
    )
    query = (
        sa.select(tasks.c.id, tasks.c.item)
        .join(items, items.c.id == tasks.c.item)
        .where(tasks.c.state == sa.literal_column("'waiting'"), tasks.c.queue == sa.bindparam("queue"))
        .where(tasks.c.purpose == sa.bindparam("purpose"))
        .where(sa.or_(tasks.c.virtual, ~barred))
    )
    return query.order_by(tasks.c[key].desc(), tasks.c.opened_at, tasks.c.id).limit(1).with_for_update(skip_locked=True)


def _show_gold(ledger: EventLedger, queue: str) -> tuple[Case, TaskState] | None:
    """A gold item that the person has not seen, as a task like any other."""
    items, seen = schema.items, schema.seen
    shown = sa.exists().where(seen.c.item == items.c.id, seen.c.person == ledger.actor)
    query = sa.select(items.c.id).where(items.c.gold.is_not(None), ~shown).order_by(items.c.id).limit(1)
    item = ledger.connection.scalar(query.with_for_update(skip_locked=True))
    if item is None:
        return None
    case = ledger.case(item)
    return case, case.tasks[open_task(ledger, case, GOLD, queue)]


def _lease(ledger: EventLedger, case: Case, task: TaskState, policy: DeskPolicy) -> dict[str, Any]:
    until = ledger.at + policy.lease_seconds * SECOND_MICROS
    ledger.record(case, ev.TaskClaimed(task=task.id, person=ledger.actor, until=until))
    return view(ledger, case, task, policy)


def view(ledger: EventLedger, case: Case, task: TaskState, policy: DeskPolicy) -> dict[str, Any]:
    """What a reviewer is shown: never the purpose, and no score where a share of the queue is measured."""
    item, contents = case.item, schema.contents
    text = ledger.connection.scalar(sa.select(contents.c.value).where(contents.c.id == item.text))
    record = {"task": task.id, "version": task.version, "item": item.id, "external_id": item.external_id, "text": text}
    context = {"language": item.language, "community": item.community, "thread": item.thread, "notices": item.notices}
    hidden = policy.reserved > 0.0 or task.purpose != REVIEW
    return {**record, **context, "until": task.lease_until, "score": None if hidden else item.score}


def claim_item(ledger: EventLedger, item: str) -> dict[str, Any]:
    """The waiting task of one item, opened by its address."""
    case = ledger.case(item)
    policy = ledger.policy
    waiting = [task for task in case.tasks.values() if task.state == WAITING and not task.virtual]
    if not waiting:
        raise ConflictError("nothing about this item waits for a decision, or somebody else has it")
    task = next((task for task in waiting if ledger.member.may_use(task.queue)), None)
    if task is None:
        raise ForbiddenError(f"you have no access to the queue '{waiting[0].queue}'")
    if is_barred(ledger, case, task):
        raise ForbiddenError("you have seen this item already: somebody else must review it")
    return _lease(ledger, case, task, policy)


def check_access(ledger: EventLedger, case: Case) -> None:
    """`ForbiddenError` where an item is in none of the actor's queues: neither by the policy nor by a task."""
    member = ledger.member
    if not member.queues:
        return
    home = ledger.policy.queue_of(case.item)
    if not any(member.may_use(name) for name in (home, *(task.queue for task in case.tasks.values()))):
        raise ForbiddenError(f"you have no access to the queue '{home}'")


def is_barred(ledger: EventLedger, case: Case, task: TaskState) -> bool:
    """Whether the actor may not have this task, having seen the item."""
    seen = schema.seen
    query = sa.select(seen.c.task, seen.c.final).where(seen.c.item == case.item.id, seen.c.person == ledger.actor)
    before = ledger.connection.execute(query).first()
    return before is not None and (before.final or before.task != task.id)


def held_task(ledger: EventLedger, task: str, version: int) -> tuple[Case, TaskState]:
    """The task that the actor holds, unchanged since they looked at it and not expired."""
    case, state = ledger.case_of_task(task)
    if state.state != CLAIMED or state.holder != ledger.actor:
        raise ConflictError("you do not hold this task: the lease may have expired")
    if state.lease_until is not None and state.lease_until <= ledger.at:
        raise ConflictError("the lease of this task has expired: claim it again")
    if state.version != version:
        raise ConflictError(f"the item has changed: look at it again (version {state.version}, not {version})")
    return case, state


def renew(ledger: EventLedger, task: str, version: int) -> dict[str, Any]:
    """Keep a task for another lease."""
    case, state = held_task(ledger, task, version)
    policy = ledger.policy
    ledger.record(case, ev.TaskRenewed(task=task, until=ledger.at + policy.lease_seconds * SECOND_MICROS))
    return {"task": task, "version": state.version, "until": state.lease_until}


def release(ledger: EventLedger, task: str, version: int) -> dict[str, Any]:
    """Give a task back; the same person may take it again."""
    case, state = held_task(ledger, task, version)
    if state.purpose == GOLD:
        ledger.record(case, ev.TaskWithdrawn(task=task, reason="released"))
    else:
        ledger.record(case, ev.TaskReleased(task=task, person=ledger.actor, reason="released"))
    return {"task": task, "version": state.version}


def expire(ledger: EventLedger, most: int = MOST_AT_ONCE) -> int:
    """Give back what nobody renewed in time; how many."""
    tasks, items = schema.tasks, schema.items
    query = (
        sa.select(tasks.c.id, tasks.c.item)
        .join(items, items.c.id == tasks.c.item)
        .where(tasks.c.state == sa.literal_column("'claimed'"), tasks.c.lease_until <= ledger.at)
        .order_by(tasks.c.lease_until)
        .limit(most)
    )
    rows = ledger.connection.execute(query.with_for_update(skip_locked=True)).all()
    for row in rows:
        case = ledger.case(row.item)
        task = case.tasks[row.id]
        if task.purpose == GOLD:
            ledger.record(case, ev.TaskWithdrawn(task=task.id, reason="expired"), actor="system")
        else:
            holder = str(task.holder)
            ledger.record(case, ev.TaskReleased(task=task.id, person=holder, reason="expired"), actor="system")
    if rows:
        ledger.flush()
    return len(rows)


def held_tasks(ledger: EventLedger) -> list[dict[str, Any]]:
    """What the actor holds, as it was shown to them; what has expired is not among it."""
    tasks, policy = schema.tasks, ledger.policy
    held = sa.select(tasks.c.item, tasks.c.id).where(
        tasks.c.state == sa.literal_column("'claimed'"),
        *(tasks.c.holder == ledger.actor, tasks.c.lease_until > ledger.at),
    )
    rows = ledger.connection.execute(held.order_by(tasks.c.lease_until, tasks.c.id)).all()
    cases = {case.item.id: case for case in ledger.cases(row.item for row in rows)}
    return [view(ledger, cases[row.item], cases[row.item].tasks[row.id], policy) for row in rows]


def held_by(ledger: EventLedger, person: str) -> int:
    """How many tasks a person holds."""
    tasks = schema.tasks
    held = sa.select(sa.func.count()).where(tasks.c.state == sa.literal_column("'claimed'"), tasks.c.holder == person)
    return int(ledger.connection.scalar(held) or 0)


def waiting_counts(
    connection: sa.Connection, queues: Sequence[str] | None = None, *, purposes: Collection[str] | None = None
) -> dict[str, int]:
    """How many tasks wait in each queue; of these purposes, or of all."""
    tasks = schema.tasks
    query = sa.select(tasks.c.queue, sa.func.count()).where(tasks.c.state == sa.literal_column("'waiting'"))
    if queues:
        query = query.where(tasks.c.queue.in_(queues))
    if purposes is not None:
        query = query.where(tasks.c.purpose.in_(sorted(purposes)))
    return {row[0]: row[1] for row in connection.execute(query.group_by(tasks.c.queue))}


def reviewed_today(connection: sa.Connection, at: int) -> dict[str, int]:
    """How many answers people have given in each queue since midnight (UTC), to compare with the capacity of a day."""
    tasks = schema.tasks
    given = sa.select(tasks.c.queue, sa.func.count()).where(
        tasks.c.state == DONE, tasks.c.person.is_not(None), tasks.c.done_at >= at - at % DAY_MICROS
    )
    return {row[0]: row[1] for row in connection.execute(given.group_by(tasks.c.queue))}
