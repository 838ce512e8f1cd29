"""Which items are reviewed: by hand, against selection over all orders of ties, and online against offline."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.routing import ColumnStrategy, HybridStrategy, parse_strategy
from evenhand.routing.strategies import STRATEGIES, TOXICITY, UNCERTAINTY

COARSE = st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0]), min_size=1, max_size=6)


def two_stages(p: list[float], k: int, part: float, first: tuple[int, ...], second: tuple[int, ...]) -> set[int]:
    """From the definition, ties of each stage settled by an order of its own."""
    high = sorted(first, key=lambda i: -p[i])[: math.floor(part * k + 1e-9)]
    rest = [i for i in second if i not in high]
    return {*high, *sorted(rest, key=lambda i: -round(p[i] * (1 - p[i]), 9))[: k - len(high)]}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]), min_size=1, max_size=4),
    st.data(),
    st.sampled_from([0.0, 0.3, 0.5, 1.0]),
)
def test_shares_are_the_mean_over_all_orders_of_ties(p: list[float], data: st.DataObject, part: float) -> None:
    k = data.draw(st.integers(0, len(p)))
    mean, orders = np.zeros(len(p)), list(itertools.permutations(range(len(p))))
    for first, second in itertools.product(orders, orders):
        mean[list(two_stages(p, k, part, first, second))] += 1.0 / len(orders) ** 2
    assert HybridStrategy(part).shares_reviewed(p, k) == pytest.approx(mean, abs=1e-9)


def test_by_hand() -> None:
    p = [0.9, 0.5, 0.4, 0.6, 0.1]
    assert UNCERTAINTY.review_score(p) == pytest.approx([0.09, 0.25, 0.24, 0.24, 0.09])
    assert UNCERTAINTY.shares_reviewed(p, 2).tolist() == [0.0, 1.0, 0.5, 0.5, 0.0]
    assert TOXICITY.shares_reviewed(p, 2).tolist() == [1.0, 0.0, 0.0, 1.0, 0.0]
    assert HybridStrategy(0.5).shares_reviewed(p, 2).tolist() == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert UNCERTAINTY.shares_reviewed(p, 9).tolist() == [1.0] * 5
    assert UNCERTAINTY.shares_reviewed(p, 2, counts=[1, 1, 2, 0, 1])[:3].tolist() == [0.0, 1.0, 0.5]


def test_a_share_of_29_per_cent_of_100_is_29() -> None:
    p = np.linspace(0.0, 1.0, 200)
    high = HybridStrategy(0.29).shares_reviewed(p, 100) * (p > 0.8)
    assert high.sum() == 29


@pytest.mark.parametrize("part", [0.0, 0.2, 0.37, 0.5, 1.0])
def test_the_order_of_a_mixture_begins_with_its_selections(part: float) -> None:
    p = np.random.default_rng(3).random(60)
    order = np.argsort(-HybridStrategy(part).review_score(p))
    for k in range(61):
        assert set(order[:k]) == set(np.flatnonzero(HybridStrategy(part).shares_reviewed(p, k)))


def test_turns_of_a_mixture_keep_its_proportion() -> None:
    strategy = HybridStrategy(0.3)
    turns = [strategy.turn(number) is TOXICITY for number in range(1000)]
    for reviews in (1, 10, 99, 1000):
        assert sum(turns[:reviews]) == math.floor(0.3 * reviews + 1e-9)
    assert UNCERTAINTY.turn(7) is UNCERTAINTY


@pytest.mark.parametrize("strategy", [UNCERTAINTY, TOXICITY, HybridStrategy(0.3)])
@settings(max_examples=40, deadline=None)
@given(p=COARSE, data=st.data())
def test_properties(strategy, p: list[float], data: st.DataObject) -> None:
    k = data.draw(st.integers(0, len(p)))
    shares = strategy.shares_reviewed(p, k)
    assert shares.sum() == pytest.approx(k)
    assert shares.min() >= 0.0
    assert shares.max() <= 1.0
    again = data.draw(st.permutations(range(len(p))))
    assert strategy.shares_reviewed([p[i] for i in again], k) == pytest.approx(shares[list(again)])
    assert (strategy.shares_reviewed(p, k + 1) >= shares - 1e-12).all()


def test_one_item_online() -> None:
    assert UNCERTAINTY.review_score(0.2) == pytest.approx([0.16])
    assert ColumnStrategy("variance").review_score(0.2, 0.03).tolist() == [0.03]


def test_supplied_columns_have_a_direction() -> None:
    p, confidence = [0.5] * 3, [0.9, 0.2, 0.4]
    assert parse_strategy("column:confidence:lower").shares_reviewed(p, 1, confidence).tolist() == [0, 1, 0]
    assert parse_strategy("column:confidence:higher").shares_reviewed(p, 1, confidence).tolist() == [1, 0, 0]
    assert ColumnStrategy("v").shares_reviewed(p, 1, [1e-15, 2e-15, 0]).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    "words",
    [
        "uncertainty",
        "toxicity",
        "hybrid:0.3",
        "column:u",
        "column:c:lower",
        "column:a:b",
        "below-threshold:0.8",
        "benefit:0.8:1:5",
    ],
)
def test_words_and_strategies_say_the_same(words: str) -> None:
    assert parse_strategy(words).name == str(parse_strategy(words)) == words
    assert words.partition(":")[0] in STRATEGIES


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("uncertianty", "did you mean 'uncertainty'?"),
        ("", "choose from: below-threshold, benefit, column, hybrid"),
        ("hybrid:1.3", "from 0 to 1, not 1.3"),
        ("hybrid:nan", "from 0 to 1, not nan"),
        ("hybrid:much", "as in 'hybrid:0.3'"),
        ("toxicity:2", "takes no argument after a colon"),
        ("column:", "name the column"),
        ("below-threshold:much", "as in|write, for example, 'below-threshold:0.8'"),
        ("below-threshold:2", "from 0 to 1, not 2"),
        ("benefit:0.5:1:2:3", "write, for example, 'benefit:0.8:1:5'"),
        ("benefit:0.5:-1", "a cost of a strategy"),
    ],
)
def test_words_that_are_no_strategy(words: str, said: str) -> None:
    with pytest.raises(InputError, match=said.replace("?", r"\?")):
        parse_strategy(words)


def test_bad_input_is_one_line() -> None:
    for call, said in (
        (lambda: UNCERTAINTY.shares_reviewed([0.1, math.nan], 1), "column 'p', row 2: the value is missing"),
        (lambda: TOXICITY.review_score([1.2]), "a probability lies between 0 and 1"),
        (lambda: TOXICITY.review_score(["a"]), "not all numbers"),
        (lambda: TOXICITY.review_score([[0.1]]), "a table of 2 dimensions"),
        (lambda: TOXICITY.shares_reviewed([0.1], -1), "must be 0 items or more, not -1"),
        (lambda: TOXICITY.shares_reviewed([0.1], math.nan), "must be 0 items or more, not nan"),
        (lambda: TOXICITY.shares_reviewed([0.1], 1, counts=[-1]), "cannot be negative"),
        (
            lambda: ColumnStrategy("u").shares_reviewed([0.1], 1),
            "column 'u': the strategy needs the values of this column",
        ),
        (lambda: ColumnStrategy("u").shares_reviewed([0.1], 1, [1, 2]), "2 values for 1 items"),
    ):
        with pytest.raises(InputError) as error:
            call()
        assert said in str(error.value)
        assert "\n" not in str(error.value)


def test_nothing_to_review() -> None:
    assert TOXICITY.shares_reviewed([], 3).tolist() == []
    assert HybridStrategy().review_score([]).tolist() == []


def test_below_a_threshold_the_highest_scores_come_first() -> None:
    p = [0.95, 0.81, 0.79, 0.3, 0.0]
    order = np.argsort(-parse_strategy("below-threshold:0.8").review_score(p), kind="stable")
    assert order.tolist() == [2, 3, 4, 1, 0]


def test_a_benefit_is_what_a_review_changes_on_average() -> None:
    """By simulation: the cost that is saved when one item is reviewed by somebody who is always right."""
    rng, strategy = np.random.default_rng(0), parse_strategy("benefit:0.6:2:5")
    for p in (0.1, 0.55, 0.6, 0.9):
        violating = rng.random(100_000) < p
        saved = np.where(violating, 0.0, 2.0) if p >= 0.6 else np.where(violating, 5.0, 0.0)
        assert strategy.review_score(p)[0] == pytest.approx(saved.mean(), abs=0.05)
