"""The API of those who look, lead and administer: decisions, events, items, policies, findings, people."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from starlette.responses import Response

from evenhand.arrays import share
from evenhand.desk import answers, bodies, feeds, invitations
from evenhand.desk.calls import DeskCall, DeskRoutes, query_number
from evenhand.desk.people import Role, list_people
from evenhand.service.api import JSON
from evenhand.service.problems import Problem
from evenhand.store import ConflictError, schema
from evenhand.store.blinding import settled_items
from evenhand.store.census import iso
from evenhand.store.context import reporter_reliability
from evenhand.store.policy import parse_policy
from evenhand.store.roles import REVIEWERS
from evenhand.store.weeks import measure_weeks
from evenhand.visible_text import visible_json

routes = DeskRoutes("oversight")
MOST, USUAL, LAST_NUMBER = 1000, 100, 2**53
CURSOR = (
    query_number("after", "The number that you know already.", LAST_NUMBER),
    query_number("limit", f"At most so many (default {USUAL}).", MOST),
)
OUTCOME = ("route", "action", "account_action", "verdict", "basis")
LEVEL = {
    "name": "level",
    "in": "query",
    "description": "Confidence level (default 0.95).",
    "schema": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
}
REPORTER = {
    "name": "reporter",
    "in": "query",
    "required": True,
    "description": "The platform's key of the reporter.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 512},
}
EXTERNAL_ID = {
    "name": "id",
    "in": "query",
    "required": True,
    "description": "The platform's id of the item.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 512},
}


def _page(call: DeskCall) -> tuple[int, int]:
    return call.number("after", 0, LAST_NUMBER), max(1, call.number("limit", USUAL, MOST))


@routes.add("GET", "/decisions", "see_decisions", answer=answers.DecisionList, query=CURSOR)
def decisions(call: DeskCall) -> dict[str, Any]:
    """What holds of items, after a number: by people, or by the policy unseen."""
    with call.store.database.reading() as connection:
        page = feeds.decisions_after(connection, *_page(call))
        if call.person.role not in REVIEWERS:
            return page
        settled = _settled(call, connection, (entry["item"] for entry in page["decisions"]))
    shown = [entry if entry["item"] in settled else feeds.hidden(entry) for entry in page["decisions"]]
    return {**page, "decisions": shown}


def _settled(call: DeskCall, connection: sa.Connection, items: Iterable[str]) -> set[str]:
    undo_seconds = call.store.policy(connection)[1].undo_seconds
    return settled_items(connection, items, call.store.clock(), undo_seconds)


@routes.add("GET", "/events", "see_events", answer=answers.EventList, query=CURSOR)
def events(call: DeskCall) -> dict[str, Any]:
    """The sealed events, with their hashes."""
    with call.store.database.reading() as connection:
        return feeds.events_after(connection, *_page(call))


@routes.add("GET", "/items", "see_decisions", answer=answers.ItemView, query=(EXTERNAL_ID,))
def item_by_id(call: DeskCall) -> dict[str, Any]:
    """An item as it stands, by the platform's id."""
    return _item(call, schema.items.c.external_id == call.asked("id"))


@routes.add("GET", "/items/{item}", "see_items", answer=answers.ItemView)
def item(call: DeskCall) -> dict[str, Any]:
    """An item as it stands, by its id at the desk."""
    return _item(call, schema.items.c.id == call.named("item"))


def _item(call: DeskCall, which: sa.ColumnElement[bool]) -> dict[str, Any]:
    """The row; to somebody who reviews, without what could influence a verdict."""
    with call.store.database.reading() as connection:
        row = connection.execute(sa.select(schema.items).where(which)).first()
        if row is None:
            raise Problem(404, "not-found", "there is no such item")
        hidden = call.person.role in REVIEWERS and not _settled(call, connection, [row.id])
    same = ("language", "community", "edits", "notices", "appeal")
    names = {"item": row.id, "id": row.external_id, "type": row.item_type, "received_at": iso(row.received_at)}
    outcome = {name: getattr(row, name) for name in OUTCOME} | {"decided_at": iso(row.decided_at)}
    shown = dict.fromkeys(outcome) if hidden else outcome
    return {**names, **{name: getattr(row, name) for name in same}, **shown, "hidden": hidden}


@routes.add("POST", "/items/{item}/read", "read_text", body=bodies.ReasonBody, answer=answers.ItemText)
def read_text(call: DeskCall) -> dict[str, Any]:
    """The text of an item, outside a review; that you read it, and why, is recorded."""
    return call.perform("read_text", item=call.named("item"), reason=call.body.reason)


@routes.add("POST", "/items/{item}/hold", "hold", body=bodies.HoldBody, answer=answers.HoldAnswer)
def hold(call: DeskCall) -> dict[str, Any]:
    """Put an item under a legal hold, or end it."""
    return call.perform("hold", item=call.named("item"), **call.body.model_dump())


@routes.add("POST", "/items/{item}/erase", "erase_item", body=bodies.ReasonBody, answer=answers.ErasedItem)
def erase_item(call: DeskCall) -> dict[str, Any]:
    """Erase the text of an item and the notes about it."""
    return call.perform("erase_item", item=call.named("item"), reason=call.body.reason)


@routes.add("POST", "/authors/erase", "erase_person", body=bodies.AuthorBody, answer=answers.ErasedAuthor)
def erase_author(call: DeskCall) -> dict[str, Any]:
    """Erase an author: the key, and the texts of all their items."""
    return call.perform("erase_person", author=call.body.author, reason=call.body.reason)


@routes.add("GET", "/policies", "see_policies", answer=answers.PolicyList)
def policies(call: DeskCall) -> dict[str, Any]:
    """All versions of the policy; the last one is in force."""
    events = schema.events
    query = sa.select(events).where(events.c.stream == "policy", events.c.kind == "activated")
    with call.store.database.reading() as connection:
        rows = connection.execute(query.order_by(events.c.version)).all()
    return {"policies": [_policy(row) for row in rows]}


def _policy(row: Any) -> dict[str, Any]:
    payload = json.loads(row.payload)
    when = {"activated_at": iso(row.at), "activated_by": row.actor, "reason": payload.get("reason")}
    return {"version": payload["policy"], **when, "policy": payload["document"]}


@routes.add("POST", "/policies", "activate", body=bodies.PolicyBody, answer=answers.PolicyAnswer)
def activate(call: DeskCall) -> dict[str, Any]:
    """Put a policy in force, with a reason: new items are routed by it from now on."""
    return call.perform("activate", policy=parse_policy(call.body.policy), reason=call.body.reason)


@routes.add("GET", "/findings", "see_findings", answer=answers.FindingsDocument, query=(LEVEL,))
def findings(call: DeskCall) -> Response:
    """Recall, precision and prevalence of the policy, week by week, as `evenhand store measure --json` prints them."""
    level = _level(call)
    records = [record for answer in measure_weeks(call.store) for record in answer.records(level)]
    return Response(visible_json({"estimates": records}, indent=1) + "\n", media_type=JSON)


def _level(call: DeskCall) -> float:
    try:
        return share(float(call.asked("level") or 0.95), "level")
    except ValueError:
        raise Problem(422, "invalid-request", "level must be a number between 0 and 1") from None


@routes.add("GET", "/reporters", "see_reporters", answer=answers.ReporterAnswer, query=(REPORTER, LEVEL))
def reporter(call: DeskCall) -> dict[str, Any]:
    """How reliable a reporter is, by the platform's key; few judged reports say little, which the interval shows."""
    key = call.asked("reporter")
    with call.store.database.reading() as connection:
        reliability = reporter_reliability(connection, key, _level(call))
    names = ("value", "low", "high", "level", "method", "n", "note")
    return {"reporter": key, **{name: getattr(reliability, name) for name in names}}


@routes.add("GET", "/people", "see_people", answer=answers.PersonList)
def people(call: DeskCall) -> dict[str, Any]:
    """Everybody who works here, or did."""
    with call.store.database.reading() as connection:
        return {"people": list_people(connection)}


@routes.add("POST", "/people", "invite", body=bodies.PersonBody, answer=answers.InvitationAnswer)
def invite(call: DeskCall) -> dict[str, Any]:
    """Invite somebody, or change their role, queues or access; the answer has a new one-time link for them."""
    body = call.body
    if body.person == call.person.id and (body.role != Role.ADMINISTRATOR or not body.active):
        raise ConflictError("another administrator must change your own role")
    answer = call.perform("invite", **{**body.model_dump(), "queues": tuple(body.queues)})
    signs_in = body.active and body.role != Role.SERVICE and body.person != call.person.id
    return {**answer, "link": invitations.issue_link(call.store, body.person) if signs_in else None}
