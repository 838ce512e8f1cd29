"""Strata and allocations: published figures, brute force, and what must not depend on anything."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.sampling import allocation, strata
from evenhand.sampling.frame import SamplingFrame
from evenhand.sampling.strata import Strata
from evenhand.sampling.stratified import StratifiedDesign
from sampling.made import SCORE

W, P = [0.80, 0.10, 0.05, 0.01, 0.04], np.array([0.0005, 0.005, 0.01, 0.05, 0.0025])
SIZES = (np.array(W) * 10**6).astype(int)


def test_the_published_allocation() -> None:
    found = allocation.optimal_allocation(4000, SIZES, np.sqrt(P * (1 - P)))
    assert found.tolist() == [2098, 828, 584, 256, 234]
    assert np.dot(W, P) == pytest.approx(0.002, abs=5e-7)
    assert np.sqrt(np.sum(np.square(W) * P * (1 - P) / found)) == pytest.approx(0.000539, abs=5e-7)


def test_no_other_allocation_is_better_than_the_optimal_one() -> None:
    sizes, p = np.array([60, 30, 10]), np.array([0.02, 0.1, 0.5])
    found = allocation.optimal_allocation(20, sizes, np.sqrt(p * (1 - p)))

    def variance(n: tuple[int, ...]) -> float:
        return sum((size / 100) ** 2 * q * (1 - q) / k for size, q, k in zip(sizes, p, n, strict=True))

    everything = (n for n in itertools.product(range(1, 19), repeat=3) if sum(n) == 20 and n[2] <= 10)
    assert variance(tuple(found)) <= min(variance(n) for n in everything) * 1.01


@pytest.mark.parametrize("seed", range(30))
def test_allocations_add_up_within_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 60, 7)
    n = int(rng.integers(14, sizes.sum() + 1)) if sizes.sum() > 14 else int(sizes.sum())
    for found in (
        allocation.equal_allocation(n, sizes, least=2),
        allocation.proportional_allocation(n, sizes, least=2),
        allocation.optimal_allocation(n, sizes, rng.random(7) ** 4, least=2),
        allocation.optimal_allocation(n, sizes, np.zeros(7), least=2),
    ):
        assert found.sum() == n
        assert (found <= sizes).all()
        assert (found >= np.minimum(sizes, 2)).all()


def test_an_allocation_is_in_proportion_where_no_bound_is_hit() -> None:
    assert allocation.equal_allocation(80, [100] * 8).tolist() == [10] * 8
    assert allocation.proportional_allocation(100, [500, 300, 200]).tolist() == [50, 30, 20]
    assert allocation.optimal_allocation(100, [500, 500], [0.1, 0.3]).tolist() == [25, 75]
    assert allocation.optimal_allocation(100, [50, 950], [0.5, 0.01]).tolist() == [50, 50]  # all of the first


def test_a_pilot_is_kept_and_never_certain() -> None:
    found = allocation.allocation_after_pilot(400, [1000] * 4, [50] * 4, [0, 0, 5, 25])
    p = (np.array([0, 0, 5, 25]) + 1) / 52
    wanted = 400 * np.sqrt(p * (1 - p)) / np.sqrt(p * (1 - p)).sum()
    assert np.all(found == np.maximum(np.round(wanted), 50))
    assert found.sum() >= 400


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda: allocation.equal_allocation(10, [3, 3]),
            "10 labels requested, but there are only 6 items: label all of them (a census)",
        ),
        (lambda: allocation.equal_allocation(1, [3, 3]), "1 labels are too few for 2 strata: at least 2 are needed"),
        (lambda: allocation.equal_allocation(4, [3, 0]), "column 'sizes', row 2: a whole number from 1 up is needed"),
        (
            lambda: allocation.optimal_allocation(4, [3, 3], [1, -1]),
            "column 'deviations', row 2: a standard deviation cannot be negative",
        ),
        (lambda: allocation.optimal_allocation(4, [3, 3], [1]), "column 'deviations': there are 1 values for 2 items"),
        (
            lambda: allocation.allocation_after_pilot(4, [3, 3], [1, 1], [2, 0]),
            "column 'violating', row 1: there are more violating items than labelled ones",
        ),
        (
            lambda: strata.quantile_strata([0.1, float("nan")], 2),
            "column 'score', row 2: the value is missing or not finite",
        ),
        (lambda: strata.equal_width_strata([0.1, 1.2], 2), "column 'score', row 2: a probability lies between 0 and 1"),
        (lambda: strata.quantile_strata([], 2), "there are no items to put into strata"),
        (lambda: strata.quantile_strata([0.1], 0), "the number of strata must be a whole number from 1 up, not 0"),
        (
            lambda: strata.oracle_strata([0.1, 0.2], [0, 1], 3),
            "invalid number of oracle strata: 3 (must be a power of two)",
        ),
        (lambda: strata.column_strata({}), "name at least one column for the strata"),
        (
            lambda: strata.cross_strata(strata.quantile_strata([0.1], 1), strata.quantile_strata([0.1, 0.2], 1)),
            "strata of 1 and of 2 items cannot be crossed",
        ),
    ],
)
def test_wrong_arguments_are_named(wrong, message) -> None:
    with pytest.raises(InputError) as raised:
        wrong()
    assert str(raised.value) == message


def test_more_labels_than_items_is_a_census() -> None:
    with pytest.raises(
        InputError, match=r"^7 labels requested, but there are only 6 items: label all of them \(a census\)$"
    ):
        allocation.equal_allocation(7, [3, 3])


def test_equal_width() -> None:
    found = strata.equal_width_strata([0.0, 0.24, 0.25, 0.5, 0.99, 1.0], 4)
    assert found.codes.tolist() == [0, 0, 1, 2, 3, 3]
    assert strata.equal_width_strata([0.0, 0.9], 10).names == ("score lowest to 0.1", "score 0.9 to highest")


def test_quantile_parts_are_equal_and_ties_stay_together() -> None:
    rng = np.random.default_rng(1)
    score = rng.random(8000)
    assert strata.quantile_strata(score, 8).sizes.tolist() == [1000] * 8
    tied = np.round(score, 1)
    found = strata.quantile_strata(tied, 8)
    for value in np.unique(tied):
        assert len(set(found.codes[tied == value])) == 1
    order = rng.permutation(8000)
    assert (strata.quantile_strata(tied[order], 8).codes == found.codes[order]).all()
    assert len(strata.quantile_strata(np.zeros(10), 8)) == 1


def cost(codes: np.ndarray, label: np.ndarray) -> float:
    return sum(np.sum(codes == c) * label[codes == c].std() for c in np.unique(codes))


def test_the_oracle_splits_where_the_variance_falls_most() -> None:
    rng = np.random.default_rng(5)
    score = np.round(rng.random(60), 2)
    label = (rng.random(60) < score**2).astype(float)
    best = min(cost((score >= edge).astype(int), label) for edge in np.unique(score))
    assert cost(strata.oracle_strata(score, label, 2).codes, label) == pytest.approx(best)
    eight = strata.oracle_strata(score, label, 8)
    assert cost(eight.codes, label) <= cost(strata.oracle_strata(score, label, 4).codes, label) <= best
    assert len(eight) <= 8
    assert len(strata.oracle_strata(score, label, 1)) == 1


def test_columns_and_crossing() -> None:
    both = strata.column_strata({"language": ["de", "fr", "de", "de"], "forum": [1, 1, 2, 1]})
    assert both.names == ("language=de, forum=1", "language=de, forum=2", "language=fr, forum=1")
    assert both.sizes.tolist() == [2, 1, 1]
    crossed = strata.cross_strata(both, strata.quantile_strata([0.1, 0.2, 0.3, 0.4], 2))
    assert crossed.sizes.sum() == 4
    assert both.prevalences([1, 0, 0, 0]).tolist() == [0.5, 0.0, 0.0]


def test_every_stratum_gets_a_label_unless_told_otherwise() -> None:
    for found in (
        allocation.proportional_allocation(10, [1000, 3]),
        allocation.optimal_allocation(10, [1000, 3], [0.5, 0.5]),
    ):
        assert found.tolist() == [9, 1]
    assert allocation.proportional_allocation(10, [1000, 3], least=0).tolist() == [10, 0]
    assert allocation.equal_allocation(4, [1000, 1, 1]).tolist() == [2, 1, 1]
    assert allocation.share_out(3, np.array([5.0, 0.0, 0.0]), np.array([9, 9, 9])).tolist() == [1, 1, 1]
    with pytest.raises(InputError) as raised:
        allocation.equal_allocation(2, [5, 5, 5])
    assert str(raised.value) == "2 labels are too few for 3 strata: at least 3 are needed"


def test_going_on_adds_what_is_lacking() -> None:
    items, drawn, spread = np.array([100, 100, 100]), np.array([10, 10, 40]), np.array([0.1, 0.3, 0.1])
    further = allocation.further_labels(100, items, drawn, spread)
    assert further.tolist() == [5, 35, 0]  # a quarter and three quarters of the sixty that the third stratum leaves
    assert (drawn + further).sum() == 100


def test_sizes_of_strata_are_checked() -> None:
    for wrong, said in (
        (
            lambda: allocation.allocation_after_pilot(4, [3, 0], [1, 1], [0, 0]),
            "column 'sizes', row 2: a whole number from 1 up is needed",
        ),
        (
            lambda: allocation.optimal_allocation(4, [3, 0], [1, 1]),
            "column 'sizes', row 2: a whole number from 1 up is needed",
        ),
        (
            lambda: allocation.equal_allocation(0, [3, 3]),
            "the number of labels must be a whole number from 1 up, not 0",
        ),
        (
            lambda: allocation.optimal_allocation(4, [3, 3], [1, np.nan]),
            "column 'deviations', row 2: the value is missing or not finite",
        ),
    ):
        with pytest.raises(InputError) as raised:
            wrong()
        assert str(raised.value) == said


def test_strata_of_no_items() -> None:
    with pytest.raises(InputError, match="no items to put into strata"):
        Strata.of([], [])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: strata.equal_width_strata([0.1, 1.2], 2), "column 'score', row 2: a probability lies between 0 and 1"),
        (lambda: strata.quantile_strata([0.1, np.nan], 2), "column 'score', row 2: the value is missing or not finite"),
        (
            lambda: strata.oracle_strata([0.1, np.nan], [0, 1], 2),
            "column 'score', row 2: the value is missing or not finite",
        ),
        (lambda: strata.oracle_strata([0.1, 0.2], [0], 2), "column 'label': there are 1 values for 2 items"),
        (lambda: strata.equal_width_strata([0.1], 0), "the number of strata must be a whole number from 1 up, not 0"),
        (lambda: strata.oracle_strata([0.1], [0], 0), "the number of strata must be a whole number from 1 up, not 0"),
        (
            lambda: strata.quantile_strata([0.1, 0.2], 1).prevalences([1]),
            "column 'label': there are 1 values for 2 items",
        ),
        (lambda: Strata.of([-1], ["de"]), "column 'strata', row 1: a whole number from 0 up is needed"),
    ],
)
def test_columns_of_strata_are_named(wrong: Callable[[], object], said: str) -> None:
    with pytest.raises(InputError) as raised:
        wrong()
    assert str(raised.value) == said


def test_strata_of_one_group_that_is_not_the_first_and_their_names() -> None:
    frame = SamplingFrame.of(SCORE, by=Strata(np.ones(600, dtype=np.int64), ("de", "en")))
    assert StratifiedDesign("quantile", 4, "equal").fewest(frame) == 8
    assert strata.quantile_strata([0.1, 0.2, 0.3, 0.4], 2).names == ("score lowest to 0.3", "score 0.3 to highest")
    assert strata.equal_width_strata([0.1, 0.6], 2).names == ("score lowest to 0.5", "score 0.5 to highest")
