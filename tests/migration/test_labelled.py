"""What labels add: thresholds that keep precision, false positive rate and recall, and the rule that picks one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import brute
from evenhand.catalogue.migration import FLAG_RATE
from evenhand.catalogue.shared import PRECISION
from evenhand.estimate import Estimate
from evenhand.intervals.matched_cut import CutScores
from evenhand.migration.labelled import FlagCounts, LabelledCuts
from evenhand.migration.moves import ThresholdMove, plan_move
from evenhand.migration.score_log import ScoreLog
from evenhand.migration.settings import MigrationSettings
from migration.logs import frame, moved, opened


def cuts_of(log: ScoreLog) -> LabelledCuts:
    assert log.label is not None
    return LabelledCuts.from_labels(log.new, log.label, CutScores.from_scores(log.new))


def planned(table: pl.DataFrame, threshold: float = 0.8, **settings: Any) -> ThresholdMove:
    log = opened(table, label="toxic")
    return plan_move(log, CutScores.from_scores(log.new), cuts_of(log), threshold, MigrationSettings(**settings))


@pytest.mark.parametrize("digits", [None, 2])
def test_the_lowest_threshold_that_is_as_precise(digits: int | None) -> None:
    log = opened(frame(400, digits=digits), label="toxic")
    flagged = log.old >= 0.8
    found = cuts_of(log).precise_threshold(flagged, 0.95)
    smoothed = brute.smoothed_precision(log.new, log.label)
    wanted = log.label[flagged].mean()
    lowest = min(value for value, share in smoothed.items() if share >= wanted - 1e-9)
    assert ((log.new >= found.value) == (log.new >= lowest)).all()


@pytest.mark.parametrize("kept", ["fpr", "recall"])
def test_rates_of_a_class_are_flag_rates_of_its_comments(kept: str) -> None:
    log = opened(frame(400), label="toxic")
    inside = log.label if kept == "recall" else ~log.label
    flagged = log.old >= 0.8
    found = dict(cuts_of(log).thresholds(flagged, 0.8, 0.95))[kept]
    nearest, low, high = brute.matched_cut(log.new[inside], flagged[inside], 0.95)
    assert ((log.new >= found.value) == (log.new >= nearest))[inside].all()
    assert found.low <= (low if low is not None else 0.0) + 1e-12
    assert found.high >= (high if high is not None else 1.0) - 1e-12


def test_the_change_of_precision_by_a_redraw() -> None:
    """The interval is about as wide as what redrawing the comments shows."""
    log = opened(frame(4000), label="toxic")
    old, new = log.old >= 0.8, log.new >= 0.75
    value, low, high = FlagCounts.from_decisions(old, new, log.label).precision_change(0.95)
    assert value == pytest.approx(log.label[new].mean() - log.label[old].mean())
    rng, draws = np.random.default_rng(1), []
    for _ in range(400):
        rows = rng.integers(0, log.comments, log.comments)
        drawn = log.label[rows]
        draws.append(drawn[new[rows]].mean() - drawn[old[rows]].mean())
    assert high - low == pytest.approx(2 * 1.96 * np.std(draws), rel=0.15)


def test_precision_that_no_threshold_reaches_says_so() -> None:
    table = frame(600).with_columns(ours=pl.Series(np.random.default_rng(3).random(600)))
    precise = table.with_columns(toxic=pl.col("perspective") >= 0.8)
    log = opened(precise, label="toxic")
    found = cuts_of(log).precise_threshold(log.old >= 0.8, 0.95)
    assert not found.defined
    assert "no threshold of the new model is as precise" in found.note


def test_a_useless_old_model_is_matched_by_flagging_everything() -> None:
    table = frame(600).with_columns(perspective=pl.Series(np.random.default_rng(4).random(600)))
    log = opened(table.with_columns(toxic=pl.col("ours") > 0.1), label="toxic")
    flagged = log.old >= 0.5
    if log.label[flagged].mean() <= log.label.mean():
        assert "flagging every comment" in cuts_of(log).precise_threshold(flagged, 0.95).note
    none = cuts_of(log).precise_threshold(np.zeros(600, dtype=bool), 0.95)
    assert "no comment is flagged" in none.note


def test_the_flag_rate_is_kept_unless_precision_is_surely_lost() -> None:
    assert planned(frame(3000)).recommended == FLAG_RATE
    worse = frame(3000, lift=0.0).with_columns(
        ours=pl.col("ours") * 0.3 + 0.7 * pl.Series(np.random.default_rng(1).random(3000)),
        toxic=pl.col("perspective") + 0.1 * pl.Series(np.random.default_rng(2).random(3000)) > 0.8,
    )
    move = planned(worse)
    assert move.precision_change.high < -0.02
    assert move.recommended in (PRECISION, None)
    tolerant = planned(worse, precision_loss=0.9)
    assert tolerant.recommended == FLAG_RATE


def test_the_rule_by_itself() -> None:
    """From the interval alone: the whole of it must lie beyond what is tolerated."""
    from evenhand.migration.moves import _recommended

    known = Estimate(0.5, 0.4, 0.6, 0.95, "x", 100)
    lacking = Estimate.undefined("no threshold", level=0.95, n=100)
    for high, expected in ((-0.021, PRECISION), (-0.019, FLAG_RATE), (0.3, FLAG_RATE)):
        change = Estimate(-0.2, -0.4, high, 0.95, "x", 100) if high > -0.2 else None
        assert _recommended({FLAG_RATE: known, PRECISION: known}, change, 0.02) == expected
    loss = Estimate(-0.2, -0.4, -0.1, 0.95, "x", 100)
    assert _recommended({FLAG_RATE: known, PRECISION: lacking}, loss, 0.02) is None
    assert _recommended({FLAG_RATE: known}, None, 0.02) == FLAG_RATE
    assert _recommended({FLAG_RATE: lacking}, None, 0.02) is None


def test_rates_of_both_models_are_in_the_finding() -> None:
    table = frame(800)
    finding = moved(table, label="toxic", thresholds=[0.8])
    old, label = table["perspective"].to_numpy() >= 0.8, table["toxic"].to_numpy()
    assert finding.get("precision", threshold="0.8", model="old").value == pytest.approx(label[old].mean())
    assert finding.get("recall", threshold="0.8", model="old").value == pytest.approx(old[label].mean())
    assert finding.get("fpr", threshold="0.8", model="old").value == pytest.approx(old[~label].mean())
    for kept in ("flag_rate", "precision", "fpr", "recall"):
        new = table["ours"].to_numpy() >= finding.get("new_threshold", threshold="0.8", matched=kept).value
        here = {"threshold": "0.8", "model": "new", "matched": kept}
        assert finding.get("recall", **here).value == pytest.approx(new[label].mean())
        assert finding.get("flag_rate", **here).value == pytest.approx(new.mean())


def test_labels_that_say_nothing_leave_the_flag_rate() -> None:
    """A threshold that no comment reaches."""
    log = replace(opened(frame(300), label="toxic"))
    move = plan_move(log, CutScores.from_scores(log.new), cuts_of(log), 0.999, MigrationSettings())
    assert move.recommended is None
    assert not move.precision_change.defined
    assert move.tables == {}
