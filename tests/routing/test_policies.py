"""Policies: thresholds by hand, against the definitions, and bad input in one line. Promises: tests/simulations."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from evenhand.errors import InputError
from evenhand.routing import Policy
from evenhand.routing.policies import clopper_pearson
from evenhand.routing.safety_p_values import (
    STAKES,
    betting_p_value,
    betting_rank,
    clustered_p_value,
    items_to_rank,
    items_to_reject,
    p_value_below_share,
    safe_rank,
)
from evenhand.routing.threshold_grids import DEFAULT_GRID, ThresholdGrid, grid_from_scores
from evenhand.routing.thresholds import choose


def sample(n: int = 3000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    p = rng.beta(0.3, 0.8, n)
    return p, rng.random(n) < 1.0 / (1.0 + ((1.0 - p) / np.maximum(p, 1e-9)) ** 2.5)


def test_ranks_are_the_largest_that_the_binomial_allows() -> None:
    for items in (1, 5, 28, 29, 200):
        for delta in (0.05, 0.1):
            fine = [k for k in range(1, items + 1) if binom.cdf(k - 1, items, 0.1) <= delta]
            assert safe_rank(items, 0.1, delta) == max(fine, default=0)
    assert safe_rank(0, 0.1, 0.1) == 0
    enough = items_to_rank(0.1, 0.05)
    assert (safe_rank(enough, 0.1, 0.05), safe_rank(enough - 1, 0.1, 0.05)) == (1, 0)
    assert enough == 29


def test_p_values_and_intervals_are_those_of_scipy() -> None:
    hits, items = np.array([0, 3, 10]), np.array([0, 40, 10])
    expected = [1.0, binomtest(3, 40, 0.1, alternative="less").pvalue, 1.0]
    assert p_value_below_share(hits, items, 0.1) == pytest.approx(expected)
    for k, n in ((0, 10), (3, 40), (10, 10)):
        interval = binomtest(k, n).proportion_ci(0.95, method="exact")
        found = clopper_pearson(k, n, 0.95, nothing="")
        assert (found.low, found.high) == pytest.approx((interval.low, interval.high))


def test_how_many_items_would_show_it() -> None:
    assert items_to_reject(0.0, 0.05, 0.1) == math.ceil(math.log(0.1) / math.log(0.95))
    assert items_to_reject(0.05, 0.05, 0.1) is None
    assert items_to_reject(0.05 - 1e-9, 0.05, 0.1) is None
    n = items_to_reject(0.02, 0.05, 0.1)
    assert n is not None
    assert binom.cdf(math.ceil(0.02 * n), n, 0.05) <= 0.1


def test_thresholds_by_hand() -> None:
    """Fifty right removals above .8 and then errors only: level .1 is kept by 45 items, so .8 is as low as it goes."""
    p = np.concatenate([np.linspace(0.8, 0.99, 50), np.linspace(0.5, 0.79, 50)])
    y = np.arange(100) < 50
    policy = choose(p, y, wrong_removals=0.05, grid=ThresholdGrid((0.9, 0.8, 0.7), (0.0, 1.0, 0.0)))
    assert (policy.upper, policy.lower, policy.n, policy.positives) == (0.8, None, 100, 50)
    assert [policy.decide(score) for score in (0.8, 0.79, 0.0)] == ["remove", "review", "review"]
    assert policy.notes == ()
    one = choose(p, y, wrong_removals=0.05, grid=ThresholdGrid((0.9, 0.8, 0.7), (1.0, 0.0, 0.0)))
    assert one.upper is None  # 26 items above .9 show nothing, and the level stays there


def test_levels_are_handed_on() -> None:
    grid = ThresholdGrid((0.9, 0.8, 0.7), (0.5, 0.5, 0.0))
    items, none = np.array([100, 200, 300]), np.array([0, 0, 0])
    assert grid.passed(items, none, 0.05, 0.1).tolist() == [True, True, True]
    assert grid.passed(items, np.array([9, 0, 0]), 0.05, 0.1).tolist() == [False, True, True]
    assert grid.passed(items, np.array([0, 30, 0]), 0.05, 0.1).tolist() == [True, False, False]


def test_violations_left_alone_are_an_order_statistic_of_theirs() -> None:
    p, y = sample()
    policy = choose(p, y, missed_violations=0.1)
    rank = safe_rank(int(y.sum()), 0.1, 0.1)
    assert policy.lower == np.sort(p[y])[rank - 1]
    assert policy.upper is None
    assert policy.decide(policy.lower) == "review"
    assert policy.decide(np.nextafter(policy.lower, 0)) == "leave"
    assert policy.examine(p, y).missed_violations.value == pytest.approx((rank - 1) / y.sum())


def test_two_promises_share_delta() -> None:
    p, y = sample()
    both = choose(p, y, wrong_removals=0.05, missed_violations=0.1, delta=0.1)
    assert both.upper == choose(p, y, wrong_removals=0.05, delta=0.05).upper
    assert both.lower == choose(p, y, missed_violations=0.1, delta=0.05).lower
    assert both.upper is not None
    assert both.lower is not None
    assert both.lower < both.upper


def test_thresholds_that_meet_leave_nothing_to_review() -> None:
    p = np.concatenate([np.full(500, 0.05), np.full(500, 0.95)])
    policy = choose(p, p > 0.5, wrong_removals=0.05, missed_violations=0.1)
    assert policy.lower == policy.upper == 0.95
    assert "nothing is left to review" in policy.notes[0]
    assert policy.decisions([0.05, 0.95]) == ["leave", "remove"]


def test_ties_are_left_to_people() -> None:
    """All violating items have one score: leaving it alone would miss all of them."""
    policy = choose([0.3] * 60 + [0.1] * 60, [1] * 60 + [0] * 60, missed_violations=0.1)
    assert policy.decisions([0.3, 0.1]) == ["review", "leave"]


def test_too_little_data_says_how_much_more() -> None:
    p, y = sample(60)
    policy = choose(p, y, wrong_removals=0.05, missed_violations=0.01)
    assert (policy.upper, policy.lower) == (None, None)
    assert policy.needed is not None
    assert policy.needed > 60
    assert "labelled items would be enough" in policy.notes[0]
    assert "299 violating items would be enough" in policy.notes[1]
    assert policy.decide(1.0) == "review"


def test_a_model_that_is_wrong_too_often_says_that_no_data_will_do() -> None:
    p, y = np.full(400, 0.99), np.arange(400) % 2 == 0
    policy = choose(p, y, wrong_removals=0.05)
    assert (policy.upper, policy.needed) == (None, None)
    assert "no number of labelled items" in policy.notes[0]


def test_a_rate_that_is_all_but_what_is_allowed_says_that_no_sample_would_do() -> None:
    """Of 10,000 removals 494 are wrong where 500 are allowed, and one item in ten is removed: millions would tell."""
    p, y = np.repeat([0.99, 0.1], [10_000, 90_000]), np.arange(100_000) >= 494
    policy = choose(p, y & (p > 0.5), wrong_removals=0.05)
    assert 10 * (items_to_reject(0.0494, 0.05, 0.04) or 0) > 1_000_000
    assert (policy.upper, policy.needed) == (None, None)
    assert "so close to the limit that it would take more" in policy.notes[0]
    assert "more than 1,000,000 labelled items" in policy.notes[0]


def test_no_violations_at_all() -> None:
    policy = choose([0.1, 0.9], [0, 0], missed_violations=0.1)
    assert (policy.lower, policy.needed) == (None, None)
    outcome = policy.examine([0.1, 0.9], [0, 0])
    assert outcome.missed_violations.note == "no item violates"
    assert outcome.wrong_removals.note == "nothing was removed automatically"
    assert outcome.reviewed.value == 1.0


def test_a_policy_survives_json() -> None:
    p, y = sample()
    policy = choose(p, y, wrong_removals=0.05, missed_violations=0.1)
    again = Policy.from_dict(json.loads(json.dumps(policy.to_dict())))
    assert again == policy
    assert choose(p[::-1], y[::-1], wrong_removals=0.05).data != policy.data
    outcome = again.examine(p, y)
    shares = [outcome.removed.value, outcome.reviewed.value, outcome.left.value]
    assert sum(shares) == pytest.approx(1.0)
    assert again.decisions(p).count("remove") == round(shares[0] * len(p))


def test_a_grid_of_scores_from_elsewhere() -> None:
    p, y = sample()
    traffic, _ = sample(5000, seed=9)
    grid = ThresholdGrid.of(np.quantile(traffic, [0.5, 0.7, 0.8, 0.9, 0.95, 0.99]))
    assert sum(grid.weights) == pytest.approx(1.0)
    assert choose(p, y, wrong_removals=0.05, grid=grid).upper in grid.thresholds
    assert ThresholdGrid.of([0.5]).weights == (1.0,)


def test_bad_input_is_one_line() -> None:
    good = choose([0.1], [1], missed_violations=0.5).to_dict()
    for call, said in (
        (lambda: choose([0.1], [1]), "give what to guarantee"),
        (lambda: choose([], [], wrong_removals=0.1), "no labelled items"),
        (lambda: choose([0.1], [1], wrong_removals=0.0), "between 0 and 1, not 0"),
        (lambda: choose([0.1], [1], wrong_removals=0.1, delta=1.0), "between 0 and 1, not 1"),
        (lambda: choose([0.1], [2], wrong_removals=0.1), "column 'y', row 1: a label is 0 or 1"),
        (lambda: choose([0.1, math.nan], [1, 0], wrong_removals=0.1), "row 2"),
        (lambda: choose([0.1, 0.2], [1], wrong_removals=0.1), "1 values for 2 items"),
        (lambda: ThresholdGrid((0.5, 0.6), (1.0, 0.0)), "must decrease"),
        (lambda: ThresholdGrid((0.6, 0.5), (1.0, 1.0)), "a sum of at most 1"),
        (lambda: Policy.from_dict({"upper": 0.5}), "not a policy"),
        (lambda: Policy.from_dict(good | {"upper": 7}), "upper must be from 0 to 1"),
        (lambda: Policy.from_dict(good).decide(math.nan), "missing or not finite"),
    ):
        with pytest.raises(InputError) as error:
            call()
        assert said in str(error.value)
        assert "\n" not in str(error.value)


def test_a_threshold_lies_at_what_was_seen_not_in_the_empty_space_below() -> None:
    p, y = [0.1] * 500 + [0.9] * 500, [0] * 500 + [1] * 500
    policy = choose(p, y, wrong_removals=0.1)
    assert policy.upper == 0.9


def test_starts_follow_the_scores() -> None:
    """A model whose scores stop at .72: nothing lies above the starts of a fixed grid."""
    rng = np.random.default_rng(5)
    p = 0.72 * rng.beta(0.3, 1.0, 20_000)
    y = rng.random(20_000) < np.where(p > 0.68, 0.99, p / 2.0)
    policy = choose(p, y, wrong_removals=0.05)
    assert policy.upper is not None
    assert policy.examine(p, y).wrong_removals.value < 0.05
    assert choose(p, y, wrong_removals=0.05, grid=DEFAULT_GRID).upper is None


@pytest.mark.parametrize("items", [45, 60, 500, 20_000])
def test_a_grid_from_scores_by_its_definition(items: int) -> None:
    p = np.random.default_rng(1).random(items)
    grid = grid_from_scores(p, 0.05, 0.1)
    if items < items_to_rank(0.05, 0.1):
        assert grid is None
        return
    assert grid is not None
    assert sum(grid.weights) == pytest.approx(1.0)
    counts = [(int((p >= t).sum()), w) for t, w in zip(grid.thresholds, grid.weights, strict=True)]
    starts = [(count, weight) for count, weight in counts if weight]
    first = starts[0][0]
    assert 0.95**first <= 0.1 * starts[0][1]  # the fewest can pass
    for place, (count, weight) in enumerate(starts):
        assert first * 2**place * 0.95 <= count <= first * 2**place * 1.05
        assert weight == pytest.approx(starts[0][1] / 2**place)


def test_more_candidates_have_to_pass_a_stricter_test() -> None:
    p, y = sample()
    one, ten = (choose(p, y, wrong_removals=0.05, candidates=number) for number in (1, 10))
    assert ten.upper is not None
    assert one.upper is not None
    assert ten.upper >= one.upper
    assert ten.upper == choose(p, y, wrong_removals=0.05, delta=0.01).upper
    assert ten.delta == 0.1


def test_equal_inclusion_probabilities_are_none() -> None:
    p, y = sample()
    both = {"wrong_removals": 0.05, "missed_violations": 0.1}
    assert choose(p, y, inclusion=np.full(len(p), 0.2), **both) == choose(p, y, **both)


def test_bets_by_the_definition() -> None:
    """Wealth item by item, for every threshold."""
    rng = np.random.default_rng(2)
    wrong, weights = rng.random(60) < 0.03, rng.uniform(1.0, 5.0, 60)
    for count in (1, 10, 60):
        found = betting_p_value(wrong[:count], weights[:count], 0.1)
        wealth = 0.0
        for stake in STAKES:
            product = 1.0
            for bad, weight in zip(wrong[:count], weights[:count], strict=True):
                product *= 1.0 + stake / 0.9 * weight / weights[:count].max() * (0.1 - bad)
            wealth += product / len(STAKES)
        assert found == pytest.approx(min(1.0, 1.0 / wealth))


def test_a_rank_of_weighted_violations_by_the_definition() -> None:
    weights = np.random.default_rng(3).uniform(1.0, 3.0, 200)

    def wealth(below: int) -> float:
        part = weights / weights.max()
        gains = np.where(np.arange(200) < below, -0.9, 0.1) * part
        return float(np.mean([np.prod(1.0 + stake / 0.9 * gains) for stake in STAKES]))

    rank = betting_rank(weights, 0.1, 0.1)
    assert wealth(rank - 1) >= 10.0 > wealth(rank)
    assert betting_rank(weights[:0], 0.1, 0.1) == betting_rank(weights[:3], 0.1, 0.1) == 0


def test_copies_of_one_author_are_not_more_evidence() -> None:
    """Each item ten times under one author: taken as ten items they show what one does not."""
    p, y = sample(400, seed=5)
    many, labels, author = np.repeat(p, 10), np.repeat(y, 10), np.repeat(np.arange(len(p)), 10)
    limit = {"missed_violations": 0.02}
    once, counted, declared = (
        choose(p, y, **limit), choose(many, labels, **limit), choose(many, labels, cluster=author, **limit)
    )  # fmt: skip
    assert once.lower is None
    assert counted.lower is not None
    assert declared.lower is None
    assert "label items of more clusters" in declared.notes[0]


def test_authors_of_one_item_each_change_nothing() -> None:
    p, y = sample()
    both = {"wrong_removals": 0.1, "missed_violations": 0.1}
    assert choose(p, y, cluster=np.arange(len(p)), **both) == choose(p, y, **both)
    with pytest.raises(InputError, match="one value for each of the 3,000 items"):
        choose(p, y, cluster=[1, 2], **both)


def test_worth_of_clusters_by_loops() -> None:
    """All items of a cluster equal: the p-value is near the exact one of the clusters, and never below it."""
    wrong = np.random.default_rng(1).random(200) < 0.05
    clusters = np.repeat(np.arange(200), 7)
    repeated = clustered_p_value(np.repeat(wrong, 7), np.ones(1400), clusters, 0.1)
    exact = float(p_value_below_share(np.array([wrong.sum()]), np.array([200]), 0.1)[0])
    assert exact <= repeated <= 3.0 * exact
    assert clustered_p_value(wrong[:0], np.ones(0), clusters[:0], 0.1) == 1.0
