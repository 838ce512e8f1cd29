"""A confidence sequence: an interval that may be looked at after every label, and acted on, and still keeps its level.

Bets are placed against each candidate value m of the mean, fair if m is the truth: the stake is known before the label,
and the wealth is multiplied by 1 ± stake · (value − m). If m is the truth the wealth is seldom ever large, so a value
against which wealth has ever reached 2 / (1 − level), on either side, is ruled out for good. What is left is an
interval that holds the truth at all times with the level's probability, however large the sample turns out to be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Floats
from evenhand.errors import InputError, Undefined
from evenhand.estimate import Estimate

BETTING = "betting"
STAKE_MULTIPLES = np.array([1.0, 0.25, 0.5, 2.0, 4.0])  # of the stake: most of the money is on the stake itself
LOG_SHARES = np.log([0.8, 0.05, 0.05, 0.05, 0.05])
BOLDEST_STAKE = 0.9  # of the stake at which all could be lost
HALVINGS = 60


@dataclass(frozen=True)
class ConfidenceSequence:
    """Unbiased values one by one, the bounds each was known to keep, and the stake; all but the value known before."""

    values: Floats
    lows: Floats
    highs: Floats
    stakes: Floats

    @classmethod
    def from_values(
        cls, values: npt.ArrayLike, lows: npt.ArrayLike, highs: npt.ArrayLike, stakes: npt.ArrayLike
    ) -> ConfidenceSequence:
        """Checked."""
        value = arrays.numbers(values, "values")
        low, high = (arrays.numbers(v, n, size=len(value)) for v, n in ((lows, "lows"), (highs, "highs")))
        arrays.refuse((value < low - 1e-9) | (value > high + 1e-9), "a value is outside its bounds", "values")
        stake = arrays.numbers(stakes, "stakes", size=len(value))
        arrays.refuse(stake <= 0.0, "a stake must be above 0", "stakes")
        return cls(value, low, high, stake)

    def wealth(self, mean: float, *, above: bool) -> Floats:
        """The logarithm of the wealth after each value, of who bets that the truth is above, or below, this mean."""
        room = mean - self.lows if above else self.highs - mean
        gain = (self.values - mean) if above else (mean - self.values)
        stakes = np.minimum(self.stakes * STAKE_MULTIPLES[:, None], BOLDEST_STAKE / np.maximum(room, 1e-300))
        grown = np.cumsum(np.log1p(stakes * gain), axis=1) + LOG_SHARES[:, None]
        total: Floats = np.logaddexp.reduce(grown, axis=0)
        return total

    def estimate(self, level: float = 0.95, *, n: int | None = None) -> Estimate:
        """The mean of a share with its interval now; `n` labels, where fewer than draws."""
        if not len(self.values):
            raise Undefined("no item was labelled")
        threshold = float(np.log(2.0 / (1.0 - arrays.share(level, "the level"))))
        value = min(max(float(self.values.mean()), 0.0), 1.0)
        low = self._end(0.0, 1.0, threshold, above=True)
        high = self._end(1.0, 0.0, threshold, above=False)
        if low > high:
            raise InputError("the values contradict one another: are they unbiased, and their bounds right?")
        middle = min(max(value, low), high)
        return Estimate(middle, low, high, level, BETTING, len(self.values) if n is None else n)

    def _end(self, outer: float, inner: float, threshold: float, *, above: bool) -> float:
        """Where values stop being ruled out, coming from one end: wealth falls on the way."""
        if not self._ruled_out(outer, threshold, above=above):
            return outer
        for _ in range(HALVINGS):
            middle = 0.5 * (outer + inner)
            outer, inner = (middle, inner) if self._ruled_out(middle, threshold, above=above) else (outer, middle)
        return outer

    def _ruled_out(self, mean: float, threshold: float, *, above: bool) -> bool:
        bounds = self.lows if above else self.highs
        excluded = bool((bounds >= mean).any() if above else (bounds <= mean).any())
        return excluded or bool(self.wealth(mean, above=above).max() >= threshold)
