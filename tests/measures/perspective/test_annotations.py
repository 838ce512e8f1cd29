"""Annotations as arrays: what does not occur keeps its place, and what does not fit is refused."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.measures.perspective import Annotations
from evenhand.measures.perspective.group_statistics import (
    as_confusion_tables,
    confusion_columns,
    group_confusions,
    sums_by_group,
)


def test_annotators_items_and_classes_that_do_not_occur_keep_their_places() -> None:
    annotations = Annotations.from_columns([0, 1, 1], [0, 0, 1], [0, 1, 0], size=(4, 5, 3))
    assert annotations.labels_given.tolist() == [2, 1, 0, 0, 0]
    assert annotations.counts().tolist() == [[1, 0, 0], [1, 1, 0], [0, 0, 0], [0, 0, 0]]
    columns = confusion_columns(annotations, np.array([1, 0, 0, 0]))
    assert columns.shape == (3, 9)
    assert columns.toarray().argmax(axis=1).tolist() == [3, 1, 0]
    tables = group_confusions(annotations, np.array([1, 0, 0, 0]), np.array([0, 1, -1, -1, -1]), 3)
    assert tables.shape == (4, 3, 3)
    assert tables[0].tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert tables[2].sum() == 0.0
    assert tables[3].sum() == 3.0
    assert sums_by_group(annotations, columns, np.full(5, -1), 1).sum(axis=1).tolist() == [0.0, 3.0]
    assert as_confusion_tables(np.arange(9.0))[1].tolist() == [3.0, 4.0, 5.0]


def test_annotations_of_nothing_and_of_wrong_kinds() -> None:
    none = Annotations.from_columns([], [], [])
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
            Annotations.from_columns(*wrong)
        assert str(raised.value) == said
    assert Annotations.from_columns(np.array([0], dtype=np.uint8), [0], np.array([True])).label.tolist() == [1]


@pytest.mark.parametrize("groups", [[0, 1], [0.0, 1.0, 0.0]])
def test_groups_that_are_not_one_for_each_annotator(groups: list) -> None:
    three = Annotations.from_columns([0, 0, 1], [0, 1, 2], [0, 1, 0], size=(2, 3, 2))
    with pytest.raises(InputError, match="one whole number for each of the 3 annotators"):
        three.of_group(groups, 2)
