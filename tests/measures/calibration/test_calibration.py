"""Calibration of any number of classes: published values, plain counting, scikit-learn, and what must not matter."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.metrics import accuracy_score, brier_score_loss, f1_score, log_loss

import brute
from evenhand.errors import InputError, Undefined
from evenhand.measures import binary_calibration, calibration
from evenhand.measures.calibration import (
    Bins,
    Calibration,
    JudgedPredictions,
    ModelPredictions,
    WeightedPredictions,
    measure_calibration,
    two_class_probabilities,
)
from evenhand.measures.calibration import grid as scales
from evenhand.measures.calibration import measure_calibration as calibrated
from evenhand.measures.calibration.binned_errors import wsece
from evenhand.measures.calibration.predictions import predicted_classes
from evenhand.measures.perspective import Annotations
from evenhand.measures.perspective.agreement import label_strata
from evenhand.measures.score_cells import ScoreCells
from evenhand.tally import PlacedRows, Rows, Weights
from marks import smoke

PLAIN = ("ece", "sce", "ace", "cece", "msece", "wsece", "ece_variance", "accuracy")


def drawn(classes: int, *, seed: int = 3, size: int = 200, digits: int | None = None, dtype: type = np.float64):
    """Probabilities that are off, labels with a rare class, and weights with zeros among them."""
    rng = np.random.default_rng(seed)
    logit = 2.0 * rng.normal(size=(size, classes)) + np.linspace(1.5, -1.0, classes)
    p = np.exp(logit)
    p /= p.sum(axis=1, keepdims=True)
    label = (rng.random((size, 1)) > np.cumsum(p**0.7 / (p**0.7).sum(axis=1, keepdims=True), axis=1)).sum(axis=1)
    if digits is not None:
        p = np.round(p, digits)
    return p.astype(dtype), np.minimum(label, classes - 1), rng.poisson(1.0, size).astype(float)


def numbers(found: Calibration) -> dict[str, float]:
    values = {name: getattr(found, name) for name in PLAIN}
    for k in found.present:
        values |= {f"class_ece {k}": found.class_ece(k), f"class_ace {k}": found.class_ace(k)}
    return values | {f"class_brier {k}": value for k, value in enumerate(found.class_briers)}


@pytest.fixture(params=["a cell per value", "cells of floating point"])
def grid(request, monkeypatch) -> None:
    if request.param != "a cell per value":
        monkeypatch.setattr(scales, "MOST_DISTINCT_ROWS", 0)


PUBLISHED = [
    ((0.05, 0.1, 0.6), 0.08, 0.4967, 0.25, 0.0906),
    ((0.026950, 0.388316, 0.076012, 0.074317), 0.027712, 0.2879, 0.1414, 0.0336),
    ((0.035463, 0.367853, 0.097313, 0.067996), 0.017343, 0.2650, 0.1422, 0.0330),
]


@pytest.mark.parametrize(("errors", "overall", "cece", "msece", "variance"), PUBLISHED)
def test_published_summaries(errors, overall, cece, msece, variance) -> None:
    assert calibration.cece(errors) == pytest.approx(cece, abs=6e-5)
    assert calibration.msece(errors) == pytest.approx(msece, abs=6e-5)
    assert calibration.ece_variance(errors, overall) == pytest.approx(variance, abs=6e-5)


def test_published_weighted_mean() -> None:
    errors, shares = (0.026950, 0.388316, 0.076012, 0.074317), (67.6, 7.2, 19.5, 5.7)
    assert calibration.wsece(errors, shares) == pytest.approx(0.0652, abs=6e-5)
    assert calibration.wsece(errors, shares) == pytest.approx(0.0651, abs=3e-4)  # printed, from weights not rounded


@pytest.mark.parametrize("classes", smoke([2, 4, 3, 5, 6], kept=2))
@pytest.mark.parametrize("digits", [None, 1], ids=["distinct", "tied"])
@pytest.mark.parametrize(("by", "count"), [("width", 15), ("width", 10), ("mass", 15), ("mass", 7)])
def test_equal_to_the_definitions(grid, classes, digits, by, count) -> None:
    p, label, weight = drawn(classes, digits=digits, dtype=np.float32 if classes % 2 else np.float64)
    for weights in (None, weight, 0.1 + 3.7 * weight):
        found = numbers(
            measure_calibration(ModelPredictions.from_probabilities(p), label, weights, bins=Bins(count, by))
        )
        assert found == pytest.approx(brute.calibration(p, label, weights, count, by), abs=1e-12, rel=0)


def test_many_rows_of_cells_that_hold_edges() -> None:
    """Values crowd at edges of bins, at 0 and at 1, far closer than a cell is wide."""
    rng = np.random.default_rng(0)
    p = np.clip(rng.choice([0.0, 1e-9, 1 / 3, 0.2, 0.5, 0.8, 1.0], 900) + rng.choice([0.0, 1e-11, 3e-7], 900), 0, 1)
    label = (rng.random(900) < p).astype(int)
    for limit in (1 << 16, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(scales, "MOST_DISTINCT_ROWS", limit)
            for by in ("width", "mass"):
                found = numbers(
                    measure_calibration(
                        ModelPredictions.from_probabilities(two_class_probabilities(p)), label, bins=Bins(15, by)
                    )
                )
                assert found == pytest.approx(
                    brute.calibration(two_class_probabilities(p), label, None, 15, by), abs=1e-12, rel=0
                )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("digits", [1, 9])
@pytest.mark.parametrize("weighted", [False, True])
def test_binary_numbers_are_those_of_a_tally(dtype, digits, weighted) -> None:
    table, label, weight = drawn(2, size=500, digits=digits)
    score = table[:, 1].astype(dtype)
    weights = weight if weighted else None
    cells = ScoreCells.from_tally(
        PlacedRows.from_rows(score, Rows(label == 1, {}, Weights.from_columns(count=weights))).tally()
    )
    found = measure_calibration(ModelPredictions.from_probabilities(two_class_probabilities(score)), label, weights)
    assert found.ece == pytest.approx(binary_calibration.ece(cells), abs=1e-12)
    assert found.brier == pytest.approx(binary_calibration.brier(cells), abs=1e-12)
    for ours, theirs in zip(found.reliability(), binary_calibration.reliability(cells), strict=True):
        assert ours == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("classes", [2, 4])
def test_equal_to_scikit_learn(classes) -> None:
    p, label, weight = drawn(classes)
    names = list(range(classes))
    for weights in (None, weight):
        found, given = (
            measure_calibration(ModelPredictions.from_probabilities(p), label, weights),
            {"sample_weight": weights},
        )
        theirs = p[:, 1] if classes == 2 else p
        assert found.brier == pytest.approx(brier_score_loss(label, theirs, labels=names, **given), abs=1e-12)
        assert found.log_loss == pytest.approx(log_loss(label, p, labels=names, **given), abs=1e-12)
        assert found.accuracy == pytest.approx(accuracy_score(label, p.argmax(axis=1), **given), abs=1e-12)
        f1 = f1_score(label, p.argmax(axis=1), average="weighted", labels=names, zero_division=0.0, **given)
        assert found.weighted_f1 == pytest.approx(f1, abs=1e-12)
    for by, strategy in (("width", "uniform"), ("mass", "quantile")):
        weight, confidence, accuracy = measure_calibration(
            ModelPredictions.from_probabilities(p), label, bins=Bins(10, by)
        ).column_reliability(1)
        share, mean = calibration_curve(label == 1, p[:, 1], n_bins=10, strategy=strategy)
        assert accuracy[weight > 0] == pytest.approx(share, abs=1e-12)
        assert confidence[weight > 0] == pytest.approx(mean, abs=1e-12)


def test_log_loss_of_the_impossible_is_large_and_finite() -> None:
    found = measure_calibration(
        ModelPredictions.from_probabilities(np.array([[1.0, 0.0], [1.0, 0.0]])), np.array([0, 1])
    )
    assert found.log_loss == pytest.approx(52 * math.log(2) / 2, abs=1e-12)


@pytest.mark.parametrize("by", ["width", "mass"])
@pytest.mark.parametrize("digits", [None, 1])
def test_neither_order_nor_repetition_matters(grid, by, digits) -> None:
    p, label, weight = drawn(4, digits=digits)
    plain = numbers(measure_calibration(ModelPredictions.from_probabilities(p), label, weight, bins=Bins(by=by)))
    rows = np.random.default_rng(1).permutation(len(p))
    assert numbers(
        measure_calibration(ModelPredictions.from_probabilities(p[rows]), label[rows], weight[rows], bins=Bins(by=by))
    ) == pytest.approx(plain, abs=1e-12, rel=0)
    rows = np.repeat(np.arange(len(p)), weight.astype(int))
    assert numbers(
        measure_calibration(ModelPredictions.from_probabilities(p[rows]), label[rows], bins=Bins(by=by))
    ) == pytest.approx(plain, abs=1e-12, rel=0)
    assert numbers(
        measure_calibration(ModelPredictions.from_probabilities(p), label, 7.3 * weight, bins=Bins(by=by))
    ) == pytest.approx(plain, abs=1e-12, rel=0)


def test_bins_of_equal_mass_hold_equally_much(grid) -> None:
    p, label, weight = drawn(3, digits=1)
    found = measure_calibration(ModelPredictions.from_probabilities(p), label, weight, bins=Bins(12, "mass"))
    for binned in (found.overall, found.by_class, found.full):
        assert binned.weight == pytest.approx(np.broadcast_to(binned.total[..., None] / 12, binned.weight.shape))


def test_curves_make_the_errors() -> None:
    p, label, _ = drawn(4)
    found = measure_calibration(ModelPredictions.from_probabilities(p), label)
    for curve, error in [
        (found.reliability(), found.ece),
        *((found.reliability(k), found.class_ece(k)) for k in range(4)),
    ]:
        share = curve.weight / curve.weight.sum()
        assert float(share @ np.abs(curve.accuracy - curve.confidence)) == pytest.approx(error, abs=1e-12)
    columns = [found.column_reliability(k) for k in range(4)]
    errors = [c.weight @ np.abs(c.accuracy - c.confidence) / c.weight.sum() for c in columns]
    assert np.mean(errors) == pytest.approx(found.sce, abs=1e-12)


def test_class_ace_is_the_probability_kept_from_the_truth() -> None:
    p, label, _ = drawn(5)
    found = measure_calibration(ModelPredictions.from_probabilities(p), label)
    for k in range(5):
        assert found.class_ace(k) == pytest.approx(2 / 5 * (1 - p[label == k, k].mean()), abs=1e-12)


def test_a_class_without_items() -> None:
    p, label, weight = drawn(4)
    weight[label == 3] = 0.0
    found = measure_calibration(ModelPredictions.from_probabilities(p), label, weight)
    with pytest.raises(Undefined, match=r"^the class has no items$"):
        found.class_ece(3)
    with pytest.raises(Undefined, match=r"^the class has no items$"):
        found.class_ace(3)
    with pytest.raises(Undefined, match=r"^the class has no items$"):
        found.reliability(3)
    assert found.present.tolist() == [0, 1, 2]
    assert found.msece == pytest.approx(np.mean([found.class_ece(k) for k in range(3)]))
    assert measure_calibration(ModelPredictions.from_probabilities(np.eye(3)), np.arange(3)).cece == 0.0


def test_a_half_is_flagged() -> None:
    found = measure_calibration(
        ModelPredictions.from_probabilities(two_class_probabilities(np.array([0.5, 0.5]))), np.array([0, 1])
    )
    assert found.confusion.tolist() == [[0.0, 1.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("p", "label", "weight", "message"),
    [
        ([[0.5, 1.5]], [0], None, "from 0 to 1"),
        ([[0.5, float("nan")]], [0], None, "from 0 to 1"),
        ([0.5, 0.5], [0, 1], None, "a column per class"),
        ([[0.5, 0.5]], [2], None, "from 0 to 1"),
        ([[0.5, 0.5]], [0.0], None, "the number of its class"),
        ([[0.5, 0.5]], [0], [-1.0], "0 or more"),
        ([[0.5, 0.5]], [0], [1.0, 1.0], "one weight per row"),
    ],
)
def test_wrong_arguments(p, label, weight, message) -> None:
    with pytest.raises(InputError, match=message):
        measure_calibration(ModelPredictions.from_probabilities(np.array(p)), np.array(label), weight)


def test_nothing_to_measure() -> None:
    with pytest.raises(Undefined, match=r"^there are no items$"):
        measure_calibration(ModelPredictions.from_probabilities(np.empty((0, 3))), np.empty(0, dtype=int))
    with pytest.raises(Undefined, match=r"^there are no items$"):
        measure_calibration(ModelPredictions.from_probabilities(np.eye(3)), np.arange(3), np.zeros(3))
    with pytest.raises(InputError, match=r"^there must be one bin or more, not 0$"):
        Bins(0)
    with pytest.raises(InputError, match=r"^bins are equal by 'width' or by 'mass', not by 'height'$"):
        Bins(3, "height")
    with pytest.raises(Undefined, match=r"^no class has items$"):
        calibration.cece([])


def test_what_is_kept_changes_nothing() -> None:
    p, label, weight = drawn(4, size=1000)
    predictions = ModelPredictions.from_probabilities(p)
    judged = JudgedPredictions.from_labels(WeightedPredictions.from_predictions(predictions, weight), label)
    for count in (5, 10, 5, 40):
        for by in ("mass", "width"):
            assert numbers(judged.measure(Bins(count, by))) == numbers(
                measure_calibration(ModelPredictions.from_probabilities(p), label, weight, bins=Bins(count, by))
            )


def test_labels_redrawn_are_those_of_a_calibrated_model() -> None:
    p, _, _ = drawn(4, size=200)
    p[0], p[1] = (0.0, 1.0, 0.0, 0.0), (0.5, 0.0, 0.0, 0.5)
    predictions, rng = ModelPredictions.from_probabilities(p.astype(np.float32)), np.random.default_rng(5)
    labels = np.array([predictions.redrawn(rng) for _ in range(4000)])
    shares = np.stack([(labels == k).mean(axis=0) for k in range(4)], axis=1)
    assert (labels[:, 0] == 1).all()
    assert not shares[1, 1:3].any()
    assert np.abs(shares - p).max() < 4.5 * 0.5 / math.sqrt(4000)
    again = predictions.redrawn(np.random.default_rng(5))
    assert (again == labels[0]).all()
    weighed = WeightedPredictions.from_predictions(predictions)
    eces = [JudgedPredictions.from_labels(weighed, label).measure().ece for label in labels[:20]]
    assert np.mean(eces) < 0.15  # noise alone


@pytest.mark.verify
def test_millions_of_single_precision_rows_add_up_exactly() -> None:
    rng = np.random.default_rng(0)
    score = rng.beta(0.3, 2.0, 1_800_000).astype(np.float32)
    label = (rng.random(len(score)) < score).astype(int)
    table = np.column_stack((np.float32(1) - score, score))
    found = measure_calibration(ModelPredictions.from_probabilities(table), label)
    confidence, right = table.max(axis=1).astype(np.float64), (score >= np.float32(1) - score) == label
    place = np.ceil(confidence * 15 - 1e-11).astype(int) - 1
    order = np.argsort(place, kind="stable")
    gaps = np.split((right - confidence)[order], np.searchsorted(place[order], np.arange(1, 15)))
    expected = sum(abs(math.fsum(gap)) for gap in gaps) / len(score)
    assert found.ece == pytest.approx(expected, abs=1e-13)
    exact = math.fsum((label - score.astype(np.float64)) ** 2) / len(score)
    assert found.class_briers[1] == pytest.approx(exact, abs=1e-13)


def test_a_model_that_knows_everything_has_no_error() -> None:
    label = np.array([0, 1, 2, 1, 0])
    found = measure_calibration(ModelPredictions.from_probabilities(np.eye(3)[label]), label)
    assert found.class_briers == pytest.approx([0.0, 0.0, 0.0], abs=1e-15)
    assert found.ece == found.sce == found.ace == 0.0


def test_the_likeliest_class_is_the_last_of_equals() -> None:
    table = [[0.5, 0.5, 0.0], [0.2, 0.3, 0.5], [0.4, 0.2, 0.4], [0.9, 0.05, 0.05]]
    np.testing.assert_array_equal(predicted_classes(table), [1, 2, 2, 0])
    np.testing.assert_array_equal(ModelPredictions.from_probabilities(np.array(table)).predicted, [1, 2, 2, 0])


def test_sums_over_several_blocks_of_rows() -> None:
    rng = np.random.default_rng(6)
    size = 2 * scales.BLOCK + 3
    index, first, second = rng.integers(0, 5, size), rng.random(size), rng.random(size)
    expected = [(first * second)[index == k].sum() for k in range(5)]
    np.testing.assert_allclose(scales.grouped_sums(index, 5, first, second), expected, rtol=1e-12)
    np.testing.assert_array_equal(scales.grouped_sums(index, 5), np.bincount(index))
    assert scales.product_sum(first, second) == pytest.approx((first * second).sum(), rel=1e-12)


def test_cells_of_floating_point_rise_with_the_value_and_mirror_at_a_half() -> None:
    ends = [0.0, 2.0**-60, 2.0**-53, 1e-9, 0.1, 0.25, 0.4999, 0.5, 0.5001, 0.75, 0.9, 1.0 - 1e-9, 1.0]
    cells = scales.ProbabilityGrid(np.empty(0), np.empty(0, dtype=np.uint16), None).place(np.array(ends))
    assert (np.diff(cells) >= 0).all()
    assert cells[[0, -1]].tolist() == [0, scales.CELLS - 1]
    half = scales.ProbabilityGrid(np.empty(0), np.empty(0, dtype=np.uint16), None).place(np.array([0.25, 0.75, 0.5]))
    assert half[0] + half[1] == scales.CELLS - 1  # as far from one end as from the other
    assert half[2] == scales.HALF + 1
    assert half[2] - half[0] == 257  # 256 cells to a halving, and one half itself is mirrored


def test_a_class_that_is_neither_given_nor_predicted_weighs_nothing() -> None:
    p = np.array([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.6, 0.3, 0.1]])
    found = calibrated(ModelPredictions.from_probabilities(p), np.array([0, 1, 1]))
    assert found.weighted_f1 == pytest.approx((1 * 2 / 3 + 2 * 2 / 3) / 3)
    assert label_strata(Annotations.from_columns([0, 1], [0, 1], [0, 1]))[1] == (
        2,
        2,
    )  # everybody in one group, and nobody in none


def test_probabilities_of_whole_numbers_are_probabilities() -> None:
    sure, label = np.array([[1, 0], [0, 1], [1, 0]]), [0, 1, 1]
    whole, broken = (
        measure_calibration(ModelPredictions.from_probabilities(table), label)
        for table in (sure, sure.astype(np.float64))
    )
    assert whole.ece == broken.ece == pytest.approx(1 / 3)


def test_classes_without_items_have_no_weighted_error() -> None:
    with pytest.raises(Undefined, match="there are no items"):
        wsece([0.1, 0.2], [0, 0])
