"""Everything that somebody can do, in one table: by which roles, and by which function.

`perform` is how the desk writes: it looks up who acts, asks the table whether they may, does it once per idempotency
key and stores all of it in one transaction.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.store import context, decisions, erasure, intake, labelling, queues, schema, studies
from evenhand.store import events as ev
from evenhand.store.ledger import ConflictError, EventLedger, ForbiddenError, upsert
from evenhand.store.policy import DeskPolicy
from evenhand.store.roles import (
    ADMINISTRATOR,
    AUDITOR,
    DECIDERS,
    LABELLERS,
    LEAD,
    LEADS,
    REVIEWERS,
    ROLES,
    SUBMITTERS,
    SYSTEM,
)
from evenhand.store.store import Store, activate_policy


@dataclass(frozen=True)
class DeskAction:
    """A thing to do: who may, and what does it."""

    roles: frozenset[str]
    act: Callable[..., Any]
    one_queue: bool = False  # `queue` must be one that the person has access to
    one_item: bool = False  # `item` must be in such a queue


def _receive(ledger: EventLedger, items: list[intake.NewItem]) -> dict[str, Any]:
    return {"items": intake.receive(ledger, items)}


def _rescore(ledger: EventLedger, item: str, scores: list[intake.NewScore]) -> dict[str, Any]:
    case = ledger.case(item)
    if case.item.gold is not None:
        raise ConflictError("this item tests reviewers: no score routes it")
    intake.score(ledger, case, scores)
    return {"item": item, "route": case.item.route}


def _activate(ledger: EventLedger, policy: DeskPolicy, reason: str | None = None) -> dict[str, Any]:
    return {"policy": activate_policy(ledger, policy, reason)}


def _invite(
    ledger: EventLedger, person: str, role: str, queues: tuple[str, ...] = (), active: bool = True
) -> dict[str, Any]:
    if role not in ROLES:
        raise InputError(f"there is no role '{role}'; {nearest(role, ROLES)}")
    if not 0 < len(person) <= 200 or not person.isprintable() or person == SYSTEM:
        raise InputError("the name of a person must have 1 to 200 printable characters, and not be 'system'")
    ledger.record_apart("people", ev.PersonInvited(person=person, role=role, queues=tuple(queues), active=active))
    row = {"id": person, "role": role, "queues": json.dumps(list(queues)), "active": active}
    ledger.connection.execute(upsert(ledger.connection, schema.people, ("id",)), [row])
    return {"person": person, "role": role}


def _expire(ledger: EventLedger) -> dict[str, Any]:
    return {"expired": queues.expire(ledger, most=1000)}


def _erase_old(ledger: EventLedger, days: int) -> dict[str, Any]:
    return {"erased": erasure.erase_by_age(ledger, days)}


ACTIONS: dict[str, DeskAction] = {
    "invite": DeskAction(frozenset({ADMINISTRATOR}), _invite),
    "activate": DeskAction(LEADS, _activate),
    "receive": DeskAction(SUBMITTERS, _receive),
    "rescore": DeskAction(SUBMITTERS, _rescore),
    "notice": DeskAction(SUBMITTERS | LEADS, intake.notice),
    "appeal": DeskAction(SUBMITTERS | LEADS, decisions.appeal),
    "claim": DeskAction(REVIEWERS, queues.claim, one_queue=True),
    "claim_item": DeskAction(DECIDERS, queues.claim_item, one_item=True),
    "renew": DeskAction(REVIEWERS, queues.renew),
    "release": DeskAction(REVIEWERS, queues.release),
    "decide": DeskAction(REVIEWERS, decisions.decide),
    "skip": DeskAction(REVIEWERS, decisions.skip),
    "escalate": DeskAction(REVIEWERS, decisions.escalate),
    "ask_second": DeskAction(DECIDERS, decisions.ask_second),
    "undo": DeskAction(REVIEWERS, decisions.undo),
    "decide_many": DeskAction(frozenset({LEAD}), decisions.decide_many),
    "reverse": DeskAction(frozenset({LEAD}), decisions.reverse, one_item=True),
    "open_study": DeskAction(LEADS, studies.open_study),
    "import_study": DeskAction(LEADS, studies.import_study),
    "draw_batch": DeskAction(LEADS, studies.draw_batch),
    "staff_study": DeskAction(LEADS, studies.staff_study),
    "stop_study": DeskAction(LEADS, studies.stop_study),
    "label_item": DeskAction(LABELLERS, labelling.label_item),
    "undo_label": DeskAction(LABELLERS, labelling.undo_label),
    "expire": DeskAction(SUBMITTERS, _expire),
    "hold": DeskAction(LEADS, erasure.hold, one_item=True),
    "erase_item": DeskAction(LEADS, erasure.erase_item, one_item=True),
    "erase_person": DeskAction(LEADS, erasure.erase_person),
    "erase_old": DeskAction(LEADS, _erase_old),
    "context": DeskAction(REVIEWERS | {AUDITOR}, context.item_context, one_item=True),
    "read_text": DeskAction(LEADS | {AUDITOR}, erasure.read_text, one_item=True),
}


def perform(store: Store, name: str, /, *, actor: str, key: str | None = None, **arguments: Any) -> dict[str, Any]:
    """Do one of `ACTIONS` as somebody; with a key, once.

    >>> store = eh.store.create_store("desk.db")
    >>> eh.store.perform(store, "invite", actor="system", person="ana", role="moderator")
    {'person': 'ana', 'role': 'moderator'}
    """
    if name not in ACTIONS:
        raise InputError(f"there is no action '{name}'; {nearest(name, ACTIONS)}")
    action = ACTIONS[name]

    def act(ledger: EventLedger) -> dict[str, Any]:
        authorise(ledger, action, arguments.get("queue") if action.one_queue else None)
        if action.one_item and "item" in arguments:
            queues.check_access(ledger, ledger.case(arguments["item"]))
        answer: dict[str, Any] = action.act(ledger, **arguments)
        return answer

    return store.once(actor, key, {"do": name, "with": arguments}, act)


def authorise(ledger: EventLedger, action: DeskAction, queue: str | None) -> None:
    """`ForbiddenError` unless the role of the actor, and their queues, allow it. The program itself may do anything."""
    member = ledger.member
    if member.role is None:
        return
    if member.role not in action.roles:
        raise ForbiddenError(f"the role '{member.role}' may not do this")
    if queue is not None and not member.may_use(queue):
        raise ForbiddenError(f"you have no access to the queue '{queue}'")
