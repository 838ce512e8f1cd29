"""What the policy did in a period, estimated from the queue itself: recall, precision and prevalence with intervals.

The estimand is the outcome of the policy before anything that the measurement corrected: an item is removed if the
policy removed it unseen, or if a review in the policy's own order found it violating; all others are visible. Reviewed
items count with their verdict. The rest, removed unseen or visible, is estimated from the drawn items, whose draw does
not depend on score or route: a stratum of N items, of which n were drawn and judged, counts N / n for each.

Drawn items are judged in the random order of a key. Where the reserved reviews did not suffice, only those before the
first that is still waiting count: that is a random part of the drawn ones, whatever arrived when.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import sqlalchemy as sa

from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import Undefined
from evenhand.estimate import Estimate
from evenhand.intervals.pools import POOL_QUANTITIES, Pools
from evenhand.intervals.survey import SurveyShare
from evenhand.intervals.survey_estimators import StratifiedSample
from evenhand.store import schema
from evenhand.store.cases import BENIGN, UNCLEAR, VIOLATING

VIOLATES, HARMLESS, NOT_JUDGEABLE, NOT_JUDGED = 1, 0, -1, -2
CODES = {VIOLATING: VIOLATES, BENIGN: HARMLESS, UNCLEAR: NOT_JUDGEABLE, None: NOT_JUDGED}
REVIEWER, ADJUDICATED = TARGETS = ("reviewer", "adjudicated")
FEWEST = 2  # judgements without which a share has no variance


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
    panel_verdict: Ints

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
        values = [self.estimates(target, unclear=code)[measure].value for code in (HARMLESS, VIOLATES)]
        known = [value for value in values if value is not None]
        return (min(known), max(known)) if known else (None, None)

    def pools(self, target: str = REVIEWER, *, unclear: int = NOT_JUDGEABLE) -> Pools:
        """The removed and the visible, each with its share of violating items."""
        verdict = np.where(self.verdict == NOT_JUDGEABLE, unclear, self.verdict)
        panel = np.where(self.panel_verdict == NOT_JUDGEABLE, unclear, self.panel_verdict)
        counted = ~(self.reached & (verdict < 0))  # reviewed, and nobody could judge it
        removed = self.removed_unseen & ~self.reached | self.reached & (verdict == VIOLATES)
        shares, sizes = [], []
        for pool in (removed & counted, ~removed & counted):
            part = _Part(pool, self.reached, self.sampled & (verdict >= 0), verdict, self.probability)
            share = part.reviewer_share() if target == REVIEWER else part.adjudicated_share(self.panel, panel)
            shares.append(share)
            sizes.append(float(pool.sum()))
        return Pools(shares[0], sizes[0], shares[1], sizes[1])


@dataclass(frozen=True)
class _Part:
    """The removed or the visible items of a period."""

    pool: Bools
    reached: Bools
    sampled: Bools
    verdict: Ints
    probability: Floats

    def reviewer_share(self) -> SurveyShare:
        """The share that reviewers call violating: counted where reviewed, estimated elsewhere."""
        total = float(self.pool.sum())
        known = float((self.pool & self.reached & (self.verdict == VIOLATES)).sum())
        unseen = self.pool & ~self.reached
        if not unseen.any():
            return SurveyShare(known / total if total else 0.0, 0.0, math.inf, int(total), known, 0.0)
        values, strata, sizes = self._strata(unseen)
        sample = StratifiedSample.from_values(values, strata, sizes)
        return sample.scaled(float(unseen.sum()) / total, known=known / total).figure()

    def _strata(self, unseen: Bools) -> tuple[Floats, Ints, Floats]:
        """Sampled values, by the probability of the draw; probabilities with too few judgements are put together."""
        sampled = unseen & self.sampled
        if int(sampled.sum()) < FEWEST:
            raise Undefined("fewer than two drawn items were judged: pool several periods")
        levels, codes = np.unique(self.probability[unseen], return_inverse=True)
        inner = sampled[unseen]
        counts = np.bincount(codes[inner], minlength=len(levels))
        if (counts < FEWEST).any():
            codes, levels = np.zeros_like(codes), levels[:1]
        sizes = np.bincount(codes, minlength=len(levels)).astype(np.float64)
        values = (self.verdict[unseen][inner] == VIOLATES).astype(np.float64)
        return values, codes[inner].astype(np.int64), sizes

    def adjudicated_share(self, panel: Bools, panel_verdict: Ints) -> SurveyShare:
        """The share that the panel calls violating: cells of what reviewers said, and within each a random part."""
        total = float(self.pool.sum())
        if not total:
            return SurveyShare(0.0, 0.0, math.inf, 0, 0.0, 0.0)
        answered = self.pool & panel & (panel_verdict >= 0) & (self.reached | self.sampled)
        cells = [cell for cell in self._cells(total, answered, panel_verdict) if cell.weight > 0.0]
        value = sum(cell.weight * cell.mean for cell in cells)
        variance = sum(cell.variance for cell in cells) + self._first_phase(total, cells)
        freedom = variance**2 / sum(cell.variance**2 / max(cell.n - 1.0, 1.0) for cell in cells)
        hits = float((answered & (panel_verdict == VIOLATES)).sum())
        heaviest = max(cell.weight / cell.n for cell in cells)
        n = int(answered.sum())
        return SurveyShare(value, variance, max(freedom, 1.0), n, hits, heaviest, variance, max(freedom, 1.0))

    def _cells(self, total: float, answered: Bools, panel_verdict: Ints) -> Iterable[_Cell]:
        for seen in (True, False):
            items = self.pool & (self.reached if seen else ~self.reached)
            judged = items if seen else items & self.sampled
            if not items.any():
                continue
            if not judged.any():
                raise Undefined("no drawn item was judged: pool several periods")
            parts = [judged & (self.verdict == code) for code in (VIOLATES, HARMLESS)]
            if any(part.any() and int((part & answered).sum()) < FEWEST for part in parts):
                parts = [judged]  # too few panel verdicts to tell what reviewers said apart
            for part in parts:
                weight = float(items.sum()) / total * float(part.sum()) / max(float(judged.sum()), 1.0)
                verdicts = panel_verdict[part & answered]
                if weight > 0.0 and len(verdicts) < FEWEST:
                    raise Undefined("fewer than two items were adjudicated: pool several periods")
                yield _Cell(weight, len(verdicts), int((verdicts == VIOLATES).sum()), seen)

    def _first_phase(self, total: float, cells: Sequence[_Cell]) -> float:
        """The variance of how many of the unseen items fall into each cell."""
        unseen = [cell for cell in cells if not cell.seen]
        n = float((self.pool & ~self.reached & self.sampled).sum())
        weight = sum(cell.weight for cell in unseen)
        if not weight or not n:
            return 0.0
        mean = sum(cell.weight * cell.mean for cell in unseen) / weight
        return weight**2 * sum(cell.weight / weight * (cell.mean - mean) ** 2 for cell in unseen) / n


@dataclass(frozen=True)
class _Cell:
    weight: float
    n: int
    hits: int
    seen: bool

    @property
    def mean(self) -> float:
        return self.hits / self.n

    @property
    def variance(self) -> float:
        """One of each kind is added, so that cells without violations are not taken for certainty."""
        share = (self.hits + 1.0) / (self.n + 2.0)
        return self.weight**2 * share * (1.0 - share) / self.n


def measured_items(connection: sa.Connection, begin: int, end: int) -> MeasuredItems:
    """The items that arrived in a period and were routed by a policy."""
    items = schema.items
    columns = (items.c.route, items.c.reached, items.c.verdict, items.c.measured_verdict, items.c.drawn)
    more = (items.c.probability, items.c.draw_order, items.c.panel, items.c.panel_verdict)
    query = sa.select(*columns, *more).where(items.c.received_at >= begin, items.c.received_at < end)
    rows = connection.execute(
        query.where(items.c.gold.is_(None), items.c.policy.is_not(None)).order_by(items.c.id)
    ).all()

    def column(make: Any, kind: Any) -> Any:
        return np.array([make(row) for row in rows], dtype=kind)

    return MeasuredItems(
        removed_unseen=column(lambda row: row.route == "remove", np.bool_),
        reached=column(lambda row: row.reached, np.bool_),
        verdict=column(lambda row: CODES[row.measured_verdict], np.int64),
        drawn=column(lambda row: row.drawn, np.bool_),
        probability=column(lambda row: row.probability or 0.0, np.float64),
        order=column(lambda row: row.draw_order or 0.0, np.float64),
        panel=column(lambda row: row.panel, np.bool_),
        panel_verdict=column(lambda row: CODES[row.panel_verdict], np.int64),
    )
