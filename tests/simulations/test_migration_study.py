"""What the intervals of a migration promise, held against the committed study, and a short run that must agree."""

from __future__ import annotations

import pytest
from studies.migration import KEPT, SHAPES, SIZES, STUDY
from studies.study import Row

from marks import smoke
from simulations.agreement import close

SCATTER = 2.5 * (0.05 * 0.95 / STUDY.draws) ** 0.5  # of a cell


def rows_of(*numbers: str) -> list[Row]:
    return [row for row in STUDY.read() if row["number"].split()[0] in numbers]


def test_every_cell_was_run() -> None:
    assert {(row["shape"], row["comments"]) for row in STUDY.read()} == {(s, n) for s in SHAPES for n in SIZES}


def test_new_thresholds_hold_at_least_as_often_as_is_said() -> None:
    """Whatever the scores look like, with a hundred comments and with ties."""
    found = rows_of(*(str(measure) for measure in KEPT))
    assert {row["number"].split()[0] for row in found} == {str(measure) for measure in KEPT}
    assert min(row["coverage"] for row in found) >= 0.95 - SCATTER


@pytest.mark.parametrize("number", ["groups", "held_out"])
def test_what_holds_together_does(number: str) -> None:
    """All groups and thresholds of a sample at once, from a hundred comments on."""
    assert min(row["coverage"] for row in rows_of(number)) >= 0.95 - SCATTER


def test_numbers_at_a_fitted_threshold_are_as_sure_as_at_a_given_one() -> None:
    large = [row for row in rows_of("new_rate", "change", "ac1", "rank_agreement") if row["comments"] >= 1000]
    assert min(row["coverage"] for row in large) >= 0.92
    assert max(row["coverage"] for row in large) <= 0.99


@pytest.mark.verify
@pytest.mark.parametrize(("number", "draws"), smoke([(0, 40), (3, 150), (4, 150), (7, 150)]))
def test_the_study_again(number: int, draws: int) -> None:
    """Other draws agree with what was committed, wherever nearly every draw has a value."""
    cell = STUDY.cells[number]
    kept = {row["number"]: row for row in STUDY.read() if all(row[key] == value for key, value in cell.items())}
    for row in STUDY.cell(number, draws):
        committed = kept[row["number"]]
        if min(row["defined"], committed["defined"]) > 0.9:
            assert close(row["coverage"], committed["coverage"], draws, STUDY.draws), row
