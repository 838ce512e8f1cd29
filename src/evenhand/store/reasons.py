"""What people gave as a reason, in their own words: kept apart from the events, so that it can be erased.

An event holds the salted hash of a reason that a person wrote. Reasons of the program ("expired", "routed") are codes
and stand in the event, as do those that people wrote before stores kept them apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from evenhand.store import schema
from evenhand.store.events import ContentRef, Reason
from evenhand.store.ledger import EventLedger, batches


def keep_reason(ledger: EventLedger, reason: str, item: str | None = None) -> Reason:
    """As an event holds it."""
    return ledger.keep("reason", reason, item) or "" if reason else ""


def reason_text(reason: Reason | None, texts: Mapping[str, str | None] | None) -> str | None:
    """The words of a reason, from contents by id; None where it was erased, and where no contents are wanted."""
    if texts is None:
        return None
    return texts.get(reason.id) if isinstance(reason, ContentRef) else reason


def reason_texts(connection: sa.Connection, reasons: Iterable[Any]) -> dict[str, str | None]:
    """The contents of those reasons that are kept apart, by id."""
    table, texts = schema.contents, dict[str, str | None]()
    names = sorted({reason.id for reason in reasons if isinstance(reason, ContentRef)})
    for batch in batches(names, 500):
        rows = connection.execute(sa.select(table.c.id, table.c.value).where(table.c.id.in_(batch)))
        texts |= {row.id: row.value for row in rows}
    return texts


def notice_reasons(connection: sa.Connection, item: str) -> list[str]:
    """The reasons of the notices about an item that were not erased, the first one first."""
    notices, contents = schema.notices, schema.contents
    query = (
        sa.select(notices.c.reason, contents.c.id, contents.c.value)
        .join(contents, contents.c.id == notices.c.reason, isouter=True)
        .where(notices.c.item == item)
        .order_by(notices.c.version)
    )
    told = [row.reason if row.id is None else row.value for row in connection.execute(query)]
    return [reason for reason in told if reason]
