"""What intervals of parts promise: the committed study on twenty-four languages, and a short run of it."""

from __future__ import annotations

import pytest
from scipy.stats import binom
from studies.parts import DESIGNS, POOLS, STUDY
from studies.study import Row

COVERAGE = STUDY.read()
PARTS_OF_TOTAL = 1.5  # times the exact interval's width, at most


def check_coverage(rows: list[Row]) -> None:
    """At least 94 % over all parts, and no part rejected against 95 %, allowing for the number of parts."""
    draws = sum(row["draws"] for row in rows)
    assert sum(row["coverage"] * row["draws"] for row in rows) / draws >= 0.94
    for row in rows:
        held = round(row["coverage"] * row["draws"])
        assert binom.cdf(held, row["draws"], 0.95) >= 0.05 / len(rows), row


@pytest.mark.parametrize("design", DESIGNS)
def test_parts_are_covered(design: str) -> None:
    rows = [row for row in COVERAGE if row["design"] == design]
    assert len(rows) >= 0.9 * 4 * 24
    assert STUDY.draws >= 500
    check_coverage(rows)


def test_intervals_of_parts_are_about_as_wide_as_exact_ones_where_draws_are_equally_likely() -> None:
    for row in COVERAGE:
        if row["design"] == "random" and row["measure"] in POOLS:
            assert row["width"] <= PARTS_OF_TOTAL * row["exact_width"], row


@pytest.mark.verify
@pytest.mark.parametrize("number", range(len(DESIGNS)), ids=list(DESIGNS))
def test_coverage_again(number: int) -> None:
    check_coverage(STUDY.cell(number, 40))
