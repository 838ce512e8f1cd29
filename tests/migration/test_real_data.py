"""Real scores of Perspective beside those of the default model: thresholds found on one half hold on the other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.finding import Finding
from evenhand.intervals.matched_cut import CutScores
from evenhand.measures.decisions import DecisionTable
from evenhand.migration.changes import change_estimate
from evenhand.migration.threshold_map import matched_threshold

THRESHOLDS = (0.3, 0.5, 0.7, 0.8, 0.9)


@pytest.fixture(scope="module")
def scored(real_data: Path) -> pl.DataFrame:
    """Ten thousand comments with a score of Perspective and one of the default model."""
    table = eh.score(real_data / "wikipedia_context_gc.parquet", text="text")
    return table.select("text", "label", "api", "p")


@pytest.fixture(scope="module")
def finding(scored: pl.DataFrame) -> Finding:
    roles = {"old_score": "api", "new_score": "p", "label": "label", "text": "text"}
    terms = {"women": ["she", "her", "woman", "women"], "men": ["he", "him", "his", "man", "men"]}
    (found,) = eh.migrate_perspective(scored, **roles, terms=terms, thresholds=THRESHOLDS)
    return found


def test_flag_rates_match_within_their_interval_on_the_held_out_half(finding: Finding) -> None:
    held = [m.estimate for m in finding if m.slice.get("pool") == "held_out"]
    assert len(held) == len(THRESHOLDS)
    assert all(e.low <= 0.0 <= e.high for e in held)


@pytest.mark.parametrize("seeds", [range(10), pytest.param(range(10, 200), marks=pytest.mark.verify)])
def test_they_do_in_at_least_as_many_of_several_halvings_as_is_said(scored: pl.DataFrame, seeds: range) -> None:
    """Each threshold by itself, at 95 %: the share of halvings in which the two rates agree."""
    old, new = scored["api"].to_numpy(), scored["p"].to_numpy()
    held = []
    for seed in seeds:
        order = np.random.default_rng(seed).permutation(len(old))
        fit, check = np.split(order, 2)
        cuts = CutScores.from_scores(new[fit])
        for threshold in THRESHOLDS:
            value = matched_threshold(cuts, old[fit] >= threshold, threshold, 0.95).value
            tables = [DecisionTable.from_decisions(old[rows] >= threshold, new[rows] >= value) for rows in (fit, check)]
            found = change_estimate(tables[1], 0.95, fitted=tables[0])
            held.append(found.low <= 0.0 <= found.high)
    assert np.mean(held) >= 0.9


def test_thresholds_flag_as_many_comments(scored: pl.DataFrame, finding: Finding) -> None:
    for threshold in THRESHOLDS:
        name = f"{threshold:g}"
        new = finding.get("new_threshold", threshold=name, matched="flag_rate")
        assert (scored["p"] >= new.value).sum() == (scored["api"] >= threshold).sum()
        assert new.low < new.value < new.high
    values = [finding.get("new_threshold", threshold=f"{t:g}", matched="flag_rate").value for t in THRESHOLDS]
    assert values == sorted(values)


def test_left_alone_the_thresholds_would_flag_far_fewer(finding: Finding) -> None:
    """The default model scores lower than Perspective: the reason why thresholds cannot stay as they are."""
    before = finding.get("flag_rate", threshold="0.7", model="old").value
    unchanged = finding.get("flag_rate", threshold="0.7", model="new", matched="threshold")
    assert unchanged.high < before / 1.25
