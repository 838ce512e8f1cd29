"""Intervals from redrawn data: percentiles, calibration errors, and places on a curve.

Percentiles are the general fallback: measure again on items redrawn at random, and see how much the number moves.

A calibration error is a sum of absolute gaps, which noise can only make larger. A model that is perfectly calibrated
shows an error, and a bootstrap draw of it a larger one still, so percentiles miss the truth. `CalibrationErrors` asks
of every gap in which direction it may err. Let ĝ be the gaps found and g the true ones; the draws g* show how ĝ − g may
fall, by e = g* − ĝ.

- Least: where |ĝ| is more than three standard errors, the truth is lower by ± e. Any other gap may be all noise, and
  the truth lower by |e|: the triangle inequality, |ĝ| − |g| ≤ |ĝ − g|. So 0 is in the interval of a calibrated model as
  often as it should be.
- Most: Σ|g| is Σ s·g for the true signs s, which is Σ s·ĝ − Σ s·e and no more than Σ|ĝ| − Σ s·e. The signs found stand
  in for the true ones.

This is the directional derivative of the sum (Fang and Santos 2019). docs/intervals.md shows the coverage.

The place where a curve crosses zero, or is lowest, is not an average: it may jump when one item is redrawn. So the
height of the curve is tested at each place, and the interval holds the places that the test does not rule out.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenhand.arrays import Floats
from evenhand.intervals.significance import normal_quantile

POISSON_BOOTSTRAP = "poisson_bootstrap"
FEWEST_DRAWS = 20  # with a value, for an interval to be made of them

DrawFunction = Callable[[np.random.Generator], Sequence[float | None]]
DrawProgress = Callable[[int, int], None]


def replicate(
    draw: DrawFunction, *, replicates: int, seed: int, progress: DrawProgress | None = None
) -> list[list[float]]:
    """Run a seeded draw many times. One list per number; draws where it was undefined are left out."""
    columns: list[list[float]] = []
    for index, child in enumerate(np.random.SeedSequence(seed).spawn(replicates)):
        values = draw(np.random.default_rng(child))
        columns = columns or [[] for _ in values]
        for column, value in zip(columns, values, strict=True):
            if value is not None:
                column.append(value)
        if progress:
            progress(index + 1, replicates)
    return columns


def percentile_interval(values: Sequence[float] | Floats, value: float, level: float) -> tuple[float, float] | None:
    """The interval that holds the middle of the draws and the value itself; None with too few draws."""
    if len(values) < FEWEST_DRAWS:
        return None
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(np.asarray(values), [tail, 1.0 - tail])
    return min(float(low), value), max(float(high), value)


def mean_interval(
    values: Sequence[float] | Floats, value: float, level: float, stretch: float = 1.0
) -> tuple[float, float] | None:
    """Of a mean of losses, 0 or more: percentiles; of whole clusters, which have no smooth tails, by their spread.

    `stretch` is above 1 where clusters were redrawn (`few_clusters_stretch`).
    """
    if stretch == 1.0 or len(values) < FEWEST_DRAWS:
        return percentile_interval(values, value, level)
    reach = stretch * normal_quantile(level) * float(np.std(values, ddof=1))
    return max(value - reach, 0.0), value + reach


DIRECTIONAL_BOOTSTRAP = "directional_bootstrap"
CLEAR_SIGN = 3.0  # standard errors beyond which the sign of a gap is not in doubt


@dataclass(frozen=True)
class CalibrationErrors:
    """One error, or one for each class (the last axis), and the least and the most that each draw lets it truly be."""

    value: Floats
    least: Floats  # the first axis are the draws
    most: Floats

    @classmethod
    def from_draws(cls, gaps: Floats, draws: Floats) -> CalibrationErrors:
        """From gaps, whose absolute values add up to the error along the last axis, and draws of them.

        Draws in which a class had no items must be left out.
        """
        value, moved = np.abs(gaps).sum(axis=-1), np.asarray(draws) - gaps
        doubtful = np.abs(gaps) <= CLEAR_SIGN * np.sqrt((moved**2).mean(axis=0))
        signed = np.sign(gaps) * moved
        least = value - np.where(doubtful, np.abs(moved), signed).sum(axis=-1)
        return cls(value, np.maximum(least, 0.0), np.maximum(value - signed.sum(axis=-1), 0.0))

    def interval(self, level: float) -> tuple[float, float] | None:
        """Of one error, holding it; None with too few draws."""
        return combined_error_interval(np.asarray, self, level=level)


def bounded_errors(gaps: Floats, drawn: Sequence[Floats] | Floats, stretch: float = 1.0) -> CalibrationErrors:
    """Of gaps between shares: no error of that kind is above 1. Draws of few clusters are stretched."""
    draws = np.asarray(drawn).reshape(-1, *gaps.shape)
    errors = CalibrationErrors.from_draws(gaps, draws if stretch == 1.0 else gaps + stretch * (draws - gaps))
    return replace(errors, most=np.minimum(errors.most, np.maximum(errors.value, 1.0)))


def combined_error_interval(
    function: Callable[..., Any], *errors: CalibrationErrors, level: float
) -> tuple[float, float] | None:
    """The interval of a number made of errors, such as CECE of those of classes; None with too few draws.

    The function takes all draws at once, along the first axis.

    The number may rise with one error and fall with another: it is taken at the least and the most of each, draw by
    draw, and the outermost of the quantiles count.
    """
    if len(errors[0].least) < FEWEST_DRAWS:
        return None
    value = float(function(*(error.value for error in errors)))
    corners = itertools.product(*((error.least, error.most) for error in errors))
    draws = np.stack([function(*corner) for corner in corners])
    tails = ((1.0 - level) / 2.0, (1.0 + level) / 2.0)
    lows, highs = np.quantile(draws, tails, axis=1, method="weibull")  # one more draw falls beyond as often as is said
    return min(value, float(lows.min())), max(value, float(highs.max()))


INVERTED_TEST = "inverted_test"
Interval = tuple[float, float]


def curve_margins(redrawn: Floats, level: float) -> Floats:
    """How far from its mean a curve may be at each place, from redraws of it (one a row)."""
    spread: Floats = normal_quantile(level) * redrawn.std(axis=0)
    return spread


def crossing_interval(places: Floats, curve: Floats, margin: Floats, *, value: float) -> Interval:
    """Where a curve that is below zero before `value` and above it afterwards may really pass.

    From the last place that is clearly below to the first that is clearly above; without one, from or to the end.
    """
    below = places[(places <= value) & (curve < -margin)]
    above = places[(places >= value) & (curve > margin)]
    low, high = float(places[0]), float(places[-1])
    return float(below[-1]) if len(below) else low, float(above[0]) if len(above) else high


def minimum_interval(places: Floats, curve: Floats, redrawn: Floats, *, level: float) -> Interval:
    """Where a curve may really be least: the places that are not clearly higher, and their neighbours."""
    least = int(np.argmin(curve))
    margin = curve_margins(redrawn - redrawn[:, [least]], level)
    open_ = np.flatnonzero(curve - curve[least] <= margin)
    return float(places[max(int(open_[0]) - 1, 0)]), float(places[min(int(open_[-1]) + 1, len(places) - 1)])
