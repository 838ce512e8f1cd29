"""What the intervals of a plan promise, held against the committed study and a short run of it."""

from __future__ import annotations

import pytest
from studies import planning

from simulations.agreement import close

ROWS = planning.STUDY.read()
PLACES = {row["number"] for row in ROWS} - {"cost a day"}


def test_every_cell_is_there() -> None:
    assert len({(row["model"], row["prevalence"], row["items"]) for row in ROWS}) == len(planning.STUDY.cells)
    assert {row["model"] for row in ROWS if row["number"] == "crossing"} == {"flagging"}


@pytest.mark.parametrize("number", sorted(PLACES))
def test_capacities_are_covered(number: str) -> None:
    """A cell has a noise of its own, about two per cent."""
    covered = sorted(row["coverage"] for row in ROWS if row["number"] == number)
    assert covered[0] >= 0.92
    assert covered[len(covered) // 2] >= 0.945


@pytest.mark.parametrize("number", sorted(PLACES))
def test_they_are_not_kept_by_saying_nothing(number: str) -> None:
    """With 10,000 items no interval is open, and all are much shorter than with 500."""
    wide, narrow = ([r for r in ROWS if r["number"] == number and r["items"] == n] for n in (500, 10_000))
    assert all(row["open"] == 0.0 for row in narrow)
    assert all(few["width"] > 2.0 * many["width"] for few, many in zip(wide, narrow, strict=True))


def test_the_cost_is_not_promised() -> None:
    covered = [row["coverage"] for row in ROWS if row["number"] == "cost a day"]
    assert 0.8 < min(covered) < 0.9


@pytest.mark.verify
@pytest.mark.parametrize("number", [12, 15])
def test_again(number: int) -> None:
    """500 items of the model whose strategies cross."""
    draws, cell = 40, planning.STUDY.cells[number]
    kept = {r["number"]: r for r in ROWS if all(r[key] == value for key, value in cell.items())}
    for row in planning.STUDY.cell(number, draws):
        assert close(row["coverage"], kept[row["number"]]["coverage"], draws, planning.STUDY.draws), row
