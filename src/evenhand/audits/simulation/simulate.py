"""All designs on all populations, one finding."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import scipy

from evenhand.audits.simulation import default_design, readings, strata_designs
from evenhand.audits.simulation.bench import Bench
from evenhand.audits.simulation.biases import Bars
from evenhand.audits.simulation.default_design import SHUFFLED, Tick
from evenhand.audits.simulation.opening import Opened
from evenhand.audits.simulation.settings import SimulationSettings
from evenhand.finding import Finding, Measured
from evenhand.progress import Progress, silent
from evenhand.sampling import Within
from evenhand.version import __version__

QUESTION = "How many labels does each design need on data like this?"
CELL = 25  # what a design in strata takes, in samples of the default design


def simulate(opened: Opened, settings: SimulationSettings, progress: Progress = silent) -> Finding:
    """The paper's Figures 1 and 2 and Table 1, the default design beside, and what intervals are worth."""
    benches = [
        Bench(scene, Within(share, settings.level), settings)
        for scene, share in product(opened.scenes, settings.within)
    ]
    clock = _Clock(progress, sum(_cost(bench) for bench in benches))
    measured: list[Measured] = []
    for scene in opened.scenes:
        bench = next(one for one in benches if one.scene is scene)
        violating = bench.exact("prevalence", {}, scene.here.prevalence)
        measured.append(Measured("prevalence", scene.slice, violating.estimate))
    for bench in benches:
        measured += _tried(bench, clock)
    known = dict(opened.provenance) | {
        "settings": settings.as_dict(),
        "seed": settings.seed,
        "versions": _versions(),
    }
    said = tuple(readings.of(measured, settings))
    caveats = (*readings.caveats(opened, settings, Bars.of(measured)), *opened.notes)
    return Finding("simulation", QUESTION, tuple(measured), caveats, known, said)


class _Clock:
    """Tells how far the work has come."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0
        progress("simulating", 0, total)

    def __call__(self, steps: int) -> None:
        self._done += steps
        if steps > 1 or self._done % 20 == 0:
            self._progress("simulating", self._done, self._total)


def _pilots(bench: Bench) -> list[tuple[str, int, int, dict[str, int]]]:
    """Each cut with each pilot: by stratum, and for quantiles in all."""
    settings = bench.settings
    each = [
        (by, count, size, {"pilot": size}) for by, count in strata_designs.cuts(bench) for size in settings.pilot_sizes
    ]
    pairs = product(settings.counts, settings.pilot_totals)
    total = [("quantile", count, all_ // count, {"pilot_total": all_}) for count, all_ in pairs if all_ >= 2 * count]
    return [*each, *total]


def _cost(bench: Bench) -> int:
    return default_design.cost(bench) + CELL * (len(_pilots(bench)) + len(strata_designs.cuts(bench)) + 3)


def _tried(bench: Bench, tick: Tick) -> Iterator[Measured]:
    yield from strata_designs.at_random(bench)
    for by, count in strata_designs.cuts(bench):
        yield from strata_designs.planned(bench, by, count)
        tick(CELL)
    for by, count, each, named in _pilots(bench):
        yield from strata_designs.piloted(bench, by, count, each, strata_designs.in_strata("pilot", by, count, **named))
        tick(CELL)
    yield from strata_designs.examined(bench)
    tick(CELL)
    yield from strata_designs.piloted_blindly(bench, SHUFFLED)
    tick(2 * CELL)
    yield from default_design.played(bench, tick)


def _versions() -> dict[str, Any]:
    return {
        "evenhand": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }
