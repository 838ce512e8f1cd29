"""How sure a calibration error is: a sum of absolute gaps, which noise can only make larger.

A model that is perfectly calibrated shows an error, and a bootstrap draw of it a larger one still. So percentiles of
the draws miss the truth, and turning them round does not mend it. Here every gap is asked by itself in which direction
it may err. Let ĝ be the gaps found and g the true ones; the draws g* show how ĝ − g may fall, by e = g* − ĝ.

- Least: where |ĝ| is beyond doubt, more than three standard errors, the truth is lower by ± e. Any other gap may be
  all noise, and the truth lower by |e|: the triangle inequality, |ĝ| − |g| ≤ |ĝ − g|. So 0 is in the interval of a
  calibrated model as often as it should be.
- Most: Σ|g| is Σ s·g for the true signs s, which is Σ s·ĝ − Σ s·e and no more than Σ|ĝ| − Σ s·e. The signs found stand
  in for the true ones.

This is the directional derivative of the sum (Fang and Santos 2019). docs/intervals.md shows the coverage.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evenhand.tally import FloatArray

METHOD = "directional_bootstrap"
SURE = 3.0  # standard errors beyond which the sign of a gap is not in doubt
FEWEST = 20  # draws


@dataclass(frozen=True)
class Errors:
    """One error, or one for each class (the last axis), and the least and the most that each draw lets it truly be."""

    value: FloatArray
    least: FloatArray  # the first axis are the draws
    most: FloatArray

    @classmethod
    def of(cls, gaps: FloatArray, draws: FloatArray) -> Errors:
        """From gaps, whose absolute values add up to the error along the last axis, and draws of them.

        Draws in which a class had no items must be left out.
        """
        value, moved = np.abs(gaps).sum(axis=-1), np.asarray(draws) - gaps
        doubtful = np.abs(gaps) <= SURE * np.sqrt((moved**2).mean(axis=0))
        signed = np.sign(gaps) * moved
        least = value - np.where(doubtful, np.abs(moved), signed).sum(axis=-1)
        return cls(value, np.maximum(least, 0.0), np.maximum(value - signed.sum(axis=-1), 0.0))

    def interval(self, level: float) -> tuple[float, float] | None:
        """Of one error, holding it; None with too few draws."""
        return combined(float, self, level=level)


def combined(function: Callable[..., float], *errors: Errors, level: float) -> tuple[float, float] | None:
    """The interval of a number made of errors, such as CECE of those of classes; None with too few draws.

    The number may rise with one error and fall with another: it is taken at the least and the most of each, draw by
    draw, and the outermost of the quantiles count.
    """
    if len(errors[0].least) < FEWEST:
        return None
    value = function(*(error.value for error in errors))
    corners = itertools.product(*((error.least, error.most) for error in errors))
    draws = [[function(*draw) for draw in zip(*corner, strict=True)] for corner in corners]
    tails = ((1.0 - level) / 2.0, (1.0 + level) / 2.0)
    lows, highs = np.quantile(draws, tails, axis=1, method="weibull")  # one more draw falls beyond as often as is said
    return min(value, float(lows.min())), max(value, float(highs.max()))
