"""The two-way bootstrap beside loops over rows and pairs with the same weights."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy import sparse, stats

import brute_perspective as brute
from evenhand.errors import InputError, Undefined
from evenhand.intervals import label_pairs, poisson_weights, two_way_bootstrap
from evenhand.intervals.two_way_bootstrap import TwoWayBootstrap, effective_number, two_way_interval
from evenhand.measures.perspective import MEAN_DELTA, ConformityDeltas, majority_labels, sums_by_group
from evenhand.measures.perspective.agreement import (
    AC1,
    ALPHA,
    KAPPA,
    coincidences,
    fold_unweighted,
    item_shares,
    label_counts,
    label_strata,
    pair_tables,
)
from measures.annotated import ITEMS, PEOPLE, made, rows


def crossing(annotations, draws: int = 60, seed: int = 3) -> TwoWayBootstrap:
    return TwoWayBootstrap(annotations.annotator, annotations.item, PEOPLE, ITEMS, draws, seed)


def all_weights(crossed: TwoWayBootstrap) -> tuple[np.ndarray, np.ndarray]:
    people, things = zip(*crossed.weights, strict=True)
    return np.hstack(people).astype(int), np.hstack(things).astype(int)


def test_weights_are_poisson_numbers_and_the_same_again() -> None:
    crossed = TwoWayBootstrap(np.zeros(1, int), np.zeros(1, int), 4000, 3000, 60, 1)
    people, things = all_weights(crossed)
    assert people.shape == (4000, 60)
    assert things.shape == (3000, 60)
    for weights in (people, things):
        n = weights.size
        assert weights.mean() == pytest.approx(1.0, abs=4 / n**0.5)
        assert weights.var() == pytest.approx(1.0, abs=4 * (3.0 / n) ** 0.5)
        assert (weights == 0).mean() == pytest.approx(np.exp(-1), abs=4 * 0.5 / n**0.5)
        assert (weights == np.round(weights)).all()
    np.testing.assert_array_equal(people, all_weights(crossed)[0])
    assert (people != all_weights(TwoWayBootstrap(np.zeros(1, int), np.zeros(1, int), 4000, 3000, 60, 2))[0]).any()
    assert abs(np.corrcoef(people[:3000].ravel(), things.ravel())[0, 1]) < 0.01


def test_sums_beside_loops() -> None:
    annotations, p, group = made(3, 2)
    deltas = ConformityDeltas.from_labels(annotations, p, majority_labels(annotations))
    crossed = crossing(deltas.annotations)
    found = crossed.sums(deltas.columns, group, 3)
    people, things = all_weights(crossed)
    dense = deltas.columns.toarray()
    assert found.shape == (60, 4, 5)
    for draw in range(0, 60, 7):
        expected = np.zeros((4, 5))
        for row, (item, annotator, _) in enumerate(rows(deltas.annotations)):
            part = people[annotator, draw] * things[item, draw] * dense[row]
            expected[3] += part
            if group[annotator] >= 0:
                expected[group[annotator]] += part
        np.testing.assert_allclose(found[draw], expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("cells", [1, 1 << 10, 1 << 18])
def test_pairs_beside_loops(cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever number of items is folded at a time."""
    monkeypatch.setattr(two_way_bootstrap, "CELLS", cells)
    annotations, _, group = made(3, 2)
    crossed = crossing(annotations, 30)
    found = crossed.folded(*label_strata(annotations, group, 3), pair_tables)
    people, things = all_weights(crossed)
    grouped: dict[int, list] = {}
    for item, annotator, label in rows(annotations):
        grouped.setdefault(item, []).append((annotator, label))
    for draw in (0, 11, 29):
        expected = np.zeros((4, 4, 3, 3))
        for item, said in grouped.items():
            for (a, y), (b, z) in permutations(said, 2):
                weight = things[item, draw] * people[a, draw] * people[b, draw]
                for g in {group[a], 3} - {-1}:
                    for h in {group[b], 3} - {-1}:
                        expected[g, h, y, z] += weight
        np.testing.assert_allclose(found[draw], expected, rtol=1e-6)


@pytest.mark.parametrize("at_a_time", [1, 50, 1 << 11])
@pytest.mark.parametrize("most", [1, 1 << 27])
def test_pairs_of_cells_beside_folded_ones(at_a_time: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many cells and draws are taken at a time; items have up to some thirty labels of one kind."""
    monkeypatch.setattr(label_pairs, "CELLS_AT_A_TIME", at_a_time)
    monkeypatch.setattr(poisson_weights, "MOST_WEIGHTS", most)
    monkeypatch.setattr(poisson_weights, "_SHARED", {})
    annotations, _, group = made(3, 2)
    strata, shape = label_strata(annotations, group, 3)
    crossed = crossing(annotations, 60)
    found = crossed.pairs(strata, shape)
    assert found.shape == (60, 4, 4, 3, 3)
    np.testing.assert_allclose(found, crossed.folded(strata, shape, pair_tables), rtol=1e-6)


def test_no_labels_make_no_pairs() -> None:
    nobody = np.zeros(0, dtype=np.int64)
    assert not TwoWayBootstrap(nobody, nobody, 2, 3, 20).pairs(nobody, (3, 2)).any()


def test_weights_are_made_once_for_the_same_people_and_items() -> None:
    one, same = (TwoWayBootstrap(np.array([0]), np.array([0]), 6, 5, 30, 4) for _ in range(2))
    assert one.weights is same.weights
    assert next(iter(one.weights))[0] is next(iter(same.weights))[0]
    assert one.weights is not TwoWayBootstrap(np.array([0]), np.array([0]), 6, 5, 30, 5).weights


def test_a_draw_of_ones_is_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    annotations, p, group = made(2, 6)
    monkeypatch.setattr(poisson_weights, "_poisson", lambda rng, size, draws: np.ones((size, draws)))
    monkeypatch.setattr(poisson_weights, "_SHARED", {})
    deltas = ConformityDeltas.from_labels(annotations, p, majority_labels(annotations))
    found = crossing(deltas.annotations, 2).sums(deltas.columns, group, 3)
    np.testing.assert_allclose(found[1], sums_by_group(deltas.annotations, deltas.columns, group, 3), atol=1e-12)
    counts = label_counts(annotations, group, 3)
    for fold, number in ((pair_tables, KAPPA), (coincidences, ALPHA), (item_shares, AC1)):
        drawn = crossing(annotations, 2).folded(*label_strata(annotations, group, 3), fold)
        np.testing.assert_allclose(drawn[0], fold_unweighted(fold, counts), rtol=1e-5)
        place = (0, 1) if fold is pair_tables else (0,)
        assert number.drawn(drawn[(slice(None), *place)])[0] == pytest.approx(
            number.of(fold_unweighted(fold, counts)[place]), abs=1e-5
        )


def test_alpha_of_people_drawn_twice_does_not_pair_them_with_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """If everybody weighs two, no pair is new: agreement stays what it was."""
    annotations, _, group = made(3, 6)
    counts = label_counts(annotations, group, 3)
    twos = 2.0 * counts, 4.0 * counts
    weights = np.ones((1, ITEMS))
    for fold, number in ((pair_tables, KAPPA), (item_shares, AC1)):
        place = (3, 3) if fold is pair_tables else (3,)
        assert number.of(fold(*twos, weights)[0][place]) == pytest.approx(
            number.of(fold_unweighted(fold, counts)[place])
        )
    own = brute.alpha(rows(annotations))
    assert ALPHA.of(coincidences(*twos, weights)[0][3]) == pytest.approx(own, abs=0.01)  # but for its n − 1


def test_effective_number_of_people() -> None:
    assert effective_number([7, 7, 7]) == pytest.approx(3.0)
    assert effective_number([100, 1, 1]) == pytest.approx(102**2 / 10002)
    with pytest.raises(Undefined, match=r"^there are no labels$"):
        effective_number([0, 0])


def test_interval() -> None:
    drawn = 0.5 + 0.2 * stats.norm.ppf((np.arange(4001) + 0.5) / 4001)
    low, high = two_way_interval(drawn, 0.5, level=0.9, size=1e9)
    assert (low, high) == pytest.approx((0.5 - 0.2 * 1.644854, 0.5 + 0.2 * 1.644854), abs=1e-4)
    few_low, few_high = two_way_interval(drawn, 0.5, level=0.9, size=5, bounds=(-2.0, 2.0))
    reach = 0.2 * 2.1318467863 * (5 / 4) ** 0.5
    assert (few_low, few_high) == pytest.approx((0.5 - reach, 0.5 + reach), abs=1e-3)
    assert two_way_interval(drawn, 1.2, level=0.9, size=1e9, bounds=(-1.0, 1.0))[1] == 1.2
    assert two_way_interval(drawn, 0.5, level=0.9, size=2, bounds=(0.0, 1.0)) == (0.0, 1.0)
    with pytest.raises(Undefined, match=r"^only 19 bootstrap samples have a value$"):
        two_way_interval(drawn[:19], 0.5, level=0.9, size=5)
    with pytest.raises(Undefined, match=r"^all labels are from one annotator or one item$"):
        two_way_interval(drawn, 0.5, level=0.9, size=1.0)


def test_draws_without_a_value_are_left_out() -> None:
    columns = sparse.csc_array(np.ones((2, 2)))
    crossed = TwoWayBootstrap(np.array([0, 1]), np.array([0, 1]), 2, 2, 400, 0)
    drawn = MEAN_DELTA.drawn(crossed.sums(columns, np.array([0, 1]), 2)[:, 0])
    nothing = 1 - (1 - np.exp(-1)) ** 2  # the person or the item is not drawn
    assert len(drawn) == pytest.approx(400 * (1 - nothing), abs=4 * (400 * nothing * (1 - nothing)) ** 0.5)
    assert (drawn == 1.0).all()


def test_wrong_arguments() -> None:
    with pytest.raises(InputError, match=r"^annotators and items must be equally many: one of each per label$"):
        TwoWayBootstrap(np.array([0]), np.array([0, 1]), 1, 2)
    crossed = TwoWayBootstrap(np.array([0]), np.array([0]), 1, 1)
    with pytest.raises(InputError, match=r"^groups must be a number from 0 to 1, or -1, for each annotator$"):
        crossed.sums(sparse.csc_array(np.ones((1, 1))), np.array([2]), 2)
    with pytest.raises(InputError, match=r"^columns must have one row per label$"):
        crossed.sums(sparse.csc_array(np.ones((2, 1))), np.array([0]), 2)
    with pytest.raises(InputError, match=r"^there must be at least one draw$"):
        TwoWayBootstrap(np.array([0]), np.array([0]), 1, 1, replicates=0)


def test_weights_are_quantiles_of_the_poisson_distribution() -> None:
    """Each of the 2¹⁶ values of sixteen bits stands for the middle of its share."""
    middles = (np.arange(1 << 16) + 0.5) / (1 << 16)
    np.testing.assert_array_equal(poisson_weights.QUANTILES, stats.poisson(1.0).ppf(middles))


def test_an_interval_ends_at_minus_one_and_one_unless_told_otherwise() -> None:
    assert two_way_interval(np.linspace(-3.0, 3.0, 201), 0.0, level=0.9, size=1e9) == (-1.0, 1.0)


def test_labels_per_annotator_and_item() -> None:
    crossed = TwoWayBootstrap(np.array([0, 0, 2]), np.array([1, 0, 1]), 4, 3)
    assert [loads.tolist() for loads in crossed.loads] == [[2, 0, 1, 0], [1, 2, 0]]
    assert (crossed.replicates, crossed.seed) == (two_way_bootstrap.REPLICATES, 0)
    assert two_way_bootstrap.REPLICATES == 200
