"""What the intervals of the collaboration audit promise, held against the committed study and a short run of it."""

from __future__ import annotations

import pytest
from studies import collaboration

from marks import smoke
from simulations.agreement import close

ROWS = collaboration.STUDY.read()
AREAS = ("auprc", "auprc_interpolated", "oc_auprc", "calibration_auprc")


def of(measure: str, least: float) -> list[dict]:
    return [row for row in ROWS if row["measure"] == measure and row["rests_on"] >= least]


def test_every_measure_is_there() -> None:
    assert {row["measure"] for row in ROWS} == {quantity.name for _, _, quantity in collaboration.asked()}
    assert len({(row["model"], row["prevalence"], row["items"], row["scores"]) for row in ROWS}) == 36


@pytest.mark.parametrize("measure", sorted({row["measure"] for row in ROWS}))
def test_they_cover_where_they_rest_on_something(measure: str) -> None:
    """From 20 items of the rarer kind on. A cell has a noise of its own, about one per cent."""
    covered = sorted(row["coverage"] for row in of(measure, 20))
    assert covered[len(covered) // 2] >= 0.935
    assert covered[len(covered) // 10] >= 0.93
    assert covered[0] >= 0.9


def test_areas_are_covered_better_than_by_the_number_of_positives_alone() -> None:
    rows = [row for row in ROWS if row["measure"] in AREAS and row["rests_on"] >= 20]
    assert all(row["coverage"] >= row["of_positives"] for row in rows)
    assert min(row["coverage"] for row in rows) >= 0.94
    assert min(row["of_positives"] for row in rows) < 0.93


@pytest.mark.verify
@pytest.mark.parametrize("number", smoke([1, 8, 21]))
def test_again(number: int) -> None:
    """Cells of 500 and 2,000 items."""
    draws, cell = 60, collaboration.STUDY.cells[number]
    kept = [row for row in ROWS if all(row[key] == value for key, value in cell.items())]
    fresh = {(r["strategy"], r["capacity"], r["measure"]): r for r in collaboration.STUDY.cell(number, draws)}
    for row in kept:
        key = (row["strategy"], "" if row["capacity"] == "" else f"{row['capacity']:g}", row["measure"])
        if row["defined"] > 0.9:
            assert close(fresh[key]["coverage"], row["coverage"], draws, collaboration.STUDY.draws), row
