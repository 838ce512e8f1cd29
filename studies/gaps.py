"""Does the interval of a gap between two rates hold the truth? Exact: over all counts that could come up."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.stats import binom

from evenhand.intervals.proportions import wilson
from evenhand.tally import Amount
from studies.study import Row, Study

LEVEL = 0.95
BACKGROUND = 2000  # items


def cells() -> list[Row]:
    sizes, rates, gaps = (10, 15, 30, 100), (0.01, 0.05, 0.5, 0.95, 0.99), (0.0, 0.1)
    return [
        {"items": items, "rate": rate, "gap": gap if rate > 0.5 else -gap}
        for items, rate, gap in itertools.product(sizes, rates, gaps)
    ]


def run(cell: Row, _draws: int, _rng: np.random.Generator) -> list[Row]:
    outside, inside = _outcomes(BACKGROUND, cell["rate"]), _outcomes(cell["items"], cell["rate"] - cell["gap"])
    covered = 0.0
    for (first, chance), (second, other) in itertools.product(outside, inside):
        low, high = first.square_and_add(second, LEVEL)
        covered += chance * other * (low <= cell["gap"] <= high)
    return [{"coverage": float(covered)}]


def _outcomes(items: int, rate: float) -> list[tuple]:
    """The interval of each count that has a chance worth speaking of."""
    counts = np.arange(items + 1)
    chances = binom.pmf(counts, items, rate)
    some = chances > 1e-7
    return [(wilson(_plain(k), _plain(items - k)), p) for k, p in zip(counts[some], chances[some], strict=True)]


def _plain(count: int) -> Amount:
    return Amount(float(count), float(count), float(count))


STUDY = Study("gaps", cells(), run, draws=1)
