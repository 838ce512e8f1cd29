"""Measures where columns end: classes and annotators that do not occur, nothing at all, scores beyond 0 and 1."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.errors import InputError, Undefined
from evenhand.measures import probability
from evenhand.measures.agreement import AC1, ALPHA, KAPPA, in_strata
from evenhand.measures.calibration import Predictions
from evenhand.measures.calibration import measure as calibrated
from evenhand.measures.cells import Cells
from evenhand.measures.divergence import composition, divergences
from evenhand.measures.perspective import Annotations, Deltas, fingerprints
from evenhand.measures.perspective.deltas import conformity, sums_by_group
from evenhand.measures.perspective.fingerprints import in_bins
from evenhand.measures.perspective.fit import F1, MACRO_F1, as_tables, confusion_columns, confusions, decisions
from evenhand.measures.ranking import auprc_interpolated, average_precision
from evenhand.measures.rates import positive_share
from evenhand.tally import Placed, Rows


def test_annotators_items_and_classes_that_do_not_occur_keep_their_places() -> None:
    annotations = Annotations.of([0, 1, 1], [0, 0, 1], [0, 1, 0], size=(4, 5, 3))
    assert annotations.labels_given.tolist() == [2, 1, 0, 0, 0]
    assert annotations.counts().tolist() == [[1, 0, 0], [1, 1, 0], [0, 0, 0], [0, 0, 0]]
    columns = confusion_columns(annotations, np.array([1, 0, 0, 0]))
    assert columns.shape == (3, 9)
    assert columns.toarray().argmax(axis=1).tolist() == [3, 1, 0]
    tables = confusions(annotations, np.array([1, 0, 0, 0]), np.array([0, 1, -1, -1, -1]), 3)
    assert tables.shape == (4, 3, 3)
    assert tables[0].tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert tables[2].sum() == 0.0
    assert tables[3].sum() == 3.0
    assert sums_by_group(annotations, columns, np.full(5, -1), 1).sum(axis=1).tolist() == [0.0, 3.0]
    assert as_tables(np.arange(9.0))[1].tolist() == [3.0, 4.0, 5.0]


def test_annotations_of_nothing_and_of_wrong_kinds() -> None:
    none = Annotations.of([], [], [])
    assert (len(none), none.items, none.annotators, none.classes) == (0, 0, 0, 2)
    assert none.labels_given.tolist() == []
    for wrong, said in (
        ((np.array([0.0]), [0], [0]), "items must be one column of whole numbers"),
        (([0], np.array(["X"]), [0]), "annotators must be one column of whole numbers"),
        (([0], [0], [[0]]), "labels must be one column of whole numbers"),
        (([0], [-1], [0]), "annotators are counted from 0: none may be negative"),
        (([0, 1], [0], [0]), "items, annotators and labels must be equally many: one of each per annotation"),
    ):
        with pytest.raises(InputError) as raised:
            Annotations.of(*wrong)
        assert str(raised.value) == said
    assert Annotations.of(np.array([0], dtype=np.uint8), [0], np.array([True])).label.tolist() == [1]


def test_decisions_and_conformity_of_whole_numbers() -> None:
    assert decisions([[1, 0], [0, 1]]).tolist() == [0, 1]
    assert decisions([[0.5, 0.5], [0.6, 0.4]], threshold=0.4).tolist() == [1, 1]
    assert conformity([[1, 0], [1, 0]], [0, 1]).tolist() == [0.0, 1.0]
    small = np.array([[200, 55]], dtype=np.uint8)  # what would run over in its own precision
    assert conformity(small, [0])[0] == pytest.approx((199.0**2 + 55.0**2) / 2)


def test_clusters_and_groups_out_of_range() -> None:
    assert composition([0, 1, -1, 1], [1, 0, 0, -1], clusters=2, groups=2).tolist() == [[0.0, 1.0], [1.0, 0.0]]
    nobody = np.empty(0, dtype=np.int64)
    assert composition(nobody, nobody, clusters=2, groups=1).tolist() == [[0.0], [0.0]]
    for cluster, group in (([2], [0]), ([0], [2]), ([-2], [0]), ([0], [-2])):
        with pytest.raises(InputError) as raised:
            composition(cluster, group, clusters=2, groups=2)
        assert str(raised.value) == "a cluster or group is out of range"


def cells(score: list[float]) -> Cells:
    label = np.arange(len(score)) % 2 == 0
    return Cells.of(Placed.of(np.array(score), Rows(label, {})).tally())


@pytest.mark.parametrize("score", [[0.1, 0.2, 1.5], [-0.1, 0.2, 0.3], [0.1, 0.2, 1.0 + 1e-9]])
def test_a_score_beyond_0_and_1_is_no_probability(score: list[float]) -> None:
    for measure in (probability.brier, probability.ece):
        with pytest.raises(Undefined) as raised:
            measure(cells(score))
        assert str(raised.value) == "the score is no probability: it goes beyond 0 and 1"
        with pytest.raises(Undefined) as nothing:
            measure(cells([]))
        assert str(nothing.value) == "there are no items"
    assert probability.brier(cells([0.0, 1.0])) == 1.0


def test_an_edge_of_a_bin_belongs_to_the_bin_below() -> None:
    """Four bins (lo, hi]: confidences of .75 are in the third, on either side of one half."""
    found = probability.reliability(cells([0.2, 0.25, 0.5, 0.75, 0.8]), bins=4)
    assert found.weight.tolist() == [0.0, 1.0, 2.0, 2.0]
    assert found.confidence == pytest.approx([0.0, 0.5, 0.75, 0.8])


def test_fingerprints_of_one_bin_and_of_one_label() -> None:
    annotations = Annotations.of([0, 1, 1, 2], [0, 0, 1, 2], [0, 1, 0, 1], size=(3, 4, 2))
    deltas = Deltas(annotations, np.array([-0.5, 0.0, 0.5, 1.0]), np.zeros(4, dtype=bool))
    one = fingerprints(deltas, bins=1, fewest=1)
    assert one.shares.tolist() == [[1.0], [1.0], [1.0]]
    assert (one.annotator.tolist(), one.left_out) == ([0, 1, 2], 0)
    some = fingerprints(deltas, bins=4, fewest=2)
    assert some.shares.tolist() == [[0.0, 0.5, 0.5, 0.0]]  # an edge belongs to the bin above it
    assert (some.annotator.tolist(), some.left_out) == ([0], 2)
    assert in_bins(np.array([-1.0, -0.5, -1e-17, 0.0, 0.5, 1.0]), 4).tolist() == [0, 1, 1, 2, 3, 3]
    with pytest.raises(InputError) as raised:
        fingerprints(deltas, bins=2, labels=[1, 1])
    assert str(raised.value) == "labels must be one number for each of the 4 annotators"


def test_numbers_of_many_draws_are_those_one_by_one() -> None:
    tables = np.random.default_rng(3).integers(1, 9, (5, 3, 3)).astype(float)
    for number in (F1, MACRO_F1, KAPPA, ALPHA):
        one = [number.of(np.maximum(t, t.T)) for t in tables]
        np.testing.assert_allclose(number.drawn(np.maximum(tables, tables.transpose(0, 2, 1))), one, rtol=1e-12)
    least = np.array([5.0, 0.0, 9.0, 0.0, 0.0, 0.0])
    sums = np.abs(np.random.default_rng(4).normal(size=(5, 6))) + least
    np.testing.assert_allclose(AC1.drawn(sums), [AC1.of(row) for row in sums], rtol=1e-12)


def test_counts_that_are_no_table() -> None:
    for wrong in ([[1, 2]], [1, 2], [[1, -1], [2, 2]]):
        with pytest.raises(InputError) as raised:
            divergences(wrong)
        said = "counts must be a table of groups by cells, 0 or more, with everybody in the last row"
        assert str(raised.value) == said
    with pytest.raises(Undefined) as nothing:
        _ = positive_share(Placed.of(np.empty(0), Rows(np.empty(0, dtype=bool), {})).tally().everyone).value
    assert str(nothing.value) == "there are no items"


def test_an_order_without_violating_items() -> None:
    benign = Placed.of(np.array([0.1, 0.2]), Rows(np.zeros(2, dtype=bool), {})).tally().everyone
    for measure in (average_precision, auprc_interpolated):
        with pytest.raises(Undefined) as raised:
            measure(benign)
        assert str(raised.value) == "there are no violating items"


def test_a_class_that_is_neither_given_nor_predicted_weighs_nothing() -> None:
    p = np.array([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.6, 0.3, 0.1]])
    found = calibrated(Predictions.of(p), np.array([0, 1, 1]))
    assert found.weighted_f1 == pytest.approx((1 * 2 / 3 + 2 * 2 / 3) / 3)
    assert in_strata(Annotations.of([0, 1], [0, 1], [0, 1]))[1] == (2, 2)  # everybody in one group, and nobody in none
