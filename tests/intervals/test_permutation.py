"""Permutation of groups over annotators: what is shuffled, p-values by hand, and P(p ≤ α) ≤ α by simulation."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from evenhand.errors import InputError, Undefined
from evenhand.intervals import permutation
from evenhand.intervals.permutation import PERMUTATIONS, PermutationTest, permutation_test, sums_of_groups
from evenhand.measures.perspective.divergence import composition, demographic_divergence, divergences

PEOPLE = 60


def each(statistic):
    """A statistic of one permutation, for many."""
    return lambda codes: [statistic(row) for row in codes]


def test_every_permutation_by_hand() -> None:
    """Six people: the share of all 720 orders that reach the value, within simulation error."""
    what, group = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0]), np.array([0, 0, 0, 1, 1, 1])

    def apart(g: np.ndarray) -> float:
        return abs(what[g == 1].mean() - what[g == 0].mean())

    exact = np.mean([apart(np.array(order)) >= apart(group) for order in permutations(group)])
    found = permutation_test(each(apart), group, permutations=4000, seed=1)
    assert exact == pytest.approx(0.1)
    assert found.p[0] == pytest.approx(exact, abs=4 * (0.1 * 0.9 / 4000) ** 0.5)
    every = np.mean([apart(np.array(order)) for order in permutations(group)])
    assert found.mean() == pytest.approx(every, rel=0.03)


def test_one_is_added_above_and_below() -> None:
    drawn = np.array([[0.1, 3.0], [0.5, 1.0], [0.3, 2.0], [0.5 * (1 - 1e-15), 0.0]])
    assert PermutationTest(np.array([0.5, 4.0]), drawn).p.tolist() == [3 / 5, 1 / 5]


def test_only_members_move_and_only_within_their_stratum() -> None:
    rng = np.random.default_rng(0)
    group, strata = rng.integers(-1, 3, PEOPLE), rng.integers(0, 4, PEOPLE)
    seen = []
    permutation_test(each(lambda g: seen.append(g) or 0.0), group, strata=strata, permutations=50)
    before, *after = seen
    assert before.tolist() == group.tolist()
    assert len({tuple(g) for g in after}) == 50
    for found in after:
        assert ((found < 0) == (group < 0)).all()
        for stratum in range(4):
            assert sorted(found[strata == stratum]) == sorted(group[strata == stratum])
    moved = (np.array(after) != group)[:, group >= 0].mean(axis=0)
    assert moved.min() > 0.2


def test_the_seed_decides() -> None:
    cluster, group = np.arange(PEOPLE) % 4, np.arange(PEOPLE) % 3
    one, same, other = (permutation_test(_jsd(cluster), group, permutations=30, seed=s).drawn for s in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()


def _jsd(cluster: np.ndarray):
    return each(lambda g: demographic_divergence(composition(cluster, g, clusters=4, groups=3)))


def pvalues(shift: float, strata_effect: float, *, within: bool, runs: int = 300) -> np.ndarray:
    """Of a group's divergence of signs, over worlds in which a group differs by `shift` and a country by its effect."""
    found = []
    for seed in range(runs):
        rng = np.random.default_rng([seed, 7])
        country = np.arange(PEOPLE) % 2
        group = (rng.random(PEOPLE) < np.where(country, 0.8, 0.2)).astype(int)
        rate = np.clip(0.2 + 0.05 * rng.standard_normal(PEOPLE) + shift * group + strata_effect * country, 0.01, 0.6)
        below, above = rng.binomial(30, rate), rng.binomial(30, 0.15, PEOPLE)
        signs = np.column_stack((below, np.full(PEOPLE, 60), above))

        def statistic(codes: np.ndarray, signs: np.ndarray = signs) -> np.ndarray:
            return divergences(sums_of_groups(signs, codes, 2), smoothing=0.5)

        tested = permutation_test(statistic, group, strata=country if within else None, permutations=59, seed=seed)
        found.append(tested.p[0])
    return np.array(found)


@pytest.mark.verify
def test_keeps_its_level_under_the_null_and_finds_a_planted_effect() -> None:
    null = pvalues(0.0, 0.0, within=False)
    for alpha in (0.05, 0.1, 0.2, 0.5):
        assert (null <= alpha + 1e-9).mean() <= alpha + 3 * (alpha * (1 - alpha) / len(null)) ** 0.5
    assert null.mean() == pytest.approx(0.5, abs=0.06)
    assert (pvalues(0.1, 0.0, within=False, runs=60) <= 0.05).mean() > 0.9


@pytest.mark.verify
def test_strata_keep_the_level_where_countries_differ() -> None:
    """Groups live in different countries: shuffling across them finds what is not there."""
    assert (pvalues(0.0, 0.15, within=False, runs=80) <= 0.05).mean() > 0.5
    inside = pvalues(0.0, 0.15, within=True)
    assert (inside <= 0.05 + 1e-9).mean() <= 0.05 + 3 * (0.05 * 0.95 / len(inside)) ** 0.5
    assert (pvalues(0.12, 0.15, within=True, runs=60) <= 0.05).mean() > 0.8


def test_what_has_no_value() -> None:
    signs = np.array([[0, 5, 1]] * 5 + [[1, 4, 1]])
    statistic = each(lambda g: divergences([signs[g == 0].sum(axis=0), signs.sum(axis=0)]))
    with pytest.raises(Undefined, match=r"^the divergence is undefined: use smoothing$"):
        permutation_test(statistic, np.array([0, 0, 0, 1, 1, 1]))
    lucky = permutation_test(statistic, np.array([1, 1, 1, 0, 0, 0]), permutations=99)
    assert lucky.p[0] >= 0.4
    with pytest.raises(Undefined, match=r"^the divergence is undefined in some permutations: use smoothing$"):
        lucky.mean()
    with pytest.raises(InputError, match="one whole number per annotator"):
        permutation_test(statistic, np.array([0.5, 1.0]))
    with pytest.raises(InputError, match=r"^strata must be one whole number per annotator$"):
        permutation_test(statistic, np.array([0, 1]), strata=[0])


def test_a_small_value_is_reached_by_what_is_as_large_alone() -> None:
    small = 1e-7
    drawn = np.array([[small * (1 - 1e-4)], [small * (1 - 1e-14)], [small], [2 * small]])
    assert PermutationTest(np.array([small]), drawn).p.tolist() == [4 / 5]


def test_sums_of_groups_beside_masks() -> None:
    rng = np.random.default_rng(4)
    table, codes = rng.standard_normal((PEOPLE, 3)), rng.integers(-1, 4, (7, PEOPLE))
    sums = sums_of_groups(table, codes, 4)
    for row, code in zip(sums, codes, strict=True):
        by_mask = [table[code == group].sum(axis=0) for group in range(4)]
        np.testing.assert_allclose(row, [*by_mask, table.sum(axis=0)], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("at_a_time", [1, 7 * PEOPLE, 1 << 21])
def test_how_many_are_shuffled_at_a_time_changes_nothing(at_a_time: int, monkeypatch: pytest.MonkeyPatch) -> None:
    group, strata = np.arange(PEOPLE) % 3, np.arange(PEOPLE) % 5
    signs = np.random.default_rng(0).integers(0, 9, (PEOPLE, 3))

    def statistic(codes: np.ndarray) -> np.ndarray:
        return divergences(sums_of_groups(signs, codes, 3), smoothing=0.5)

    usual = permutation_test(statistic, group, strata=strata, permutations=40).drawn
    monkeypatch.setattr(permutation, "CODES_AT_A_TIME", at_a_time)
    np.testing.assert_array_equal(permutation_test(statistic, group, strata=strata, permutations=40).drawn, usual)


def test_ten_thousand_permutations_unless_declared_otherwise() -> None:
    drawn = permutation_test(lambda codes: (codes[:, :3] == 0).sum(axis=1), np.arange(9) % 3).drawn
    assert len(drawn) == PERMUTATIONS == 10_000
    assert drawn.mean() == pytest.approx(1.0, abs=0.04)  # three of nine, in each of three places


def test_groups_in_many_strata_are_exchanged_in_pairs() -> None:
    """Every pair of a stratum is exchanged half of the time, each by itself."""
    group, strata = np.tile([0, 1], 500), np.repeat(np.arange(500), 2)
    seen: list[np.ndarray] = []
    permutation_test(lambda codes: seen.append(codes) or np.zeros(len(codes)), group, strata=strata, permutations=400)
    codes = np.concatenate(seen[1:])
    assert (codes[:, ::2] + codes[:, 1::2] == 1).all()
    exchanged = codes[:, ::2] == 1
    assert exchanged.mean() == pytest.approx(0.5, abs=0.005)
    assert np.abs(exchanged.mean(axis=0) - 0.5).max() < 0.13
    assert np.abs(exchanged.mean(axis=1) - 0.5).max() < 0.1
