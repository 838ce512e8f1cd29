"""What a target promises if labelling stops when it is reached: the committed study, and a short run of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from studies.stopping import STUDY

from simulations.agreement import again

RUNS = STUDY.read()


def test_every_cell_is_there() -> None:
    assert len(RUNS) == len(STUDY.cells)
    assert STUDY.draws >= 100


def test_intervals_hold_at_the_stop() -> None:
    """Over all cells; of one hundred campaigns each, no cell far below."""
    assert sum(row["coverage"] for row in RUNS) / len(RUNS) >= 0.935
    assert all(row["coverage"] >= 0.95 - 4.0 * (0.05 * 0.95 / STUDY.draws) ** 0.5 for row in RUNS)


def test_what_is_published_holds_at_the_stop_in_every_cell() -> None:
    assert all(row["published"] >= 0.935 for row in RUNS)


def test_estimates_stay_unbiased() -> None:
    """Within a tenth of a standard error over all, and in each cell up to Monte Carlo error."""
    assert abs(sum(row["bias_in_errors"] for row in RUNS) / len(RUNS)) <= 0.1
    assert all(abs(row["bias_in_errors"]) <= 0.1 + 3.0 / STUDY.draws**0.5 for row in RUNS)


def test_a_useful_score_keeps_its_target() -> None:
    kept = [row for row in RUNS if row["classifier"] == "as it is" and row["set"] != "context"]
    assert all(row["reached"] >= 0.95 for row in kept)
    assert all(row["widest"] <= 2.0 for row in kept)


@pytest.mark.verify
def test_a_campaign_again(real_data: Path) -> None:
    again(STUDY, 0, 30, ("coverage", "reached"))
