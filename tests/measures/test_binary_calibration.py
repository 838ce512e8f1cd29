"""Brier, calibration error and the ranking of errors against plain counting and scikit-learn."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

import brute
from evenhand.errors import Undefined
from evenhand.measures import binary_calibration, rates
from evenhand.measures.collaboration import uncertainty_score
from evenhand.measures.ranking import auprc_interpolated, average_precision
from evenhand.measures.score_cells import ScoreCells
from evenhand.tally import Membership, PlacedRows, Rows, Tally, Weights


def drawn(seed: int, digits: int, dtype=np.float64):
    rng = np.random.default_rng(seed)
    label = rng.random(500) < 0.3
    score = np.round(1.0 / (1.0 + np.exp(-(2.0 * label - 1.2 + rng.normal(size=500)))), digits)
    return score.astype(dtype), label


def tally(score, label, *, member=None, **weights) -> Tally:
    groups = {} if member is None else {"g": Membership(np.flatnonzero(member).astype(np.int32))}
    return PlacedRows.from_rows(score, Rows(label, groups, Weights.from_columns(**weights))).tally()


@pytest.mark.parametrize("digits", [1, 2, 9])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "sampled"])
def test_equal_to_the_definition(digits, dtype, weighted) -> None:
    score, label = drawn(1, digits, dtype)
    inclusion = np.random.default_rng(0).uniform(0.1, 1.0, 500) if weighted else None
    weight = 1.0 / inclusion if weighted else np.ones(500)
    found = tally(score, label, inclusion=inclusion)
    cells, p = ScoreCells.from_tally(found), score.astype(np.float64)
    assert binary_calibration.brier(cells) == pytest.approx(brier_score_loss(label, p, sample_weight=weight), abs=1e-12)
    assert binary_calibration.ece(cells) == pytest.approx(brute.ece(p, label, weight), abs=1e-12)
    right = weight[(p >= 0.5) == label].sum() / weight.sum()
    assert rates.accuracy(found.confusion(0.5)).value == pytest.approx(right, abs=1e-12)
    interpolated = brute.auprc_interpolated(p, label, weight)
    assert auprc_interpolated(found.everyone) == pytest.approx(interpolated, abs=1e-7)


@pytest.mark.parametrize("threshold", [0.5, 0.35])
@pytest.mark.parametrize("digits", [1, 2, 9])
def test_errors_ranked_by_uncertainty(threshold, digits) -> None:
    score, label = drawn(2, digits)
    cells = ScoreCells.from_tally(tally(score, label))
    wrong, review = (score >= threshold) != label, np.round(uncertainty_score(score), 13)
    found = binary_calibration.calibration_auroc(cells, uncertainty_score(cells.scores), threshold=threshold)
    assert found == pytest.approx(roc_auc_score(wrong, review), abs=1e-12)
    found = binary_calibration.calibration_auprc(cells, uncertainty_score(cells.scores), threshold=threshold)
    assert found == pytest.approx(average_precision_score(wrong, review), abs=1e-12)


def test_errors_ranked_by_a_column() -> None:
    score, label = drawn(3, 1)
    column = np.round(np.random.default_rng(1).random(500), 1)
    member = np.random.default_rng(2).random(500) < 0.5
    rows = Rows(label, {"g": Membership(np.flatnonzero(member).astype(np.int32))})
    cells = ScoreCells.paired(PlacedRows.from_rows(score, rows), column, "g")
    wrong = ((score >= 0.5) != label)[member]
    assert binary_calibration.calibration_auroc(cells, cells.column) == pytest.approx(
        roc_auc_score(wrong, column[member]), abs=1e-12
    )
    assert binary_calibration.brier(cells) == pytest.approx(brier_score_loss(label[member], score[member]), abs=1e-12)


def test_bins_are_open_below_and_closed_above() -> None:
    """0.6 is the upper end of the ninth of fifteen bins, whether it is p or 1 − p; one half lies in the eighth."""
    cells = ScoreCells.from_tally(
        tally(np.array([0.4, 0.5, 0.6, 0.61, 1.0]), np.array([False, True, True, True, True]))
    )
    found = binary_calibration.reliability(cells)
    assert np.flatnonzero(found.weight).tolist() == [7, 8, 9, 14]
    assert found.weight[[7, 8, 9, 14]].tolist() == [1.0, 2.0, 1.0, 1.0]
    assert found.accuracy[[7, 8]].tolist() == [1.0, 1.0]
    assert found.confidence[8] == pytest.approx(0.6, abs=1e-15)


def test_a_perfect_forecast() -> None:
    label = np.array([False, True, True])
    cells = ScoreCells.from_tally(tally(label.astype(np.float64), label))
    assert binary_calibration.brier(cells) == binary_calibration.ece(cells) == 0.0
    with pytest.raises(Undefined, match=r"^the model makes no errors at this threshold$"):
        binary_calibration.calibration_auroc(cells, uncertainty_score(cells.scores))
    opposite = ScoreCells.from_tally(tally(1.0 - label, label))
    with pytest.raises(Undefined, match=r"^the model gets every item wrong at this threshold$"):
        binary_calibration.calibration_auroc(opposite, uncertainty_score(opposite.scores))


def test_what_has_no_value_says_why() -> None:
    nobody = tally(np.array([0.2, 0.3]), np.array([False, True]), member=np.zeros(2, dtype=bool))
    with pytest.raises(Undefined, match=r"^there are no items$"):
        binary_calibration.brier(ScoreCells.from_tally(nobody, "g"))
    logits = ScoreCells.from_tally(tally(np.array([-2.0, 0.3]), np.array([False, True])))
    with pytest.raises(Undefined, match=r"^the score is not a probability: it goes beyond 0 and 1$"):
        binary_calibration.ece(logits)
    with pytest.raises(Undefined, match=r"^there are no violating items$"):
        auprc_interpolated(tally(np.array([0.2]), np.array([False])).everyone)
    binned = Tally(
        np.array([0.0, 0.5]), tally(np.array([0.2, 0.7]), np.array([False, True])).everyone, {},
        np.array([0.1, 0.6]), np.array([0.3, 0.6]),
    )  # fmt: skip
    with pytest.raises(Undefined, match=r"^scores were grouped into bins: this needs every distinct score$"):
        ScoreCells.from_tally(binned)


def test_two_areas_under_one_curve() -> None:
    """One score for all: both are the share of violating items. Distinct scores: they differ, and both are known."""
    label = np.array([True, False, False, True])
    flat, steep = tally(np.full(4, 0.5), label).everyone, tally(np.array([0.9, 0.8, 0.7, 0.6]), label).everyone
    assert auprc_interpolated(flat) == average_precision(flat) == 0.5
    assert average_precision(steep) == 0.5 * 1.0 + 0.5 * 0.5
    trapezoid = 0.5 + 0.5 * (1.0 - 2.0 * np.log(4.0 / 3.0))  # from one hit of three to two of four
    assert auprc_interpolated(steep) == pytest.approx(trapezoid, abs=1e-12)


def test_real_models(real_data) -> None:
    table = pl.read_parquet(real_data / "wikipedia_context_gc.parquet")
    score, label = table["api"].to_numpy(), table["label"].to_numpy() == 1
    cells = ScoreCells.from_tally(tally(score, label))
    review, wrong = uncertainty_score(score), (score >= 0.5) != label
    assert binary_calibration.brier(cells) == pytest.approx(brier_score_loss(label, score), abs=1e-12)
    assert binary_calibration.ece(cells) == pytest.approx(brute.ece(score, label), abs=1e-12)
    found = binary_calibration.calibration_auprc(cells, uncertainty_score(cells.scores))
    assert found == pytest.approx(average_precision_score(wrong, np.round(review, 13)), abs=1e-9)


def cells(score: list[float]) -> ScoreCells:
    label = np.arange(len(score)) % 2 == 0
    return ScoreCells.from_tally(PlacedRows.from_rows(np.array(score), Rows(label, {})).tally())


@pytest.mark.parametrize("score", [[0.1, 0.2, 1.5], [-0.1, 0.2, 0.3], [0.1, 0.2, 1.0 + 1e-9]])
def test_a_score_beyond_0_and_1_is_no_probability(score: list[float]) -> None:
    for measure in (binary_calibration.brier, binary_calibration.ece):
        with pytest.raises(Undefined) as raised:
            measure(cells(score))
        assert str(raised.value) == "the score is not a probability: it goes beyond 0 and 1"
        with pytest.raises(Undefined) as nothing:
            measure(cells([]))
        assert str(nothing.value) == "there are no items"
    assert binary_calibration.brier(cells([0.0, 1.0])) == 1.0


def test_an_edge_of_a_bin_belongs_to_the_bin_below() -> None:
    """Four bins (lo, hi]: confidences of .75 are in the third, on either side of one half."""
    found = binary_calibration.reliability(cells([0.2, 0.25, 0.5, 0.75, 0.8]), bins=4)
    assert found.weight.tolist() == [0.0, 1.0, 2.0, 2.0]
    assert found.confidence == pytest.approx([0.0, 0.5, 0.75, 0.8])
