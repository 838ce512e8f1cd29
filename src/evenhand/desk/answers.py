"""What the desk's API gives, as its OpenAPI document describes it. Times are ISO 8601 in UTC."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field


class ReceivedItem(BaseModel):
    """What became of an item that was sent: new, edited or known; and what the policy does to it."""

    item: Annotated[str, Field(description="Its id at the desk.")]
    id: str
    outcome: str
    route: str | None


class ReceivedItems(BaseModel):
    """In the order in which they were sent."""

    items: list[ReceivedItem]


class NoticeAnswer(BaseModel):
    """How many notices there are about the item."""

    item: str
    notices: int


class AppealAnswer(BaseModel):
    """The appeal waits for somebody who has not seen the item."""

    item: str


class TaskView(BaseModel):
    """What a reviewer is shown; all but `task` are missing where nothing waits, and the score where it is hidden."""

    task: str | None
    version: int | None = None
    item: str | None = None
    external_id: str | None = None
    text: str | None = None
    language: str | None = None
    community: str | None = None
    thread: str | None = None
    notices: int | None = None
    until: str | None = None
    score: float | None = None


class TaskList(BaseModel):
    """What the person holds."""

    tasks: list[TaskView]


class TaskAnswer(BaseModel):
    """The task after the call; a further call must name this version."""

    task: str
    version: int
    until: str | None = None


class EarlierItem(BaseModel):
    """An item around the one that is reviewed."""

    item: str
    external_id: str
    text: str | None
    action: str | None
    basis: str | None


class ContextAnswer(BaseModel):
    """The items before, newest first."""

    item: str
    thread: list[EarlierItem]
    author: list[EarlierItem]


class QueueView(BaseModel):
    """A queue, and how much waits there."""

    queue: str
    waiting: int
    capacity: Annotated[int | None, Field(description="Reviews a day that the policy counts on, if it says so.")] = None
    reviewed_today: Annotated[int, Field(description="Since midnight, UTC.")] = 0


class QueueList(BaseModel):
    """The queues that the person has access to."""

    queues: list[QueueView]


class DecisionView(BaseModel):
    """What holds of an item from this event on. Without an action nothing holds: it is reviewed again.

    A lead, who reviews too, sees the outcome once a person has decided, nobody can undo it and no blind review is open;
    until then the kind is `hidden`.
    """

    number: int
    at: str
    item: str
    id: str
    kind: Annotated[str, Field(description="routed (by the policy, unseen), decided, reversed, undone; or hidden")]
    action: str | None
    account_action: str | None = None
    verdict: str | None = None
    basis: str | None = None
    clause: str | None = None
    ground: str | None = None
    territory: str | None = None
    until: str | None = None
    automated: bool
    reason: str | None = None


class DecisionList(BaseModel):
    """Decisions after a number; ask again with `after` = `next`."""

    decisions: list[DecisionView]
    next: int


class EventView(BaseModel):
    """An event as it is sealed; texts, notes and keys of people are not in it."""

    number: int
    at: str
    stream: str
    version: int
    kind: str
    actor: str
    payload: dict[str, Any]
    chain: str


class EventList(BaseModel):
    """Events after a number."""

    events: list[EventView]
    next: int


class ItemView(BaseModel):
    """An item as it stands, without its text. Of what a lead may still review, the outcome is hidden from them."""

    item: str
    id: str
    type: str
    language: str | None
    community: str | None
    received_at: str
    edits: int
    notices: int
    route: str | None
    action: str | None
    account_action: str | None
    verdict: str | None
    basis: str | None
    decided_at: str | None
    appeal: str | None
    hidden: bool


class ItemText(BaseModel):
    """A text that was read outside a review; null where it was erased."""

    item: str
    text: str | None


class PolicyView(BaseModel):
    """A version of the policy; the last one is in force."""

    version: int
    activated_at: str
    activated_by: str
    reason: str | None
    policy: dict[str, Any]


class PolicyList(BaseModel):
    """All versions, the first one first."""

    policies: list[PolicyView]


class PolicyAnswer(BaseModel):
    """The version that is in force now."""

    policy: int


class PersonView(BaseModel):
    """Somebody who works here, or did."""

    person: str
    role: str
    queues: list[str]
    active: bool
    signs_in: bool


class PersonList(BaseModel):
    """Everybody, by name."""

    people: list[PersonView]


class InvitationAnswer(BaseModel):
    """The path of the one-time link, shown only now; none for a program or somebody whose access ended."""

    person: str
    role: str
    link: str | None


class DecidedMany(BaseModel):
    """Items that were decided, and those that were left because somebody holds or has seen them."""

    decided: list[str]
    left: list[str]


class ItemAction(BaseModel):
    """What holds of the item now."""

    item: str
    action: str | None


class HoldAnswer(BaseModel):
    """Whether the item is under a legal hold."""

    item: str
    held: bool


class ErasedItem(BaseModel):
    """How many contents were erased."""

    item: str
    erased: int


class ErasedAuthor(BaseModel):
    """How many items and contents were erased, and how many items a legal hold keeps."""

    items: int
    erased: int
    held: int


class ReporterAnswer(BaseModel):
    """Of the items that somebody reported and a person judged, the share that was violating, with its interval."""

    reporter: str
    value: float | None
    low: float | None
    high: float | None
    level: float
    method: str
    n: int
    note: str | None


class FindingsDocument(BaseModel):
    """Estimates of the measured weeks, as `evenhand store measure --json` prints them."""

    estimates: list[dict[str, Any]]
