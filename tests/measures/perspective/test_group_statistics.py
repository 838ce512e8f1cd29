"""Numbers of groups from sums: names, one by one and many at once, and where they have no value."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.errors import Undefined
from evenhand.measures.perspective.agreement import AC1, ALPHA, KAPPA
from evenhand.measures.perspective.group_statistics import (
    ANNOTATION_RATE,
    F1,
    F1_GAP,
    MACRO_F1,
    MEAN_DELTA,
    SumStatistic,
)

ALONE = "no item was labelled by two of these annotators"
ALIKE = "no item was labelled by two of these annotators, or all their labels are the same"
NOTHING = "no label is violating and no item is flagged"


def test_numbers_of_many_draws_are_those_one_by_one() -> None:
    tables = np.random.default_rng(3).integers(1, 9, (5, 3, 3)).astype(float)
    for number in (F1, MACRO_F1, KAPPA, ALPHA):
        one = [number.of(np.maximum(t, t.T)) for t in tables]
        np.testing.assert_allclose(number.drawn(np.maximum(tables, tables.transpose(0, 2, 1))), one, rtol=1e-12)
    least = np.array([5.0, 0.0, 9.0, 0.0, 0.0, 0.0])
    sums = np.abs(np.random.default_rng(4).normal(size=(5, 6))) + least
    np.testing.assert_allclose(AC1.drawn(sums), [AC1.of(row) for row in sums], rtol=1e-12)


@pytest.mark.parametrize(
    ("number", "name", "shape", "why"),
    [
        (KAPPA, "cohen_kappa", (2, 2), ALIKE),
        (ALPHA, "krippendorff_alpha", (2, 2), ALIKE),
        (AC1, "gwet_ac1", (5,), ALONE),
        (MEAN_DELTA, "conformity_delta", (2,), "there are no annotations"),
        (ANNOTATION_RATE, "rate", (2,), "there are no annotations"),
        (F1, "f1", (2, 2), NOTHING),
        (MACRO_F1, "macro_f1", (2, 2), "a class is neither decided for nor given as a label"),
        (F1_GAP, "f1_gap", (2, 2, 2), NOTHING),
    ],
    ids=["kappa", "alpha", "ac1", "mean", "rate", "f1", "macro", "gap"],
)
def test_a_number_of_nothing_says_why_under_its_name(number: SumStatistic, name: str, shape: tuple, why: str) -> None:
    assert number.name == name
    with pytest.raises(Undefined) as raised:
        number.of(np.zeros(shape))
    assert str(raised.value) == why
    assert len(number.drawn(np.zeros((4, *shape)))) == 0
