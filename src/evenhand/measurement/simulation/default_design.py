"""The default design, simulated as it would be drawn: with this classifier, a useless one, and other settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from evenhand.finding import Measured, Slice, SliceKey
from evenhand.intervals.survey import SurveyShare
from evenhand.intervals.survey_estimators import StratifiedSample
from evenhand.measurement.simulation.experiments import Experiment, SimulatedEstimates
from evenhand.measurement.simulation.populations import LabelledPopulation
from evenhand.measurement.simulation.settings import (
    AS_IF_SHUFFLED,
    PAPER_STRATA,
    ScoreCut,
    SimulatedDesign,
    design_variant,
)
from evenhand.sampling import random_size, stratified_size
from evenhand.sampling.batches import LabelledBatch
from evenhand.sampling.estimation import estimate_batches
from evenhand.sampling.score_driven import ScoreDrivenSettings, draw_batch


def simulate_batches(
    population: LabelledPopulation, n: int, rng: np.random.Generator, design: ScoreDrivenSettings
) -> list[LabelledBatch]:
    """All batches of one sample of n labels."""
    past: list[LabelledBatch] = []
    for size in design.batches(n):
        batch = draw_batch(population.frame, past, size, rng, design)
        past.append(LabelledBatch(batch, population.label[batch.draw.rows]))
    return past


def simulate_score_driven(
    populations: Iterable[LabelledPopulation], n: int, rng: np.random.Generator, design: ScoreDrivenSettings
) -> Iterator[StratifiedSample]:
    """One sample of n labels from each population, estimated; the same one again and again for a plain simulation."""
    weights = design.weights(n)
    for population in populations:
        yield estimate_batches(population.frame, simulate_batches(population, n, rng, design), weights)


DEFAULT_DESIGN: Slice = {SliceKey.DESIGN: SimulatedDesign.DEFAULT}
USELESS_SCORE: Slice = {SliceKey.AS_IF: AS_IF_SHUFFLED}
SHUFFLED_ITEMS = 200_000  # items; a larger file is not shuffled anew for every sample, which takes time
FEWEST_LABELS, MOST_LABELS = 20, 10_000  # labels; where more are needed, the figure is scaled up from here
MOST_OF_ALL = 0.9  # of the items; more than that is as good as a census
Tick = Callable[[int], None]


@dataclass(frozen=True)
class DesignTrial:
    """How a design is played: on which population, and whether its classifier knows anything."""

    population: LabelledPopulation
    design: ScoreDrivenSettings
    shuffled: bool = False

    def size(self, n: float) -> int:
        """A number of labels that can be played."""
        return int(
            np.clip(
                round(n), FEWEST_LABELS, max(FEWEST_LABELS, min(MOST_LABELS, int(MOST_OF_ALL * len(self.population))))
            )
        )

    def samples(
        self, n: int, draws: int, rng: np.random.Generator, tick: Tick
    ) -> tuple[SimulatedEstimates, list[SurveyShare]]:
        """What so many samples came to."""
        figures: list[SurveyShare] = []
        for sampled in simulate_score_driven(self._populations(draws, rng), n, rng, self.design):
            figures.append(sampled.figure())
            tick(1)
        values = np.array([figure.value for figure in figures])
        return SimulatedEstimates(values, float(n), self.population.prevalence), figures

    def _populations(self, draws: int, rng: np.random.Generator) -> Iterator[LabelledPopulation]:
        population, fresh = self.population, 1 + len(self.population.label) // SHUFFLED_ITEMS
        for draw in range(draws):
            if self.shuffled and draw % fresh == 0:
                population = self.population.shuffled(rng)
            yield population


def trial_samples(bench: Experiment) -> int:
    """Samples that are drawn in all."""
    full, half, trial = bench.settings.simulations, bench.settings.simulations // 2, bench.settings.trial
    return 2 * (full + trial) + (half + trial) + len(bench.settings.variants) * half


def default_design_results(bench: Experiment, tick: Tick) -> Iterator[Measured]:
    """The default, then as if the classifier knew nothing, then its settings."""
    settings, scenario, design = bench.settings, bench.scenario, ScoreDrivenSettings()
    play = DesignTrial(scenario.endless, design)
    rng = bench.rng(DEFAULT_DESIGN)
    n, estimates, figures = _needed_samples(bench, play, _first_size(bench), rng, tick)
    yield bench.needed(DEFAULT_DESIGN, estimates)
    yield from bench.bias(DEFAULT_DESIGN, estimates)
    yield from bench.covered(DEFAULT_DESIGN, figures)
    yield from _finite(bench, estimates.needed(bench.error), tick)
    yield from _useless_score(bench, DesignTrial(scenario.endless, design, shuffled=True), tick)
    for text in settings.variants:
        own = {**DEFAULT_DESIGN, SliceKey.SETTING: text}
        tried, _ = DesignTrial(scenario.endless, design_variant(text)).samples(
            n, settings.simulations // 2, bench.rng(own), tick
        )
        yield bench.needed(own, tried)
        yield from bench.bias(own, tried)


def _finite(bench: Experiment, needed: float, tick: Tick) -> Iterator[Measured]:
    """The same where items run out."""
    start = needed * bench.items / (needed + bench.items)
    play = DesignTrial(bench.scenario.here, ScoreDrivenSettings())
    _, estimates, _ = _needed_samples(bench, play, start, bench.rng(DEFAULT_DESIGN, "finite"), tick, items=bench.items)
    yield bench.needed_finite(DEFAULT_DESIGN, estimates)


def _useless_score(bench: Experiment, play: DesignTrial, tick: Tick) -> Iterator[Measured]:
    """The worst case: at the size that random sampling needs."""
    rng, settings = bench.rng(DEFAULT_DESIGN, *USELESS_SCORE.values()), bench.settings
    n = play.size(random_size(bench.scenario.here.prevalence, bench.target).n)
    trial, _ = play.samples(n, settings.trial, rng, tick)
    estimates, figures = play.samples(play.size(trial.needed(bench.error)), settings.simulations // 2, rng, tick)
    design = {**DEFAULT_DESIGN, **USELESS_SCORE}
    yield bench.needed(design, estimates)
    yield from bench.bias(design, estimates)
    yield from bench.covered(design, figures)


def _first_size(bench: Experiment) -> float:
    """Where to look first: what the oracle's allocation on the paper's strata needs, or a little above the limit."""
    oracle = stratified_size(bench.scenario.urns(ScoreCut.QUANTILE, PAPER_STRATA, endless=True).parts, bench.target).n
    return max(float(oracle), 1.15 * bench.scenario.here.limit() / bench.error**2)


def _needed_samples(
    bench: Experiment,
    play: DesignTrial,
    start: float,
    rng: np.random.Generator,
    tick: Tick,
    *,
    items: int | None = None,
) -> tuple[int, SimulatedEstimates, list[SurveyShare]]:
    """Samples of the size that is needed, found by trial."""
    trial, _ = play.samples(play.size(start), bench.settings.trial, rng, tick)
    n = play.size(trial.needed(bench.error, items=items))
    estimates, figures = play.samples(n, bench.settings.simulations, rng, tick)
    return n, estimates, figures
