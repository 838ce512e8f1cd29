"""The general fallback: measure again on items redrawn at random, and see how much the number moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

METHOD = "poisson_bootstrap"

Draw = Callable[[np.random.Generator], Sequence[float | None]]
Progress = Callable[[int, int], None]


def replicate(draw: Draw, *, replicates: int, seed: int, progress: Progress | None = None) -> list[list[float]]:
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


def percentile(values: Sequence[float], value: float, level: float) -> tuple[float, float] | None:
    """The interval that holds the middle of the draws and the value itself; None with fewer than 20 draws."""
    if len(values) < 20:
        return None
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(np.asarray(values), [tail, 1.0 - tail])
    return min(float(low), value), max(float(high), value)
