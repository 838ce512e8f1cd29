"""The default design played through, as it would be drawn and labelled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from evenhand.intervals.survey import Sampled
from evenhand.sampling.adaptive import ScoreDriven, draw_batch
from evenhand.sampling.batches import Labelled
from evenhand.sampling.estimation import of_batches
from evenhand.sampling.simulation.population import Population


def once(population: Population, n: int, rng: np.random.Generator, design: ScoreDriven) -> list[Labelled]:
    """All batches of one sample of n labels."""
    past: list[Labelled] = []
    for size in design.batches(n):
        batch = draw_batch(population.frame, past, size, rng, design)
        past.append(Labelled(batch, population.label[batch.draw.rows]))
    return past


def score_driven(
    populations: Iterable[Population], n: int, rng: np.random.Generator, design: ScoreDriven
) -> Iterator[Sampled]:
    """One sample of n labels from each population, estimated; the same one again and again for a plain simulation."""
    weights = design.weights(n)
    for population in populations:
        yield of_batches(population.frame, once(population, n, rng, design), weights)
