"""AUROC and average precision against the definition and against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

import brute
from evenhand.errors import Undefined
from evenhand.measures.ranking import auc, auprc_interpolated, auroc, average_precision
from evenhand.tally import Classes, Mass, PlacedRows, Rows, Weights


def classes(score, label, count=None) -> Classes:
    return (
        PlacedRows.from_rows(np.asarray(score), Rows(np.asarray(label), {}, Weights.from_columns(count=count)))
        .tally()
        .everyone
    )


@pytest.mark.parametrize("digits", [1, 2, 9])
def test_equal_to_definition_and_to_sklearn(digits: int) -> None:
    rng = np.random.default_rng(1)
    label = rng.random(800) < 0.2
    score = np.round(label + rng.normal(size=800), digits)
    count = rng.integers(1, 4, 800).astype(float)
    plain, weighted = classes(score, label), classes(score, label, count)
    assert auroc(plain) == pytest.approx(brute.auc(score[label], score[~label]), abs=1e-12)
    assert auroc(plain) == pytest.approx(roc_auc_score(label, score), abs=1e-12)
    assert auroc(weighted) == pytest.approx(roc_auc_score(label, score, sample_weight=count), abs=1e-12)
    assert average_precision(plain) == pytest.approx(brute.average_precision(score, label), abs=1e-12)
    assert average_precision(plain) == pytest.approx(average_precision_score(label, score), abs=1e-12)
    weighted_ap = average_precision_score(label, score, sample_weight=count)
    assert average_precision(weighted) == pytest.approx(weighted_ap, abs=1e-12)


def test_extremes() -> None:
    assert auroc(classes([1.0, 2.0, 3.0], [False, False, True])) == 1.0
    assert auroc(classes([3.0, 2.0, 1.0], [False, False, True])) == 0.0
    assert auroc(classes([1.0, 1.0], [False, True])) == 0.5


def test_undefined_without_a_class() -> None:
    empty, full = Mass(np.zeros(2)), Mass(np.ones(2))
    with pytest.raises(Undefined):
        auc(full, empty)
    with pytest.raises(Undefined):
        average_precision(Classes(empty, full))


def test_an_order_without_violating_items() -> None:
    benign = PlacedRows.from_rows(np.array([0.1, 0.2]), Rows(np.zeros(2, dtype=bool), {})).tally().everyone
    for measure in (average_precision, auprc_interpolated):
        with pytest.raises(Undefined) as raised:
            measure(benign)
        assert str(raised.value) == "there are no violating items"
