"""What is promised where items stand for others or matter more: the committed study, and a short run of it."""

from __future__ import annotations

import pytest
from studies.weighted import OF_A_GROUP, OVERALL, STUDY

from simulations.agreement import again

ROWS = STUDY.read()


def test_every_cell_is_there() -> None:
    assert len(ROWS) == len(STUDY.cells) * len((*OVERALL, *OF_A_GROUP))


def test_they_cover() -> None:
    """Two Monte Carlo errors below 93 %."""
    for row in ROWS:
        assert row["coverage"] >= 0.93 - 2.0 * (0.05 * 0.95 / STUDY.draws) ** 0.5, row


def test_error_rates_are_not_wider_than_they_must_be() -> None:
    """They were two to ten times too wide, and a precision of which every item was labelled is known."""
    drawn = [row for row in ROWS if row["design"] != "views"]
    assert max(row["relative"] for row in drawn if row["measure"] in ("fpr", "fpr_gap", "tpr", "tpr_gap")) <= 1.3
    known = [row for row in drawn if row["design"] == "reviewed" and row["measure"] == "precision"]
    assert [(row["width"], row["coverage"]) for row in known] == [(0.0, 1.0)]


@pytest.mark.verify
@pytest.mark.parametrize("number", [0, 3])
def test_again(number: int) -> None:
    again(STUDY, number, 60, ("coverage",))
