"""The adjudicated verdict holds the truth whatever errors reviewers make: the committed study, and a cell of it."""

from __future__ import annotations

import numpy as np
import pytest
from studies.adjudication import CELLS, ERRORS, STUDY


def test_the_committed_study_keeps_its_promise() -> None:
    rows = STUDY.read()
    assert {(row["design"], row["errors"]) for row in rows} >= {("score-driven", kind) for kind in ERRORS}
    enough = [row for row in rows if row["found"] >= 30.0]
    assert len(enough) >= 20
    assert min(row["coverage"] for row in enough) >= 0.93
    for row in rows:
        most = 0.5 if row["measure"] == "recall" else 4.5 / np.sqrt(row["draws"])  # a ratio; Monte Carlo errors
        assert abs(row["bias_in_spreads"]) < most, row
    assert np.mean([row["usual"] for row in rows]) < 0.5  # the reviewers' verdict is another target


@pytest.mark.verify
def test_a_cell_again() -> None:
    number = next(n for n, cell in enumerate(CELLS) if cell["errors"] == "by group" and cell["prevalence"] == 0.1)
    (row,) = STUDY.cell(number, 100)
    assert row["coverage"] >= 0.9
    assert row["usual"] < 0.6
