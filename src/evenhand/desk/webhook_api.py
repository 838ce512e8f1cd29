"""The API of webhooks: where decisions are sent, how far each receiver has come, and what did not arrive."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from evenhand.desk import webhooks
from evenhand.desk.bodies import DeskBody
from evenhand.desk.calls import DeskCall, DeskRoutes, query_number
from evenhand.desk.outgoing import LONGEST_URL, DeliveryError, OutgoingRequests
from evenhand.errors import InputError

routes = DeskRoutes("webhooks")
MOST, USUAL = 1000, 100


class WebhookBody(DeskBody):
    """Where decisions are to be sent."""

    url: Annotated[str, Field(min_length=8, max_length=LONGEST_URL)]


class ReplayBody(DeskBody):
    """The number after which everything is sent once more."""

    after: Annotated[int, Field(ge=0, le=2**53)]


class NewWebhook(BaseModel):
    """The secret that deliveries are signed with is shown only now."""

    webhook: str
    url: str
    secret: str


class WebhookState(BaseModel):
    """How far a webhook has come."""

    webhook: str
    active: bool
    known: int


class WebhookView(WebhookState):
    """A webhook: how many events it is behind, and how many attempts failed in a row."""

    url: str
    behind: int
    failures: int


class WebhookList(BaseModel):
    """All of them."""

    webhooks: list[WebhookView]


class DeliveryView(BaseModel):
    """A body that arrived, or a dead letter: replay it with its `after`."""

    at: str
    after: int
    last: int
    decisions: int
    attempts: int
    state: str
    problem: str | None


class DeliveryList(BaseModel):
    """The newest first."""

    deliveries: list[DeliveryView]


@routes.add("GET", "/webhooks", "see_webhooks", answer=WebhookList)
def list_all(call: DeskCall) -> dict[str, Any]:
    """The webhooks, and how far each has come."""
    with call.store.database.reading() as connection:
        return {"webhooks": webhooks.list_webhooks(connection)}


@routes.add("POST", "/webhooks", "manage_webhooks", body=WebhookBody, answer=NewWebhook)
def add(call: DeskCall) -> dict[str, Any]:
    """Send decisions to an address from now on."""
    outgoing: OutgoingRequests = call.request.app.state.outgoing
    try:
        outgoing.pinned(call.body.url)
    except DeliveryError as error:
        raise InputError(f"`url`: {error}") from None
    added = call.once("add_webhook", lambda ledger: webhooks.add_webhook(ledger, call.body.url))
    return {**added, "secret": webhooks.secret_of(call.store, added["webhook"])}


@routes.add("POST", "/webhooks/{webhook}/end", "manage_webhooks", answer=WebhookState)
def end(call: DeskCall) -> dict[str, Any]:
    """Send nothing there any more."""
    return call.once("end_webhook", lambda ledger: webhooks.end_webhook(ledger, call.named("webhook")))


@routes.add("POST", "/webhooks/{webhook}/replay", "manage_webhooks", body=ReplayBody, answer=WebhookState)
def replay(call: DeskCall) -> dict[str, Any]:
    """Send once more what came after a number."""
    name, after = call.named("webhook"), call.body.after
    return call.once("replay", lambda ledger: webhooks.replay(ledger, name, after))


@routes.add(
    *("GET", "/webhooks/{webhook}/deliveries", "see_webhooks"),
    answer=DeliveryList,
    query=(query_number("limit", f"At most so many (default {USUAL}).", MOST),),
)
def deliveries(call: DeskCall) -> dict[str, Any]:
    """What was delivered, and what is a dead letter."""
    with call.store.database.reading() as connection:
        limit = max(1, call.number("limit", USUAL, MOST))
        return {"deliveries": webhooks.list_deliveries(connection, call.named("webhook"), limit)}
