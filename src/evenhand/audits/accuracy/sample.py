"""The labelled sample: what people judged, what was decided, and the items that each label stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import InputError
from evenhand.evidence.evidence import Judgements
from evenhand.evidence.judgements import UNLABELLED, UNSURE, VIOLATING
from evenhand.intervals.domains import WeightedSample
from evenhand.intervals.sampled_labels import SampledLabels
from evenhand.tally import Clusters


@dataclass(frozen=True)
class LabelledSample:
    """One entry a label; `rows` are those of the evidence. `items` counts rows where all of the population is there."""

    design: WeightedSample
    violating: Bools
    removed: Bools | None
    rows: Ints
    items: Floats | None
    unsure: int = 0  # draws of which people could not tell
    unsure_share: float = 0.0  # of the items, that they stand for
    decided: Bools | None = None  # of the rows of the evidence: whether the item was removed
    plan: PlannedSample | None = None  # how each label was drawn, where a plan wrote it down

    @classmethod
    def from_judgements(cls, judged: Judgements, source: str, clusters: Clusters | None = None) -> LabelledSample:
        """From checked rows; those that nobody labelled only say how many items there are."""
        labelled = judged.answer >= 0
        rows = np.repeat(np.flatnonzero(labelled), judged.times[labelled])
        removed = None if judged.removed is None else judged.removed[rows]
        _check_pools(removed, source)
        everything = bool((judged.answer == UNLABELLED).any())
        return cls(
            design=replace(_design(judged, rows, source), clusters=None if clusters is None else clusters.take(rows)),
            violating=judged.answer[rows] == VIOLATING,
            removed=removed,
            rows=rows,
            items=judged.times.astype(np.float64) if everything else None,
            unsure=int(judged.times[judged.answer == UNSURE].sum()),
            unsure_share=_stands_for(judged, judged.answer == UNSURE),
            decided=judged.removed,
            plan=None if judged.planned is None else PlannedSample.from_columns(judged.planned, judged.removed),
        )

    def inside(self, rows: Bools | None) -> Bools:
        """The labels of some rows; all of them for None."""
        return np.ones(len(self.rows), dtype=np.bool_) if rows is None else rows[self.rows]

    def size(self, rows: Bools | None, *, removed: bool | None = None) -> float | None:
        """The items among some rows, removed or visible ones; None where that is not known but from the labels."""
        if self.items is None:
            return None
        chosen = np.ones(len(self.items), dtype=np.bool_) if rows is None else rows
        if removed is not None and self.decided is not None:
            chosen = chosen & (self.decided == removed)
        return float(self.items[chosen].sum())


@dataclass(frozen=True)
class PlannedSample:
    """Labels as their plan drew them, and of each the number of its part and pool and how many items these have."""

    labels: SampledLabels
    parts: Ints
    items: Floats

    @classmethod
    def from_columns(cls, columns: Mapping[str, Floats], removed: Bools | None) -> PlannedSample:
        """From the columns that the plan wrote."""
        clusters = columns.get("plan_cluster")
        labels = SampledLabels(
            weights=columns["plan_weight"],
            strata=_numbered(columns["plan_stratum"]),
            scale=columns["plan_scale"],
            reach=columns["plan_reach"],
            expected=columns.get("plan_expected"),
            clusters=None if clusters is None else _numbered(clusters),
        )
        pool = 0 if removed is None else removed.astype(np.int64)
        return cls(labels, 2 * _numbered(columns["plan_part"]) + pool, columns["plan_items"])

    def size(self, inside: Bools, pool: Bools) -> float:
        """The items of these labels: known where they are whole parts of a pool, or all of it; else by weight."""
        parts = np.unique(self.parts[inside])
        if (inside == pool).all() or np.isin(self.parts[pool & ~inside], parts).any():
            return self.labels.total(inside)
        return float(sum(self.items[self.parts == part][0] for part in parts.tolist()))


def _numbered(codes: Floats) -> Ints:
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def _stands_for(judged: Judgements, rows: Bools) -> float:
    """The share of what was drawn, by weight."""
    stands = judged.times * (1.0 if judged.inclusion is None else 1.0 / judged.inclusion)
    return float(stands[rows].sum() / stands[judged.answer != UNLABELLED].sum())


def _check_pools(removed: Bools | None, source: str) -> None:
    """What was missed shows in what is visible, what was wrongly removed in what was removed: both need labels."""
    if removed is None or (removed.any() and not removed.all()):
        return
    lacking = "is visible" if removed.all() else "was removed"
    problem = f"no labelled item {lacking}: label some, or omit `decision` to estimate the prevalence alone"
    raise InputError(problem, source=source)


def _design(judged: Judgements, rows: Ints, source: str) -> WeightedSample:
    if judged.inclusion is None:
        return WeightedSample.counted(len(rows))
    chance = judged.inclusion * _answered(judged, source)
    if judged.stratum is None:
        return WeightedSample.from_inclusion(chance[rows])
    codes = judged.stratum[rows].astype(np.int64)
    _check_strata(judged, codes, chance[rows], source)
    return WeightedSample.from_inclusion(chance[rows], codes)


def _answered(judged: Judgements, source: str) -> Floats:
    """The part of the draws that had an answer, where each was drawn: in its stratum, or among removed or visible.

    Who cannot tell leaves a label out; those that are there stand for it.
    """
    share = np.ones(len(judged.answer))
    assert judged.inclusion is not None
    drawn, labelled = judged.answer != UNLABELLED, judged.answer >= 0
    if (labelled == drawn).all():
        return share
    where = judged.stratum if judged.stratum is not None else judged.removed
    place = np.zeros(len(drawn), dtype=np.int64) if where is None else where.astype(np.int64)
    stands = judged.times / judged.inclusion
    every, answered = (np.bincount(place[some], stands[some], minlength=place.max() + 1) for some in (drawn, labelled))
    if ((every > 0) & (answered == 0)).any():
        lost = int(np.argmax((every > 0) & (answered == 0)))
        name = f"stratum '{judged.strata[lost]}'" if judged.strata else "one of the two pools"
        raise InputError(f"every answer for {name} is 'cannot tell': no label represents it", source=source)
    share[labelled] = (answered / np.maximum(every, 1e-300))[place[labelled]]
    return share


def _check_strata(judged: Judgements, codes: Ints, chance: Floats, source: str) -> None:
    """By name, before numbers are lost on it."""
    counts = np.bincount(codes, minlength=len(judged.strata))
    least, most = np.full(len(counts), np.inf), np.zeros(len(counts))
    np.minimum.at(least, codes, chance)
    np.maximum.at(most, codes, chance)
    uneven, single = most > least * (1.0 + 1e-6), (counts == 1) & (most < 1.0)
    for bad, problem in (
        (uneven, "has different inclusion probabilities: give strata of different pools and batches different names"),
        (single, "has a single label, so its variance is unknown: merge it with a similar stratum"),
    ):
        if bad.any():
            raise InputError(f"the stratum '{judged.strata[int(np.argmax(bad))]}' {problem}", source=source)
