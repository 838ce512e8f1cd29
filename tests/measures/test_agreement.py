"""κ, α and AC1 beside loops over pairs, published values, and tables worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

import brute_perspective as brute
from evenhand.errors import InputError, Undefined
from evenhand.measures.agreement import AC1, ALPHA, KAPPA, coincidences, counted, item_shares, once, pair_tables
from evenhand.measures.perspective import Annotations
from measures.annotated import PEOPLE, made, rows

EXACT = {"rel": 0, "abs": 1e-12}


def rated(table: list[list[int | None]]) -> Annotations:
    """From raters × items; None where nobody said anything."""
    cells = [(i, a, y) for a, row in enumerate(table) for i, y in enumerate(row) if y is not None]
    return Annotations.of(*np.array(cells).T)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(2))
def test_beside_pairs(classes: int, seed: int) -> None:
    annotations, _, group = made(classes, seed)
    counts = counted(annotations, group, 3)
    people = [set(np.flatnonzero(group == g).tolist()) for g in range(3)] + [set(range(PEOPLE))]
    pairs, alike, shares = (once(fold, counts) for fold in (pair_tables, coincidences, item_shares))
    for g, one in enumerate(people):
        for h, other in enumerate(people):
            assert KAPPA.of(pairs[g, h]) == pytest.approx(brute.kappa(rows(annotations), one, other), **EXACT)
            np.testing.assert_array_equal(pairs[g, h], pairs[h, g].T)
        own = [row for row in rows(annotations) if row[1] in one]
        assert ALPHA.of(alike[g]) == pytest.approx(brute.alpha(own), **EXACT)
        assert AC1.of(shares[g]) == pytest.approx(brute.ac1(own, classes), **EXACT)


KRIPPENDORFF = [  # Krippendorff, Computing Krippendorff's alpha-reliability (2011): 4 observers, 12 units, α = 0.743
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def test_alpha_of_krippendorffs_example() -> None:
    counts = counted(rated([[y if y is None else y - 1 for y in row] for row in KRIPPENDORFF]))
    table = once(coincidences, counts)[0]
    assert table.sum() == pytest.approx(40)
    assert np.diag(table) == pytest.approx([7, 10, 8, 4, 3])
    assert ALPHA.of(table) == pytest.approx(0.743, abs=5e-4)
    assert AC1.of(once(item_shares, counts)[0]) == pytest.approx(0.77544, abs=5e-6)  # the documentation of irrCAC


def test_alpha_of_two_observers() -> None:
    """By hand: 8 of 20 labels are in pairs that differ; of 20 · 19 pairs of any two 2 · 14 · 6 do: 1 − .4/.442."""
    first = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    second = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert ALPHA.of(once(coincidences, counted(rated([first, second])))[0]) == pytest.approx(2 / 21, **EXACT)


def two_raters(table: list[list[int]]) -> Annotations:
    cells = [(y, z) for y, line in enumerate(table) for z, n in enumerate(line) for _ in range(n)]
    return rated([[y for y, _ in cells], [z for _, z in cells]])


@pytest.mark.parametrize(
    ("table", "kappa", "ac1"),
    [
        ([[13, 0, 0], [0, 20, 7], [0, 4, 56]], 0.7964094, 0.8493305),  # Gwet's R package irrCAC: cont3x3abstractors
        # by hand: agreement .944, by chance .94528 for κ and .054432 for AC1, where nearly all labels are alike
        ([[118, 5], [2, 0]], -4 / 171, 27799 / 29549),
        ([[20, 5], [10, 15]], 2 / 5, 41 / 101),  # agreement .7, by chance .5 and .495
        ([[45, 15], [25, 15]], 3 / 23, 29 / 109),  # agreement .6 twice, by chance .54 and .455,
        ([[25, 35], [5, 35]], 7 / 27, 21 / 101),  # .46 and .495
    ],
)
def test_two_raters(table: list[list[int]], kappa: float, ac1: float) -> None:
    counts = counted(two_raters(table), np.array([0, 1]), 2)
    assert KAPPA.of(once(pair_tables, counts)[0, 1]) == pytest.approx(kappa, abs=5e-8)
    assert AC1.of(once(item_shares, counts)[-1]) == pytest.approx(ac1, abs=5e-8)


def test_ends() -> None:
    agreed = rated([[0, 1, 2, 1], [0, 1, 2, 1]])
    counts = counted(agreed)
    assert KAPPA.of(once(pair_tables, counts)[0, 0]) == 1.0
    assert ALPHA.of(once(coincidences, counts)[0]) == 1.0
    assert AC1.of(once(item_shares, counts)[0]) == 1.0
    opposite = counted(rated([[0, 1, 0, 1], [1, 0, 1, 0]]))
    assert KAPPA.of(once(pair_tables, opposite)[0, 0]) == -1.0


def test_what_has_no_value() -> None:
    alone = counted(rated([[0, 1, None], [None, None, 1]]))
    for number, fold in ((ALPHA, coincidences), (AC1, item_shares)):
        with pytest.raises(Undefined, match="no item was labelled by two"):
            number.of(once(fold, alone)[0])
    with pytest.raises(Undefined, match="all their labels are of one class"):
        KAPPA.of(once(pair_tables, counted(rated([[0, 0], [0, 0]])))[0, 0])
    with pytest.raises(InputError, match=r"^1 labels are second labels of one annotator on one item: keep one each$"):
        counted(Annotations.of([0, 0, 0], [0, 1, 0], [0, 1, 1]))


def test_every_item_twice_changes_kappa_and_ac1_not_at_all() -> None:
    annotations, _, group = made(3, 4)
    twice = Annotations.of(
        np.concatenate((annotations.item, annotations.item + annotations.items)),
        np.tile(annotations.annotator, 2),
        np.tile(annotations.label, 2),
    )
    weighed, repeated = counted(annotations, group, 3), counted(twice, group, 3)
    for fold in (pair_tables, coincidences, item_shares):
        heavy = fold(weighed, weighed, np.full((1, annotations.items), 2.0))[0]
        np.testing.assert_allclose(heavy, once(fold, repeated), rtol=1e-13, atol=1e-13)
