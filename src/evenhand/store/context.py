"""What a reviewer should know around an item: the thread, the author's other items, and how reliable a reporter is.

A reporter is reliable as far as what they reported was found violating. Few notices say little: see the interval.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from evenhand.errors import ErrorKind, InputError
from evenhand.estimate import Estimate
from evenhand.routing.policies import clopper_pearson
from evenhand.store import schema
from evenhand.store.cases import BENIGN, VIOLATING
from evenhand.store.ledger import EventLedger

MOST = 50  # items of an author or a thread


def item_context(ledger: EventLedger, item: str) -> dict[str, Any]:
    """The items before this one in its thread and by its author, the newest first, with what was decided."""
    row = ledger.case(item).item
    items = schema.items
    around = {
        "thread": [] if row.thread is None else _earlier(ledger, items.c.thread == row.thread, row.received_at),
        "author": [] if row.author is None else _earlier(ledger, items.c.author == row.author, row.received_at),
    }
    return {"item": item, **around}


def _earlier(ledger: EventLedger, which: sa.ColumnElement[bool], before: int) -> list[dict[str, Any]]:
    items, contents = schema.items, schema.contents
    query = (
        sa.select(items.c.id, items.c.external_id, items.c.received_at, items.c.action, items.c.basis, contents.c.value)
        .join(contents, contents.c.id == items.c.text, isouter=True)
        .where(which, items.c.received_at < before)
        .order_by(items.c.received_at.desc())
        .limit(MOST)
    )
    return [
        {"item": row.id, "external_id": row.external_id, "text": row.value, "action": row.action, "basis": row.basis}
        for row in ledger.connection.execute(query)
    ]


def reporter_reliability(connection: sa.Connection, reporter: str, level: float = 0.95) -> Estimate:
    """Of the items that somebody reported and a person judged, the share that was violating; each item once."""
    notices, items, contents = schema.notices, schema.items, schema.contents
    known = connection.scalar(
        sa.select(contents.c.id).where(contents.c.kind == "reporter", contents.c.value == reporter)
    )
    if known is None:
        raise InputError("nobody with this key has reported anything", kind=ErrorKind.NOT_FOUND)
    reported = sa.select(notices.c.item).where(notices.c.reporter == known).distinct()
    judged = sa.select(items.c.verdict, sa.func.count()).where(items.c.id.in_(reported)).group_by(items.c.verdict)
    counts = {row[0]: int(row[1]) for row in connection.execute(judged)}
    violating, benign = counts.get(VIOLATING, 0), counts.get(BENIGN, 0)
    return clopper_pearson(violating, violating + benign, level, nothing="nothing that they reported has been judged")
