"""What looking at any time promises and costs, held against the committed study and a short run of it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from studies import anytime

from simulations.agreement import close

LOOKS = anytime.STUDY.read()


def test_every_cell_is_there() -> None:
    assert len(LOOKS) == len(anytime.STUDY.cells)


def test_looking_at_any_time_keeps_the_promise() -> None:
    noise = 3.0 * math.sqrt(0.05 * 0.95 / anytime.STUDY.draws)
    for row in LOOKS:
        assert row["coverage"] >= 0.95 - noise, row


def test_what_looking_costs() -> None:
    """Up to 2.5 times the labels, but where few labels are enough: a bet needs time."""
    for row in LOOKS:
        assert row["times_fixed"] <= (2.5 if row["fixed"] >= 300 else 4.0), row


@pytest.mark.verify
def test_looking_again(real_data: Path) -> None:
    number, draws = anytime.STUDY.cells.index({"set": "identity_hate", "classifier": "as it is"}), 40
    (fresh,) = anytime.STUDY.cell(number, draws)
    assert close(fresh["coverage"], 0.97, draws, 1000)
    assert fresh["times_fixed"] <= 3.0
