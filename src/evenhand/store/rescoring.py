"""New scores for what waits: after another model took over, waiting items get their place by its scores.

Only items whose review waits are scored again. What somebody holds, what people decided, and what an earlier model's
score decided unseen stay as they are; so does a text that was edited or erased meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from evenhand.store import schema
from evenhand.store.cases import REVIEW, WAITING, Case
from evenhand.store.intake import NewScore, score
from evenhand.store.ledger import EventLedger


@dataclass(frozen=True)
class OutdatedItem:
    """A waiting item with the score of another model, or with none."""

    item: str
    content: str  # the id of the text that was read
    text: str


def outdated_items(
    connection: sa.Connection, model: str, version: str, *, after: str = "", limit: int = 200
) -> list[OutdatedItem]:
    """Waiting items that this version of a model has not scored, in the order of their ids from one on."""
    items, tasks, contents = schema.items, schema.tasks, schema.contents
    waits = sa.exists().where(
        tasks.c.item == items.c.id,
        *(tasks.c.state == WAITING, tasks.c.purpose == REVIEW, ~tasks.c.virtual),
    )
    other = sa.or_(items.c.model.is_(None), items.c.model != model, items.c.model_version != version)
    query = (
        sa.select(items.c.id, items.c.text, contents.c.value)
        .join(contents, contents.c.id == items.c.text)
        .where(items.c.id > after, items.c.gold.is_(None), other, contents.c.value.is_not(None), waits)
    )
    rows = connection.execute(query.order_by(items.c.id).limit(limit))
    return [OutdatedItem(row.id, row.text, row.value) for row in rows]


def rescore(ledger: EventLedger, scores: Mapping[OutdatedItem, NewScore]) -> int:
    """Record the scores of those that still wait with the same text, and route them; how many."""
    by_item = {one.item: (one.content, new) for one, new in scores.items()}
    waiting = [case for case in ledger.cases(by_item) if _waits(case) and case.item.text == by_item[case.item.id][0]]
    for case in waiting:
        score(ledger, case, [by_item[case.item.id][1]])
    return len(waiting)


def _waits(case: Case) -> bool:
    task = case.open_task(REVIEW)
    return task is not None and task.state == WAITING and not task.virtual
