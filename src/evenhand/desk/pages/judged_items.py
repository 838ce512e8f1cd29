"""The items that were drawn at random and judged in the last weeks: what a policy is tried on.

Each week's drawn items are judged in a random order; those before the first that still waits are a random part of the
week, and stand for all of it. Where there are too few, the items that people happened to review are taken instead, and
everything that rests on them says that they are no random sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np
import sqlalchemy as sa

from evenhand.arrays import Bools, Floats
from evenhand.desk.pages.log import time_of
from evenhand.staffing import JudgedSample
from evenhand.store import Store, schema
from evenhand.store.cases import BENIGN, LEAVE, REMOVE, VIOLATING
from evenhand.store.erasure import DAY

WEEKS = 4
FEWEST_OF_WEEK, FEWEST = 20, 100  # judged items
FEWEST_MEMBERS = 30  # of a group that is shown
MOST_GROUPS = 12
BINS = 40
PATIENCE = 20  # how many times as long as it takes to read
GROUP_COLUMNS = ("language", "community")


@dataclass(frozen=True)
class JudgedHistory:
    """The sample, whether it was drawn at random, what it covers, and the scores of all items of that time."""

    sample: JudgedSample
    inclusion: Floats
    removed: Bools  # without review, when they arrived
    left: Bools
    is_random: bool
    begin: str
    end: str
    scores: tuple[int, ...]  # how many items in each of `BINS` bins

    @property
    def size(self) -> int:
        """How many judged items."""
        return len(self.sample.p)


class HistoryKeeper:
    """The history, read anew only after twenty times as long as that took: a slider asks often."""

    def __init__(self, store: Store) -> None:
        self.store, self._until = store, 0.0
        self._history: JudgedHistory | None = None

    def history(self) -> JudgedHistory | None:
        """As of a short time ago."""
        begun = monotonic()
        if begun > self._until:
            self._history = judged_history(self.store)
            self._until = monotonic() + PATIENCE * (monotonic() - begun)
        return self._history


def judged_history(store: Store) -> JudgedHistory | None:
    """Of the last weeks; None where nothing was judged."""
    at = store.clock()
    with store.database.reading() as connection:
        rows = connection.execute(_items_since(at - WEEKS * 7 * DAY)).all()
    if not rows:
        return None
    drawn, weights = _drawn(rows, at)
    is_random = len(drawn) >= FEWEST
    judged = drawn if is_random else [row for row in rows if row.measured_verdict in (VIOLATING, BENIGN)]
    if not judged:
        return None
    days = max((at - rows[0].received_at) / DAY, 1.0 / 24.0)
    weight = np.array(weights) if is_random else np.ones(len(judged))
    scores = np.histogram([row.score for row in rows], BINS, (0.0, 1.0))[0]
    return JudgedHistory(
        JudgedSample(
            np.array([row.score for row in judged], dtype=np.float64),
            np.array([row.measured_verdict == VIOLATING for row in judged], dtype=np.bool_),
            weight * (len(rows) / days / weight.sum()),
            dict(_groups(judged)),
        ),
        np.array([row.probability or 1.0 for row in judged], dtype=np.float64),
        _routed(judged, REMOVE),
        _routed(judged, LEAVE),
        is_random,
        time_of(min(row.received_at for row in judged))[:10],
        time_of(max(row.received_at for row in judged))[:10],
        tuple(int(number) for number in scores),
    )


def _routed(judged: Sequence[Any], route: str) -> Bools:
    return np.array([row.route == route for row in judged], dtype=np.bool_)


def _items_since(begin: int) -> sa.Select[Any]:
    items = schema.items
    columns = (
        "received_at",
        "score",
        "drawn",
        "probability",
        "draw_order",
        "measured_verdict",
        "route",
        *GROUP_COLUMNS,
    )
    own = (items.c.gold.is_(None), items.c.policy.is_not(None), items.c.score.is_not(None))
    query = sa.select(*(items.c[name] for name in columns)).where(items.c.received_at > begin, *own)
    return query.order_by(items.c.received_at, items.c.id)


def _drawn(rows: Sequence[Any], at: int) -> tuple[list[Any], list[float]]:
    """The drawn and judged, week by week, each with how many items it stands for."""
    chosen, weights = list[Any](), list[float]()
    for week in range(WEEKS):
        end = at - (WEEKS - 1 - week) * 7 * DAY
        arrived = [row for row in rows if end - 7 * DAY < row.received_at <= end]
        waiting = [row.draw_order for row in arrived if row.drawn and row.measured_verdict is None]
        frontier = min(waiting, default=float("inf"))
        judged = [row for row in arrived if row.drawn and row.draw_order < frontier]
        judged = [row for row in judged if row.measured_verdict in (VIOLATING, BENIGN)]
        if len(judged) >= FEWEST_OF_WEEK:
            inverse = np.array([1.0 / row.probability for row in judged])
            chosen += judged
            weights += list(inverse * (len(arrived) / inverse.sum()))
    return chosen, weights


def _groups(judged: Sequence[Any]) -> Iterator[tuple[str, Bools]]:
    """Members by language and by community, the largest groups first."""
    found: dict[str, Bools] = {}
    for column in GROUP_COLUMNS:
        values: Mapping[str, int] = {}
        names = np.array([getattr(row, column) or "" for row in judged])
        values = {str(name): int(number) for name, number in zip(*np.unique(names, return_counts=True), strict=True)}
        known = {name: number for name, number in values.items() if name}
        if len(known) > 1:
            shown = [name for name, number in known.items() if number >= FEWEST_MEMBERS]
            found |= {f"{column}: {name}": names == name for name in shown}
    ordered = sorted(found.items(), key=lambda pair: -int(pair[1].sum()))
    yield from ordered[:MOST_GROUPS]
