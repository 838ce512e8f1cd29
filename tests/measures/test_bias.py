"""The bias measures against pair-by-pair counting, and the shapes of the paper's Table 2."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import brute
from evenhand.errors import Undefined
from evenhand.measures import bias
from evenhand.synthetic.bias_shapes import SHAPES, scores_with_shape
from evenhand.tally import Membership, PlacedRows, Rows, Weights


def tally_of(score, label, inside, *, count=None, inclusion=None):
    """A tally with one group; `inside` may hold None."""
    known = np.array([x is not None for x in inside])
    rows = np.flatnonzero([bool(x) for x in inside]).astype(np.int32)
    member = Membership(rows, None if known.all() else known)
    weights = Weights.from_columns(count=count, inclusion=inclusion)
    return PlacedRows.from_rows(np.asarray(score), Rows(np.asarray(label, dtype=bool), {"g": member}, weights)).tally()


def drawn(seed: int, size: int, *, ties: int | None, missing: float = 0.0):
    rng = np.random.default_rng(seed)
    label, inside = rng.random(size) < 0.4, rng.random(size) < 0.3
    score = 1.2 * label + 0.6 * inside + rng.normal(size=size)
    score = score if ties is None else np.round(score * ties) / ties
    absent = rng.random(size) < missing
    return score, label, [None if gone else bool(x) for x, gone in zip(inside, absent, strict=True)]


@pytest.mark.parametrize("ties", [None, 10, 1], ids=["no ties", "ties", "heavy ties"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("missing", [0.0, 0.3], ids=["all annotated", "some not"])
def test_five_comparisons_equal_the_definition(ties, dtype, missing) -> None:
    score, label, inside = drawn(3, 700, ties=ties, missing=missing)
    score = score.astype(dtype)
    split = tally_of(score, label, inside).split("g")
    expected = brute.five(score, label, inside)
    for comparison in bias.COMPARISONS:
        assert comparison(split) == pytest.approx(expected[comparison.name], abs=1e-12), comparison.name


def test_weights_equal_the_definition() -> None:
    score, label, inside = drawn(4, 500, ties=5, missing=0.2)
    rng = np.random.default_rng(0)
    inclusion = rng.uniform(0.05, 1.0, len(score))
    split = tally_of(score, label, inside, inclusion=inclusion).split("g")
    expected = brute.five(score, label, inside, weight=1.0 / inclusion)
    for comparison in bias.COMPARISONS:
        assert comparison(split) == pytest.approx(expected[comparison.name], abs=1e-12)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(-3, 3), st.booleans(), st.sampled_from([True, False, None])), min_size=1, max_size=40
    )
)
def test_any_small_table_equals_the_definition_or_says_why(items) -> None:
    score, label, inside = (list(column) for column in zip(*items, strict=True))
    split = tally_of(np.asarray(score, dtype=float), label, inside).split("g")
    samples = {(x, y) for _, y, x in items if x is not None}
    for comparison in bias.COMPARISONS:
        wanted = {(s.inside, s.violating) for s in (comparison.high, comparison.low)}
        if wanted <= samples:
            sides = [
                [s for s, y, x in items if x is which.inside and y is which.violating]
                for which in (comparison.high, comparison.low)
            ]
            assert comparison(split) == pytest.approx(brute.auc(*sides) + comparison.shift, abs=1e-12)
        else:
            with pytest.raises(Undefined, match="there are no"):
                comparison(split)


@pytest.mark.verify
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_millions_of_distinct_scores_stay_exact(dtype) -> None:
    """1.8 M distinct scores: against ranks of exact integers, where float32 ranks of other tools drift by 3e-5."""
    rng = np.random.default_rng(8)
    size = 1_800_000
    label, inside = rng.random(size) < 0.08, rng.random(size) < 0.02
    score = rng.permutation(size).astype(np.float64)
    score += np.where(label, 0.3 * size, 0.0).round() + np.where(inside, 0.05 * size, 0.0).round()
    score = score.astype(dtype)
    split = tally_of(score, label, list(inside)).split("g")
    for comparison in bias.COMPARISONS:
        high, low = (
            (inside == which.inside) & (label == which.violating) for which in (comparison.high, comparison.low)
        )
        together = np.flatnonzero(high | low)
        _, inverse, n = np.unique(score[together], return_inverse=True, return_counts=True)
        before = np.concatenate(([0], np.cumsum(n)[:-1]))
        ranks = (2 * before + n + 1)[inverse]
        total = int(ranks[high[together]].sum())
        m, k = int(high.sum()), int(low.sum())
        expected = (total / 2 - m * (m + 1) / 2) / (m * k) + comparison.shift
        assert comparison(split) == pytest.approx(expected, abs=1e-9), comparison.name


# Table 2 of Borkan et al. 2019: Subgroup, BPSN, BNSP AUC, Negative and Positive AEG.
# "=" means at its ideal (an AUC of at least .985, a gap within .05), "<" below it, "+" and "-" a gap of that sign.
PATTERN = {
    "A": ("=", "=", "=", "+", "+"),
    "B": ("=", "<", "=", "+", "+"),
    "C": ("=", "<", "=", "+", "+"),
    "D": ("=", "=", "<", "-", "-"),
    "E": ("<", "=", "=", "+", "-"),
    "F": ("=", "=", "=", "=", "="),
    "G": ("<", "<", "<", "=", "="),
}
PRINTED = {  # the paper's own values
    "A": (1.0, 0.99, 1.0, 0.42, 0.42),
    "B": (1.0, 0.76, 1.0, 0.5, 0.5),
    "C": (1.0, 0.76, 1.0, 0.5, 0.5),
    "D": (1.0, 1.0, 0.77, -0.5, -0.5),
    "E": (0.93, 0.99, 0.99, 0.48, -0.48),
    "F": (1.0, 1.0, 1.0, 0.0, 0.0),
    "G": (0.92, 0.98, 0.97, 0.0, 0.0),
}


def sign(value: float, comparison: bias.AucComparison) -> str:
    if comparison.is_gap:
        return "=" if abs(value) < 0.05 else "+" if value > 0 else "-"
    return "=" if value >= 0.985 else "<"


@pytest.mark.parametrize("letter", SHAPES)
def test_the_shapes_of_table_2(letter: str) -> None:
    table = scores_with_shape(letter, rows=20_000, seed=2)
    split = tally_of(table["score"].to_numpy(), table["label"].to_numpy(), table["group"].to_list()).split("g")
    values = [comparison(split) for comparison in bias.COMPARISONS]
    assert tuple(sign(v, c) for v, c in zip(values, bias.COMPARISONS, strict=True)) == PATTERN[letter]
    assert values == pytest.approx(PRINTED[letter], abs=0.04)


def test_class_balance_changes_nothing() -> None:
    """C is B with a skewed class balance, and has the same numbers."""
    found = {}
    for letter in "BC":
        table = scores_with_shape(letter, rows=60_000, seed=4)
        split = tally_of(table["score"].to_numpy(), table["label"].to_numpy(), table["group"].to_list()).split("g")
        found[letter] = [comparison(split) for comparison in bias.COMPARISONS]
    assert found["B"] == pytest.approx(found["C"], abs=0.01)


def test_power_mean_leans_to_the_worst() -> None:
    values = [0.6, 0.9, 0.95]
    expected = (sum(v**-5 for v in values) / 3) ** (-1 / 5)
    assert bias.power_mean(values) == pytest.approx(expected, abs=1e-15)
    assert min(values) < expected < sum(values) / 3
    assert bias.power_mean([0.0, 0.9]) == 0.0
    with pytest.raises(Undefined):
        bias.power_mean([])


def test_power_mean_gradient_is_its_derivative() -> None:
    values, step = [0.6, 0.9, 0.95], 1e-7
    for index, slope in enumerate(bias.power_mean_gradient(values)):
        moved = [v + step * (i == index) for i, v in enumerate(values)]
        assert slope == pytest.approx((bias.power_mean(moved) - bias.power_mean(values)) / step, abs=1e-6)
    limit = bias.power_mean_gradient([0.0, 0.5])
    assert limit == pytest.approx([bias.power_mean([step, 0.5]) / step, 0.0], rel=1e-6)


def test_rank_spread_sees_what_the_comparisons_cannot() -> None:
    table = scores_with_shape("F", rows=20_000, seed=3)
    score, label = table["score"].to_numpy(), table["label"].to_numpy()
    wide = tally_of(score, label, table["group"].to_list()).split("g")
    anybody = tally_of(score, label, list(np.random.default_rng(0).random(len(score)) < 0.3)).split("g")
    for violating in (True, False):
        assert bias.rank_spread(wide, violating=violating) > 1.25
        assert bias.rank_spread(anybody, violating=violating) == pytest.approx(1.0, abs=0.05)
    split = tally_of(np.array([0.1, 0.2]), [True, False], [True, True]).split("g")
    with pytest.raises(Undefined):
        bias.rank_spread(split, violating=True)


def test_the_gradient_where_several_values_are_0_is_that_of_rising_together() -> None:
    slope = bias.power_mean_gradient([0.0, 0.0, 0.5, 0.9])
    step = 1e-6
    assert slope[2:] == [0.0, 0.0]
    assert sum(slope) == pytest.approx(bias.power_mean([step, step, 0.5, 0.9]) / step, rel=1e-6)


def split(label: list[int], member: list[int]):
    rows = Rows(np.array(label, dtype=bool), {"g": Membership(np.flatnonzero(member).astype(np.int32))})
    return PlacedRows.from_rows(np.linspace(0.1, 0.9, len(label)), rows).tally().split("g")


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
