"""What changes with a new threshold: how often comments of each group are flagged, and whether the threshold holds.

A threshold is chosen on the same comments that the changes are counted on. For flag rates that is no matter beyond
chance; it is checked all the same, by a threshold that is fitted on one half of the comments and applied to the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from evenhand.errors import Undefined
from evenhand.estimate import Estimate, Flag
from evenhand.intervals.matched_cut import CutScores
from evenhand.intervals.paired_shares import (
    PAIRED_DIFFERENCE,
    PAIRED_RATIO,
    TABLE_WILSON,
    difference_variance,
    paired_difference_interval,
    paired_ratio_interval,
    table_interval,
)
from evenhand.intervals.significance import simultaneous_level
from evenhand.measures import decisions
from evenhand.measures.decisions import DecisionTable
from evenhand.migration.moves import GroupChange, ThresholdMove
from evenhand.migration.score_log import ScoreLog
from evenhand.migration.settings import MigrationSettings
from evenhand.migration.threshold_map import matched_threshold, share_estimate

FEWEST_FLAGGED = 10  # comments that the old model flags, under which a ratio is marked


def with_groups(log: ScoreLog, moves: Sequence[ThresholdMove], level: float) -> list[ThresholdMove]:
    """The moves with what changes in each group; intervals hold for all groups and thresholds together."""
    each = simultaneous_level(level, len(log.groups) * sum(move.new.defined for move in moves))
    return [replace(move, groups=tuple(_group_changes(log, move, level, each))) for move in moves]


def _group_changes(log: ScoreLog, move: ThresholdMove, level: float, each: float) -> Iterator[GroupChange]:
    if move.new.value is None:
        return
    after = log.new >= move.new.value
    for group in log.groups:
        table = DecisionTable.from_decisions(move.flagged[group.rows], after[group.rows])
        before, now = (share_estimate(part, table.items, level) for part in (table.old, table.new))
        yield GroupChange(group, before, now, ratio_estimate(table, level, each))


def ratio_estimate(table: DecisionTable, level: float, each: float | None = None) -> Estimate:
    """How many times as often as before; an interval made at the level `each` holds at `level` beside others."""
    try:
        value = decisions.flag_rate_ratio(table)
    except Undefined as why:
        return Estimate.undefined(str(why), level=level, n=table.items)
    low, high = paired_ratio_interval(table.both, table.old_only, table.new_only, each or level)
    flags = (Flag.SMALL,) if table.old < FEWEST_FLAGGED else ()
    return Estimate(value, min(low, value), max(high, value), level, PAIRED_RATIO, table.items, flags=flags)


def with_check(log: ScoreLog, moves: Sequence[ThresholdMove], settings: MigrationSettings) -> list[ThresholdMove]:
    """The moves with the change of the flag rate on one half of the comments, by a threshold fitted on the other."""
    order = np.random.default_rng(settings.seed).permutation(log.comments)
    fit, check = order[: log.comments // 2], order[log.comments // 2 :]
    cuts, level = CutScores.from_scores(log.new[fit]), settings.level
    each = simultaneous_level(level, len(moves))

    def checked(move: ThresholdMove) -> Estimate:
        threshold = matched_threshold(cuts, move.flagged[fit], move.old, level)
        if threshold.value is None:
            return Estimate.undefined(f"in one half of the comments {threshold.note}", level=level, n=len(check))
        halves = [
            DecisionTable.from_decisions(move.flagged[rows], log.new[rows] >= threshold.value) for rows in (fit, check)
        ]
        return change_estimate(halves[1], level, each, fitted=halves[0])

    return [replace(move, held_out=checked(move)) for move in moves]


def change_estimate(
    table: DecisionTable, level: float, each: float | None = None, *, fitted: DecisionTable | None = None
) -> Estimate:
    """The new flag rate less the old one; `fitted` are the comments on which the threshold was chosen, if others."""
    value = decisions.flag_rate_change(table)
    chosen = difference_variance(fitted.old_only, fitted.new_only, fitted.items) if fitted else 0.0
    low, high = paired_difference_interval(table.old_only, table.new_only, table.items, each or level, fitted=chosen)
    return Estimate(value, min(low, value), max(high, value), level, PAIRED_DIFFERENCE, table.items)


def ac1_estimate(table: DecisionTable, level: float) -> Estimate:
    """How far both decisions agree beyond chance."""
    value = decisions.decision_ac1(*table.counts)
    low, high = table_interval(decisions.decision_ac1, table.counts, level)
    return Estimate(value, min(low, value), max(high, value), level, TABLE_WILSON, table.items)
