"""Measures where columns end: classes and annotators that do not occur, nothing at all, scores beyond 0 and 1."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.errors import InputError, Undefined
from evenhand.measures import probability
from evenhand.measures.cells import Cells
from evenhand.measures.divergence import composition
from evenhand.measures.perspective import Annotations
from evenhand.measures.perspective.deltas import conformity, sums_by_group
from evenhand.measures.perspective.fit import as_tables, confusion_columns, confusions, decisions
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
