"""The data of the figures and of the threshold files: the map of thresholds, and old beside new scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

import numpy as np

from evenhand.catalogue import Measure
from evenhand.catalogue.migration import FLAG_RATE
from evenhand.estimate import Estimate
from evenhand.finding import Exhibit
from evenhand.migration.moves import ThresholdMove
from evenhand.migration.score_log import ScoreLog
from evenhand.migration.threshold_map import MapRow

SCORE_BINS = 20


class MigrationExhibit(StrEnum):
    """The tables that travel with the finding."""

    THRESHOLD_MAP = "threshold_map"
    TO_SET = "thresholds_to_set"
    SCORE_GRID = "score_grid"
    JUDGED_BY = "judged_by"


def migration_exhibits(
    log: ScoreLog, rows: Sequence[MapRow], moves: Sequence[ThresholdMove], tolerance: float
) -> Iterator[Exhibit]:
    """The map over a grid of old thresholds, the thresholds that were asked for, and the scores in bins."""
    yield Exhibit(MigrationExhibit.THRESHOLD_MAP, {}, _map_columns(rows))
    yield Exhibit(MigrationExhibit.TO_SET, {}, _columns_to_set(log, moves))
    yield Exhibit(MigrationExhibit.SCORE_GRID, {}, _score_grid(log))
    yield Exhibit(MigrationExhibit.JUDGED_BY, {}, {"tolerance": [tolerance]})


def _map_columns(rows: Sequence[MapRow]) -> dict[str, list[float | str | None]]:
    return {
        "old": [row.old for row in rows],
        "new": [row.new.value for row in rows],
        "low": [row.new.low for row in rows],
        "high": [row.new.high for row in rows],
        str(FLAG_RATE): [row.flag_rate.value for row in rows],
        "rate_low": [row.flag_rate.low for row in rows],
        "rate_high": [row.flag_rate.high for row in rows],
    }


def _columns_to_set(log: ScoreLog, moves: Sequence[ThresholdMove]) -> dict[str, list[float | str | None]]:
    """Every threshold that was asked for, by what the new one keeps, and whether it is the one to take."""
    thresholds: list[tuple[ThresholdMove, Measure, Estimate]] = [
        (move, basis, threshold) for move in moves for basis, threshold in move.matched.items()
    ]
    rates: list[float | str | None] = [
        None if e.value is None else float((log.new >= e.value).mean()) for _, _, e in thresholds
    ]
    return {
        "old": [move.old for move, _, _ in thresholds],
        "keeps": [str(basis) for _, basis, _ in thresholds],
        "new": [e.value for _, _, e in thresholds],
        "low": [e.low for _, _, e in thresholds],
        "high": [e.high for _, _, e in thresholds],
        str(FLAG_RATE): rates,
        "recommended": ["yes" if basis == move.recommended else "no" for move, basis, _ in thresholds],
    }


def _score_grid(log: ScoreLog) -> dict[str, list[float | str | None]]:
    """How many comments have an old and a new score in each pair of bins; empty pairs are left out."""
    edges = np.linspace(0.0, 1.0, SCORE_BINS + 1)
    counts, _, _ = np.histogram2d(log.old.astype(np.float64), log.new, bins=[edges, edges])
    old, new = np.nonzero(counts)
    return {
        "old": [float(edge) for edge in edges[old].round(4)],
        "new": [float(edge) for edge in edges[new].round(4)],
        "comments": [float(count) for count in counts[old, new]],
    }
