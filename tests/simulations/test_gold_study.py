"""What the correction for annotator error promises at rare prevalences: the committed study, and a short run of it."""

from __future__ import annotations

import pytest
from studies.gold import STUDY

from simulations.agreement import again

COVERAGE = STUDY.read()


def test_every_cell_is_there() -> None:
    assert len(COVERAGE) == len(STUDY.cells)
    assert min(row["draws"] for row in COVERAGE) >= 0.99 * STUDY.draws >= 1980


def test_the_interval_covers_also_where_errors_explain_all_that_was_marked() -> None:
    error = (0.05 * 0.95 / STUDY.draws) ** 0.5
    for row in COVERAGE:
        assert row["coverage"] >= 0.94 - 2.0 * error, row
    assert max(row["explained"] for row in COVERAGE) > 0.3


@pytest.mark.verify
@pytest.mark.parametrize("number", [1, 14, 40])
def test_coverage_again(number: int) -> None:
    again(STUDY, number, 300, ("coverage", "explained"))
