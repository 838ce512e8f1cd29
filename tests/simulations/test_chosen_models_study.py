"""Guarantees of the best of several models, and after the share of violations has moved: the study, and a short run."""

from __future__ import annotations

import math

import pytest
from studies.chosen_models import DELTA, STUDY

from simulations.agreement import again

ROWS = STUDY.read()


def test_guarantees_are_kept() -> None:
    allowed = DELTA + 3.0 * math.sqrt(DELTA * (1.0 - DELTA) / STUDY.draws)
    assert len(ROWS) == len(STUDY.cells)
    assert [row for row in ROWS if row["broken"] > allowed] == []


def test_they_would_not_be_kept_unawares() -> None:
    """Ten models counted as one; a prevalence that fell from 10 to 5 or 2 %."""
    chosen = {(row["asked"], row["now"]): row for row in ROWS}
    assert chosen["violations", 0.1]["unaware"] > 0.4
    assert min(chosen["removals", now]["unaware"] for now in (0.02, 0.05)) > 0.5
    assert chosen["removals", 0.05]["acts"] > 0.85


@pytest.mark.verify
@pytest.mark.parametrize("number", [1, 3])
def test_again(number: int) -> None:
    again(STUDY, number, 120, ("broken", "unaware", "acts"))
