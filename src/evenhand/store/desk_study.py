"""The labelled sample behind a transparency report, from the desk itself: what its measurement shows of automation.

Predicted is what the policy removed without a review, positive what the panel finds violating (or, if so chosen, one
reviewer). Items were drawn at arrival with a recorded probability that does not depend on score or route, so that the
drawn ones stand for all items of the period. Removals in the policy's own order of review are measures of people.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError, Undefined, nearest
from evenhand.estimate import Estimate
from evenhand.evidence import Source
from evenhand.exchange.dsa.period import ReportingPeriod
from evenhand.exchange.dsa.study import ACCURACY_AUDIT, AutomationStudy, StudyPurpose
from evenhand.finding import Finding, column_key
from evenhand.metrics import krippendorff_alpha
from evenhand.reports import audit
from evenhand.store.cases import BENIGN, DONE, REMOVE, UNCLEAR, VIOLATING
from evenhand.store.inclusion import VerdictInclusion
from evenhand.store.live_evidence import JUDGEMENTS
from evenhand.store.measured import ADJUDICATED, REVIEWER, TARGETS, MeasuredItems, panel_probability
from evenhand.store.measured_shares import VIOLATES
from evenhand.store.snapshots import StoreSnapshot
from evenhand.store.store import Store

AUTOMATED, PERSON, NO_MEASURE = "automated", "person", "none"
GROUND_TRUTHS = {
    ADJUDICATED: "adjudicated verdicts of a panel, which judges a random part of the drawn items blind",
    REVIEWER: "the verdict of one reviewer",
}


@dataclass(frozen=True)
class DeskStudy:
    """The items of a period as a snapshot has them, and the probability with which each can come before the panel."""

    snapshot: StoreSnapshot
    period: ReportingPeriod
    rows: Sequence[Any]
    panel_chance: Floats
    verdicts: str = ADJUDICATED

    @classmethod
    def read(cls, store: Store, snapshot: StoreSnapshot, period: ReportingPeriod, verdicts: str) -> DeskStudy:
        """The items that arrived in the period and that test nobody, in the order of their arrival."""
        if verdicts not in TARGETS:
            raise InputError(f"invalid `verdicts`: '{verdicts}'; {nearest(verdicts, TARGETS)}")
        begin, end = (_microseconds(day) for day in (period.start, period.end + datetime.timedelta(days=1)))
        inside = [row for row in snapshot.items if row.gold is None and begin <= row.received_at < end]
        rows = sorted(inside, key=lambda row: (row.received_at, row.id))
        with store.database.reading() as connection:
            chance = panel_probability(connection, _arrivals(rows))
        return cls(snapshot, period, rows, chance, verdicts)

    @cached_property
    def items(self) -> MeasuredItems:
        """The items as the measurement in the queue sees them."""
        return MeasuredItems.from_rows(self.rows, self.panel_chance)

    @cached_property
    def inclusion(self) -> VerdictInclusion:
        """How likely the verdict that counts was to be known."""
        known = VerdictInclusion.from_items(self.items, _arrivals(self.rows))
        return known.adjudicated(self.items, _arrivals(self.rows)) if self.verdicts == ADJUDICATED else known

    @property
    def gap(self) -> str:
        """Why the labels do not stand for the whole period; empty where they do."""
        if unrouted := sum(row.policy is None for row in self.rows):
            return f"{unrouted:,} items of the period were never routed by a policy, so that none of them was drawn"
        if waiting := int(self.inclusion.open.sum()):
            judged = "adjudicated" if self.verdicts == ADJUDICATED else "judged"
            return f"{waiting:,} items arrived in weeks of which no drawn item was {judged} yet"
        return ""

    def study(self, purpose: StudyPurpose) -> AutomationStudy | None:
        """What the labels show of automated measures; None where no item of the period has one."""
        if not self.rows or not self.inclusion.known.any():
            return None
        truth = purpose.ground_truth or GROUND_TRUTHS[self.verdicts]
        said = replace(purpose, period=str(self.period), population=purpose.population or "all", ground_truth=truth)
        automated, anybody = (self._finding(words) for words in ([AUTOMATED], [AUTOMATED, PERSON]))
        return AutomationStudy(
            automated, column_key("language"), said, self._design(), anybody, agreement=self._agreement(), gap=self.gap
        )

    def _finding(self, removes: Sequence[str]) -> Finding:
        return audit(self._source(), audits=ACCURACY_AUDIT, **self._roles(), removes=removes).findings[0]

    def _source(self) -> Source:
        known = self.inclusion.known.tolist()
        verdicts = [verdict if yes else None for verdict, yes in zip(self._verdicts(), known, strict=True)]
        frame = pl.DataFrame(
            {
                "item": pl.Series([row.external_id for row in self.rows], dtype=pl.String),
                "language": pl.Series([row.language for row in self.rows], dtype=pl.String),
                "author": pl.Series([row.author for row in self.rows], dtype=pl.String),
                "verdict": pl.Series(verdicts, dtype=pl.String),
                "measure": pl.Series(self._measures().tolist(), dtype=pl.String),
                "inclusion": pl.Series(self.inclusion.chance).fill_nan(None),
            }
        )
        return Source(self.snapshot.name, frame.filter(~pl.Series(self.inclusion.open)).lazy())

    def _verdicts(self) -> list[str | None]:
        return [row.panel_verdict if self.verdicts == ADJUDICATED else row.measured_verdict for row in self.rows]

    def _measures(self) -> Any:
        """Who removed each item: automated means without a review, people in the policy's order, or nobody."""
        by_people = self.items.reached & (self.items.verdict == VIOLATES)
        automated = np.array([row.route == REMOVE for row in self.rows])
        return np.where(automated, AUTOMATED, np.where(by_people, PERSON, NO_MEASURE))

    def _roles(self) -> Mapping[str, Any]:
        roles = {"label": "verdict", "positive": VIOLATING, "decision": "measure", "inclusion": "inclusion"}
        roles |= {"skip": UNCLEAR} if UNCLEAR in self._verdicts() else {}
        roles |= {"slices": "language"} if any(row.language for row in self.rows) else {}
        authors = [row.author for row in self.rows if row.author is not None]
        return roles | ({"cluster": "author"} if 2 <= len(set(authors)) < len(authors) else {})

    def _design(self) -> str:
        chances = sorted({row.probability for row in self.rows if row.probability})
        spoken = " to ".join(f"{chance:.3g}" for chance in dict.fromkeys((chances[0], chances[-1])))
        return f"the desk's draw at arrival (probability {spoken}), independent of scores and decisions"

    def _agreement(self) -> Estimate | None:
        """Krippendorff's alpha of the people who judged the same items."""
        own = {row.id for row in self.rows}
        done = [task for task in self.snapshot.tasks if task.state == DONE and task.purpose in JUDGEMENTS]
        said = [task for task in done if task.person and task.item in own and task.verdict in (VIOLATING, BENIGN)]
        if not said:
            return None
        columns = ([getattr(task, name) for task in said] for name in ("item", "person", "verdict"))
        try:
            return krippendorff_alpha(*columns)
        except Undefined as reason:
            return Estimate.undefined(str(reason), level=0.95, n=len(said))


def _microseconds(day: datetime.date) -> int:
    midnight = datetime.datetime(day.year, day.month, day.day, tzinfo=datetime.UTC)
    return int(midnight.timestamp()) * 1_000_000


def _arrivals(rows: Sequence[Any]) -> Ints:
    return np.array([row.received_at for row in rows], dtype=np.int64)
