"""What the desk's API takes: strict, limited in length, and without characters that a database refuses."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, FiniteFloat

from evenhand.store import NewItem
from evenhand.store.policy import ESCALATED

NO_NUL = r"^[^\u0000]*$"
Word = Annotated[str, Field(min_length=1, max_length=200, pattern=NO_NUL)]
LongWord = Annotated[str, Field(min_length=1, max_length=512, pattern=NO_NUL)]
Reason = Annotated[str, Field(min_length=1, max_length=2000, pattern=NO_NUL)]
Note = Annotated[str, Field(max_length=20_000, pattern=NO_NUL)]
Version = Annotated[int, Field(ge=1, le=2**31 - 1, description="As it was when you looked at it: 409 if it changed.")]
Seconds = Annotated[FiniteFloat, Field(ge=0, le=1e6)]
Verdict = Literal["violating", "benign", "unclear"]
RoleName = Literal["administrator", "lead", "moderator", "annotator", "auditor", "service"]
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


def _checked_time(at: datetime) -> datetime:
    if not EARLIEST <= at < LATEST:
        raise ValueError("the time must lie between the years 1970 and 2200")
    return at


Time = Annotated[AwareDatetime, AfterValidator(_checked_time)]


def micros(at: datetime | None) -> int | None:
    """As the store has times."""
    return None if at is None else round((at - EARLIEST).total_seconds() * 1_000_000)


class DeskBody(BaseModel):
    """A request: nothing that is not named here."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ItemBody(DeskBody):
    """Content to moderate, by the id that the platform has for it; the same id with another text is an edit."""

    id: LongWord
    text: Annotated[str, Field(max_length=1_000_000, pattern=NO_NUL)]
    type: Word = "comment"
    language: Word | None = None
    community: Word | None = None
    thread: LongWord | None = None
    author: LongWord | None = None
    created_at: Time | None = None
    attributes: Annotated[dict[Word, FiniteFloat], Field(max_length=50)] = {}
    gold: Annotated[Verdict | None, Field(description="The right verdict, of an item that tests reviewers.")] = None

    def new_item(self, **more: Any) -> NewItem:
        """As the store takes it."""
        return NewItem(
            self.id, self.text, item_type=self.type, language=self.language, community=self.community,
            thread=self.thread, author=self.author, created_at=micros(self.created_at), attributes=self.attributes,
            gold=self.gold, **more,
        )  # fmt: skip


class ItemsBody(DeskBody):
    """Several items."""

    items: Annotated[list[ItemBody], Field(min_length=1, max_length=1000)]


class NoticeBody(DeskBody):
    """A report by a user or a trusted flagger about an item, by the platform's id."""

    id: LongWord
    reason: Reason
    reporter: LongWord | None = None
    clause: Word | None = None
    note: Note | None = None
    trusted: bool = False


class AppealBody(DeskBody):
    """A complaint about the decision on an item, by the platform's id."""

    id: LongWord
    reason: Reason
    note: Note | None = None


class VersionBody(DeskBody):
    """A task as one saw it."""

    version: Version


class VerdictBody(DeskBody):
    """A decision. Without an action: remove what is violating, leave the rest."""

    verdict: Verdict
    action: Word | None = None
    clause: Word | None = None
    ground: Literal["illegal", "terms"] | None = None
    territory: Word | None = None
    until: Time | None = None
    account_action: Annotated[Word | None, Field(description="What it does to the account of the author.")] = None


class DecideBody(VersionBody, VerdictBody):
    """The answer to a task. Without an action: remove what is violating, leave the rest."""

    label: Word | None = None
    note: Note | None = None
    lead_time: Seconds | None = None


class SkipBody(VersionBody):
    """Why somebody else should judge it."""

    reason: Note = ""
    lead_time: Seconds | None = None


class EscalateBody(VersionBody):
    """To whom it goes, and why."""

    reason: Reason
    queue: Word = ESCALATED


class ReasonBody(DeskBody):
    """Why, as the event will say."""

    reason: Reason


class ReverseBody(ReasonBody, VerdictBody):
    """Another decision in the place of somebody else's."""


class DecideManyBody(ReverseBody):
    """One decision about many items, by their ids at the desk."""

    items: Annotated[list[Word], Field(min_length=1, max_length=1000)]


class HoldBody(ReasonBody):
    """A legal hold, or its end."""

    held: bool


class AuthorBody(ReasonBody):
    """An author, by the platform's key."""

    author: LongWord


class PersonBody(DeskBody):
    """Somebody to invite, or to give another role; without queues, all of them."""

    person: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\u0000-\u001f\u007f]*$")]
    role: RoleName
    queues: Annotated[list[Word], Field(max_length=100)] = []
    active: bool = True


class PolicyBody(ReasonBody):
    """A policy to activate: of a store, of `evenhand plan`, or bare thresholds."""

    policy: dict[str, Any]
