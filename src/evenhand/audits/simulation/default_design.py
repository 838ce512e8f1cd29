"""The default design, played through as it would be drawn: with this classifier, with a useless one, with settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from evenhand.audits.simulation.bench import Bench
from evenhand.audits.simulation.settings import PAPER_STRATA, variant
from evenhand.finding import Measured, Slice
from evenhand.intervals.survey import Figure
from evenhand.sampling import ScoreDriven, random_size, stratified_size
from evenhand.sampling.simulation import Population, Simulated, score_driven

DEFAULT: Slice = {"design": "default"}
SHUFFLED: Slice = {"as_if": "shuffled"}
SHUFFLES = 200_000  # items; a larger file is not shuffled anew for every sample, which takes time
FEWEST, MOST = 20, 10_000  # labels; where more are needed, the figure is scaled up from here
MOST_OF_ALL = 0.9  # of the items; more than that is as good as a census
Tick = Callable[[int], None]


@dataclass(frozen=True)
class Play:
    """How a design is played: on which population, and whether its classifier knows anything."""

    population: Population
    design: ScoreDriven
    shuffled: bool = False

    def size(self, n: float) -> int:
        """A number of labels that can be played."""
        return int(np.clip(round(n), FEWEST, max(FEWEST, min(MOST, int(MOST_OF_ALL * len(self.population))))))

    def samples(self, n: int, draws: int, rng: np.random.Generator, tick: Tick) -> tuple[Simulated, list[Figure]]:
        """What so many samples came to."""
        figures: list[Figure] = []
        for sampled in score_driven(self._populations(draws, rng), n, rng, self.design):
            figures.append(sampled.figure())
            tick(1)
        values = np.array([figure.value for figure in figures])
        return Simulated(values, float(n), self.population.prevalence), figures

    def _populations(self, draws: int, rng: np.random.Generator) -> Iterator[Population]:
        population, fresh = self.population, 1 + len(self.population.label) // SHUFFLES
        for draw in range(draws):
            if self.shuffled and draw % fresh == 0:
                population = self.population.shuffled(rng)
            yield population


def cost(bench: Bench) -> int:
    """Samples that are drawn in all."""
    full, half, trial = bench.settings.simulations, bench.settings.simulations // 2, bench.settings.trial
    return 2 * (full + trial) + (half + trial) + len(bench.settings.variants) * half


def played(bench: Bench, tick: Tick) -> Iterator[Measured]:
    """The default, then as if the classifier knew nothing, then its settings."""
    settings, scene, design = bench.settings, bench.scene, ScoreDriven()
    play = Play(scene.endless, design)
    rng = bench.rng(DEFAULT)
    n, found, figures = _settled(bench, play, _start(bench), rng, tick)
    yield bench.needed(DEFAULT, found)
    yield from bench.bias(DEFAULT, found)
    yield from bench.covered(DEFAULT, figures)
    yield from _finite(bench, found.needed(bench.error), tick)
    yield from _blind(bench, Play(scene.endless, design, shuffled=True), tick)
    for text in settings.variants:
        own = {**DEFAULT, "setting": text}
        tried, _ = Play(scene.endless, variant(text)).samples(n, settings.simulations // 2, bench.rng(own), tick)
        yield bench.needed(own, tried)
        yield from bench.bias(own, tried)


def _finite(bench: Bench, needed: float, tick: Tick) -> Iterator[Measured]:
    """The same where items run out."""
    start = needed * bench.items / (needed + bench.items)
    play = Play(bench.scene.here, ScoreDriven())
    _, found, _ = _settled(bench, play, start, bench.rng(DEFAULT, "finite"), tick, items=bench.items)
    yield bench.needed_finite(DEFAULT, found)


def _blind(bench: Bench, play: Play, tick: Tick) -> Iterator[Measured]:
    """The worst case: at the size that random sampling needs."""
    rng, settings = bench.rng(DEFAULT, *SHUFFLED.values()), bench.settings
    n = play.size(random_size(bench.scene.here.prevalence, bench.target).n)
    trial, _ = play.samples(n, settings.trial, rng, tick)
    found, figures = play.samples(play.size(trial.needed(bench.error)), settings.simulations // 2, rng, tick)
    design = {**DEFAULT, **SHUFFLED}
    yield bench.needed(design, found)
    yield from bench.bias(design, found)
    yield from bench.covered(design, figures)


def _start(bench: Bench) -> float:
    """Where to look first: what the oracle's allocation on the paper's strata needs, or a little above the limit."""
    oracle = stratified_size(bench.scene.urns("quantile", PAPER_STRATA, endless=True).parts, bench.target).n
    return max(float(oracle), 1.15 * bench.scene.here.limit() / bench.error**2)


def _settled(
    bench: Bench, play: Play, start: float, rng: np.random.Generator, tick: Tick, *, items: int | None = None
) -> tuple[int, Simulated, list[Figure]]:
    """Samples of the size that is needed, found by trial."""
    trial, _ = play.samples(play.size(start), bench.settings.trial, rng, tick)
    n = play.size(trial.needed(bench.error, items=items))
    found, figures = play.samples(n, bench.settings.simulations, rng, tick)
    return n, found, figures
