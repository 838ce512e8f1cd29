"""What intervals of a share near 1 promise: the committed study, and a short run of it."""

from __future__ import annotations

import pytest
from studies.near_one import STUDY

from simulations.agreement import again

ROWS = STUDY.read()


def test_every_cell_is_there() -> None:
    assert [{name: row[name] for name in ("design", "share", "n")} for row in ROWS] == list(STUDY.cells)


def test_shares_near_1_are_covered() -> None:
    error = (0.05 * 0.95 / STUDY.draws) ** 0.5
    assert all(row["coverage"] >= 0.95 - 2.0 * error for row in ROWS)


def test_they_are_hardly_wider_than_the_binomial_interval() -> None:
    """One benign label of 71 makes a precision of 98.6 %; without any, the heaviest label decides."""
    assert all(row["one_benign"] <= 1.5 for row in ROWS)
    assert all(row["times_exact"] <= (1.52 if row["share"] * row["n"] > 70.5 else 1.1) for row in ROWS)


@pytest.mark.verify
@pytest.mark.parametrize("number", [4, 20, 22])
def test_widths_again(number: int) -> None:
    again(STUDY, number, 100, ("coverage",))
