"""What is promised where the score cannot see a part of the violations: the committed study, and a short run of it."""

from __future__ import annotations

import pytest
from studies.blind_spots import STUDY

from simulations.agreement import again

COVERAGE = STUDY.read()
ERROR = (0.05 * 0.95 / STUDY.draws) ** 0.5


def test_every_cell_is_there() -> None:
    assert len(COVERAGE) == len(STUDY.cells)
    assert STUDY.draws >= 300


def test_the_robust_and_the_published_interval_cover_in_every_cell() -> None:
    for row in COVERAGE:
        assert row["robust"] >= 0.95, row
        assert row["published"] >= 0.935, row


def test_the_usual_interval_does_not_and_says_so() -> None:
    blind = [row for row in COVERAGE if row["hidden"] > 0.0]
    assert min(row["usual"] for row in blind) < 0.6
    failures = sum(row["failures"] for row in blind)
    assert sum(row["failures"] * row["flagged_failures"] for row in blind) >= 0.9 * failures
    assert min(row["flagged_failures"] for row in blind if row["failures"] >= 10) >= 0.8


def test_without_a_blind_spot_the_usual_interval_covers() -> None:
    for row in COVERAGE:
        assert row["hidden"] > 0.0 or row["usual"] >= 0.95 - 3.0 * ERROR, row


@pytest.mark.verify
@pytest.mark.parametrize("number", [2, 11, 31])
def test_coverage_again(number: int) -> None:
    again(STUDY, number, 80, ("usual", "robust", "published"))
