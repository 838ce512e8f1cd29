"""Two decisions side by side, against a count item by item."""

from __future__ import annotations

import numpy as np
import pytest

import brute
from evenhand.errors import Undefined
from evenhand.measures import decisions
from evenhand.measures.decisions import DecisionTable


def flags(seed: int, rate: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    old = rng.random(300) < rate
    return old, np.where(rng.random(300) < 0.7, old, rng.random(300) < rate)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rate", [0.02, 0.3, 0.9])
def test_as_counted_item_by_item(seed: int, rate: float) -> None:
    old, new = flags(seed, rate)
    table, expected = DecisionTable.from_decisions(old, new), brute.decisions(old, new)
    found = {
        "decision_agreement": decisions.agreement(table),
        "flag_rate_change": decisions.flag_rate_change(table),
        "flag_rate_ratio": decisions.flag_rate_ratio(table),
        "still_flagged": decisions.still_flagged(table),
        "newly_flagged": table.new_only / table.items,
        "no_longer_flagged": table.old_only / table.items,
        "gwet_ac1": decisions.decision_ac1(*table.counts),
    }
    assert found == pytest.approx(expected, abs=1e-12)


def test_the_four_counts() -> None:
    table = DecisionTable.from_decisions(
        np.array([True, True, False, False, True]), np.array([True, False, True, False, True])
    )
    assert table == DecisionTable(both=2, old_only=1, new_only=1, neither=1)
    assert (table.items, table.old, table.new) == (5, 3, 3)


def test_without_items_or_flags_there_is_no_value() -> None:
    none, unflagged = DecisionTable(0, 0, 0, 0), DecisionTable(0, 0, 3, 7)
    for function in (decisions.agreement, decisions.flag_rate_change):
        with pytest.raises(Undefined, match="no items"):
            function(none)
    for function in (decisions.flag_rate_ratio, decisions.still_flagged):
        with pytest.raises(Undefined, match="flags none"):
            function(unflagged)
    with pytest.raises(Undefined, match="no items"):
        decisions.decision_ac1(0, 0, 0, 0)


def test_exchanging_the_models_turns_the_ratio_round() -> None:
    old, new = flags(1, 0.3)
    forth, back = DecisionTable.from_decisions(old, new), DecisionTable.from_decisions(new, old)
    assert decisions.flag_rate_ratio(forth) == pytest.approx(1.0 / decisions.flag_rate_ratio(back))
    assert decisions.decision_ac1(*forth.counts) == decisions.decision_ac1(*back.counts)
