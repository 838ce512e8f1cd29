"""Labels put right for errors that annotators are known to make."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evenhand.errors import InputError, Undefined
from evenhand.intervals.annotators import Gold, corrected
from evenhand.intervals.survey import Figure, Sampled


def sampled(hits: int, n: int, items: int) -> Figure:
    return Sampled.of(np.repeat([1.0, 0.0], [hits, n - hits]), np.zeros(n), [items]).figure()


def test_the_correction_undoes_the_error() -> None:
    gold = Gold(violating=200, caught=180, others=800, passed=784)
    for share in (0.01, 0.1, 0.5):
        seen = share * 0.9 + (1 - share) * 0.02
        assert corrected(Figure(seen, 1e-6, math.inf, 1000, 50, 0.001), gold).value == pytest.approx(share)
    assert (
        corrected(Figure(0.01, 1e-6, math.inf, 1000, 10, 0.001), gold).value == 0.0
    )  # errors explain all that is seen


def test_perfect_annotators_need_no_correction_but_gold_is_finite() -> None:
    seen = Figure(0.1, 1e-5, math.inf, 1000, 100, 0.001)
    found = corrected(seen, Gold(500, 500, 500, 500))
    assert found.value == pytest.approx(0.1)
    assert found.variance > seen.variance
    assert corrected(seen, Gold(10**9, 10**9, 10**9, 10**9)).variance == pytest.approx(1e-5, rel=1e-3)


def test_the_variance_of_the_correction() -> None:
    rng = np.random.default_rng(9)
    share, power, draws = 0.08, (0.9, 0.98), 3000
    seen_rate = share * power[0] + (1 - share) * (1 - power[1])
    values, variances, hits = [], [], 0
    for _ in range(draws):
        gold = Gold(300, rng.binomial(300, power[0]), 900, rng.binomial(900, power[1]))
        found = corrected(sampled(rng.binomial(2000, seen_rate), 2000, 10**9), gold)
        values.append(found.value)
        variances.append(found.variance)
        estimate = found.estimate()
        hits += estimate.low <= share <= estimate.high
    assert np.mean(values) == pytest.approx(share, rel=0.01)
    assert np.mean(variances) == pytest.approx(np.var(values), rel=0.1)
    assert 0.935 <= hits / draws <= 0.97


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        (lambda: Gold(10, 11, 10, 5), InputError, "11 of 10 gold items is not possible"),
        (lambda: Gold(0, 0, 10, 5), InputError, "the gold items must be a whole number from 2 up, not 0"),
        (
            lambda: corrected(sampled(1, 10, 100), Gold(10, 5, 10, 5)),
            Undefined,
            "on gold items the annotators do no better than chance, so their labels cannot be corrected",
        ),
    ],
)
def test_wrong_arguments_are_named(wrong, kind, message) -> None:
    with pytest.raises(kind) as raised:
        wrong()
    assert str(raised.value) == message
