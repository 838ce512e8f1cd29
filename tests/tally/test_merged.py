"""Cells taken together for intervals: nothing is lost or added, and an interval hardly moves."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.intervals import auc as auc_intervals
from evenhand.measures.collaboration import Capacity, Collaboration, ReviewStage, uncertainty_score
from evenhand.measures.collaboration import areas as reviewed_areas
from evenhand.measures.ranking import auroc, average_precision
from evenhand.measures.score_cells import ScoreCells
from evenhand.tally import Classes, Mass, PlacedRows, Rows, merged, merged_edges
from evenhand.tally.merged import MERGED_CELLS, MERGED_FROM

AREAS = (
    (auc_intervals.classes_auc_interval, auroc),
    (auc_intervals.average_precision_interval, average_precision),
)


def classes(items: int, share: float, seed: int = 0) -> Classes:
    """Nearly every item has a score of its own."""
    rng = np.random.default_rng(seed)
    label = rng.random(items) < share
    score = 1.0 / (1.0 + np.exp(2.0 - 1.5 * label - rng.standard_normal(items)))
    return PlacedRows.from_rows(score, Rows(label, {})).tally().everyone


def unmerged(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (auc_intervals, reviewed_areas):
        name = "merged" if hasattr(module, "merged") else "merged_edges"
        monkeypatch.setattr(module, name, (lambda classes: classes) if name == "merged" else lambda _: None)


def test_few_scores_stay_as_they_are() -> None:
    few = classes(MERGED_FROM, 0.1)
    assert merged(few) is few
    assert merged_edges(few) is None


def test_nothing_is_lost() -> None:
    whole = classes(100_000, 0.05)
    fewer = merged(whole)
    assert len(fewer.violating.weight) <= 2 * MERGED_CELLS
    for before, after in zip(whole, fewer, strict=True):
        assert after.total == before.total
        assert after.is_plain == before.is_plain


def test_weights_of_a_design_are_kept() -> None:
    whole = classes(100_000, 0.05)
    weighed = Classes(*(Mass(m.weight * 3.0, m.weight * 6.0, m.weight, heaviest=2.0) for m in whole))
    assert [m.total for m in merged(weighed)] == [m.total for m in weighed]


@pytest.mark.parametrize("share", [0.3, 0.002])
@pytest.mark.parametrize(("interval", "value"), AREAS)
def test_an_interval_hardly_moves(interval, value, share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = classes(100_000, share)
    merged_ends = interval(whole, value(whole)).interval(0.95)
    unmerged(monkeypatch)
    low, high = interval(whole, value(whole)).interval(0.95)
    assert merged_ends == pytest.approx((low, high), abs=0.002 * (high - low))


def test_a_ranking_after_review_is_that_of_every_score(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    score = rng.beta(0.5, 2.0, 100_000)
    cells = ScoreCells.from_tally(PlacedRows.from_rows(score, Rows(rng.random(len(score)) < score, {})).tally())
    outcome = Collaboration.from_stages(cells, ReviewStage(uncertainty_score(cells.scores))).at(Capacity.fraction(0.05))
    merged_ends = auc_intervals.classes_auc_interval(outcome.ranking(), outcome.auroc()).interval(0.95)
    unmerged(monkeypatch)
    areas = reviewed_areas.ReviewedAreas(cells)
    exact = areas.after(outcome.pieces)
    low, high = auc_intervals.classes_auc_interval(exact, outcome.auroc()).interval(0.95)
    assert merged_ends == pytest.approx((low, high), abs=0.002 * (high - low))
    assert outcome.ranking().violating.total.weight == pytest.approx(exact.violating.total.weight)
