"""The paper's designs: random sampling, and strata with an equal, an optimal or a pilot's allocation."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from evenhand.catalogue.accuracy import LABELS_NEEDED, LABELS_NEEDED_FINITE
from evenhand.finding import Measured, Slice, SliceKey
from evenhand.measurement.simulation.experiments import Experiment, SimulatedEstimates
from evenhand.measurement.simulation.populations import Urns, UrnSamples
from evenhand.measurement.simulation.scenarios import CUTS
from evenhand.measurement.simulation.settings import PAPER_PILOT, PAPER_STRATA, ScoreCut, SimulatedDesign
from evenhand.sampling import allocation, random_size, stratified_size

RANDOM: Slice = {SliceKey.DESIGN: SimulatedDesign.RANDOM}
LIMIT: Slice = {SliceKey.DESIGN: SimulatedDesign.LIMIT}


def stratified_slice(
    design: SimulatedDesign,
    by: ScoreCut,
    count: int | str,
    *,
    pilot: int | str | None = None,
    pilot_total: int | str | None = None,
) -> Slice:
    """The slice of a design in strata; a pilot has so many labels in each of them, or in all."""
    sizes = {SliceKey.PILOT: pilot, SliceKey.PILOT_TOTAL: pilot_total}
    named: Slice = {SliceKey.DESIGN: design, SliceKey.STRATA_BY: by, SliceKey.STRATA: str(count)}
    return {**named, **{key: str(size) for key, size in sizes.items() if size is not None}}


PAPER = stratified_slice(SimulatedDesign.PILOT, ScoreCut.QUANTILE, PAPER_STRATA, pilot=PAPER_PILOT)
PAPER_OPTIMAL = stratified_slice(SimulatedDesign.OPTIMAL, ScoreCut.QUANTILE, PAPER_STRATA)


def stratifications(bench: Experiment) -> list[tuple[ScoreCut, int]]:
    """Ways to cut the score; the oracle halves again and again, so it takes powers of two."""
    counts = bench.settings.counts
    plain = [(by, count) for by in CUTS for count in counts]
    return [*plain, *((ScoreCut.ORACLE, count) for count in counts if count & (count - 1) == 0)]


def random_sampling(bench: Experiment) -> Iterator[Measured]:
    """Closed forms, and the limit of any design by this score."""
    prevalence = bench.scenario.here.prevalence
    yield bench.exact(LABELS_NEEDED, RANDOM, random_size(prevalence, bench.target).n)
    yield bench.exact(LABELS_NEEDED_FINITE, RANDOM, random_size(prevalence, bench.target, items=bench.items).n)
    yield bench.exact(LABELS_NEEDED, LIMIT, bench.scenario.here.limit() / bench.error**2)


def known_allocations(bench: Experiment, by: ScoreCut, count: int) -> Iterator[Measured]:
    """Equal and optimal allocation, whose variance is known exactly."""
    endless, here = (bench.scenario.urns(by, count, endless=endless) for endless in (True, False))
    for name, shares, allocate in (
        (SimulatedDesign.EQUAL, np.ones(len(here.sizes)), here.equal),
        (SimulatedDesign.OPTIMAL, None, here.optimal),
    ):
        design = stratified_slice(name, by, count)
        yield bench.exact(LABELS_NEEDED, design, stratified_size(endless.parts, bench.target, allocation=shares).n)
        yield bench.exact(LABELS_NEEDED_FINITE, design, here.size(allocate, bench.error))


def pilot_allocation(bench: Experiment, by: ScoreCut, count: int, each: int, design: Slice) -> Iterator[Measured]:
    """A pilot in each stratum, then the rest where it says."""
    urns = bench.scenario.urns(by, count, endless=True)
    draws = _needed_samples(bench, urns, each, bench.rng(design), items=None)
    estimates, least = _simulated(bench, draws), float(np.minimum(each, urns.sizes).sum())
    yield bench.needed(design, estimates, least=least)
    yield from bench.bias(design, estimates)
    if design == PAPER:
        yield from bench.covered(design, draws.figures())
    here = bench.scenario.urns(by, count, endless=False)
    spent = float(np.minimum(each, here.sizes).sum())
    finite = _needed_samples(bench, here, each, bench.rng(design, "finite"), items=bench.items)
    yield bench.needed_finite(design, _simulated(bench, finite), least=spent)


def bias_and_coverage(bench: Experiment) -> Iterator[Measured]:
    """Bias and coverage of the designs that need no simulation to know their size."""
    for design, by, count in ((RANDOM, ScoreCut.QUANTILE, 1), (PAPER_OPTIMAL, ScoreCut.QUANTILE, PAPER_STRATA)):
        urns = bench.scenario.urns(by, count, endless=True)
        n = stratified_size(urns.parts, bench.target).n
        counts = allocation.optimal_allocation(max(n, 2 * len(urns.sizes)), urns.sizes, urns.parts.deviations, least=2)
        draws = urns.drawn(counts, bench.settings.simulations, bench.rng(design))
        yield from bench.bias(design, _simulated(bench, draws))
        yield from bench.covered(design, draws.figures())


def pilot_with_useless_score(bench: Experiment, as_if: Slice) -> Iterator[Measured]:
    """The paper's practical design with an uninformative classifier."""
    design, rng = {**PAPER, **as_if}, bench.rng(PAPER, *as_if.values())
    shuffled = bench.scenario.endless.shuffled(rng)
    urns = Urns.of(bench.scenario.strata(ScoreCut.QUANTILE, PAPER_STRATA), shuffled.label, times=shuffled.times)
    draws = _needed_samples(bench, urns, PAPER_PILOT, rng, items=None)
    estimates = _simulated(bench, draws)
    yield bench.needed(design, estimates, least=float(np.minimum(PAPER_PILOT, urns.sizes).sum()))
    yield from bench.bias(design, estimates)
    yield from bench.covered(design, draws.figures())


def _needed_samples(
    bench: Experiment, urns: Urns, each: int, rng: np.random.Generator, *, items: int | None
) -> UrnSamples:
    """Samples of the size that is needed, found by trial."""
    most, settings = int(urns.sizes.sum()), bench.settings
    n = stratified_size(urns.parts, bench.target).n
    for _ in range(2):
        trial = urns.piloted(min(n, most), each, settings.trial, rng)
        n = math.ceil(_simulated(bench, trial).needed(bench.error, items=items))
    return urns.piloted(min(n, most), each, settings.simulations, rng)


def _simulated(bench: Experiment, draws: UrnSamples) -> SimulatedEstimates:
    return SimulatedEstimates(draws.values, draws.spent, bench.scenario.here.prevalence)
