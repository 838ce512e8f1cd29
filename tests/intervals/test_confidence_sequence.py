"""Intervals that hold at every look: wealth by hand, its ends, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.intervals.confidence_sequence import ConfidenceSequence


def test_bets_at_their_bounds() -> None:
    lows, highs, stakes = np.zeros(3), np.ones(3), np.full(3, 0.5)
    for value in (0.0, 1.0):
        assert ConfidenceSequence.from_values(np.full(3, value), lows, highs, stakes).estimate().value == value
    wide = ConfidenceSequence.from_values([3.0, 3.0], [-4.0, -4.0], [4.0, 4.0], [0.1, 0.1]).estimate()
    assert wide.value == wide.high == 1.0
    ruled = ConfidenceSequence.from_values([0.2, 0.2], [0.0, 0.0], [0.2, 0.2], [0.5, 0.5])
    assert ruled.estimate().high == pytest.approx(0.2, abs=1e-12)  # nothing above the bound of a value can be the mean
    assert ruled.estimate(n=1).n == 1
    for wrong, said in (
        (([np.nan], [0], [1], [1]), "column 'values', row 1: the value is missing or not finite"),
        (([0.5], [np.nan], [1], [1]), "column 'lows', row 1: the value is missing or not finite"),
        (([0.5], [0], [np.nan], [1]), "column 'highs', row 1: the value is missing or not finite"),
        (([0.5], [0], [1], [np.nan]), "column 'stakes', row 1: the value is missing or not finite"),
    ):
        with pytest.raises(InputError) as raised:
            ConfidenceSequence.from_values(*wrong)
        assert str(raised.value) == said


def test_wealth_is_that_of_the_bets() -> None:
    """Money on five multiples of the stake, none bolder than nine tenths of what could be lost."""
    bets = ConfidenceSequence.from_values([0.3, 0.0, 0.9], [0.0, -0.2, 0.0], [1.0, 1.5, 1.0], [0.8, 2.0, 1.0])
    for mean, above in ((0.3, True), (0.3, False), (0.9, True), (0.05, False)):
        total = np.zeros(3)
        for multiple, money in ((1.0, 0.8), (0.25, 0.05), (0.5, 0.05), (2.0, 0.05), (4.0, 0.05)):
            wealth = money
            for i in range(3):
                room = mean - bets.lows[i] if above else bets.highs[i] - mean
                stake = min(multiple * bets.stakes[i], 0.9 / room)
                wealth *= 1.0 + stake * ((bets.values[i] - mean) if above else (mean - bets.values[i]))
                total[i] += wealth
        assert np.exp(bets.wealth(mean, above=above)) == pytest.approx(total, rel=1e-12)


def test_values_that_contradict_one_another() -> None:
    with pytest.raises(InputError) as raised:
        ConfidenceSequence.from_values([0.9, 0.1], [0.8, 0.0], [1.0, 0.2], [1.0, 1.0]).estimate()
    said = "the values contradict one another: are they unbiased, and their bounds right?"
    assert str(raised.value) == said


def test_bets_that_rule_everything_out() -> None:
    bets = ConfidenceSequence.from_values([0.0] * 60 + [1.0] * 60, [0.0] * 120, [1.0] * 120, [2.0] * 120)
    with pytest.raises(InputError, match="the values contradict one another"):
        bets.estimate(0.5)
