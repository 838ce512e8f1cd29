"""How far reviewers agree with one another and with what is known, and how often the policy alone was wrong.

These are numbers of the desk, not of a person: those are shown to that person.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from evenhand.desk.pages.judged_items import WEEKS, JudgedHistory
from evenhand.estimate import Estimate
from evenhand.routing.policies import clopper_pearson
from evenhand.store import schema
from evenhand.store.cases import DONE, GOLD, MEASUREMENT, PANEL, REVIEW, SECOND
from evenhand.store.erasure import DAY

LEVEL = 0.95
TOO_FEW = "too few drawn items have been judged"


@dataclass(frozen=True)
class Agreement:
    """With whom (a key of words), and the share of verdicts that were the same."""

    name: str
    estimate: Estimate


@dataclass(frozen=True)
class AutomaticErrors:
    """Of what the policy alone removed, the share that is benign; of what it left, the share that is violating."""

    removed: Estimate
    left: Estimate


def agreements(connection: sa.Connection, at: int) -> Iterator[Agreement]:
    """Of the last weeks: blind second reviews, the panel, test items."""
    begin = at - WEEKS * 7 * DAY
    first, again, items = schema.tasks.alias(), schema.tasks.alias(), schema.items
    both = sa.select(again.c.verdict == first.c.verdict, sa.func.count()).join(first, first.c.item == again.c.item)
    judged_first = (first.c.purpose.in_((REVIEW, MEASUREMENT)), first.c.state == DONE, first.c.person.is_not(None))
    for name, purpose in (("second", SECOND), ("panel", PANEL)):
        query = both.where(*_done(again, purpose, begin), *judged_first)
        yield Agreement(name, _share(connection, query.group_by(again.c.verdict == first.c.verdict)))
    gold = sa.select(again.c.verdict == items.c.gold, sa.func.count()).join(items, items.c.id == again.c.item)
    query = gold.where(*_done(again, GOLD, begin)).group_by(again.c.verdict == items.c.gold)
    yield Agreement("gold", _share(connection, query))


def _done(tasks: Any, purpose: str, begin: int) -> tuple[sa.ColumnElement[bool], ...]:
    return tasks.c.purpose == purpose, tasks.c.state == DONE, tasks.c.done_at > begin


def _share(connection: sa.Connection, query: sa.Select[bool, int]) -> Estimate:
    counts = {bool(row[0]): int(row[1]) for row in connection.execute(query)}
    same = counts.get(True, 0)
    return clopper_pearson(same, same + counts.get(False, 0), LEVEL, nothing="none were judged in this time")


def automatic_errors(history: JudgedHistory | None) -> AutomaticErrors:
    """From drawn items, which are judged also where the policy had decided alone."""
    if history is None or not history.is_random:
        nothing = Estimate.undefined(TOO_FEW, level=LEVEL, n=0)
        return AutomaticErrors(nothing, nothing)
    sample = history.sample
    return AutomaticErrors(
        sample.share(~sample.y, history.removed, "nothing was removed without review"),
        sample.share(sample.y, history.left, "nothing was left without review"),
    )
