"""What numbers are called, and what is said where they have no value: part of what users see."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.errors import Undefined
from evenhand.measures import bias
from evenhand.measures.agreement import AC1, ALPHA, KAPPA
from evenhand.measures.number import Number
from evenhand.measures.perspective.deltas import MEAN, RATE
from evenhand.measures.perspective.fit import F1, F1_GAP, MACRO_F1
from evenhand.tally import Membership, Placed, Rows

ALONE = "no item was labelled by two of these people"
ALIKE = "no item was labelled by two of these people, or all their labels are of one class"
NOTHING = "no label is violating and no item is flagged"


@pytest.mark.parametrize(
    ("number", "name", "shape", "why"),
    [
        (KAPPA, "cohen_kappa", (2, 2), ALIKE),
        (ALPHA, "krippendorff_alpha", (2, 2), ALIKE),
        (AC1, "gwet_ac1", (5,), ALONE),
        (MEAN, "conformity_delta", (2,), "there are no annotations"),
        (RATE, "rate", (2,), "there are no annotations"),
        (F1, "f1", (2, 2), NOTHING),
        (MACRO_F1, "macro_f1", (2, 2), "a class is neither decided for nor given as a label"),
        (F1_GAP, "f1_gap", (2, 2, 2), NOTHING),
    ],
    ids=["kappa", "alpha", "ac1", "mean", "rate", "f1", "macro", "gap"],
)
def test_a_number_of_nothing_says_why_under_its_name(number: Number, name: str, shape: tuple, why: str) -> None:
    assert number.name == name
    with pytest.raises(Undefined) as raised:
        number.of(np.zeros(shape))
    assert str(raised.value) == why
    assert len(number.drawn(np.zeros((4, *shape)))) == 0


def split(label: list[int], member: list[int]):
    rows = Rows(np.array(label, dtype=bool), {"g": Membership(np.flatnonzero(member).astype(np.int32))})
    return Placed.of(np.linspace(0.1, 0.9, len(label)), rows).tally().split("g")


@pytest.mark.parametrize(
    ("label", "member", "measure", "why"),
    [
        ([0, 1, 0], [1, 0, 0], "subgroup_auc", "there are no violating items in the group"),
        ([1, 1, 0], [1, 0, 0], "subgroup_auc", "there are no benign items in the group"),
        ([1, 0, 0], [1, 1, 0], "bpsn_auc", "there are no violating items outside the group"),
        ([1, 0, 1], [1, 1, 0], "bnsp_auc", "there are no benign items outside the group"),
        ([1, 0, 1], [1, 1, 0], "negative_aeg", "there are no benign items outside the group"),
        ([1, 0, 0], [1, 1, 0], "positive_aeg", "there are no violating items outside the group"),
    ],
)
def test_a_comparison_says_which_items_are_missing(label: list, member: list, measure: str, why: str) -> None:
    comparison = getattr(bias, measure)
    assert comparison.name == measure
    with pytest.raises(Undefined) as raised:
        comparison(split(label, member))
    assert str(raised.value) == why


def test_a_spread_of_ranks_needs_both_samples() -> None:
    with pytest.raises(Undefined) as raised:
        bias.rank_spread(split([0, 1, 0], [1, 0, 0]), violating=True)
    assert str(raised.value) == "one of the two samples is empty"
