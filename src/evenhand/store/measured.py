"""What the policy did in a period, estimated from the queue itself: recall, precision and prevalence with intervals.

The estimand is the outcome of the policy before anything that the measurement corrected: an item is removed if the
policy removed it unseen, or if a review in the policy's own order found it violating; all others are visible. Reviewed
items count with their verdict. The rest, removed unseen or visible, is estimated from the drawn items, whose draw does
not depend on score or route: of N items with the same probability, of which n were drawn and judged, each counts N / n.
Probabilities under which too few judgements are expected are put together, and each of their items counts by the
inverse of its own.

For the adjudicated target, items are sorted into cells by what their reviewer said. The share of each cell is that of
its adjudicated items, each weighted by the inverse of its probability to come before the panel.

Drawn items are judged in the random order of a key. Where the reserved reviews did not suffice, only those before the
first that is still waiting count: that is a random part of the drawn ones, whatever arrived when. While items still
arrive, one that has just come may be early in that order; then only what arrived before it is estimated, where that at
least doubles the judged ones (`settled`). An item that reviewers passed on to a lead counts as one that nobody could
judge so far.
"""

from __future__ import annotations

import json
import math
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import sqlalchemy as sa

from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import Undefined
from evenhand.estimate import Estimate
from evenhand.intervals.pools import POOL_QUANTITIES, Pools
from evenhand.store import schema
from evenhand.store.cases import BENIGN, CLAIMED, MEASUREMENT, REMOVE, UNCLEAR, VIOLATING, WAITING
from evenhand.store.measured_shares import HARMLESS, VIOLATES, MeasuredPart, PanelAnswers
from evenhand.store.policy import ESCALATED, DeskPolicy

NOT_JUDGEABLE, NOT_JUDGED = -1, -2
CODES = {VIOLATING: VIOLATES, BENIGN: HARMLESS, UNCLEAR: NOT_JUDGEABLE, None: NOT_JUDGED}
REVIEWER, ADJUDICATED = TARGETS = ("reviewer", "adjudicated")
__all__ = [
    *("ADJUDICATED", "CODES", "HARMLESS", "NOT_JUDGEABLE", "NOT_JUDGED", "REVIEWER", "TARGETS", "VIOLATES"),
    *("MeasuredItems", "measured_items", "panel_probability", "passed_on_items", "verdict_so_far"),
]


@dataclass(frozen=True)
class MeasuredItems:
    """The items of a period, one entry each. Verdicts are 1 violating, 0 not, −1 not judgeable, −2 not judged."""

    removed_unseen: Bools
    reached: Bools
    verdict: Ints
    drawn: Bools
    probability: Floats
    order: Floats
    panel: Bools
    panel_probability: Floats  # that a drawn item is adjudicated
    panel_verdict: Ints

    @classmethod
    def from_rows(cls, rows: Sequence[Any], panel_probability: Floats, passed_on: Container[str] = ()) -> MeasuredItems:
        """From rows with the columns of `items`; `passed_on` are the ids of those that wait for a lead."""

        def column(make: Any, kind: Any) -> Any:
            return np.array([make(row) for row in rows], dtype=kind)

        return cls(
            removed_unseen=column(lambda row: row.route == REMOVE, np.bool_),
            reached=column(lambda row: row.reached, np.bool_),
            verdict=column(lambda row: CODES[verdict_so_far(row, passed_on)], np.int64),
            drawn=column(lambda row: row.drawn, np.bool_),
            probability=column(lambda row: row.probability or 0.0, np.float64),
            order=column(lambda row: row.draw_order or 0.0, np.float64),
            panel=column(lambda row: row.panel, np.bool_),
            panel_probability=panel_probability,
            panel_verdict=column(lambda row: CODES[row.panel_verdict], np.int64),
        )

    def take(self, kept: Bools | Ints) -> MeasuredItems:
        """Some of the items."""
        return MeasuredItems(**{entry.name: getattr(self, entry.name)[kept] for entry in fields(self)})

    @classmethod
    def joined(cls, periods: Sequence[MeasuredItems]) -> MeasuredItems:
        """Several periods as one."""
        return cls(
            **{entry.name: np.concatenate([getattr(one, entry.name) for one in periods]) for entry in fields(cls)}
        )

    @property
    def sampled(self) -> Bools:
        """Items whose verdict stands for others: drawn, not reached, judged, and before the first that waits."""
        candidates = self.drawn & ~self.reached
        waiting = candidates & (self.verdict == NOT_JUDGED)
        frontier = float(self.order[waiting].min()) if waiting.any() else math.inf
        return candidates & (self.order < frontier)

    def settled(self, arrived: Ints) -> Bools:
        """The items up to an arrival time: all of them, or those before it where that at least doubles the sample.

        Only the arrival of an item that waits, and that comes earlier in the order than all that waited before it, can
        be that time: a later one would leave the same part of the order, and more items.
        """
        everything = np.ones(len(arrived), dtype=np.bool_)
        best, most = everything, 2 * max(int(self.sampled.sum()), 1)
        waiting = np.flatnonzero(self.drawn & ~self.reached & (self.verdict == NOT_JUDGED))
        waiting = waiting[np.lexsort((self.order[waiting], arrived[waiting]))]
        before = np.minimum.accumulate(np.append(np.inf, self.order[waiting]))
        for item in waiting[self.order[waiting] < before[:-1]].tolist():
            earlier = arrived < arrived[item]
            count = int(self.take(earlier).sampled.sum())
            if count >= most:
                best, most = earlier, count
        return best

    @property
    def violations(self) -> int:
        """Violations among the sampled that are visible: what recall rests on."""
        return int((self.sampled & ~self.removed_unseen & (self.verdict == VIOLATES)).sum())

    def estimates(
        self, target: str = REVIEWER, *, level: float = 0.95, unclear: int = NOT_JUDGEABLE
    ) -> dict[str, Estimate]:
        """Recall, precision and so on. `unclear` is what items count as that nobody could judge; they are left out."""
        try:
            pools = self.pools(target, unclear=unclear)
        except Undefined as reason:
            return {name: Estimate.undefined(str(reason), level=level, n=0) for name in POOL_QUANTITIES}
        return {name: pools.estimate(name, level) for name in POOL_QUANTITIES}

    def bounds(self, measure: str, target: str = REVIEWER) -> tuple[float | None, float | None]:
        """The least and the largest value, whatever the items are that nobody could judge."""
        return self.all_bounds(target)[measure]

    def all_bounds(self, target: str = REVIEWER) -> dict[str, tuple[float | None, float | None]]:
        """The bounds of every measure."""
        extremes = [self.estimates(target, unclear=code) for code in (HARMLESS, VIOLATES, NOT_JUDGEABLE)]
        bounds: dict[str, tuple[float | None, float | None]] = {}
        for measure in POOL_QUANTITIES:
            known = [value for one in extremes if (value := one[measure].value) is not None]
            bounds[measure] = (min(known), max(known)) if known else (None, None)
        return bounds

    @property
    def not_judgeable(self) -> int:
        """Items that were looked at and that nobody could judge."""
        return int(((self.verdict == NOT_JUDGEABLE) & (self.reached | self.sampled)).sum())

    def pools(self, target: str = REVIEWER, *, unclear: int = NOT_JUDGEABLE) -> Pools:
        """The removed and the visible, each with its share of violating items."""
        verdict = np.where(self.verdict == NOT_JUDGEABLE, unclear, self.verdict)
        panel = np.where(self.panel_verdict == NOT_JUDGEABLE, unclear, self.panel_verdict)
        counted = ~(self.reached & (verdict < 0))  # reviewed, and nobody could judge it
        removed = self.removed_unseen & ~self.reached | self.reached & (verdict == VIOLATES)
        shares, sizes = [], []
        for pool in (removed & counted, ~removed & counted):
            part = MeasuredPart(pool, self.reached, self.sampled & (verdict >= 0), verdict, self.probability)
            answers = PanelAnswers(self.panel, self.panel_probability, panel)
            shares.append(part.reviewer_share() if target == REVIEWER else part.adjudicated_share(answers))
            sizes.append(float(pool.sum()))
        return Pools(shares[0], sizes[0], shares[1], sizes[1], corrected=True)


def verdict_so_far(row: Any, passed_on: Container[str]) -> str | None:
    """The measured verdict; of an item that waits for a lead, that nobody could judge it so far."""
    return UNCLEAR if row.measured_verdict is None and row.id in passed_on else row.measured_verdict


def passed_on_items(tasks: Iterable[Any]) -> frozenset[str]:
    """The items whose measurement reviewers passed on to a lead, who has not answered yet."""
    return frozenset(
        task.item
        for task in tasks
        if task.purpose == MEASUREMENT and task.queue == ESCALATED and task.state in (WAITING, CLAIMED)
    )


def panel_probability(connection: sa.Connection, received: Ints) -> Floats:
    """The share for the panel of the policy that held when each item arrived."""
    table = schema.policies
    rows = connection.execute(sa.select(table.c.activated_at, table.c.document).order_by(table.c.version)).all()
    shares = np.array([DeskPolicy.from_dict(json.loads(row.document)).panel for row in rows])
    place = np.searchsorted([row.activated_at for row in rows], received, side="right") - 1
    return shares[np.maximum(place, 0)]


def measured_items(connection: sa.Connection, begin: int, end: int) -> tuple[MeasuredItems, Ints]:
    """The items that arrived in a period and were routed by a policy, and when each arrived."""
    items, tasks = schema.items, schema.tasks
    columns = (items.c.id, items.c.route, items.c.reached, items.c.measured_verdict, items.c.drawn)
    more = (items.c.probability, items.c.draw_order, items.c.panel, items.c.panel_verdict, items.c.received_at)
    query = sa.select(*columns, *more).where(items.c.received_at >= begin, items.c.received_at < end)
    routed = query.where(items.c.gold.is_(None), items.c.policy.is_not(None)).order_by(items.c.id)
    rows = connection.execute(routed).all()
    received = np.array([row.received_at for row in rows], dtype=np.int64)
    open_tasks = sa.select(tasks.c.item, tasks.c.purpose, tasks.c.queue, tasks.c.state).where(
        tasks.c.purpose == MEASUREMENT, tasks.c.queue == ESCALATED, tasks.c.state.in_((WAITING, CLAIMED))
    )
    passed_on = passed_on_items(connection.execute(open_tasks))
    return MeasuredItems.from_rows(rows, panel_probability(connection, received), passed_on), received
