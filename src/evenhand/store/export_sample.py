"""With which probability a judgement of the measurement is in a sample: that of the draw, times the share reached.

Drawn items are judged in a random order. Where the reserved reviews did not suffice, only those before the first that
still waits stand for the others, so the probability of each is smaller by the share of the drawn ones that they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa

from evenhand.store import schema
from evenhand.store.cases import ItemState
from evenhand.store.erasure import DAY
from evenhand.store.rebuilding import derive_case, event_streams

WEEK = 7 * DAY
DRAWN = '%"drawn":true%'  # in the canonical payload


@dataclass(frozen=True)
class WeekSample:
    """The drawn items of a week that the policy's own order did not reach."""

    frontier: float  # the order of the first that waits
    share: float  # of them that come before it


class MeasurementSample:
    """The drawn items of a store at a snapshot, week by week since the first arrival."""

    def __init__(self, connection: sa.Connection, number: int) -> None:
        events, weeks = schema.events, dict[int, list[ItemState]]()
        arrivals = sa.select(sa.func.min(events.c.at)).where(events.c.kind == "drawn", events.c.number <= number)
        self.begin = int(connection.scalar(arrivals) or 0)
        for item in _drawn_items(connection, number):
            weeks.setdefault(self._week(item), []).append(item)
        self.weeks = {week: _week_sample(items) for week, items in weeks.items()}

    def _week(self, item: ItemState) -> int:
        return (item.received_at - self.begin) // WEEK

    def inclusion(self, item: ItemState) -> float | None:
        """Of an item's judgement for the measurement; None where it stands for no other."""
        if item.reached:
            return 1.0
        week = self.weeks.get(self._week(item))
        if week is None or item.probability is None or item.draw_order is None or item.draw_order >= week.frontier:
            return None
        return item.probability * week.share


def _drawn_items(connection: sa.Connection, number: int) -> Iterator[ItemState]:
    """Drawn, and not reached by the policy's own order."""
    events = schema.events
    drawn = sa.select(events.c.stream).where(events.c.kind == "drawn", events.c.payload.like(DRAWN))
    for name, history in event_streams(connection, at=number, only=drawn.where(events.c.number <= number)):
        item = derive_case(name, history).item
        if not item.reached:
            yield item


def _week_sample(items: list[ItemState]) -> WeekSample:
    orders = [item.draw_order or 0.0 for item in items]
    waiting = [order for item, order in zip(items, orders, strict=True) if item.measured_verdict is None]
    frontier = min(waiting, default=math.inf)
    return WeekSample(frontier, sum(order < frontier for order in orders) / len(orders))
