"""What is promised where whole threads are drawn: the committed study, and a short run of it."""

from __future__ import annotations

import pytest
from studies.drawn_clusters import STUDY

from simulations.agreement import again

COVERAGE = STUDY.read()


def test_every_cell_is_there() -> None:
    assert len(COVERAGE) == len(STUDY.cells)
    assert STUDY.draws >= 500


def test_the_plan_and_the_audit_cover_also_with_a_heavy_tail() -> None:
    for row in COVERAGE:
        least = 0.93 if row["threads"] >= 100 else 0.92  # of thirty it is said that intervals are approximate
        assert row["plan"] >= least, row
        assert row["audit"] >= least, row
    assert min(row["independent"] for row in COVERAGE) < 0.6


def test_even_sizes_cost_nothing_and_a_heavy_tail_a_multiple() -> None:
    even = [row for row in COVERAGE if row["sizes"] == "equal"]
    assert max(row["plan"] for row in even) < 0.97
    assert max(row["plan_width"] / row["independent_width"] for row in COVERAGE) < 10.0


@pytest.mark.verify
@pytest.mark.parametrize("number", [2, 8, 20, 22])
def test_coverage_again(number: int) -> None:
    again(STUDY, number, 200, ("plan", "audit", "independent"))
