"""Rates at a threshold against plain counting."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.errors import Undefined
from evenhand.measures import rates
from evenhand.tally import Amount, Confusion, Membership, PlacedRows, Rows, Weights

RNG = np.random.default_rng(0)
LABEL = RNG.random(300) < 0.3
GROUP = RNG.random(300) < 0.4
SCORE = np.round(np.clip(0.3 * LABEL + RNG.random(300), 0, 1), 1)
INCLUSION = RNG.uniform(0.1, 1.0, 300)


def tally(inclusion=None, score=SCORE):
    rows = Rows(
        LABEL, {"g": Membership(np.flatnonzero(GROUP).astype(np.int32))}, Weights.from_columns(inclusion=inclusion)
    )
    return PlacedRows.from_rows(score, rows).tally()


@pytest.mark.parametrize("inclusion", [None, INCLUSION], ids=["plain", "sampled"])
@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.5, 0.55, 1.0])
def test_rates_equal_counting(inclusion, threshold: float) -> None:
    weight = np.ones(300) if inclusion is None else 1.0 / inclusion
    flagged = threshold <= SCORE
    for group, rows in ((None, np.ones(300, dtype=bool)), ("g", GROUP)):
        confusion = tally(inclusion).confusion(threshold, group)
        for share, part, whole in (
            (rates.tpr, flagged & LABEL, LABEL),
            (rates.fpr, flagged & ~LABEL, ~LABEL),
            (rates.precision, flagged & LABEL, flagged),
        ):
            expected = weight[rows & part].sum() / weight[rows & whole].sum()
            assert share(confusion).value == pytest.approx(expected, abs=1e-12)
            assert round(share(confusion).whole.count) == (rows & whole).sum()


def test_background_is_everyone_less_the_group() -> None:
    whole, inside = tally().universe_confusion(0.5, "g"), tally().confusion(0.5, "g")
    background = rates.fpr(whole - inside)
    assert background.value == pytest.approx((SCORE >= 0.5)[~GROUP & ~LABEL].mean(), abs=1e-12)


def test_a_threshold_is_compared_in_the_precision_of_the_scores() -> None:
    """0.7 stored as float32 lies below 0.7 as float64; a reader still expects it to be flagged at 0.7."""
    single = np.full(300, 0.7, dtype=np.float32)
    assert rates.tpr(tally(score=single).confusion(0.7)).value == 1.0


def test_undefined_shares_say_why() -> None:
    nothing = Amount(0.0, 0.0, 0.0)
    empty = Confusion(nothing, nothing, nothing, nothing)
    for share, why in ((rates.tpr, "violating"), (rates.fpr, "benign"), (rates.precision, "flagged")):
        with pytest.raises(Undefined, match=why):
            _ = share(empty).value
