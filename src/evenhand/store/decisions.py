"""What people decide: verdicts, skips, escalations, second opinions, undo, appeals, reversals.

A task has a purpose that the reviewer is not told. Only a review, a measurement, a resolution and an appeal make a
decision; a second review, a panel and a gold item give a verdict that decides nothing by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from evenhand.errors import InputError, nearest
from evenhand.store import cases, schema
from evenhand.store import events as ev
from evenhand.store.cases import APPEAL, GOLD, MEASUREMENT, PANEL, RESOLVE, REVIEW, SECOND, VERDICTS, Case, TaskState
from evenhand.store.intake import open_task
from evenhand.store.ledger import ConflictError, EventLedger, ForbiddenError
from evenhand.store.policy import ESCALATED
from evenhand.store.queues import SECOND_MICROS, held_task
from evenhand.store.reasons import keep_reason

USUAL_ACTION = {cases.VIOLATING: cases.REMOVE, cases.BENIGN: cases.LEAVE, cases.UNCLEAR: cases.LEAVE}
GROUNDS = (None, "illegal", "terms")


def decide(
    ledger: EventLedger,
    task: str,
    version: int,
    verdict: str,
    *,
    action: str | None = None,
    clause: str | None = None,
    ground: str | None = None,
    territory: str | None = None,
    until: int | None = None,
    account_action: str | None = None,
    label: str | None = None,
    note: str | None = None,
    lead_time: float | None = None,
) -> dict[str, Any]:
    """Answer a task. What is remembered as the decision depends on its purpose."""
    if verdict not in VERDICTS:
        raise InputError(f"invalid verdict: '{verdict}' (choose from: {', '.join(VERDICTS)})")
    if ground not in GROUNDS:
        raise InputError(f"invalid ground: '{ground}' (choose from: illegal, terms)")
    case, state = held_task(ledger, task, version)
    _check_purpose(ledger, state)
    _check_actions(ledger, case, action, account_action)
    policy = ledger.policy
    answer = ev.Judged(
        task=task, person=ledger.actor, verdict=verdict, label=label, lead_time=lead_time,
        note=ledger.keep("note", note, case.item.id), score_shown=policy.reserved == 0.0 and state.purpose == REVIEW,
    )  # fmt: skip
    before = case.item.basis
    ledger.record(case, answer)
    decision = ev.Decided(
        verdict=verdict, action=action or USUAL_ACTION[verdict], basis=state.purpose, task=task, clause=clause,
        ground=ground, territory=territory, until=until, account_action=account_action,
    )  # fmt: skip
    _CONSEQUENCES[state.purpose](ledger, case, state, decision)
    return {"task": task, "version": state.version, "item": case.item.id, "before": before}


def _check_actions(ledger: EventLedger, case: Case, action: str | None, account_action: str | None) -> None:
    """They must be declared in the policy, and one against an account needs an author."""
    policy = ledger.policy
    if action is not None and action not in policy.actions:
        raise InputError(f"the policy has no action '{action}'; {nearest(action, policy.actions)}")
    if account_action is None:
        return
    if account_action not in policy.account_actions:
        hint = nearest(account_action, policy.account_actions)
        raise InputError(f"the policy has no action '{account_action}' on accounts; {hint}")
    if case.item.author is None:
        raise InputError("the item has no author, so there is no account to act on")


def _check_purpose(ledger: EventLedger, task: TaskState) -> None:
    """Their role may have changed while they held it."""
    if not ledger.member.may_take(task.purpose):
        raise ForbiddenError(f"the role '{ledger.member.role}' may not decide this: release the task")


def _review(ledger: EventLedger, case: Case, task: TaskState, decision: ev.Decided) -> None:
    measured = case.open_task(MEASUREMENT)
    if measured is not None and measured.state == cases.WAITING:
        ledger.record(case, ev.TaskWithdrawn(task=measured.id, reason="reached"))
    _make(ledger, case, decision)
    _compare_opinions(ledger, case, task)
    if ledger.store.keys.uniform("second", task.id) < ledger.policy.second and not case.open_task(SECOND):
        open_task(ledger, case, SECOND, task.queue)
    _ask_panel(ledger, case, task)


def _measurement(ledger: EventLedger, case: Case, task: TaskState, decision: ev.Decided) -> None:
    if case.item.basis in (None, cases.POLICY):
        _make(ledger, case, decision)
        _compare_opinions(ledger, case, task)
    _ask_panel(ledger, case, task)


def _second(ledger: EventLedger, case: Case, _task: TaskState, decision: ev.Decided) -> None:
    if case.item.verdict is not None:
        _resolve_difference(ledger, case, decision.verdict)


def _compare_opinions(ledger: EventLedger, case: Case, task: TaskState) -> None:
    """A second opinion that was asked for while the task was held may have come before the decision."""
    for other in tuple(case.tasks.values()):
        if other.purpose == SECOND and other.state == cases.DONE and other.opened_at >= task.opened_at:
            _resolve_difference(ledger, case, str(other.verdict))


def _resolve_difference(ledger: EventLedger, case: Case, verdict: str) -> None:
    """Two who disagree: a third person decides."""
    if verdict != case.item.verdict and not case.open_task(RESOLVE):
        open_task(ledger, case, RESOLVE, ESCALATED)


def _resolve(ledger: EventLedger, case: Case, _task: TaskState, decision: ev.Decided) -> None:
    if decision.verdict != case.item.verdict:
        _make(ledger, case, decision)


def _appeal(ledger: EventLedger, case: Case, _task: TaskState, decision: ev.Decided) -> None:
    account = decision.account_action
    overturned = decision.action != case.item.action or account not in (None, case.item.account_action)
    if overturned:
        _make(ledger, case, decision)
    ledger.record(case, ev.AppealAnswered(outcome=cases.OVERTURNED if overturned else cases.UPHELD))


def _nothing(*_: object) -> None:
    """A verdict for the record."""


_CONSEQUENCES: dict[str, Callable[[EventLedger, Case, TaskState, ev.Decided], None]] = {
    REVIEW: _review, MEASUREMENT: _measurement, SECOND: _second, RESOLVE: _resolve, APPEAL: _appeal,
    PANEL: _nothing, GOLD: _nothing,
}  # fmt: skip


def _make(ledger: EventLedger, case: Case, decision: ev.Decided) -> None:
    """The decision that holds from now on; one by a person that held before is reversed by an event."""
    if case.item.basis not in (None, cases.POLICY) and case.item.decision is not None:
        ledger.record(case, ev.Reversed(decision=case.item.decision, reason=decision.basis))
    ledger.record(case, decision)


def _ask_panel(ledger: EventLedger, case: Case, task: TaskState) -> None:
    if case.item.panel and case.item.panel_verdict is None and not case.open_task(PANEL):
        open_task(ledger, case, PANEL, task.queue)


def skip(
    ledger: EventLedger,
    task: str,
    version: int,
    reason: str = "",
    *,
    note: str | None = None,
    lead_time: float | None = None,
) -> dict[str, Any]:
    """Leave a task to somebody else; what several skipped goes to the escalated."""
    case, state = held_task(ledger, task, version)
    policy, kept = ledger.policy, ledger.keep("note", note, case.item.id)
    said = keep_reason(ledger, reason, case.item.id)
    ledger.record(case, ev.TaskSkipped(task=task, person=ledger.actor, reason=said, note=kept, lead_time=lead_time))
    if state.purpose == GOLD:
        ledger.record(case, ev.TaskWithdrawn(task=task, reason="skipped"))
    elif state.skips >= policy.most_skips and state.queue != ESCALATED:
        ledger.record(case, ev.TaskEscalated(task=task, queue=ESCALATED, reason="skipped"), actor="system")
    return {"task": task, "version": state.version}


def escalate(
    ledger: EventLedger, task: str, version: int, reason: str, queue: str = ESCALATED, *, note: str | None = None
) -> dict[str, Any]:
    """Pass a task on to another queue; whoever decides there reads the reason and the note."""
    case, state = held_task(ledger, task, version)
    if queue not in ledger.policy.queue_names:
        raise InputError(f"there is no queue '{queue}'; {nearest(queue, ledger.policy.queue_names)}")
    if state.purpose == GOLD:
        ledger.record(case, ev.TaskWithdrawn(task=task, reason="escalated"))
    else:
        kept, said = ledger.keep("note", note, case.item.id), keep_reason(ledger, reason, case.item.id)
        ledger.record(case, ev.TaskEscalated(task=task, queue=queue, person=ledger.actor, reason=said, note=kept))
    return {"task": task, "version": state.version}


def ask_second(ledger: EventLedger, task: str, version: int) -> dict[str, Any]:
    """Ask for a blind second opinion on a task that one holds; one decides it all the same."""
    case, state = held_task(ledger, task, version)
    if state.purpose in (REVIEW, MEASUREMENT) and not case.open_task(SECOND):
        open_task(ledger, case, SECOND, state.queue)
    return {"task": task, "version": state.version}


def undo(ledger: EventLedger, task: str, version: int | None = None) -> dict[str, Any]:
    """Take one's own verdict back, in time and unless somebody acted on it; the task is held again."""
    case, state = ledger.case_of_task(task)
    policy = ledger.policy
    if state.state != cases.DONE or state.person != ledger.actor or state.done_at is None:
        raise ConflictError("there is no verdict of yours to undo here")
    _check_purpose(ledger, state)
    if version not in (None, state.version):
        raise ConflictError(f"the item has changed: look at it again (version {state.version}, not {version})")
    if ledger.at > state.done_at + policy.undo_seconds * SECOND_MICROS:
        raise ConflictError(f"too late: a verdict can be undone for {policy.undo_seconds:,} seconds")
    _check_untouched(case, state)
    for other in case.tasks.values():
        if (
            other.opened_at == state.done_at
            and other.state == cases.WAITING
            and other.purpose in (SECOND, PANEL, RESOLVE)
        ):
            ledger.record(case, ev.TaskWithdrawn(task=other.id, reason="undone"))
    own = case.item.decision if case.item.decided_by == ledger.actor and case.item.decided_at == state.done_at else None
    until = ledger.at + policy.lease_seconds * SECOND_MICROS
    ledger.record(case, ev.Undone(task=task, person=ledger.actor, reopened=until, decision=own))
    return {"task": task, "version": state.version, "until": until}


def _check_untouched(case: Case, state: TaskState) -> None:
    """Nothing may rest on the verdict: no appeal, and no task that it opened and that somebody took."""
    if state.purpose in (APPEAL, RESOLVE, GOLD):
        raise ConflictError("the outcome of an appeal, a resolution or a test item cannot be undone")
    acted = [task for task in case.tasks.values() if task.purpose in (SECOND, PANEL, RESOLVE) and task is not state]
    review = case.open_task(REVIEW)
    item, done_at = case.item, state.done_at or 0
    if item.basis not in (None, cases.POLICY) and item.decided_at is not None and item.decided_at > done_at:
        raise ConflictError("too late: somebody else has decided since")
    if item.appeal is not None or any(task.state in (cases.CLAIMED, cases.DONE) for task in acted):
        raise ConflictError("too late: somebody has acted on this verdict")
    if state.purpose == MEASUREMENT and (item.reached or (review and review.state == cases.CLAIMED)):
        raise ConflictError("too late: the verdict has been used")


def appeal(ledger: EventLedger, item: str, reason: str, note: str | None = None) -> dict[str, Any]:
    """A complaint about the decision that holds; somebody who has not seen the item answers it."""
    case = ledger.case(item)
    if case.item.gold is not None or case.item.decision is None:
        raise ConflictError("there is no decision on this item to appeal against")
    if case.item.appeal == cases.OPEN:
        raise ConflictError("an appeal against this decision is open already")
    content = ledger.keep("note", note, item)
    said = keep_reason(ledger, reason, item)
    ledger.record(case, ev.Appealed(decision=case.item.decision, reason=said, note=content))
    task = open_task(ledger, case, APPEAL, ESCALATED)
    return {"item": item, "task": task}


def decide_many(ledger: EventLedger, items: list[str], verdict: str, reason: str, **more: Any) -> dict[str, Any]:
    """The same decision on many items, by a lead: recorded one by one; items that people hold are left alone."""
    decided, held = list[str](), list[str]()
    for case in ledger.cases(items):
        task = case.open_task(REVIEW)
        seen = schema.seen
        known = sa.select(seen.c.final).where(seen.c.item == case.item.id, seen.c.person == ledger.actor)
        if task is None or task.state == cases.CLAIMED or ledger.connection.scalar(known):
            held.append(case.item.id)
            continue
        if not ledger.member.may_use(task.queue):
            raise ForbiddenError(f"you have no access to the queue '{task.queue}' of the item '{case.item.id}'")
        until = ledger.at + SECOND_MICROS
        ledger.record(case, ev.TaskClaimed(task=task.id, person=ledger.actor, until=until))
        decide(ledger, task.id, task.version, verdict, note=reason, **more)
        decided.append(case.item.id)
    return {"decided": decided, "left": held}


def reverse(
    ledger: EventLedger,
    item: str,
    reason: str,
    verdict: str,
    action: str | None = None,
    *,
    clause: str | None = None,
    ground: str | None = None,
    territory: str | None = None,
    until: int | None = None,
    account_action: str | None = None,
) -> dict[str, Any]:
    """A lead replaces a decision of somebody else."""
    case = ledger.case(item)
    if case.item.basis in (None, cases.POLICY) or case.item.decision is None or verdict not in VERDICTS:
        raise ConflictError("there is no decision by a person on this item to reverse")
    if case.item.decided_by == ledger.actor:
        raise ForbiddenError("somebody else must reverse a decision of yours")
    if any(task.holder == ledger.actor for task in case.tasks.values()):
        raise ConflictError("you hold a task of this item: decide or release it first")
    _check_actions(ledger, case, action, account_action)
    decision = ev.Decided(
        verdict=verdict, action=action or USUAL_ACTION[verdict], basis=RESOLVE, clause=clause, ground=ground,
        territory=territory, until=until, account_action=account_action,
    )  # fmt: skip
    ledger.record(case, ev.Reversed(decision=case.item.decision, reason=keep_reason(ledger, reason, item)))
    ledger.record(case, decision)
    return {"item": item, "action": case.item.action}
