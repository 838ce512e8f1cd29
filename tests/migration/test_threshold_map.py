"""The map of thresholds: it flags as many, never falls, is written shortly, and follows the scores."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import brute
from evenhand.intervals.matched_cut import CutScores
from evenhand.migration.threshold_map import GRID, map_thresholds, matched_threshold, threshold_above, threshold_at
from migration.logs import frame, opened


@pytest.mark.parametrize("seed", range(5))
def test_a_shortened_threshold_flags_the_same_scores(seed: int) -> None:
    """Also where scores are crowded, at either end, and next to one another."""
    rng = np.random.default_rng(seed)
    crowded = 1.0 - 10.0 ** -rng.uniform(0.0, 16.0, 40)
    scores = np.unique(
        np.concatenate((rng.random(40), crowded, 1.0 - crowded, [0.0, 0.3, np.nextafter(0.3, 1.0), 1.0]))
    )
    for place, score in enumerate(scores):
        assert ((scores >= threshold_at(scores, place)) == (scores >= score)).all()
        above = threshold_above(scores, place)
        assert score <= above <= (scores[place + 1] if place + 1 < len(scores) else 1.0)


def test_thresholds_are_as_short_as_they_can_be() -> None:
    scores = np.array([0.123456, 0.431, 0.4327, 0.9])
    assert [threshold_at(scores, place) for place in range(4)] == [0.1, 0.4, 0.432, 0.9]
    assert threshold_above(scores, 0) == 0.2
    assert threshold_above(scores, 2) == 0.5


@pytest.mark.parametrize("digits", [None, 2])
def test_every_row_is_what_a_test_at_every_cut_gives(digits: int | None) -> None:
    log = opened(frame(150, digits=digits))
    cuts = CutScores.from_scores(log.new)
    for row in map_thresholds(log, cuts, (0.3, 0.7, 0.9), 0.95):
        flagged = log.old >= row.old
        nearest, low, high = brute.matched_cut(log.new, flagged, 0.95)
        assert (log.new >= row.new.value).sum() == (log.new >= nearest).sum()
        assert row.new.low == 0.0 if low is None else (log.new >= row.new.low).sum() == (log.new >= low).sum()
        assert row.new.high == 1.0 if high is None else row.new.high >= high
        assert row.flag_rate.value == pytest.approx(flagged.mean())
        assert row.new.low <= row.new.value <= row.new.high


@pytest.mark.parametrize("digits", [None, 2, 1])
def test_the_map_never_falls(digits: int | None) -> None:
    log = opened(frame(400, digits=digits))
    rows = [row for row in map_thresholds(log, CutScores.from_scores(log.new), GRID, 0.95) if row.new.defined]
    assert len(rows) > 50
    for part in ("value", "low", "high"):
        found = [getattr(row.new, part) for row in rows]
        assert found == sorted(found)


def test_without_ties_exactly_as_many_are_flagged() -> None:
    log = opened(frame(900))
    for row in map_thresholds(log, CutScores.from_scores(log.new), GRID, 0.95):
        if row.new.defined:
            assert (log.new >= row.new.value).sum() == (log.old >= row.old).sum()


def test_the_same_scores_keep_the_same_comments() -> None:
    table = frame(600).with_columns(ours=pl.col("perspective"))
    log = opened(table)
    for row in map_thresholds(log, CutScores.from_scores(log.new), (0.5, 0.8, 0.9), 0.95):
        assert ((log.new >= row.new.value) == (log.old >= row.old)).all()


def test_only_the_order_of_the_scores_matters() -> None:
    """Bent new scores have bent thresholds, that flag the same comments."""
    table = frame(600)
    log, bent = opened(table), opened(table.with_columns(ours=pl.col("ours") ** 3))
    for row, other in zip(
        *(map_thresholds(one, CutScores.from_scores(one.new), (0.6, 0.8), 0.95) for one in (log, bent)), strict=True
    ):
        assert ((log.new >= row.new.value) == (bent.new >= other.new.value)).all()
        assert other.new.low <= row.new.low**3 + 0.02
        assert other.new.high >= row.new.high**3 - 0.02


def test_thresholds_nobody_or_everybody_reaches_have_no_new_one() -> None:
    cuts = CutScores.from_scores(np.linspace(0.0, 1.0, 80))
    for flagged, says in ((np.zeros(80, dtype=bool), "no comment scored 0.9"), (np.ones(80, dtype=bool), "every")):
        found = matched_threshold(cuts, flagged, 0.9, 0.95)
        assert not found.defined
        assert says in found.note


def test_old_scores_in_single_precision_are_cut_in_it() -> None:
    """0.7 in single precision is below 0.7: a comment scored so is flagged all the same."""
    table = frame(200).with_columns(perspective=pl.lit(0.7, dtype=pl.Float32))
    table = table.with_columns(
        pl.when(pl.int_range(200) < 150)
        .then(0.2)
        .otherwise(pl.col("perspective"))
        .cast(pl.Float32)
        .alias("perspective")
    )
    assert opened(table).flagged_before(0.7).sum() == 50
