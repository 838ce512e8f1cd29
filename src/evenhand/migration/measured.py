"""The numbers of a migration as estimates of the output contract.

Slices name the old threshold, the model (`old` or `new`) and, of the new model, what its threshold keeps (`matched`):
the flag rate, precision, false positive rate or recall, or the number of the old threshold as it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.arrays import Bools
from evenhand.catalogue import Measure
from evenhand.catalogue.migration import (
    DECISION_AGREEMENT,
    FLAG_RATE,
    FLAG_RATE_CHANGE,
    FLAG_RATE_RATIO,
    NEW_THRESHOLD,
    NEWLY_FLAGGED,
    NO_LONGER_FLAGGED,
    PRECISION_CHANGE,
    STILL_FLAGGED,
)
from evenhand.catalogue.perspective import GWET_AC1
from evenhand.catalogue.shared import COUNT, POSITIVE_SHARE, RANK_AGREEMENT
from evenhand.estimate import Estimate
from evenhand.finding import Measured, Slice, SliceKey
from evenhand.intervals.rank_correlation import spearman
from evenhand.measures.decisions import NONE_FLAGGED_BEFORE, DecisionTable
from evenhand.migration.changes import ac1_estimate, change_estimate
from evenhand.migration.labelled import rates_at
from evenhand.migration.moves import ThresholdMove
from evenhand.migration.score_log import ScoreLog
from evenhand.migration.threshold_map import share_estimate

OLD, NEW = "old", "new"
UNCHANGED = "threshold"  # the new model at the number of the old threshold
HELD_OUT = "held_out"


def overall_measures(log: ScoreLog, level: float) -> Iterator[Measured]:
    """How many comments, how many of them violate, and how alike both models rank them."""
    yield Measured(COUNT, {}, Estimate.exact(log.comments, level=level, n=log.comments))
    if log.label is not None:
        yield Measured(POSITIVE_SHARE, {}, share_estimate(int(log.label.sum()), log.comments, level))
    pairs = list(zip(log.old.tolist(), log.new.tolist(), strict=True))
    yield Measured(RANK_AGREEMENT, {}, spearman(pairs, level))
    for group in log.groups:
        size = len(group.rows)
        yield Measured(COUNT, group.slice, Estimate.exact(size, level=level, n=size))


def move_measures(log: ScoreLog, move: ThresholdMove, level: float) -> Iterator[Measured]:
    """All numbers of one old threshold."""
    yield from _rates(log, move.flagged, {**move.slice, SliceKey.MODEL: OLD}, level)
    new: Slice = {**move.slice, SliceKey.MODEL: NEW}
    yield from _rates(log, log.new >= move.old, {**new, SliceKey.MATCHED: UNCHANGED}, level)
    for basis, threshold in move.matched.items():
        yield Measured(NEW_THRESHOLD, _kept(move.slice, basis), threshold)
        if threshold.value is not None:
            yield from _rates(log, log.new >= threshold.value, _kept(new, basis), level)
    same = _kept(move.slice, FLAG_RATE)
    if move.precision_change is not None:
        yield Measured(PRECISION_CHANGE, same, move.precision_change)
    if move.held_out is not None:
        yield Measured(FLAG_RATE_CHANGE, {**same, SliceKey.POOL: HELD_OUT}, move.held_out)
    if move.table is not None:
        yield from _decision_measures(move.table, _kept(move.slice, move.basis), level)
    yield from _group_measures(move)


def _kept(slice_: Slice, basis: Measure) -> Slice:
    return {**slice_, SliceKey.MATCHED: str(basis)}


def _rates(log: ScoreLog, flagged: Bools, slice_: Slice, level: float) -> Iterator[Measured]:
    """How much a model flags and, with labels, how well."""
    yield Measured(FLAG_RATE, slice_, share_estimate(int(flagged.sum()), log.comments, level))
    if log.label is not None:
        yield from (Measured(m, slice_, e) for m, e in rates_at(flagged, log.label, level))


def _decision_measures(table: DecisionTable, slice_: Slice, level: float) -> Iterator[Measured]:
    """Both decisions beside one another."""
    yield Measured(FLAG_RATE_CHANGE, slice_, change_estimate(table, level))
    for measure, part, whole in (
        (DECISION_AGREEMENT, table.both + table.neither, table.items),
        (NEWLY_FLAGGED, table.new_only, table.items),
        (NO_LONGER_FLAGGED, table.old_only, table.items),
        (STILL_FLAGGED, table.both, table.old),
    ):
        yield Measured(measure, slice_, share_estimate(part, whole, level, NONE_FLAGGED_BEFORE))
    yield Measured(GWET_AC1, slice_, ac1_estimate(table, level))


def _group_measures(move: ThresholdMove) -> Iterator[Measured]:
    for change in move.groups:
        here = {**move.slice, **change.group.slice}
        yield Measured(FLAG_RATE, {**here, SliceKey.MODEL: OLD}, change.before)
        yield Measured(FLAG_RATE, _kept({**here, SliceKey.MODEL: NEW}, move.basis), change.after)
        yield Measured(FLAG_RATE_RATIO, _kept(here, move.basis), change.ratio)
