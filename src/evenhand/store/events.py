"""What can happen, as typed events, and the bytes that are stored and hashed.

An event never holds a text, a note, the key of an author or what a person wrote as a reason: it holds a `ContentRef`,
the salted hash of it. The salt is erased with the content, so that what is left says nothing about it. Stores of
earlier versions have reasons in the payload as they were written; these stay readable.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, NamedTuple

SEPARATOR = "\x1f"
ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


class ContentRef(NamedTuple):
    """Content that is kept apart: its id, and SHA-256 of its salt and itself."""

    id: str
    sha256: str


Reason = ContentRef | str  # what a person wrote is kept apart; a code of the program stands for itself
KINDS: dict[str, type[StoreEvent]] = {}


class StoreEvent:
    """Something that happened. `kind` is its name in the database."""

    kind: ClassVar[str]

    def __init_subclass__(cls, kind: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        if kind:
            cls.kind = kind
            KINDS.setdefault(kind, cls)

    def payload(self) -> str:
        """Canonical JSON of what was given: keys sorted, no spaces, ASCII."""
        values = {name: value for name in _names(type(self)) if (value := getattr(self, name)) is not None}
        return ENCODER.encode(values)

    def contents(self) -> list[ContentRef]:
        """What it refers to outside the chain."""
        return [value for name in _names(type(self)) if isinstance(value := getattr(self, name), ContentRef)]


_NAMES: dict[type, tuple[str, ...]] = {}


def _names(kind: type) -> tuple[str, ...]:
    if kind not in _NAMES:
        _NAMES[kind] = tuple(entry.name for entry in fields(kind))
    return _NAMES[kind]


REFERENCES = frozenset(
    {"text", "author", "reporter", "note", "reason", "population"}
)  # fields that may refer to contents


def payload_references(values: Mapping[str, Any]) -> dict[str, ContentRef]:
    """The fields of a payload that refer to contents."""
    return {name: ContentRef(*values[name]) for name in REFERENCES & values.keys() if isinstance(values[name], list)}


def read_event(kind: str, payload: str) -> StoreEvent:
    """The event that `payload` wrote."""
    values: dict[str, Any] = json.loads(payload)
    return KINDS[kind](**{**values, **payload_references(values)})


def may_refer(kind: type[StoreEvent]) -> bool:
    """Whether events of a kind can refer to contents."""
    return any(name in str(entry.type) for entry in fields(kind) for name in ("ContentRef", "Reason"))  # type: ignore[arg-type]


def stored_bytes(stream: str, version: int, at: int, kind: str, actor: str, payload: str) -> bytes:
    """What the chain covers of a row: all that was stored. No field but the last may hold the separator."""
    return SEPARATOR.join((stream, str(version), str(at), kind, actor, payload)).encode()


@dataclass(frozen=True, kw_only=True)
class Received(StoreEvent, kind="received"):
    """An item came in. `gold` is the verdict of an item that tests reviewers."""

    external_id: str
    item_type: str = "comment"
    text: ContentRef | None = None
    author: ContentRef | None = None
    language: str | None = None
    community: str | None = None
    thread: str | None = None
    created_at: int | None = None
    attributes: Mapping[str, float] = field(default_factory=dict)
    gold: str | None = None


@dataclass(frozen=True, kw_only=True)
class Edited(StoreEvent, kind="edited"):
    """The same item with another text."""

    text: ContentRef


@dataclass(frozen=True, kw_only=True)
class Scored(StoreEvent, kind="scored"):
    """A model scored the current text. A shadow model is recorded and decides nothing."""

    model: str
    model_version: str
    score: float
    uncertainty: float | None = None
    shadow: bool = False


@dataclass(frozen=True, kw_only=True)
class MeasurementDrawn(StoreEvent, kind="drawn"):
    """The measurement draw at arrival: with this probability, independent of score and route."""

    probability: float
    drawn: bool
    order: float
    panel: bool


@dataclass(frozen=True, kw_only=True)
class Routed(StoreEvent, kind="routed"):
    """What the policy of this version does: remove, leave, or review."""

    policy: int
    route: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Noticed(StoreEvent, kind="noticed"):
    """A user or a trusted flagger reported the item."""

    reason: Reason
    reporter: ContentRef | None = None
    note: ContentRef | None = None
    clause: str | None = None
    trusted: bool = False
    repeated: bool = False  # the same reporter has reported the item before


@dataclass(frozen=True, kw_only=True)
class TaskOpened(StoreEvent, kind="asked"):
    """A person's judgement is asked for: review, measurement, second, resolve, panel, appeal or gold."""

    task: str
    purpose: str
    queue: str
    first_key: float = 0.0
    second_key: float = 0.0


@dataclass(frozen=True, kw_only=True)
class TaskRanked(StoreEvent, kind="ranked"):
    """The place of a waiting task changed: another score, or more notices."""

    task: str
    first_key: float
    second_key: float


@dataclass(frozen=True, kw_only=True)
class TaskClaimed(StoreEvent, kind="claimed"):
    """A person has it, until the lease ends or is renewed."""

    task: str
    person: str
    until: int


@dataclass(frozen=True, kw_only=True)
class TaskRenewed(StoreEvent, kind="renewed"):
    """The lease lasts longer."""

    task: str
    until: int


@dataclass(frozen=True, kw_only=True)
class TaskReleased(StoreEvent, kind="released"):
    """Given back, or the lease expired: it waits again."""

    task: str
    person: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class TaskSkipped(StoreEvent, kind="skipped"):
    """A person could or would not judge it; it waits for somebody else."""

    task: str
    person: str
    reason: Reason = ""
    note: ContentRef | None = None
    lead_time: float | None = None


@dataclass(frozen=True, kw_only=True)
class TaskEscalated(StoreEvent, kind="escalated"):
    """It moves to another queue."""

    task: str
    queue: str
    person: str | None = None
    reason: Reason = ""
    note: ContentRef | None = None


@dataclass(frozen=True, kw_only=True)
class TaskWithdrawn(StoreEvent, kind="withdrawn"):
    """Nobody needs to judge it any more."""

    task: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Judged(StoreEvent, kind="judged"):
    """What a person answered to a task. It decides nothing by itself."""

    task: str
    person: str
    verdict: str
    label: str | None = None
    note: ContentRef | None = None
    lead_time: float | None = None
    score_shown: bool = False


@dataclass(frozen=True, kw_only=True)
class ReviewReached(StoreEvent, kind="reached"):
    """The policy's order came to an item that the measurement had judged: its verdict counts there too."""

    task: str


@dataclass(frozen=True, kw_only=True)
class Decided(StoreEvent, kind="decided"):
    """The decision that holds from now on. `basis`: review, measurement, resolve or appeal; `task` asked for it.

    `account_action` is what it does to the account of the author.
    """

    verdict: str
    action: str
    basis: str
    task: str | None = None
    clause: str | None = None
    ground: str | None = None
    territory: str | None = None
    until: int | None = None
    automated: bool = False
    account_action: str | None = None


@dataclass(frozen=True, kw_only=True)
class Undone(StoreEvent, kind="undone"):
    """The person who judged takes it back, in time."""

    task: str
    person: str
    reopened: int  # lease of the task that the person has again
    decision: int | None = None  # the version at which it was made, where one was


@dataclass(frozen=True, kw_only=True)
class Reversed(StoreEvent, kind="reversed"):
    """A decision does not hold any more: after an appeal, or a second review that disagreed."""

    decision: int
    reason: Reason


@dataclass(frozen=True, kw_only=True)
class Appealed(StoreEvent, kind="appealed"):
    """Somebody complains about a decision."""

    decision: int
    reason: Reason
    note: ContentRef | None = None


@dataclass(frozen=True, kw_only=True)
class AppealAnswered(StoreEvent, kind="answered"):
    """The outcome of an appeal: upheld (the decision stands) or overturned."""

    outcome: str


@dataclass(frozen=True, kw_only=True)
class LegalHold(StoreEvent, kind="held"):
    """The contents of an item may not be erased; or may again."""

    held: bool
    reason: Reason


@dataclass(frozen=True, kw_only=True)
class ContentErased(StoreEvent, kind="erased"):
    """Contents of an item are gone, with their salts."""

    reason: Reason
    number: int


@dataclass(frozen=True, kw_only=True)
class TextRead(StoreEvent, kind="read"):
    """Texts were read outside a review: one item's, or an export."""

    reason: Reason
    number: int = 1


@dataclass(frozen=True, kw_only=True)
class ItemImported(StoreEvent, kind="imported"):
    """A decision of the past, from before this store."""

    external_id: str
    item_type: str = "comment"
    text: ContentRef | None = None
    author: ContentRef | None = None
    language: str | None = None
    community: str | None = None
    created_at: int | None = None
    score: float | None = None
    model: str | None = None
    model_version: str | None = None
    verdict: str | None = None
    action: str | None = None
    decided_by: str | None = None
    decided_at: int | None = None


@dataclass(frozen=True, kw_only=True)
class PolicyActivated(StoreEvent, kind="activated"):
    """A version of the policy holds from now on; by a person."""

    policy: int
    document: Mapping[str, Any]
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class PersonInvited(StoreEvent, kind="invited"):
    """A person may work here, in a role; again with another role, or not any more."""

    person: str
    role: str
    queues: tuple[str, ...] = ()
    active: bool = True


@dataclass(frozen=True, kw_only=True)
class SecondFactorChanged(StoreEvent, kind="second_factor"):
    """A person signs in with a second factor from now on, or not any more."""

    person: str
    active: bool


@dataclass(frozen=True, kw_only=True)
class WebhookChanged(StoreEvent, kind="webhook"):
    """Decisions are sent to an address from now on, or not any more, or once more."""

    webhook: str
    url: str
    active: bool
    again_after: int | None = None


@dataclass(frozen=True, kw_only=True)
class TokenChanged(StoreEvent, kind="token"):
    """A program may ask by token from now on, or not any more."""

    name: str
    scopes: tuple[str, ...]
    active: bool


@dataclass(frozen=True, kw_only=True)
class ScoreSuggested(StoreEvent, kind="suggested"):
    """A caller of the API says which scores a comment should have: unverified, and no label."""

    text: ContentRef
    scores: Sequence[Mapping[str, Any]]
    languages: Sequence[str] = ()
    community: str | None = None
    caller: str | None = None


@dataclass(frozen=True, kw_only=True)
class StoreCreated(StoreEvent, kind="created"):
    """The first event of every store."""

    store: str
    public_key: str
