"""The state of an item, derived from its events: what holds, who has which task, who has seen it.

`Case.apply` is the only place that knows what an event means. A write applies its events to the case and stores the
rows; a rebuild applies all events of an item from the first on, and must come to the same rows.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from evenhand.store import events as ev

WAITING, CLAIMED, DONE, WITHDRAWN = "waiting", "claimed", "done", "withdrawn"
REVIEW, MEASUREMENT, SECOND, RESOLVE, PANEL, APPEAL, GOLD = (
    *("review", "measurement", "second", "resolve", "panel", "appeal", "gold"),
)
VIOLATING, BENIGN, UNCLEAR = "violating", "benign", "unclear"
VERDICTS = (VIOLATING, BENIGN, UNCLEAR)
REMOVE, LEAVE = "remove", "leave"
POLICY = "policy"  # the basis of a decision without a person
NO_TASK = ""  # what somebody who was asked by no task has seen an item in
OPEN, UPHELD, OVERTURNED = "open", "upheld", "overturned"


@dataclass(slots=True)
class ItemState:
    """One row of `items`, by the names of its columns."""

    id: str
    external_id: str
    received_at: int
    version: int = 0
    item_type: str = "comment"
    edits: int = 0
    text: str | None = None
    author: str | None = None
    language: str | None = None
    community: str | None = None
    thread: str | None = None
    created_at: int | None = None
    attributes: str = "{}"
    score: float | None = None
    uncertainty: float | None = None
    model: str | None = None
    model_version: str | None = None
    policy: int | None = None
    route: str | None = None
    route_reason: str | None = None
    probability: float | None = None
    drawn: bool = False
    draw_order: float | None = None
    panel: bool = False
    reached: bool = False
    notices: int = 0
    action: str | None = None
    verdict: str | None = None
    basis: str | None = None
    decided_by: str | None = None
    decided_at: int | None = None
    decision: int | None = None
    measured_verdict: str | None = None
    panel_verdict: str | None = None
    appeal: str | None = None
    gold: str | None = None
    held: bool = False
    reporters: int = 0
    trusted_notice: bool = False
    account_action: str | None = None


@dataclass(slots=True)
class TaskState:
    """One row of `tasks`: a judgement that is asked of one person."""

    id: str
    item: str
    purpose: str
    queue: str
    first_key: float
    second_key: float
    opened_at: int
    version: int = 1
    state: str = WAITING
    virtual: bool = False
    holder: str | None = None
    lease_until: int | None = None
    skips: int = 0
    person: str | None = None
    verdict: str | None = None
    done_at: int | None = None


ITEM_COLUMNS = tuple(entry.name for entry in fields(ItemState))
TASK_COLUMNS = tuple(entry.name for entry in fields(TaskState))


@dataclass(slots=True)
class Case:
    """An item with its tasks; of those who saw it and of notices only what events since loading say."""

    item: ItemState
    tasks: dict[str, TaskState] = field(default_factory=dict)
    seen: dict[str, tuple[str, bool]] = field(default_factory=dict)
    notices: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def begin(cls, item: str, at: int, first: ev.Received | ev.ItemImported) -> Case:
        """Before its first event."""
        return cls(ItemState(item, first.external_id, at))

    def apply(self, event: ev.StoreEvent, at: int, actor: str) -> None:
        """One more event."""
        self.item.version += 1
        if action := _ACTIONS.get(type(event)):
            action(self, event, at, actor)

    def open_task(self, *purposes: str) -> TaskState | None:
        """A task of one of these purposes that nobody has answered."""
        return next(
            (task for task in self.tasks.values() if task.purpose in purposes and task.state in (WAITING, CLAIMED)),
            None,
        )

    def row(self) -> dict[str, Any]:
        """The row of the item."""
        return {name: getattr(self.item, name) for name in ITEM_COLUMNS}


def task_row(task: TaskState) -> dict[str, Any]:
    """The row of a task."""
    return {name: getattr(task, name) for name in TASK_COLUMNS}


Action = Callable[..., None]  # of a case, an event, its time and its actor
_ACTIONS: dict[type[ev.StoreEvent], Action] = {}


def _on(kind: type[ev.StoreEvent]) -> Callable[[Action], Action]:
    def register(action: Action) -> Action:
        _ACTIONS[kind] = action
        return action

    return register


def _take(item: ItemState, event: Any, *names: str) -> None:
    for name in names:
        setattr(item, name, getattr(event, name))


@_on(ev.Received)
def _received(case: Case, event: ev.Received, *_: Any) -> None:
    item = case.item
    _take(item, event, "item_type", "language", "community", "thread", "created_at", "gold")
    item.text, item.author = event.text and event.text.id, event.author and event.author.id
    item.attributes = json.dumps(dict(event.attributes), sort_keys=True)


@_on(ev.ItemImported)
def _imported(case: Case, event: ev.ItemImported, *_: Any) -> None:
    item = case.item
    _take(item, event, "item_type", "language", "community", "created_at", "score", "model", "model_version")
    _take(item, event, "verdict", "action", "decided_by", "decided_at")
    item.text, item.author = event.text and event.text.id, event.author and event.author.id
    if event.action is not None:
        item.basis, item.decision = "imported", item.version


@_on(ev.Edited)
def _edited(case: Case, event: ev.Edited, *_: Any) -> None:
    case.item.text, case.item.edits = event.text.id, case.item.edits + 1
    for task in case.tasks.values():
        if task.state in (WAITING, CLAIMED):
            task.version += 1  # whoever holds it looks at another text


@_on(ev.Scored)
def _scored(case: Case, event: ev.Scored, *_: Any) -> None:
    if not event.shadow:
        _take(case.item, event, "score", "uncertainty", "model", "model_version")


@_on(ev.MeasurementDrawn)
def _drawn(case: Case, event: ev.MeasurementDrawn, *_: Any) -> None:
    _take(case.item, event, "probability", "drawn", "panel")
    case.item.draw_order = event.order


@_on(ev.Routed)
def _routed(case: Case, event: ev.Routed, at: int, *_: Any) -> None:
    item = case.item
    _take(item, event, "policy", "route")
    item.route_reason = event.reason
    if item.basis not in (None, POLICY):  # what people decided holds until people decide otherwise
        return
    decides = event.route in (REMOVE, LEAVE)
    item.action, item.basis = (event.route, POLICY) if decides else (None, None)
    item.decided_at, item.decision = (at, item.version) if decides else (None, None)


@_on(ev.Noticed)
def _noticed(case: Case, event: ev.Noticed, at: int, *_: Any) -> None:
    item = case.item
    item.notices += 1
    item.reporters += not event.repeated
    item.trusted_notice = item.trusted_notice or event.trusted
    reporter = event.reporter and event.reporter.id
    case.notices.append(
        {
            "item": item.id,
            "version": item.version,
            "reporter": reporter,
            "reason": event.reason.id if isinstance(event.reason, ev.ContentRef) else event.reason,
            "clause": event.clause,
            "trusted": event.trusted,
            "at": at,
        }
    )


@_on(ev.TaskOpened)
def _opened(case: Case, event: ev.TaskOpened, at: int, *_: Any) -> None:
    keys = (event.first_key, event.second_key)
    case.tasks[event.task] = TaskState(event.task, case.item.id, event.purpose, event.queue, *keys, at)


@_on(ev.TaskRanked)
def _ranked(case: Case, event: ev.TaskRanked, *_: Any) -> None:
    task = case.tasks[event.task]
    task.first_key, task.second_key = event.first_key, event.second_key


@_on(ev.TaskClaimed)
def _claimed(case: Case, event: ev.TaskClaimed, *_: Any) -> None:
    task = _changed(case, event.task, CLAIMED)
    task.holder, task.lease_until = event.person, event.until
    case.seen[event.person] = (event.task, False)


@_on(ev.TaskRenewed)
def _renewed(case: Case, event: ev.TaskRenewed, *_: Any) -> None:
    _changed(case, event.task, CLAIMED).lease_until = event.until


@_on(ev.TaskReleased)
def _released(case: Case, event: ev.TaskReleased, *_: Any) -> None:
    _changed(case, event.task, WAITING)


@_on(ev.TaskSkipped)
def _skipped(case: Case, event: ev.TaskSkipped, *_: Any) -> None:
    _changed(case, event.task, WAITING).skips += 1
    case.seen[event.person] = (event.task, True)


@_on(ev.TaskEscalated)
def _escalated(case: Case, event: ev.TaskEscalated, *_: Any) -> None:
    _changed(case, event.task, WAITING).queue = event.queue
    if event.person is not None:
        case.seen[event.person] = (event.task, True)


@_on(ev.TaskWithdrawn)
def _withdrawn(case: Case, event: ev.TaskWithdrawn, at: int, *_: Any) -> None:
    _changed(case, event.task, WITHDRAWN).done_at = at


@_on(ev.Judged)
def _judged(case: Case, event: ev.Judged, at: int, *_: Any) -> None:
    task, item = _changed(case, event.task, DONE), case.item
    task.person, task.verdict, task.done_at = event.person, event.verdict, at
    case.seen[event.person] = (event.task, True)
    if task.purpose == REVIEW:
        item.reached = True
    if task.purpose in (REVIEW, MEASUREMENT):
        item.measured_verdict = event.verdict
    if task.purpose == PANEL:
        item.panel_verdict = event.verdict
    review = case.open_task(REVIEW)
    if task.purpose == MEASUREMENT and review is not None:
        review.virtual, review.version = True, review.version + 1


@_on(ev.ReviewReached)
def _reached(case: Case, event: ev.ReviewReached, at: int, *_: Any) -> None:
    task = _changed(case, event.task, DONE)
    task.verdict, task.done_at = case.item.measured_verdict, at
    case.item.reached = True


@_on(ev.Decided)
def _decided(case: Case, event: ev.Decided, at: int, actor: str) -> None:
    item = case.item
    _take(item, event, "verdict", "action", "basis", "account_action")
    item.decided_by, item.decided_at, item.decision = actor, at, item.version
    if event.task is None:  # a reversal: whoever made it has judged the item, and answers no appeal against it
        case.seen[actor] = (NO_TASK, True)


@_on(ev.Undone)
def _undone(case: Case, event: ev.Undone, *_: Any) -> None:
    task, item = _changed(case, event.task, CLAIMED), case.item
    task.holder, task.lease_until = event.person, event.reopened
    task.person = task.verdict = task.done_at = None
    case.seen[event.person] = (event.task, False)
    if task.purpose == REVIEW:
        item.reached = False
    if task.purpose in (REVIEW, MEASUREMENT):
        item.measured_verdict = None
        for other in case.tasks.values():
            other.virtual = False
            if other.purpose == MEASUREMENT and other.state == WITHDRAWN:  # the review made it needless
                other.state, other.done_at = WAITING, None
    if task.purpose == PANEL:
        item.panel_verdict = None
    if event.decision is not None:
        _annul(item)


@_on(ev.Reversed)
def _reversed(case: Case, *_: Any) -> None:
    _annul(case.item)


def _annul(item: ItemState) -> None:
    """What holds without a decision by people: what the policy decided, if it did."""
    decides = item.route in (REMOVE, LEAVE)
    item.action, item.basis = (item.route, POLICY) if decides else (None, None)
    item.verdict = item.decided_by = item.decided_at = item.decision = item.account_action = None


@_on(ev.Appealed)
def _appealed(case: Case, *_: Any) -> None:
    case.item.appeal = OPEN


@_on(ev.AppealAnswered)
def _answered(case: Case, event: ev.AppealAnswered, *_: Any) -> None:
    case.item.appeal = event.outcome


@_on(ev.LegalHold)
def _held(case: Case, event: ev.LegalHold, *_: Any) -> None:
    case.item.held = event.held


def _changed(case: Case, name: str, state: str) -> TaskState:
    task = case.tasks[name]
    task.state, task.version = state, task.version + 1
    if state != CLAIMED:
        task.holder = task.lease_until = None
    return task
