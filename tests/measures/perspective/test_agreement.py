"""κ, α and AC1 beside loops over pairs, published values, and tables worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

import brute_perspective as brute
from evenhand.errors import InputError, Undefined
from evenhand.measures.perspective import Annotations
from evenhand.measures.perspective.agreement import (
    AC1,
    ALPHA,
    KAPPA,
    alpha_by_distance,
    coincidences,
    fold_unweighted,
    item_shares,
    label_counts,
    pair_tables,
    weighted_kappa,
)
from measures.annotated import PEOPLE, made, rows

EXACT = {"rel": 0, "abs": 1e-12}


def rated(table: list[list[int | None]]) -> Annotations:
    """From raters × items; None where nobody said anything."""
    cells = [(i, a, y) for a, row in enumerate(table) for i, y in enumerate(row) if y is not None]
    return Annotations.from_columns(*np.array(cells).T)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(2))
def test_beside_pairs(classes: int, seed: int) -> None:
    annotations, _, group = made(classes, seed)
    counts = label_counts(annotations, group, 3)
    people = [set(np.flatnonzero(group == g).tolist()) for g in range(3)] + [set(range(PEOPLE))]
    pairs, alike, shares = (fold_unweighted(fold, counts) for fold in (pair_tables, coincidences, item_shares))
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
    counts = label_counts(rated([[y if y is None else y - 1 for y in row] for row in KRIPPENDORFF]))
    table = fold_unweighted(coincidences, counts)[0]
    assert table.sum() == pytest.approx(40)
    assert np.diag(table) == pytest.approx([7, 10, 8, 4, 3])
    assert ALPHA.of(table) == pytest.approx(0.743, abs=5e-4)
    assert AC1.of(fold_unweighted(item_shares, counts)[0]) == pytest.approx(
        0.77544, abs=5e-6
    )  # the documentation of irrCAC


@pytest.mark.parametrize(("distance", "published"), [("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_on_a_scale_of_krippendorffs_example(distance: str, published: float) -> None:
    counts = label_counts(rated([[y if y is None else y - 1 for y in row] for row in KRIPPENDORFF]))
    number = alpha_by_distance(distance, [1, 2, 3, 4, 5])
    assert number.of(fold_unweighted(coincidences, counts)[0]) == pytest.approx(published, abs=5e-4)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(2))
def test_labels_on_a_scale_beside_pairs(classes: int, seed: int) -> None:
    annotations, _, _ = made(classes, seed)
    counts, labels = label_counts(annotations), rows(annotations)
    values = np.array([0.0, 1.0, 4.0, 5.0, 9.0])[:classes]
    table, pairs = fold_unweighted(coincidences, counts)[0], fold_unweighted(pair_tables, counts)[0, 0]
    for distance in ("ordinal", "interval"):
        expected = brute.distant_alpha(labels, distance, values.tolist())
        assert alpha_by_distance(distance, values).of(table) == pytest.approx(expected, **EXACT)
    for power in (1, 2):
        expected = brute.weighted_kappa(labels, power, values.tolist())
        assert weighted_kappa(power, values).of(pairs) == pytest.approx(expected, **EXACT)


def test_two_classes_have_one_distance() -> None:
    """Whatever the distance, two labels are either equal or apart; and many draws are as each by itself."""
    counts = label_counts(made(2, 3)[0])
    table, pairs = fold_unweighted(coincidences, counts)[0], fold_unweighted(pair_tables, counts)[0, 0]
    for distance in ("ordinal", "interval"):
        assert alpha_by_distance(distance, [1, 5]).of(table) == pytest.approx(ALPHA.of(table), **EXACT)
    for power in (1, 2):
        assert weighted_kappa(power, [1, 5]).of(pairs) == pytest.approx(KAPPA.of(pairs), **EXACT)
    three = fold_unweighted(coincidences, label_counts(made(3, 3)[0]))[0]
    number = alpha_by_distance("ordinal", [1, 2, 3])
    assert number.drawn([three, three.T + 1.0]).tolist() == [number.of(three), number.of(three.T + 1.0)]


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_weighted_kappa_of_two_raters_beside_scikit_learn(weights: str) -> None:
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(2)
    first = rng.integers(0, 5, 200)
    second = np.clip(first + rng.integers(-1, 2, 200), 0, 4)
    tables = fold_unweighted(pair_tables, label_counts(rated([first.tolist(), second.tolist()]), np.array([0, 1]), 2))
    number = weighted_kappa({"linear": 1, "quadratic": 2}[weights], np.arange(5))
    assert number.of(tables[0, 1]) == pytest.approx(cohen_kappa_score(first, second, weights=weights), **EXACT)


def test_alpha_of_two_observers() -> None:
    """By hand: 8 of 20 labels are in pairs that differ; of 20 · 19 pairs of any two 2 · 14 · 6 do: 1 − .4/.442."""
    first = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    second = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert ALPHA.of(fold_unweighted(coincidences, label_counts(rated([first, second])))[0]) == pytest.approx(
        2 / 21, **EXACT
    )


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
    counts = label_counts(two_raters(table), np.array([0, 1]), 2)
    assert KAPPA.of(fold_unweighted(pair_tables, counts)[0, 1]) == pytest.approx(kappa, abs=5e-8)
    assert AC1.of(fold_unweighted(item_shares, counts)[-1]) == pytest.approx(ac1, abs=5e-8)


def test_ends() -> None:
    agreed = rated([[0, 1, 2, 1], [0, 1, 2, 1]])
    counts = label_counts(agreed)
    assert KAPPA.of(fold_unweighted(pair_tables, counts)[0, 0]) == 1.0
    assert ALPHA.of(fold_unweighted(coincidences, counts)[0]) == 1.0
    assert AC1.of(fold_unweighted(item_shares, counts)[0]) == 1.0
    opposite = label_counts(rated([[0, 1, 0, 1], [1, 0, 1, 0]]))
    assert KAPPA.of(fold_unweighted(pair_tables, opposite)[0, 0]) == -1.0


def test_what_has_no_value() -> None:
    alone = label_counts(rated([[0, 1, None], [None, None, 1]]))
    for number, fold in ((ALPHA, coincidences), (AC1, item_shares)):
        with pytest.raises(Undefined, match="no item was labelled by two"):
            number.of(fold_unweighted(fold, alone)[0])
    with pytest.raises(Undefined, match="all their labels are the same"):
        KAPPA.of(fold_unweighted(pair_tables, label_counts(rated([[0, 0], [0, 0]])))[0, 0])
    with pytest.raises(InputError, match=r"^1 labels are second labels of one annotator on one item: keep one each$"):
        label_counts(Annotations.from_columns([0, 0, 0], [0, 1, 0], [0, 1, 1]))


def test_every_item_twice_changes_kappa_and_ac1_not_at_all() -> None:
    annotations, _, group = made(3, 4)
    twice = Annotations.from_columns(
        np.concatenate((annotations.item, annotations.item + annotations.items)),
        np.tile(annotations.annotator, 2),
        np.tile(annotations.label, 2),
    )
    weighed, repeated = label_counts(annotations, group, 3), label_counts(twice, group, 3)
    for fold in (pair_tables, coincidences, item_shares):
        heavy = fold(weighed, weighed, np.full((1, annotations.items), 2.0))[0]
        np.testing.assert_allclose(heavy, fold_unweighted(fold, repeated), rtol=1e-13, atol=1e-13)
