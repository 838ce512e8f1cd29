"""Scores that callers of the API suggest for comments: kept with their source for people to look at, never as labels.

Whoever may call the service may suggest any score. So no audit, policy or measurement reads them; an export has them in
a table of their own. The text is kept apart from the event, and erased with what is as old.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl
import sqlalchemy as sa

from evenhand.store import events as ev
from evenhand.store import schema
from evenhand.store.census import iso
from evenhand.store.erasure import SUGGESTED
from evenhand.store.ledger import EventLedger, batches, new_id

STREAM = "suggestions"
MOST_SPANS = 200  # of an attribute
TEXT, WHOLE, REAL = pl.String, pl.Int64, pl.Float64
SUGGESTION_COLUMNS = {
    "suggestion_id": TEXT,
    "suggested_at": TEXT,
    "text": TEXT,
    "attribute": TEXT,
    "value": REAL,
    "score_type": TEXT,
    "begin": WHOLE,
    "end": WHOLE,
    "model": TEXT,
    "languages": TEXT,
    "community": TEXT,
    "caller": TEXT,
}


def keep_suggestion(
    ledger: EventLedger,
    text: str,
    scores: Sequence[Mapping[str, Any]],
    *,
    languages: Sequence[str] = (),
    community: str | None = None,
    caller: str | None = None,
) -> dict[str, Any]:
    """Keep one: `scores` have an attribute, the model that answers it, a value, its type and the span it is about."""
    content = ledger.keep(SUGGESTED, text.replace("\0", "\ufffd"), new_id(ledger.at))  # NUL: PostgreSQL has none
    assert content is not None
    plain = [dict(one) for one in scores]
    event = ev.ScoreSuggested(text=content, scores=plain, languages=list(languages), community=community, caller=caller)
    ledger.record_apart(STREAM, event)
    return {"suggestion": event.text.id}


def suggestion_rows(connection: sa.Connection, number: int, *, texts: bool) -> Iterator[dict[str, Any]]:
    """A row for each suggested score up to the event with this number, as an export has them."""
    events = schema.events
    query = sa.select(events).where(events.c.stream == STREAM, events.c.number <= number).order_by(events.c.version)
    for rows in batches(list(connection.execute(query)), 500):
        suggested = [(row.at, ev.read_event(row.kind, row.payload)) for row in rows]
        known = _texts(connection, [event for _, event in suggested]) if texts else {}
        for at, event in suggested:
            assert isinstance(event, ev.ScoreSuggested)
            name = event.text.id
            common = {"languages": ",".join(event.languages), "community": event.community, "caller": event.caller}
            for score in event.scores:
                shared = {"suggestion_id": name, "suggested_at": iso(at), "text": known.get(name)}
                yield {**dict.fromkeys(SUGGESTION_COLUMNS), **shared, **common, **score}


def _texts(connection: sa.Connection, events: Sequence[ev.StoreEvent]) -> dict[str, str | None]:
    table = schema.contents
    names = [reference.id for event in events for reference in event.contents()]
    rows = connection.execute(sa.select(table.c.id, table.c.value).where(table.c.id.in_(names)))
    return {row.id: row.value for row in rows}
