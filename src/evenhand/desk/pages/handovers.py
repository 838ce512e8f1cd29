"""What somebody reads who answers an appeal or gets what was passed on: reason, note, the contested decision.

Everything else that reviewers answer is blind, also a resolution of two verdicts that differ: it waits in the same
queue and shows nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from evenhand.desk.pages.log import time_of
from evenhand.store import schema

ESCALATED, SKIPPED, APPEALED = "escalated", "skipped", "appeal"  # the keys of what is said
KINDS = ("escalated", "appealed", "decided", "routed", "judged")


@dataclass(frozen=True)
class ContestedDecision:
    """What an appeal is about; without a verdict, the policy decided alone."""

    action: str
    at: str
    verdict: str | None = None
    clause: str | None = None
    ground: str | None = None
    note: str | None = None


@dataclass(frozen=True)
class Handover:
    """Why an item is here, where its reviewer may know."""

    kind: str
    by: str
    reason: str
    note: str | None
    contested: ContestedDecision | None = None


def handover_of(connection: sa.Connection, task: str, item: str, *, is_appeal: bool) -> Handover | None:
    """What is said with a task, unless it is answered blindly."""
    events = schema.events
    query = sa.select(events).where(events.c.stream == item, events.c.kind.in_(KINDS)).order_by(events.c.version)
    rows = [(row, json.loads(row.payload)) for row in connection.execute(query)]
    if is_appeal:
        return _appeal(connection, rows)
    passed_on = [(row, payload) for row, payload in rows if row.kind == "escalated" and payload["task"] == task]
    if not passed_on:
        return None
    payload = passed_on[-1][1]
    if payload.get("person") is None:
        return Handover(SKIPPED, "", "", None)
    return Handover(
        ESCALATED, payload["person"], _reason(connection, payload), _content(connection, payload.get("note"))
    )


def _appeal(connection: sa.Connection, rows: Sequence[tuple[Any, dict[str, Any]]]) -> Handover:
    row, payload = [pair for pair in rows if pair[0].kind == "appealed"][-1]
    contested = next(pair for pair in rows if pair[0].version == payload["decision"])
    return Handover(
        APPEALED, row.actor, _reason(connection, payload), _content(connection, payload.get("note")),
        _contested(connection, rows, *contested),
    )  # fmt: skip


def _contested(
    connection: sa.Connection, rows: Sequence[tuple[Any, dict[str, Any]]], row: Any, payload: dict[str, Any]
) -> ContestedDecision:
    if row.kind == "routed":
        return ContestedDecision(payload["route"], time_of(row.at))
    judged = [told for other, told in rows if other.kind == "judged" and other.version < row.version]
    notes = [told.get("note") for told in judged if told["task"] == payload.get("task")]
    return ContestedDecision(
        payload["action"], time_of(row.at), payload["verdict"], payload.get("clause"), payload.get("ground"),
        _content(connection, notes[-1] if notes else None),
    )  # fmt: skip


def _reason(connection: sa.Connection, payload: dict[str, Any]) -> str:
    """What somebody gave as a reason, unless it was erased; of earlier versions it stands in the event."""
    reason = payload.get("reason", "")
    return reason if isinstance(reason, str) else _content(connection, reason) or ""


def _content(connection: sa.Connection, reference: Sequence[str] | None) -> str | None:
    """A note, unless it was erased."""
    if reference is None:
        return None
    contents = schema.contents
    value: str | None = connection.scalar(sa.select(contents.c.value).where(contents.c.id == reference[0]))
    return value
