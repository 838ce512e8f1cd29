"""Items that went to one group more than to another, and groups that are then compared within items."""

from __future__ import annotations

import numpy as np
import pytest
from studies import perspective_assignment

import evenhand as eh
from evenhand.audits.perspective.assignment import (
    assigned_by_group,
    differ_more_than_items,
    expected_deltas,
    expected_signs,
)
from evenhand.measures.perspective import Annotations

STUDY = perspective_assignment.STUDY


def test_preferred_items_are_noticed_and_random_ones_are_not() -> None:
    rng = np.random.default_rng(3)
    for preference, noticed in ((1.0, False), (4.0, True)):
        cell = {"people": 60, "items": 200, "labels": 50, "preference": preference}
        annotations, _, annotator_groups = perspective_assignment.drawn(cell, rng)
        assert assigned_by_group(annotations, annotator_groups, 0) is noticed


def test_what_items_alone_would_give_by_loops() -> None:
    _, deltas, _ = perspective_assignment.drawn(STUDY.cells[1], np.random.default_rng(1))
    known = deltas.annotations
    means, signs = expected_deltas(deltas), expected_signs(deltas)
    for row in (0, 17, len(known) - 1):
        same = known.item == known.item[row]
        assert means[row] == pytest.approx(deltas.values[same].mean())
    own = np.flatnonzero(known.annotator == 2)
    by_hand = [sum((deltas.signs[known.item == known.item[row]] == sign).mean() for row in own) for sign in range(3)]
    assert signs[2] == pytest.approx(by_hand)


def test_the_committed_study_marks_no_more_than_it_may() -> None:
    error = 2.0 * (0.05 * 0.95 / STUDY.draws) ** 0.5
    rows = STUDY.read()
    assert max(row["audit"] for row in rows) <= 0.05 + error
    assert max(row["shuffled"] for row in rows) > 0.05 + error  # without it, groups are marked too often


@pytest.mark.verify
def test_the_study_again() -> None:
    number = next(n for n, cell in enumerate(STUDY.cells) if cell["people"] == 40 and cell["preference"] == 4.0)
    (row,) = STUDY.cell(number, 100)
    assert row["audit"] <= 0.05 + 3.0 * (0.05 * 0.95 / 100) ** 0.5
    assert row["noticed"] > 0.9


def test_people_who_differ_more_than_items_are_noticed() -> None:
    rng = np.random.default_rng(2)
    who, what = (axis.ravel() for axis in np.meshgrid(np.arange(20), np.arange(60)))
    for people, items, expected in ((2.0, 0.3, True), (0.3, 2.0, False)):
        logit = people * rng.normal(size=20)[who] + items * rng.normal(size=60)[what]
        label = rng.random(len(who)) < 1.0 / (1.0 + np.exp(-logit))
        labels = Annotations.from_columns(what, who, label.astype(int), size=(60, 20, 2))
        assert differ_more_than_items(labels) is expected


def test_the_audit_says_that_annotators_differ_more_than_items() -> None:
    """The intervals of mean deltas are known to be too short then."""
    rng = np.random.default_rng(5)
    who, what = (axis.ravel() for axis in np.meshgrid(np.arange(20), np.arange(60)))
    strict, harm = 2.0 * rng.normal(size=20), 0.3 * rng.normal(size=60)
    label = rng.random(len(who)) < 1.0 / (1.0 + np.exp(-strict[who] - harm[what]))
    table = {
        "item": what,
        "who": who,
        "y": label,
        "p": 1.0 / (1.0 + np.exp(-harm[what])),
        "g": np.array(["a", "b"])[who % 2],
    }
    roles = {"item": "item", "annotator": "who", "label": "y", "score": "p", "annotator_groups": "g"}
    finding = eh.audit(table, audits="perspective", replicates=50, permutations=199, **roles).findings[0]
    assert any("Annotators differ more than items do" in text for text in finding.caveats)
