"""What somebody who reviews may know of an item: nothing that could influence a verdict which they may still give.

A lead reviews too. So a lead sees the route and the outcome of an item once a person has decided it, the time for undo
has passed, and no blind task about it is open. What only the policy decided stays hidden, whether or not the item was
drawn for measurement: else the difference would tell which ones were drawn.
"""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa

from evenhand.store import schema
from evenhand.store.cases import APPEAL, CLAIMED, POLICY, WAITING
from evenhand.store.ledger import batches

SECOND_MICROS = 1_000_000


def settled_items(connection: sa.Connection, items: Iterable[str], at: int, undo_seconds: int) -> set[str]:
    """Those of the items whose outcome may be shown to somebody who reviews."""
    table, tasks, settled = schema.items, schema.tasks, set[str]()
    open_tasks = (tasks.c.state.in_((WAITING, CLAIMED)), ~tasks.c.virtual, tasks.c.purpose != APPEAL)
    blind = sa.exists().where(tasks.c.item == table.c.id, *open_tasks)
    query = sa.select(table.c.id).where(
        table.c.basis.is_not(None), table.c.basis != POLICY, ~blind,
        sa.or_(table.c.decided_at.is_(None), table.c.decided_at < at - undo_seconds * SECOND_MICROS),
    )  # fmt: skip
    for batch in batches(sorted(set(items)), 500):
        settled.update(connection.scalars(query.where(table.c.id.in_(batch))))
    return settled
