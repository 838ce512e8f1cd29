"""What happened, in the order of sealed numbers: decisions for the platform, events for the auditor.

A number is given once and never changes, so whoever asks for what came after the last one they know misses nothing and
gets nothing twice. A call looks at a limited number of events; `next` says how far. What held after an event is derived
from the history of the item up to it, by the rules that the store derives its state with.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from evenhand.store import events as ev
from evenhand.store import schema
from evenhand.store.cases import POLICY, Case
from evenhand.store.census import iso
from evenhand.store.chain import last_sealed
from evenhand.store.ledger import batches
from evenhand.store.reasons import reason_text, reason_texts

CHANGING = ("routed", "decided", "reversed", "undone")  # events after which something else may hold
SCANNED = 20_000  # events that one call looks at
DETAILS = ("clause", "ground", "territory")


def decisions_after(connection: sa.Connection, after: int, limit: int) -> dict[str, Any]:
    """What holds of items since events after a number: decisions by people and by the policy, and their end."""
    events = schema.events
    last = min(last_sealed(connection)[0], after + SCANNED)
    scanned = sa.select(events.c.number, events.c.stream).where(events.c.number > after, events.c.number <= last)
    rows = connection.execute(scanned.where(events.c.kind.in_(CHANGING)).order_by(events.c.number).limit(limit)).all()
    end = rows[-1].number if len(rows) == limit else max(last, after)
    told = [
        entry
        for several in batches(sorted({row.stream for row in rows}), 500)
        for entry in _of_items(connection, several, after, end)
    ]
    texts = reason_texts(connection, (entry["reason"] for entry in told))
    told = [{**entry, "reason": reason_text(entry["reason"], texts)} for entry in told]
    return {"decisions": sorted(told, key=lambda entry: int(entry["number"])), "next": end}


def _of_items(connection: sa.Connection, items: list[str], after: int, end: int) -> Iterator[dict[str, Any]]:
    events, cases = schema.events, dict[str, Case]()
    query = sa.select(events).where(events.c.stream.in_(items), events.c.number <= end)
    for row in connection.execute(query.order_by(events.c.stream, events.c.version)):
        event = ev.read_event(row.kind, row.payload)
        if row.stream not in cases:
            assert isinstance(event, ev.Received | ev.ItemImported)
            cases[row.stream] = Case.begin(row.stream, row.at, event)
        case = cases[row.stream]
        before = (case.item.action, case.item.basis)
        case.apply(event, row.at, row.actor)
        changed = isinstance(event, ev.Decided) or (case.item.action, case.item.basis) != before
        if row.number > after and row.kind in CHANGING and changed:
            yield _entry(row, case, event)


def _entry(row: Any, case: Case, event: ev.StoreEvent) -> dict[str, Any]:
    item = case.item
    decided = isinstance(event, ev.Decided)
    return {
        "number": row.number,
        "at": iso(row.at),
        "item": item.id,
        "id": item.external_id,
        "kind": row.kind,
        "action": item.action,
        "account_action": item.account_action,
        "verdict": item.verdict,
        "basis": item.basis,
        **{name: getattr(event, name) if decided else None for name in DETAILS},
        "until": iso(event.until) if isinstance(event, ev.Decided) else None,
        "automated": item.basis == POLICY or (isinstance(event, ev.Decided) and event.automated),
        "reason": getattr(event, "reason", None),
    }


def hidden(entry: dict[str, Any]) -> dict[str, Any]:
    """The entry for somebody who may still review the item: that something happened, and not what."""
    shown = {name: entry[name] for name in ("number", "at", "item", "id")}
    return {**dict.fromkeys(entry), **shown, "kind": "hidden", "automated": False}


def events_after(connection: sa.Connection, after: int, limit: int) -> dict[str, Any]:
    """Sealed events, as they were stored."""
    events = schema.events
    query = sa.select(events).where(events.c.number > after).order_by(events.c.number).limit(limit)
    rows = connection.execute(query).all()
    told = [
        {"number": row.number, "at": iso(row.at), "stream": row.stream, "version": row.version, "kind": row.kind}
        | {"actor": row.actor, "payload": json.loads(row.payload), "chain": bytes(row.chain).hex()}
        for row in rows
    ]
    return {"events": told, "next": rows[-1].number if rows else after}
