"""The bootstrap: seeded, and of the width that theory gives."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.intervals.bootstrap import percentile, replicate


def test_seeded_and_counted() -> None:
    seen = []

    def draw(rng: np.random.Generator) -> list[float | None]:
        return [rng.random(), None]

    runs = [replicate(draw, replicates=30, seed=7, progress=lambda i, n: seen.append((i, n))) for _ in range(2)]
    assert runs[0] == runs[1]
    assert len(runs[0][0]) == 30
    assert runs[0][1] == []
    assert seen[29] == (30, 30)
    assert runs[0] != replicate(draw, replicates=30, seed=8)


def test_percentiles_hold_the_value() -> None:
    draws = list(np.random.default_rng(0).normal(size=4000))
    assert percentile(draws, 0.0, 0.95) == pytest.approx((-1.96, 1.96), abs=0.12)
    assert percentile(draws, 5.0, 0.95)[1] == 5.0
    assert percentile(draws[:10], 0.0, 0.95) is None
