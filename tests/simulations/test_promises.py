"""What the policies promise: broken no more often than delta, and not so seldom that they would be of no use."""

from __future__ import annotations

import math

import pytest
from studies import clustered_promises
from studies.promises import DELTA, SHAPES, STUDY

DRAWS = 1000
ALLOWED = DELTA + 3.0 * math.sqrt(DELTA * (1.0 - DELTA) / DRAWS)


@pytest.mark.verify
@pytest.mark.parametrize("asked", ["removals", "violations"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_promise_is_broken_no_more_often_than_said(shape: str, asked: str) -> None:
    (found,) = STUDY.cell(STUDY.cells.index({"shape": shape, "n": 2000, "asked": asked}), DRAWS)
    assert found["broken"] <= ALLOWED


def test_no_committed_promise_is_broken_more_often_than_said() -> None:
    rows = STUDY.read()
    there = {(row["shape"], row["n"], row["asked"]) for row in rows}
    usual = [cell for cell in STUDY.cells if cell["n"] <= 2000 and cell["asked"] in ("removals", "violations", "both")]
    assert there >= {(cell["shape"], cell["n"], cell["asked"]) for cell in usual}
    assert STUDY.draws >= 5000
    allowed = DELTA + 3.0 * math.sqrt(DELTA * (1.0 - DELTA) / STUDY.draws)
    assert [row for row in rows if row["broken"] > allowed] == []


def test_the_promises_are_not_kept_by_doing_nothing() -> None:
    """Continuous scores: violations near delta. Removals: near delta where all thresholds are barely wrong, and a
    model that knows more than it says removes nearly all that could be removed.
    """
    rows = {(row["shape"], row["n"], row["asked"]): row for row in STUDY.read()}
    for shape in set(SHAPES) - {"discrete", "rare", "export"}:
        assert rows[shape, 10_000, "violations"]["missed_broken"] >= 0.07, shape
    assert rows["edge", 2000, "removals"]["wrong_broken"] >= 0.04
    assert rows["sharp", 10_000, "removals"]["share_removed"] >= 0.13
    assert rows["poor", 2000, "removals"]["removes"] == 0.0


def test_taking_the_sample_at_its_word_breaks_promises() -> None:
    naive = [row["naive_broken"] for row in STUDY.read() if row["shape"] in ("good", "sharp") and row["n"] >= 2000]
    assert min(naive) > 0.3


def test_promises_about_authors_are_kept_and_would_not_be_without_them() -> None:
    rows = clustered_promises.STUDY.read()
    allowed = DELTA + 3.0 * math.sqrt(DELTA * (1.0 - DELTA) / clustered_promises.STUDY.draws)
    assert len(rows) == len(clustered_promises.STUDY.cells)
    assert [row for row in rows if row["broken"] > allowed] == []
    assert max(row["independent"] for row in rows) > 0.25
    assert all(row["acts"] == 1.0 for row in rows if row["asked"] == "violations")


@pytest.mark.verify
def test_a_promise_about_authors_again() -> None:
    cell = {"shape": "edge", "authors": 100, "correlation": 0.3, "asked": "violations"}
    (found,) = clustered_promises.STUDY.cell(clustered_promises.STUDY.cells.index(cell), 200)
    assert found["broken"] <= DELTA + 3.0 * math.sqrt(DELTA * (1.0 - DELTA) / 200)
