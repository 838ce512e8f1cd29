"""Where a noisy curve passes zero, and where it is least: every place that a test of the curve does not rule out.

A place is no average: it may jump when one item is redrawn, so that the middle of redrawn places says too little about
how unsure it is. The height of the curve at each place is an average, and is tested there. Places where the curve is
clearly not zero, or clearly higher than at its lowest, are ruled out.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from evenhand.tally import FloatArray

METHOD = "inverted_test"
Interval = tuple[float, float]


def normal(level: float) -> float:
    """How many standard errors to either side."""
    return float(ndtri(0.5 + level / 2.0))


def margins(redrawn: FloatArray, level: float) -> FloatArray:
    """How far from its mean a curve may be at each place, from redraws of it (one a row)."""
    spread: FloatArray = normal(level) * redrawn.std(axis=0)
    return spread


def rise(places: FloatArray, curve: FloatArray, margin: FloatArray, *, value: float) -> Interval:
    """Where a curve that is below zero before `value` and above it afterwards may really pass.

    From the last place that is clearly below to the first that is clearly above; without one, from or to the end.
    """
    below = places[(places <= value) & (curve < -margin)]
    above = places[(places >= value) & (curve > margin)]
    low, high = float(places[0]), float(places[-1])
    return float(below[-1]) if len(below) else low, float(above[0]) if len(above) else high


def trough(places: FloatArray, curve: FloatArray, redrawn: FloatArray, *, level: float) -> Interval:
    """Where a curve may really be least: the places that are not clearly higher, and their neighbours."""
    least = int(np.argmin(curve))
    margin = margins(redrawn - redrawn[:, [least]], level)
    open_ = np.flatnonzero(curve - curve[least] <= margin)
    return float(places[max(int(open_[0]) - 1, 0)]), float(places[min(int(open_[-1]) + 1, len(places) - 1)])
