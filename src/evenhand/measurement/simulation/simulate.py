"""The simulation: all designs on all scenarios, in one finding."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import scipy

from evenhand.catalogue.accuracy import PREVALENCE
from evenhand.evidence import TableSource
from evenhand.finding import Finding, Measured, Slice
from evenhand.measurement.simulation import default_design, published_designs, verdicts
from evenhand.measurement.simulation.default_design import USELESS_SCORE, Tick
from evenhand.measurement.simulation.experiments import Experiment
from evenhand.measurement.simulation.scenarios import Scenarios, SimulationRequest, open_scenarios
from evenhand.measurement.simulation.settings import ScoreCut, SimulatedDesign, SimulationSettings
from evenhand.measurement.simulation.verdicts import BiasThresholds
from evenhand.progress import Progress, silent
from evenhand.sampling import Within
from evenhand.version import __version__

NAME = "simulation"
QUESTION = "How many labels does each design need on data like this?"
STRATA_COST = 25  # what a design in strata takes, in samples of the default design


def simulate_on(
    data: TableSource,
    request: SimulationRequest,
    settings: SimulationSettings,
    *,
    query: str | None = None,
    progress: Progress = silent,
) -> Finding:
    """From labelled items in a file, a database or a frame to the finding."""
    opened = open_scenarios(data, request, query=query, seed=settings.seed, progress=progress)
    return simulate_designs(opened, settings, progress)


def simulate_designs(opened: Scenarios, settings: SimulationSettings, progress: Progress = silent) -> Finding:
    """The paper's Figures 1 and 2 and Table 1, the default design beside, and what intervals are worth."""
    benches = [
        Experiment(scenario, Within(share, settings.level), settings)
        for scenario, share in product(opened.scenarios, settings.within)
    ]
    clock = _Clock(progress, sum(_cost(bench) for bench in benches))
    measured: list[Measured] = []
    for scenario in opened.scenarios:
        bench = next(one for one in benches if one.scenario is scenario)
        violating = bench.exact(PREVALENCE, {}, scenario.here.prevalence)
        measured.append(Measured(PREVALENCE, scenario.slice, violating.estimate))
    for bench in benches:
        measured += _results(bench, clock)
    known = dict(opened.provenance) | {
        "settings": settings.as_dict(),
        "seed": settings.seed,
        "versions": _versions(),
    }
    thresholds = BiasThresholds.for_measured(measured)
    conclusions = list(verdicts.conclusions(measured, settings, thresholds))
    return Finding(
        NAME,
        QUESTION,
        tuple(measured),
        (*verdicts.simulation_caveats(opened, settings, thresholds), *opened.notes),
        known,
        tuple(reading for reading, _ in conclusions),
        tuple(verdict for _, verdict in conclusions),
        (thresholds.exhibit(),),
    )


class _Clock:
    """Tells how far the work has come."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0
        progress("simulating", 0, total)

    def __call__(self, steps: int) -> None:
        self._done += steps
        if steps > 1 or self._done % 20 == 0:
            self._progress("simulating", self._done, self._total)


def _pilots(bench: Experiment) -> list[tuple[ScoreCut, int, int, Slice]]:
    """Each cut with each pilot: by stratum, and for quantiles in all."""
    settings, pilot = bench.settings, partial(published_designs.stratified_slice, SimulatedDesign.PILOT)
    each = [
        (by, count, size, pilot(by, count, pilot=size))
        for by, count in published_designs.stratifications(bench)
        for size in settings.pilot_sizes
    ]
    pairs, cut = product(settings.counts, settings.pilot_totals), ScoreCut.QUANTILE
    total = [
        (cut, count, all_ // count, pilot(cut, count, pilot_total=all_)) for count, all_ in pairs if all_ >= 2 * count
    ]
    return [*each, *total]


def _cost(bench: Experiment) -> int:
    return default_design.trial_samples(bench) + STRATA_COST * (
        len(_pilots(bench)) + len(published_designs.stratifications(bench)) + 3
    )


def _results(bench: Experiment, tick: Tick) -> Iterator[Measured]:
    yield from published_designs.random_sampling(bench)
    for by, count in published_designs.stratifications(bench):
        yield from published_designs.known_allocations(bench, by, count)
        tick(STRATA_COST)
    for by, count, each, design in _pilots(bench):
        yield from published_designs.pilot_allocation(bench, by, count, each, design)
        tick(STRATA_COST)
    yield from published_designs.bias_and_coverage(bench)
    tick(STRATA_COST)
    yield from published_designs.pilot_with_useless_score(bench, USELESS_SCORE)
    tick(2 * STRATA_COST)
    yield from default_design.default_design_results(bench, tick)


def _versions() -> dict[str, Any]:
    return {
        "evenhand": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }
