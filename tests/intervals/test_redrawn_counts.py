"""Counts redrawn all at once: each cell has its distribution, cells do not know one another, sums are right."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evenhand.intervals.redrawn_counts import redrawn_items, redrawn_labels

DRAWS = 4000


@pytest.mark.parametrize("count", [0, 1, 3, 25, 26, 400])
def test_a_cell_has_every_quantile_of_its_poisson_distribution_once(count: int) -> None:
    drawn = np.sort(redrawn_items(np.array([float(count)]), DRAWS, 0)[0])
    exact = stats.poisson.ppf((np.arange(DRAWS) + 0.5) / DRAWS, count)
    assert np.abs(drawn - exact).max() <= (0.0 if count <= 25 else 0.75)  # large counts are not rounded
    assert drawn.mean() == pytest.approx(count, abs=0.02 * max(count, 1) ** 0.5)


@pytest.mark.parametrize(
    ("items", "chance"), [(0, 0.3), (1, 0.3), (10, 0.999), (40, 0.5), (5000, 0.0004), (5000, 0.9996), (5000, 0.4)]
)
def test_a_cell_has_every_quantile_of_its_binomial_distribution_once(items: int, chance: float) -> None:
    drawn = np.sort(redrawn_labels(np.array([float(items)]), np.array([chance]), DRAWS, 0)[0])
    exact = stats.binom.ppf((np.arange(DRAWS) + 0.5) / DRAWS, items, chance)
    small = items * chance * (1.0 - chance) <= 25.0
    if chance > 0.5:  # quantiles of what is not marked, turned round
        exact = items - stats.binom.ppf((np.arange(DRAWS) + 0.5) / DRAWS, items, 1.0 - chance)[::-1]
    assert np.abs(drawn - exact).max() <= (0.0 if small else 0.75)


def test_cells_are_independent_and_sums_are_distributed_as_those_of_draws() -> None:
    counts = np.random.default_rng(0).integers(0, 60, 50).astype(float)
    drawn = redrawn_items(counts, DRAWS, 3)
    apart = np.corrcoef(drawn[counts > 0])[~np.eye(int((counts > 0).sum()), dtype=bool)]
    assert np.abs(apart).max() < 5.0 / np.sqrt(DRAWS)
    total = drawn.sum(axis=0)
    assert total.var() == pytest.approx(counts.sum(), rel=0.08)
    ends = stats.poisson.ppf([0.025, 0.975], counts.sum())
    assert np.quantile(total, [0.025, 0.975]) == pytest.approx(ends, abs=0.15 * counts.sum() ** 0.5)


def test_a_seed_gives_the_same_draws_and_fewer_cells_the_first_of_them() -> None:
    counts = np.arange(20.0)
    assert (redrawn_items(counts, 500, 1) == redrawn_items(counts, 500, 1)).all()
    assert (redrawn_items(counts, 500, 1)[:7] == redrawn_items(counts[:7], 500, 1)).all()
    assert (redrawn_items(counts, 500, 1) != redrawn_items(counts, 500, 2)).any()
