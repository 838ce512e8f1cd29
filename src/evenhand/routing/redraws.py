"""Curves over capacity of a history whose items are drawn again, all at the same capacities."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from evenhand.errors import InputError
from evenhand.intervals.bootstrap import replicate
from evenhand.measures.collaboration import Path
from evenhand.measures.collaboration.path import KNOTS
from evenhand.routing.curves import History, Route
from evenhand.tally import FloatArray

FEW_KNOTS = 40  # capacities looked at in redraws of several stages: their scatter is larger than what lies between
Curve = Callable[[Sequence[Path]], FloatArray]  # from the paths of some strategies to a height at each capacity


def capacities(*also: float) -> FloatArray:
    """Shares of the items, from none to all, closer together where they are small; and some more."""
    return np.unique(np.concatenate([np.linspace(0.0, 1.0, KNOTS) ** 2, also]))


def measured(history: History, routes: Sequence[Route], curve: Curve, shares: FloatArray) -> FloatArray:
    """The curve as the history has it."""
    return curve([route.path(history.counts).on(shares) for route in routes])


def redrawn(
    history: History, routes: Sequence[Route], curve: Curve, shares: FloatArray, *, replicates: int, seed: int
) -> FloatArray:
    """The curve of each redraw, one a row: every item is there 0, 1, 2, … times, independently, once on average."""
    if replicates < 20:
        raise InputError(f"an interval needs at least 20 redraws, not {replicates}")

    def draw(rng: np.random.Generator) -> list[float]:
        counts = rng.poisson(history.counts).astype(np.float64)
        counts = counts if counts.any() else history.counts
        found: list[float] = curve([route.path(counts, knots=FEW_KNOTS).on(shares) for route in routes]).tolist()
        return found

    return np.array(replicate(draw, replicates=replicates, seed=seed)).T
