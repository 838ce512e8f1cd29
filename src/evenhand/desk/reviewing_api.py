"""The API of those who review: queues, claims with a lease, and what is decided, each once and at the version seen."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from evenhand.desk import answers, bodies
from evenhand.desk.calls import DeskCall, DeskRoutes
from evenhand.store import schema
from evenhand.store.actions import ACTIONS, authorise
from evenhand.store.census import iso
from evenhand.store.context import item_context
from evenhand.store.events import TextRead
from evenhand.store.ledger import ConflictError, EventLedger
from evenhand.store.queues import held_tasks, reviewed_today, waiting_counts

routes = DeskRoutes("reviewing")


def task_view(view: dict[str, Any]) -> dict[str, Any]:
    """What the store shows of a task, with times as text."""
    return {**view, "until": iso(view.get("until"))}


def _changed(answer: dict[str, Any]) -> dict[str, Any]:
    """Only what every purpose answers alike: a reviewer is not told which one it was."""
    return {"task": answer["task"], "version": answer["version"], "until": iso(answer.get("until"))}


@routes.add("GET", "/queues", "see_queues", answer=answers.QueueList)
def queues(call: DeskCall) -> dict[str, Any]:
    """The queues that you have access to, and how much waits there."""
    with call.store.database.reading() as connection:
        counts = waiting_counts(connection, purposes=call.person.purposes)
        policy, today = call.store.policy(connection)[1], reviewed_today(connection, call.store.clock())
    known = dict.fromkeys((*policy.queue_names, *sorted(counts)))
    return {
        "queues": [
            {"queue": name, "waiting": counts.get(name, 0), "capacity": policy.capacity.get(name)}
            | {"reviewed_today": today.get(name, 0)}
            for name in known
            if call.person.may_use(name)
        ]
    }


@routes.add("POST", "/queues/{queue}/claim", "claim", answer=answers.TaskView)
def claim(call: DeskCall) -> dict[str, Any]:
    """Take the next item of a queue, with a lease; `task` is null where nothing waits for you."""
    return task_view(call.perform("claim", queue=call.named("queue")))


@routes.add("POST", "/items/{item}/claim", "claim_item", answer=answers.TaskView)
def claim_item(call: DeskCall) -> dict[str, Any]:
    """Take one item, by its id at the desk."""
    return task_view(call.perform("claim_item", item=call.named("item")))


@routes.add("GET", "/tasks", "see_tasks", answer=answers.TaskList)
def tasks(call: DeskCall) -> dict[str, Any]:
    """What you hold: after a lost connection nothing is lost."""
    with call.store.write(call.person.id) as ledger:
        return {"tasks": [task_view(view) for view in held_tasks(ledger)]}


@routes.add("GET", "/tasks/{task}/context", "see_tasks", answer=answers.ContextAnswer)
def context(call: DeskCall) -> dict[str, Any]:
    """The thread and the author's other items, of a task that you hold; that their texts were read is recorded."""
    with call.store.write(call.person.id) as ledger:
        authorise(ledger, ACTIONS["context"], None)
        around = item_context(ledger, _held_item(ledger, call.named("task")))
        if number := len(around["thread"]) + len(around["author"]):
            ledger.record(ledger.case(around["item"]), TextRead(reason="context", number=number))
        return around


def _held_item(ledger: EventLedger, task: str) -> str:
    tasks = schema.tasks
    query = sa.select(tasks.c.item).where(
        *(tasks.c.id == task, tasks.c.holder == ledger.actor, tasks.c.lease_until > ledger.at)
    )
    item = ledger.connection.scalar(query)
    if item is None:
        raise ConflictError("you do not hold this task: the lease may have expired")
    return str(item)


@routes.add("POST", "/tasks/{task}/renew", "renew", body=bodies.VersionBody, answer=answers.TaskAnswer)
def renew(call: DeskCall) -> dict[str, Any]:
    """Keep a task for another lease."""
    return _changed(call.perform("renew", task=call.named("task"), version=call.body.version))


@routes.add("POST", "/tasks/{task}/release", "release", body=bodies.VersionBody, answer=answers.TaskAnswer)
def release(call: DeskCall) -> dict[str, Any]:
    """Give a task back."""
    return _changed(call.perform("release", task=call.named("task"), version=call.body.version))


@routes.add("POST", "/tasks/{task}/decide", "decide", body=bodies.DecideBody, answer=answers.TaskAnswer)
def decide(call: DeskCall) -> dict[str, Any]:
    """Answer a task."""
    return _changed(call.perform("decide", task=call.named("task"), **_decision(call.body)))


def _decision(body: Any) -> dict[str, Any]:
    """The fields of a decision, with times as the store has them."""
    return {**body.model_dump(), "until": bodies.micros(body.until)}


@routes.add("POST", "/tasks/{task}/skip", "skip", body=bodies.SkipBody, answer=answers.TaskAnswer)
def skip(call: DeskCall) -> dict[str, Any]:
    """Leave a task to somebody else."""
    return _changed(call.perform("skip", task=call.named("task"), **call.body.model_dump()))


@routes.add("POST", "/tasks/{task}/escalate", "escalate", body=bodies.EscalateBody, answer=answers.TaskAnswer)
def escalate(call: DeskCall) -> dict[str, Any]:
    """Pass a task on to another queue."""
    return _changed(call.perform("escalate", task=call.named("task"), **call.body.model_dump()))


@routes.add("POST", "/tasks/{task}/second-opinion", "ask_second", body=bodies.VersionBody, answer=answers.TaskAnswer)
def second_opinion(call: DeskCall) -> dict[str, Any]:
    """Ask for a blind second opinion; you decide all the same."""
    return _changed(call.perform("ask_second", task=call.named("task"), version=call.body.version))


@routes.add("POST", "/tasks/{task}/undo", "undo", body=bodies.VersionBody, answer=answers.TaskAnswer)
def undo(call: DeskCall) -> dict[str, Any]:
    """Take your answer back, in time; you hold the task again."""
    return _changed(call.perform("undo", task=call.named("task"), version=call.body.version))


@routes.add("POST", "/items/decide", "decide_many", body=bodies.DecideManyBody, answer=answers.DecidedMany)
def decide_many(call: DeskCall) -> dict[str, Any]:
    """One decision about many items, recorded one by one."""
    return call.perform("decide_many", **_decision(call.body))


@routes.add("POST", "/items/{item}/reverse", "reverse", body=bodies.ReverseBody, answer=answers.ItemAction)
def reverse(call: DeskCall) -> dict[str, Any]:
    """Replace a decision of somebody else."""
    return call.perform("reverse", item=call.named("item"), **_decision(call.body))
