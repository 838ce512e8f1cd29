"""Strata for a plan: by groups, by parts of the score, or both, with the allocations of the literature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit

from evenhand import arrays
from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError
from evenhand.intervals.survey import Sampled
from evenhand.sampling import allocation
from evenhand.sampling.batches import Batch, Labelled, Spread, take
from evenhand.sampling.designs import Done
from evenhand.sampling.drawing import Draw
from evenhand.sampling.estimation import Joined
from evenhand.sampling.frame import Frame
from evenhand.sampling.sizes import Parts

SCORES, ALLOCATIONS = ("quantile", "equal-width"), ("proportional", "equal", "optimal", "pilot")


@dataclass(frozen=True, slots=True)
class Stratified:
    """Groups, and within each of them parts of the score; cuts are between cells.

    With a pilot there are two batches, and the labels of both are pooled, as in the literature: that is biased low, by
    one or two per cent, since strata where the pilot missed what is there get fewer labels.
    """

    score: str | None = "quantile"
    count: int = 8
    allocation: str = "optimal"
    pilot: int = 50

    def __post_init__(self) -> None:
        if self.score is not None and self.score not in SCORES:
            raise InputError(f"strata by score are {' or '.join(SCORES)}, not '{self.score}'")
        if self.allocation not in ALLOCATIONS:
            raise InputError(f"an allocation is {', '.join(ALLOCATIONS)}, not '{self.allocation}'")
        arrays.whole(self.count, "the number of strata")
        arrays.whole(self.pilot, "the pilot", least=2)

    def firsts(self, frame: Frame) -> Ints:
        """The first cell of each stratum."""
        part = np.zeros(len(frame.sizes), dtype=np.int64)
        if self.score == "equal-width":
            part = np.minimum((expit(frame.logits) * self.count).astype(np.int64), self.count - 1)
        elif self.score == "quantile":
            part = _quantiles(frame, self.count)
        return np.flatnonzero((np.diff(part, prepend=-1) != 0) | (np.diff(frame.groups, prepend=-1) != 0))

    def sizes(self, frame: Frame, n: int) -> tuple[int, ...]:
        """As in `Design`."""
        if self.allocation != "pilot":
            return (n,)
        first = int(self._pilot(frame).sum())
        return (first, n - first) if n > first else (first,)

    def fewest(self, frame: Frame) -> int:
        """As in `Design`: two of each stratum, or the whole pilot."""
        counts = self._pilot(frame) if self.allocation == "pilot" else np.minimum(self._items(frame), 2)
        return int(counts.sum())

    def draw(self, frame: Frame, done: Done, n: int, rng: np.random.Generator) -> Batch:
        """As in `Design`."""
        firsts = self.firsts(frame)
        items = np.add.reduceat(frame.sizes, firsts)
        if self.allocation != "pilot":
            counts = self._counts(n, items, self._expected(frame))
        elif not done.past:
            counts = self._pilot(frame)
        else:
            (first,) = done.past
            seen = np.bincount(first.batch.draw.strata, minlength=len(items))
            hits = np.bincount(first.batch.draw.strata, np.round(first.label), minlength=len(items))
            counts = allocation.go_on(n, items, first.batch.draw.counts, allocation.pilot_deviations(seen, hits))
        return take(frame, Spread(firsts, counts), rng, taken=np.sort(done.gone))

    def sampled(self, frame: Frame, past: Sequence[Labelled], *, group: int | None = None) -> Sampled:
        """As in `Design`."""
        firsts, joined, label = self.pooled(frame, past)
        found = Sampled.of(label, joined.strata, joined.sizes)
        inside = np.ones(len(frame.sizes), dtype=np.bool_) if group is None else frame.groups == group
        here = joined.heaped(np.add.reduceat(frame.sizes * inside, firsts)) > 0.0
        kept = replace(found.only(here), hits=float(label[here[joined.strata]].sum()))
        return kept.scaled(1.0 / float(kept.shares.sum()))

    def weights(self, frame: Frame, past: Sequence[Labelled]) -> list[Floats]:
        """As in `Design`."""
        _, joined, _ = self.pooled(frame, past)
        each: Floats = (joined.sizes / np.bincount(joined.strata, minlength=len(joined.sizes)))[joined.strata]
        return np.split(each, np.cumsum([len(done.label) for done in past])[:-1])

    def variance(self, frame: Frame, chance: Floats) -> float:
        """As in `Design`."""
        firsts = self.firsts(frame)
        items = np.add.reduceat(frame.sizes, firsts)
        parts = Parts.of(items, np.add.reduceat(frame.sizes * chance, firsts) / items)
        if self.allocation in ("optimal", "pilot"):
            return parts.least_variance
        return parts.variance(items if self.allocation == "proportional" else np.ones(len(items)))

    def _counts(self, n: int, items: Ints, deviations: Floats) -> Ints:
        if self.allocation == "optimal":
            return allocation.optimal(n, items, deviations, least=2)
        spread = allocation.equal if self.allocation == "equal" else allocation.proportional
        return spread(n, items, least=2)

    def _expected(self, frame: Frame) -> Floats:
        """Deviations by the score at its word."""
        firsts = self.firsts(frame)
        chance = np.add.reduceat(frame.sizes * expit(frame.logits), firsts) / np.add.reduceat(frame.sizes, firsts)
        return np.sqrt(chance * (1.0 - chance))

    def _pilot(self, frame: Frame) -> Ints:
        counts: Ints = np.minimum(self._items(frame), self.pilot)
        return counts

    def _items(self, frame: Frame) -> Ints:
        return np.add.reduceat(frame.sizes, self.firsts(frame))

    def pooled(self, frame: Frame, past: Sequence[Labelled]) -> tuple[Ints, Joined, Floats]:
        """All batches as one draw from whole strata."""
        firsts = past[0].batch.firsts
        draws = [done.batch.draw for done in past]
        strata, label = np.concatenate([d.strata for d in draws]), np.concatenate([done.label for done in past])
        counts = np.sum([draw.counts for draw in draws], axis=0)
        whole = Draw(strata, strata, np.add.reduceat(frame.sizes, firsts), counts)
        return firsts, Joined.of(whole), label


def _quantiles(frame: Frame, count: int) -> Ints:
    """The part of each cell: equally many items of its group, as far as cells allow."""
    starts = np.flatnonzero(np.diff(frame.groups, prepend=-1) != 0)
    totals = np.add.reduceat(frame.sizes, starts)
    run = np.cumsum(np.diff(frame.groups, prepend=frame.groups[0]) != 0)
    before = frame.starts[:-1] - frame.starts[starts][run]
    middle = (before + 0.5 * frame.sizes) / totals[run]
    part: Ints = np.minimum((middle * count).astype(np.int64), count - 1)
    return part
