"""What an item that was not drawn may stand for: by region of the score, not by the heaviest item anywhere."""

from __future__ import annotations

import numpy as np
import pytest

import evenhand as eh
from evenhand.tally import Mass, PlacedRows, Rows, Weights


def test_by_region() -> None:
    weights = Weights.from_columns(inclusion=np.array([0.1, 0.25, 0.5, 1.0]))
    rows = Rows(np.ones(4, dtype=bool), {}, weights)
    mass = PlacedRows.from_rows(np.array([0.1, 0.5, 0.5, 0.9]), rows).tally().everyone.violating
    assert mass.total.heaviest == pytest.approx(9.0)
    assert mass.amount(1, 3).heaviest == pytest.approx(3.0)
    assert mass.amount(2, 3).heaviest == 0.0
    assert mass.amount(2, 3).unseen == 0.0


def test_effective_numbers() -> None:
    mass = Mass(np.full(4, 10.0), np.full(4, 90.0), np.ones(4), heaviest=9.0)
    assert mass.total.effective == 4.0
    uneven = Mass(np.array([10.0, 1.0, 1.0]), np.array([90.0, 0.0, 0.0]), np.ones(3), heaviest=9.0)
    assert uneven.total.effective == pytest.approx(12.0**2 / 90.0)


def test_precision_is_known_where_every_flagged_item_was_labelled() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(3000)
    y = rng.random(3000) < p
    chance = np.where(p >= 0.5, 1.0, 0.05)
    drawn = rng.random(3000) < chance
    table = {"p": p[drawn], "y": y[drawn], "pi": chance[drawn], "g": np.arange(drawn.sum()) % 2 == 0}
    found = eh.audit(table, score="p", label="y", groups=["g"], inclusion="pi", audits="bias").findings[0]
    precision = found.get("precision")
    assert precision.value == pytest.approx(y[p >= 0.5].mean())
    assert precision.high - precision.low < 1e-6
    assert found.get("tpr").high - found.get("tpr").low > 0.05
