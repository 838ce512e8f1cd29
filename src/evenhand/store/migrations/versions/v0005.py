"""Whoever reversed a decision has seen the item; fingerprints of requests no longer tell which texts were in them.

Fingerprints of earlier versions were plain hashes. They are removed: a key of that time is refused if it comes again.
"""

import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

EVENTS = sa.table("events", *map(sa.column, ("stream", "version", "kind", "actor", "payload")))
SEEN = sa.table("seen", *map(sa.column, ("item", "person", "task", "final")))
LOOKING = ("claimed", "skipped", "escalated", "judged", "undone")  # events that say who has seen an item, by `person`


def upgrade() -> None:
    """One row for each reversal, unless the person took a task of the item later."""
    connection = op.get_bind()
    op.execute("UPDATE requests SET fingerprint = ''")
    decided = sa.select(EVENTS).where(EVENTS.c.kind == "decided").order_by(EVENTS.c.stream, EVENTS.c.version)
    for row in connection.execute(decided).all():
        if "task" not in json.loads(row.payload) and not _looked_later(connection, row):
            same = sa.and_(SEEN.c.item == row.stream, SEEN.c.person == row.actor)
            connection.execute(sa.delete(SEEN).where(same))
            values = {"item": row.stream, "person": row.actor, "task": "", "final": True}
            connection.execute(sa.insert(SEEN), [values])


def _looked_later(connection: sa.Connection, row: sa.Row[Any]) -> bool:
    later = sa.select(EVENTS.c.payload).where(
        EVENTS.c.stream == row.stream, EVENTS.c.version > row.version, EVENTS.c.kind.in_(LOOKING)
    )
    return any(json.loads(payload).get("person") == row.actor for payload in connection.scalars(later))
