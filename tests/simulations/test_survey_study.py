"""What intervals of a prevalence promise, held against the committed study and a short run of it."""

from __future__ import annotations

import pytest
from studies import survey

from simulations.agreement import close

COVERAGE = survey.STUDY.read()


def test_every_cell_is_there() -> None:
    assert len(COVERAGE) == len(survey.STUDY.cells)
    assert survey.STUDY.draws >= 4000


def test_intervals_cover_down_to_a_prevalence_of_a_tenth_of_a_per_cent() -> None:
    for row in COVERAGE:
        if row["population"] == "blind spot":
            continue
        if row["violations"] >= 100:
            assert 0.935 <= row["coverage"] <= 0.965, row
        elif row["violations"] >= 30:
            assert row["coverage"] >= 0.92, row
        else:
            assert row["coverage"] >= 0.94, row
            assert row["marked"] >= 0.8, row


def test_the_normal_interval_does_not() -> None:
    assert min(row["normal"] for row in COVERAGE if row["population"] != "blind spot") < 0.92


def test_what_a_score_cannot_see_is_not_promised() -> None:
    """A fifth of the violations score like everything else: the estimate stays unbiased, the interval is too short."""
    blind = [row for row in COVERAGE if row["population"] == "blind spot"]
    assert all(0.7 < row["coverage"] < 0.93 for row in blind)


@pytest.mark.verify
@pytest.mark.parametrize("number", [9, 22, 28, 35])
def test_coverage_again(number: int) -> None:
    draws, cell = 150, survey.STUDY.cells[number]
    (kept,) = [row for row in COVERAGE if all(row[key] == value for key, value in cell.items())]
    (fresh,) = survey.STUDY.cell(number, draws)
    assert close(fresh["coverage"], kept["coverage"], draws, survey.STUDY.draws)
