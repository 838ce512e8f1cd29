"""From old scores and new ones to a finding: thresholds that match, what changes with them, and for whom."""

from __future__ import annotations

from evenhand.audits.settings import versions
from evenhand.finding import Finding
from evenhand.intervals.matched_cut import CutScores
from evenhand.migration import verdicts
from evenhand.migration.changes import with_check, with_groups
from evenhand.migration.exhibits import migration_exhibits
from evenhand.migration.labelled import LabelledCuts
from evenhand.migration.measured import move_measures, overall_measures
from evenhand.migration.moves import plan_move
from evenhand.migration.score_log import ScoreLog
from evenhand.migration.settings import MigrationSettings
from evenhand.migration.threshold_map import GRID, map_thresholds
from evenhand.progress import Progress, silent

NAME = "migration"
QUESTION = "Which thresholds of the new model correspond to the old ones, and what changes for whom?"


def migrate(log: ScoreLog, settings: MigrationSettings, progress: Progress = silent) -> Finding:
    """Match every threshold, look at what changes overall and by group, and check it on comments held out."""
    log = log.without_small_groups(settings.smallest_group)
    cuts, level = CutScores.from_scores(log.new), settings.level
    labels = None if log.label is None else LabelledCuts.from_labels(log.new, log.label, cuts)
    moves = []
    for number, threshold in enumerate(sorted(settings.thresholds)):
        progress("matching thresholds", number, len(settings.thresholds))
        moves.append(plan_move(log, cuts, labels, threshold, settings))
    moves = with_check(log, with_groups(log, moves, level), settings)
    rows = map_thresholds(log, cuts, (*GRID, *settings.thresholds), level)
    return Finding(
        NAME,
        QUESTION,
        (*overall_measures(log, level), *(measured for move in moves for measured in move_measures(log, move, level))),
        tuple(verdicts.migration_caveats(log, moves)),
        {**log.provenance(), "settings": settings.as_dict(), "seed": settings.seed, "versions": versions()},
        readings=tuple(verdicts.migration_readings(moves, settings)),
        verdicts=tuple(verdicts.migration_verdicts(log, moves, settings)),
        exhibits=tuple(migration_exhibits(log, rows, moves, settings.tolerance)),
    )
