"""Recall, precision, F1, accuracy and error rates from a sample of what was removed and one of what is visible."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evenhand.errors import InputError, Undefined
from evenhand.intervals.pools import POOL_QUANTITIES, Pools, Shares
from evenhand.intervals.survey import SurveyShare
from evenhand.intervals.survey_estimators import StratifiedSample

REMOVED, VISIBLE = 2_000, 100_000


def sampled(hits: int, n: int, items: int) -> SurveyShare:
    return StratifiedSample.from_values(np.repeat([1.0, 0.0], [hits, n - hits]), np.zeros(n), [items]).figure()


def truth(found: float, wrong: float, missed: float, passed: float) -> dict[str, float]:
    precision, recall = found / (found + wrong), found / (found + missed)
    return {
        "prevalence": (found + missed) / (found + wrong + missed + passed),
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall),
        "accuracy": (found + passed) / (found + wrong + missed + passed),
        "fpr": wrong / (wrong + passed),
        "specificity": passed / (wrong + passed),
        "fnr": missed / (found + missed),
        "npv": passed / (missed + passed),
    }


def test_values_are_those_of_the_confusion_matrix() -> None:
    pools = Pools(sampled(160, 200, REMOVED), REMOVED, sampled(40, 2000, VISIBLE), VISIBLE)
    expected = truth(0.8 * REMOVED, 0.2 * REMOVED, 0.02 * VISIBLE, 0.98 * VISIBLE)
    for name in POOL_QUANTITIES:
        assert pools.estimate(name).value == pytest.approx(expected[name]), name
    assert pools.missed().value == pytest.approx(2000)


def test_intervals_carry_both_pools() -> None:
    rng = np.random.default_rng(8)
    right, rate, draws = 0.8, 0.015, 1500
    expected = truth(right * REMOVED, (1 - right) * REMOVED, rate * VISIBLE, (1 - rate) * VISIBLE)
    hits = dict.fromkeys(POOL_QUANTITIES, 0)
    for _ in range(draws):
        one = sampled(rng.hypergeometric(1600, 400, 300), 300, REMOVED)
        other = sampled(rng.hypergeometric(1500, 98_500, 3000), 3000, VISIBLE)
        for name in POOL_QUANTITIES:
            found = Pools(one, REMOVED, other, VISIBLE).estimate(name)
            hits[name] += found.low <= expected[name] <= found.high
    for name, count in hits.items():
        assert 0.935 <= count / draws <= 0.97, name


def test_a_pool_that_is_known_leaves_the_other() -> None:
    known = sampled(1600, REMOVED, REMOVED)  # all of it labelled
    visible = sampled(45, 3000, VISIBLE)
    found, missed = Pools(known, REMOVED, visible, VISIBLE).estimate("recall"), visible.estimate()
    assert found.low == pytest.approx(1600 / (1600 + missed.high * VISIBLE))
    assert found.high == pytest.approx(1600 / (1600 + missed.low * VISIBLE))


def test_the_ends_are_reached() -> None:
    nothing_missed = Pools(sampled(160, 200, REMOVED), REMOVED, sampled(0, 3000, VISIBLE), VISIBLE).estimate("recall")
    assert nothing_missed.value == nothing_missed.high == 1.0
    assert 0.8 < nothing_missed.low < 0.95
    assert nothing_missed.flags == ("small",)
    no_violations = Pools(sampled(0, 200, REMOVED), REMOVED, sampled(0, 3000, VISIBLE), VISIBLE)
    assert no_violations.estimate("recall").note == "no item violates"
    assert no_violations.estimate("precision").value == 0.0
    assert no_violations.estimate("f1").value == 0.0


def test_a_level_must_be_one() -> None:
    with pytest.raises(InputError):
        Pools(sampled(1, 10, 20), 20, sampled(1, 10, 20), 20).estimate("recall", 0.0)


@pytest.mark.parametrize("name", POOL_QUANTITIES)
def test_ends_are_movers_on_the_logit_scale(name: str) -> None:
    """Each pool alone at its ends moves the value so far; the distances are squared and added, as logits."""
    removed, visible = sampled(160, 200, REMOVED), sampled(40, 2000, VISIBLE)
    found = Pools(removed, REMOVED, visible, VISIBLE).estimate(name, 0.9)
    one, other = removed.estimate(0.9), visible.estimate(0.9)

    def at(right: float, rate: float) -> float:
        share = truth(right * REMOVED, (1 - right) * REMOVED, rate * VISIBLE, (1 - rate) * VISIBLE)[name]
        return float(np.log(share / (1 - share)))

    centre = at(0.8, 0.02)
    moves = [sorted(at(end, 0.02) - centre for end in (one.low, one.high))]
    moves.append(sorted(at(0.8, end) - centre for end in (other.low, other.high)))
    low, high = (centre + sign * np.hypot(moves[0][k], moves[1][k]) for k, sign in ((0, -1), (1, 1)))
    assert (found.low, found.high) == pytest.approx((1 / (1 + np.exp(-low)), 1 / (1 + np.exp(-high))), rel=1e-9)
    assert (found.method, found.n, found.level) == ("mover", 2200, 0.9)


def test_quantities_of_nothing_say_why() -> None:
    nothing = Shares(0.0, 0.0, 0.0, 100.0)
    for name, shares, said in (
        ("f1", nothing, "no item violates and none was removed"),
        ("recall", nothing, "no item violates"),
        ("prevalence", Shares(0.5, 0.5, 0.0, 0.0), "there are no items"),
        ("accuracy", Shares(0.5, 0.5, 0.0, 0.0), "there are no items"),
        ("fpr", Shares(1.0, 1.0, 10.0, 100.0), "no item is benign"),
        ("specificity", Shares(1.0, 1.0, 10.0, 100.0), "no item is benign"),
        ("fnr", nothing, "no item violates"),
    ):
        with pytest.raises(Undefined) as raised:
            POOL_QUANTITIES[name](shares)
        assert str(raised.value) == said


def test_what_is_missed_is_the_share_times_the_items() -> None:
    visible = sampled(2, 100, VISIBLE)
    found, share = Pools(sampled(160, 200, REMOVED), REMOVED, visible, VISIBLE).missed(0.9), visible.estimate(0.9)
    assert (found.value, found.low, found.high) == pytest.approx((2000.0, share.low * VISIBLE, share.high * VISIBLE))
    assert (found.level, found.method, found.n, found.flags) == (0.9, share.method, 100, ("small",))


def test_only_a_pool_that_matters_makes_a_number_rest_on_few() -> None:
    many, few = sampled(160, 200, REMOVED), sampled(3, 3000, VISIBLE)
    large = Pools(many, REMOVED, sampled(400, 3000, VISIBLE), VISIBLE)
    assert all(large.estimate(name).flags == () for name in POOL_QUANTITIES)
    mixed = Pools(many, REMOVED, few, VISIBLE)
    assert mixed.estimate("recall").flags == ("small",)
    assert mixed.estimate("precision").flags == ()  # the visible do not move it
    nothing = Pools(sampled(0, 200, REMOVED), REMOVED, sampled(0, 3000, VISIBLE), VISIBLE).estimate("recall", 0.9)
    assert (nothing.n, nothing.level, nothing.value) == (3200, 0.9, None)


def test_recall_is_freed_from_the_bias_of_a_ratio_of_few() -> None:
    """Beale's correction, held against the mean of the ratio over many samples."""
    rng = np.random.default_rng(5)
    found, share, n = 1900.0, 0.03, 300
    recall = found / (found + share * VISIBLE)
    known = SurveyShare(found / REMOVED, 0.0, np.inf, 10, 5.0, 0.0)
    values = {True: [], False: []}
    for hits in rng.binomial(n, share, 1500):
        for corrected, drawn in values.items():
            pools = Pools(known, REMOVED, sampled(int(hits), n, VISIBLE), VISIBLE, corrected)
            estimate, missed = pools.estimate("recall"), pools.estimate("fnr")
            assert estimate.low <= estimate.value <= estimate.high
            assert estimate.value + missed.value == pytest.approx(1.0)
            drawn.append(estimate.value)
    bias = {corrected: np.mean(drawn) - recall for corrected, drawn in values.items()}
    error = np.std(values[True]) / np.sqrt(len(values[True]))
    assert bias[False] > 5.0 * error
    assert abs(bias[True]) < 3.0 * error


def test_pools_that_are_known_to_hold_no_violation_have_their_quantities() -> None:
    """No corner of the two pools has a violation either, so that none of them moves the ends."""
    none = SurveyShare(0.0, 0.0, math.inf, 20, 0.0, 0.0)
    pools = Pools(none, 5.0, none, 20.0)
    assert pools.estimate("prevalence").value == 0.0
    assert pools.estimate("recall").value is None
