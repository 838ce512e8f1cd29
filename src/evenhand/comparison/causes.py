"""Why a number changed between two runs or periods: other items, other labels of like items, other decisions.

Prevalence, recall and the false positive rate follow from four things: which parts there are (languages, communities),
how items of a part are scored, how many items of a part and a score violate, and how many of these are removed or
flagged. Each is taken from the earlier or from the later period; what exchanging one of them changes, on average over
all orders in which the four can be exchanged (Shapley), is its part of the change. The parts add up to the change
exactly. Intervals are from redrawing the counts of both periods: they take items as independent.

A cell without items in one period takes the rates of its region of scores in that period, or of all its items.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Any

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.audits.composition import COMPOSITION, Composition
from evenhand.catalogue.accuracy import PREVALENCE
from evenhand.catalogue.shared import FPR, POSITIVE_SHARE, RECALL, TPR
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Slice, SliceKey
from evenhand.formatting import signed_points

REDRAWN_COUNTS = "redrawn_counts"
DRAWS, SEED = 1000, 0
ROUNDING = 1e-9


class ChangeCause(StrEnum):
    """What can differ between two periods.

    >>> print(eh.comparison.ChangeCause.LABELS)
    violations among items of the same part and score
    """

    PARTS = "mix of languages, communities and other parts"
    SCORES = "scores of items of the same part"
    LABELS = "violations among items of the same part and score"
    DECISIONS = "decisions on such items"
    ESTIMATOR = "how the published estimate differs from these counts"


SHIFTS = (ChangeCause.PARTS, ChangeCause.SCORES, ChangeCause.LABELS, ChangeCause.DECISIONS)


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.asarray(np.divide(part, whole, out=np.full(np.broadcast(part, whole).shape, np.nan), where=whole > 0.0))


def _prevalence(kinds: Floats) -> Floats:
    return _ratio(kinds[..., 1, :].sum(axis=-1), kinds.sum(axis=(-2, -1)))


def _recall(kinds: Floats) -> Floats:
    return _ratio(kinds[..., 1, 1], kinds[..., 1, :].sum(axis=-1))


def _false_positive_rate(kinds: Floats) -> Floats:
    return _ratio(kinds[..., 0, 1], kinds[..., 0, :].sum(axis=-1))


CAUSED_MEASURES: Mapping[str, Callable[[Floats], Floats]] = {  # from … × label × decision
    PREVALENCE: _prevalence,
    POSITIVE_SHARE: _prevalence,
    RECALL: _recall,
    TPR: _recall,
    FPR: _false_positive_rate,
}


@dataclass(frozen=True)
class CausedChange:
    """What each cause contributes to the change of a measure; the contributions add up to it.

    >>> sample = {"label": [True, False] * 50, "removed": [True, True, False, False] * 25}
    >>> changed = {**sample, "removed": sample["label"]}
    >>> roles = {"label": "label", "decision": "removed", "audits": "accuracy"}
    >>> last, this = (eh.audit(rows, **roles).findings[0] for rows in (sample, changed))
    >>> [change.change for change in eh.comparison.period_causes(this, last)]
    [0.0, 0.5]
    """

    measure: str
    change: float
    contributions: Mapping[ChangeCause, Estimate]

    def record(self) -> dict[str, Any]:
        """As plain data."""
        parts = [
            {"cause": cause.name.lower(), "contribution": e.value, "low": e.low, "high": e.high}
            for cause, e in self.contributions.items()
        ]
        return {"measure": self.measure, "change": self.change, "causes": parts}

    @property
    def largest(self) -> ChangeCause | None:
        """The cause with the largest contribution whose interval leaves out 0."""
        clear = {c: abs(e.value or 0.0) for c, e in self.contributions.items() if _is_clear(e)}
        return max(clear, key=clear.__getitem__) if clear else None

    def sentence(self, title: str) -> str:
        """Which causes there are, the largest first."""
        shown = sorted(self.contributions.items(), key=lambda pair: -abs(pair[1].value or 0.0))
        listed = "; ".join(_points(e, cause) for cause, e in shown if e.value is not None and abs(e.value) > ROUNDING)
        return f"Why {title} changed by {signed_points(self.change)} points: {listed or 'nothing differs'}."


def _is_clear(e: Estimate) -> bool:
    return e.low is not None and e.high is not None and (e.low > 0.0 or e.high < 0.0)


def _points(e: Estimate, cause: ChangeCause) -> str:
    value, low, high = (signed_points(end or 0.0) for end in (e.value, e.low, e.high))
    return f"{cause} {value} ({low} to {high})"


def change_causes(
    this: Composition, last: Composition, measure: str, *, level: float, published: float | None = None
) -> CausedChange | None:
    """The contributions to a change; None where one of the periods has no value. `published` is the change reported."""
    both = _AlignedCells.from_periods(this, last)
    value = CAUSED_MEASURES[measure]
    plain = both.contributions((both.this[None], both.last[None]), value)[:, 0]
    if not np.isfinite(plain).all():
        return None
    drawn = both.contributions(both.redrawn(this, last), value)
    change = float(plain.sum())
    contributions = {
        cause: _contribution(float(plain[number]), drawn[number], level, int(both.items))
        for number, cause in enumerate(SHIFTS)
        if both.may_differ[cause]
    }
    if published is not None and abs(published - change) > ROUNDING:
        rest = published - change
        contributions[ChangeCause.ESTIMATOR] = Estimate(rest, rest, rest, level, "exact", int(both.items))
        change = published
    return CausedChange(measure, change, contributions)


def _contribution(value: float, drawn: Floats, level: float, n: int) -> Estimate:
    """By the spread of the redraws about the value."""
    defined = drawn[np.isfinite(drawn)]
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(defined, [tail, 1.0 - tail]) if len(defined) else (value, value)
    return Estimate(value, min(float(low), value), max(float(high), value), level, REDRAWN_COUNTS, n)


@dataclass(frozen=True)
class _AlignedCells:
    """Both periods on the same cells, with the number of the part and of the band of each."""

    this: Floats
    last: Floats
    part: Ints
    band: Ints
    places: tuple[Ints, Ints]

    @classmethod
    def from_periods(cls, this: Composition, last: Composition) -> _AlignedCells:
        cells = sorted({*this.cells, *last.cells})
        place = {cell: number for number, cell in enumerate(cells)}
        places = [np.array([place[cell] for cell in one.cells], dtype=np.int64) for one in (this, last)]
        tables = []
        for one, at in zip((this, last), places, strict=True):
            table = np.zeros((len(cells), 2, 2))
            table[at] = one.weights
            tables.append(table)
        parts, bands = (np.unique(np.array([cell[n] for cell in cells]), return_inverse=True)[1] for n in (0, 1))
        return cls(tables[0], tables[1], parts, bands, (places[0], places[1]))

    @property
    def items(self) -> float:
        """In both periods."""
        return float(self.this.sum() + self.last.sum())

    @property
    def may_differ(self) -> Mapping[ChangeCause, bool]:
        """Whether there are parts, scores and decisions at all."""
        decided = self.this[..., 1].any() or self.last[..., 1].any()
        return {
            ChangeCause.PARTS: len(np.unique(self.part)) > 1,
            ChangeCause.SCORES: len(np.unique(self.band)) > 1,
            ChangeCause.LABELS: True,
            ChangeCause.DECISIONS: bool(decided),
        }

    def redrawn(self, this: Composition, last: Composition) -> tuple[Floats, Floats]:
        """Counts of both periods, drawn again: gamma numbers with the mean and the variance of each sum of weights."""
        rng = np.random.default_rng(SEED)
        drawn = []
        for one, at in zip((this, last), self.places, strict=True):
            scale = np.divide(one.squares, one.weights, out=np.ones_like(one.weights), where=one.squares > 0.0)
            table = np.zeros((DRAWS, len(self.part), 2, 2))
            table[:, at] = rng.gamma(one.weights / scale, scale, (DRAWS, *one.weights.shape))
            drawn.append(table)
        return drawn[0], drawn[1]

    def contributions(self, tables: tuple[Floats, Floats], measure: Callable[[Floats], Floats]) -> Floats:
        """Causes × draws: Shapley's average of what exchanging each does after the others."""
        factors = [self._factors(table) for table in tables]
        size = len(SHIFTS)
        values = {
            chosen: measure(_joined([factors[0 if n in chosen else 1][n] for n in range(size)]))
            for chosen in _subsets(size)
        }
        result = []
        for one in range(size):
            others = [chosen for chosen in values if one not in chosen]
            weights = [
                math.factorial(len(c)) * math.factorial(size - len(c) - 1) / math.factorial(size) for c in others
            ]
            result.append(sum(w * (values[c | {one}] - values[c]) for w, c in zip(weights, others, strict=True)))
        return np.asarray(result)

    def _factors(self, table: Floats) -> list[Floats]:
        """Share of each part, of each band within it, of violations in each cell, and of decisions by label."""
        items = table.sum(axis=(-2, -1))
        part = _by(self.part, items)
        shares = part / items.sum(axis=-1, keepdims=True)
        within = _filled(_ratio(items, part), [_ratio(_by(self.band, items), items.sum(axis=-1, keepdims=True))])
        within = within / np.maximum(_by(self.part, within), 1e-300)
        by_label, by_decision = table.sum(axis=-1), table
        violating = self._rates(by_label[..., 1], items)
        removed = np.stack([self._rates(by_decision[..., kind, 1], by_label[..., kind]) for kind in (0, 1)], axis=-1)
        return [shares, within, violating, removed]

    def _rates(self, hits: Floats, items: Floats) -> Floats:
        """In each cell; where it has no items, in its band, or in all."""
        band = _ratio(_by(self.band, hits), _by(self.band, items))
        every = _ratio(hits.sum(axis=-1, keepdims=True), items.sum(axis=-1, keepdims=True))
        return np.nan_to_num(_filled(_ratio(hits, items), [band, np.broadcast_to(every, hits.shape)]))


def _by(codes: Ints, values: Floats) -> Floats:
    """The sum over all cells with the same code, for each cell."""
    members = (codes[:, None] == np.arange(int(codes.max(initial=0)) + 1)).astype(np.float64)
    return np.asarray((values @ members)[..., codes])


def _filled(values: Floats, others: list[Floats]) -> Floats:
    for other in others:
        values = np.where(np.isfinite(values), values, other)
    return values


def _joined(factors: list[Floats]) -> Floats:
    """Of all cells together: draws × label × decision."""
    shares, within, violating, removed = factors
    items = shares * within
    labels = np.stack([items * (1.0 - violating), items * violating], axis=-1)
    table = np.stack([labels * (1.0 - removed), labels * removed], axis=-1)
    return np.asarray(table.sum(axis=-3))


def _subsets(size: int) -> Iterator[frozenset[int]]:
    for number in range(size + 1):
        yield from (frozenset(chosen) for chosen in combinations(range(size), number))


def finding_change_causes(this: Finding, last: Finding, measure: str, slice_: Slice) -> CausedChange | None:
    """Why a number of two findings changed; None where they do not say what their items are made of."""
    both = [_composition(finding, slice_) for finding in (this, last)]
    now, before = (finding.get(measure, **slice_) for finding in (this, last))
    if measure not in CAUSED_MEASURES or None in both or now.value is None or before.value is None:
        return None
    assert both[0] is not None
    assert both[1] is not None
    return change_causes(both[0], both[1], measure, level=now.level, published=now.value - before.value)


def _composition(finding: Finding, slice_: Slice) -> Composition | None:
    """Of all items or of a group; a model is named where there are several."""
    wanted = {key: value for key, value in slice_.items() if key in (SliceKey.MODEL, SliceKey.GROUP)}
    if set(slice_) - set(wanted):
        return None
    for exhibit in finding.exhibits:
        own = dict(exhibit.slice)
        if SliceKey.MODEL not in wanted:
            own.pop(SliceKey.MODEL, None)
        if exhibit.kind == COMPOSITION and own == wanted:
            return Composition.from_exhibit(exhibit)
    return None
