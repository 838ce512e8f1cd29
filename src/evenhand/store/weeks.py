"""Week by week: how well the policy worked, for the reviewer's verdict and for the adjudicated one.

A week with few violations among its drawn items says little. It is pooled with those after it until there are enough,
and the answer says which weeks were pooled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sqlalchemy as sa

from evenhand.catalogue.accuracy import PREVALENCE
from evenhand.catalogue.shared import PRECISION, RECALL
from evenhand.errors import ErrorKind, InputError
from evenhand.estimate import Estimate
from evenhand.formatting import format_share
from evenhand.intervals.survey import FEW_VIOLATIONS
from evenhand.store import schema
from evenhand.store.census import iso
from evenhand.store.erasure import DAY
from evenhand.store.measured import TARGETS, MeasuredItems, measured_items
from evenhand.store.store import Store

WEEK = 7 * DAY
SHOWN = (RECALL, PRECISION, PREVALENCE)
NAMES = {"reviewer": "by the reviewers' verdicts", "adjudicated": "by the adjudicated verdicts"}


@dataclass(frozen=True)
class PeriodAnswer:
    """One week, or several that were pooled."""

    begin: int
    end: int
    items: MeasuredItems
    later: int = 0  # items of the period that arrived too recently to be estimated

    @property
    def weeks(self) -> int:
        """How many."""
        return round((self.end - self.begin) / WEEK)

    def estimates(self, level: float) -> Iterator[tuple[str, str, Estimate]]:
        """Target, measure, estimate."""
        for target in TARGETS:
            estimates = self.items.estimates(target, level=level)
            yield from ((target, measure, estimates[measure]) for measure in SHOWN)

    def records(self, level: float) -> list[dict[str, Any]]:
        """Flat records, one for each number; it lies from `least` to `largest`, whatever nobody could judge is."""
        place = {"from": iso(self.begin), "to": iso(self.end)}
        names = ("value", "low", "high", "level", "method", "n", "note")
        return [
            {"audit": "measurement", "measure": measure, "slice": {"target": target, **place}}
            | {name: getattr(estimate, name) for name in names}
            | self._worst_case(target, measure, estimate)
            for target, measure, estimate in self.estimates(level)
        ]

    @cached_property
    def _bounds(self) -> dict[str, dict[str, tuple[float | None, float | None]]]:
        return {target: self.items.all_bounds(target) for target in TARGETS} if self.items.not_judgeable else {}

    def _worst_case(self, target: str, measure: str, estimate: Estimate) -> dict[str, Any]:
        value = estimate.value
        least, largest = self._bounds[target][measure] if self._bounds else (value, value)
        return {"least": least, "largest": largest, "not_judgeable": self.items.not_judgeable}

    def lines(self, level: float) -> list[str]:
        """The answer in sentences."""
        items = self.items
        dates = f"{str(iso(self.begin))[:10]} to {str(iso(self.end))[:10]}"
        pooled = f" ({self.weeks} weeks pooled: too few violations in one)" if self.weeks > 1 else ""
        size = f"{len(items.drawn):,} items, {int(items.reached.sum()):,} reviewed in the policy's order"
        lines = [f"{dates}{pooled}: {size}, {int(items.sampled.sum()):,} drawn and judged"]
        for target, measure, estimate in self.estimates(level):
            lines.append(f"  {measure} {NAMES[target]}: {_shown(estimate)}")
        if self.later:
            lines.append(
                f"  {self.later:,} items that arrived last are not counted yet: drawn items among them are to be judged"
            )
        if unclear := items.not_judgeable:
            worst = ", ".join(f"{measure} within {_range(*self._bounds['reviewer'][measure])}" for measure in SHOWN)
            lines.append(f"  {unclear:,} items could not be judged; whatever they are: {worst}")
        return lines


def _range(low: float | None, high: float | None) -> str:
    return "unknown" if low is None or high is None else f"{format_share(low)} to {format_share(high)}"


def _shown(estimate: Estimate) -> str:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return f"unknown: {estimate.note}"
    return f"{format_share(estimate.value)} ({format_share(estimate.low)} to {format_share(estimate.high)})"


def measure_weeks(store: Store) -> list[PeriodAnswer]:
    """All weeks since the first item, pooled where one has too few violations."""
    items, answers = schema.items, list[PeriodAnswer]()
    with store.database.reading() as connection:
        span = sa.select(sa.func.min(items.c.received_at), sa.func.max(items.c.received_at))
        first, last = connection.execute(span.where(items.c.policy.is_not(None), items.c.gold.is_(None))).one()
        if first is None:
            raise InputError(
                "no item has been routed yet, so there is nothing to measure",
                source=store.name,
                kind=ErrorKind.NOT_FOUND,
            )
        begin, waiting, later = int(first), list[MeasuredItems](), 0
        for start in range(int(first), int(last) + 1, WEEK):
            arrivals, arrived = measured_items(connection, start, start + WEEK)
            settled = arrivals.settled(arrived)
            waiting.append(arrivals.take(settled))
            later += int((~settled).sum())
            joined = MeasuredItems.joined(waiting)
            if joined.violations >= FEW_VIOLATIONS or start + WEEK > last:
                answers.append(PeriodAnswer(begin, start + WEEK, joined, later))
                begin, waiting, later = start + WEEK, [], 0
    return answers
