"""What intervals of recall, precision and a community's prevalence promise: the committed study, and a short run."""

from __future__ import annotations

import pytest
from studies import accuracy

from simulations.agreement import close

COVERAGE = accuracy.STUDY.read()


def test_every_cell_is_there() -> None:
    assert len(COVERAGE) == len(accuracy.STUDY.cells) * len(accuracy.TAKEN)
    assert accuracy.STUDY.draws >= 10_000
    assert min(row["draws"] for row in COVERAGE) >= 2000


def test_intervals_cover_by_the_violations_expected() -> None:
    for row in COVERAGE:
        loose = 0.005 if row["draws"] < 10_000 else 0.0  # five times as few draws scatter twice as far
        if row["expected"] >= 100:
            assert row["coverage"] >= 0.935 - loose, row
        else:
            assert row["coverage"] >= 0.93 - loose, row


def test_they_are_not_wider_than_need_be_over_all() -> None:
    for row in COVERAGE:
        if row["expected"] >= 100 and row["design"] in ("pools", "strata", "everything"):
            assert row["coverage"] <= (0.965 if row["draws"] >= 10_000 else 0.97), row


def test_few_violations_are_marked() -> None:
    few = [row for row in COVERAGE if row["expected"] == 15 and row["measure"] == "recall"]
    assert all(row["marked"] >= 0.95 for row in few)


def test_a_known_size_is_worth_a_lot() -> None:
    width = {(row["design"], row["prevalence"], row["expected"], row["measure"]): row["width"] for row in COVERAGE}
    for (design, *cell, measure), wide in width.items():
        if design == accuracy.COMMUNITIES[0] and measure == "prevalence":
            assert wide > 2.0 * width[accuracy.COMMUNITIES[1], *cell, measure]


@pytest.mark.verify
@pytest.mark.parametrize("number", [4, 16, 23, 31])
def test_coverage_again(number: int) -> None:
    draws, cell = 120, accuracy.STUDY.cells[number]
    kept = [row for row in COVERAGE if all(row[key] == value for key, value in cell.items())]
    for old, new in zip(kept, accuracy.STUDY.cell(number, draws), strict=True):
        assert old["measure"] == new["measure"]
        assert close(new["coverage"], old["coverage"], int(new["draws"]), int(old["draws"])), (old, new)
