"""What a target promises if labelling stops when it is reached: the committed study, and a short run of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from studies.stopping import STUDY

from evenhand.catalogue.accuracy import PREVALENCE
from simulations.agreement import again

RUNS = STUDY.read()
REACHED = [row for row in RUNS if row["reached"] >= 0.9]
SEARCH_STEP = 1.1  # by which the fixed number that would do is known


def test_the_cells_are_there() -> None:
    """All of the prevalence on seven sets; of recall, which takes longest, those that were run."""
    cells = [{key: row[key] for key in ("measure", "set", "classifier")} for row in RUNS]
    assert all(cell in STUDY.cells for cell in cells)
    assert sum(cell["measure"] == PREVALENCE for cell in cells) == 28
    assert len(cells) >= 45
    assert STUDY.draws >= 300


def test_what_is_published_holds_at_the_stop() -> None:
    """Over all cells, and in each up to Monte Carlo error."""
    error = (0.05 * 0.95 / STUDY.draws) ** 0.5
    assert sum(row["coverage"] for row in RUNS) / len(RUNS) >= 0.95
    assert all(row["coverage"] >= 0.935 - 2.0 * error for row in RUNS)
    assert sum(row["coverage"] < 0.935 for row in RUNS) <= 4


def test_estimates_stay_unbiased() -> None:
    """Within a tenth of a standard error, up to Monte Carlo error; recall where it reached its target."""
    error = STUDY.draws**-0.5
    prevalence = [row["bias_in_errors"] for row in RUNS if row["measure"] == PREVALENCE]
    assert abs(sum(prevalence) / len(prevalence)) <= 0.1
    assert all(abs(bias) <= 0.1 + 2.0 * error for bias in prevalence)
    assert all(abs(row["bias_in_errors"]) <= 0.1 + 2.0 * error for row in REACHED)


def test_a_useful_score_keeps_its_target_with_few_labels_more() -> None:
    useful = [row for row in RUNS if row["classifier"] == "as it is" and row["set"] != "context"]
    assert all(row["reached"] >= 0.95 for row in useful if row["measure"] == PREVALENCE)
    assert sum(row["reached"] >= 0.95 for row in useful) >= len(useful) - 1
    assert all(row["reached"] >= 0.8 for row in useful)
    assert all(row["labels"] <= 1.3 * SEARCH_STEP * row["needed"] for row in useful)


def test_no_run_is_ruined_by_a_heavy_label() -> None:
    """At most one interval of 300 is more than twice as wide as the median one, where the target was reached."""
    assert all(row["wide"] <= 1 for row in REACHED)
    assert all(row["wide"] <= 2 for row in RUNS)


@pytest.mark.verify
def test_a_campaign_again(real_data: Path) -> None:
    again(STUDY, 8, 30, ("coverage", "reached"))
