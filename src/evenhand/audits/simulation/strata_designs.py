"""The paper's designs: at random, and in strata with an equal, an optimal or a pilot's allocation."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from evenhand.audits.simulation.bench import FINITE, NEEDED, Bench
from evenhand.audits.simulation.scenes import BY, ORACLE
from evenhand.audits.simulation.settings import PAPER_PILOT, PAPER_STRATA
from evenhand.finding import Measured, Slice
from evenhand.sampling import allocation, random_size, stratified_size
from evenhand.sampling.simulation import Draws, Simulated, Urns

RANDOM: Slice = {"design": "random"}
LIMIT: Slice = {"design": "limit"}


def in_strata(design: str, by: str, count: int, **pilot: int) -> Slice:
    """The slice of a design in strata."""
    named = {"design": design, "strata_by": by, "strata": str(count)}
    return named | {key: str(size) for key, size in pilot.items()}


PAPER = in_strata("pilot", "quantile", PAPER_STRATA, pilot=PAPER_PILOT)
PAPER_OPTIMAL = in_strata("optimal", "quantile", PAPER_STRATA)


def cuts(bench: Bench) -> list[tuple[str, int]]:
    """Ways to cut the score; the oracle halves again and again, so it takes powers of two."""
    counts = bench.settings.counts
    plain = [(by, count) for by in BY for count in counts]
    return [*plain, *((ORACLE, count) for count in counts if count & (count - 1) == 0)]


def at_random(bench: Bench) -> Iterator[Measured]:
    """Closed forms, and the limit of any design by this score."""
    prevalence = bench.scene.here.prevalence
    yield bench.exact(NEEDED, RANDOM, random_size(prevalence, bench.target).n)
    yield bench.exact(FINITE, RANDOM, random_size(prevalence, bench.target, items=bench.items).n)
    yield bench.exact(NEEDED, LIMIT, bench.scene.here.limit() / bench.error**2)


def planned(bench: Bench, by: str, count: int) -> Iterator[Measured]:
    """Equal and optimal allocation, whose variance is known exactly."""
    endless, here = (bench.scene.urns(by, count, endless=endless) for endless in (True, False))
    for name, shares, allocate in (("equal", np.ones(len(here.sizes)), here.equal), ("optimal", None, here.optimal)):
        design = in_strata(name, by, count)
        yield bench.exact(NEEDED, design, stratified_size(endless.parts, bench.target, allocation=shares).n)
        yield bench.exact(FINITE, design, here.size(allocate, bench.error))


def piloted(bench: Bench, by: str, count: int, each: int, design: Slice) -> Iterator[Measured]:
    """A pilot in each stratum, then the rest where it says."""
    urns = bench.scene.urns(by, count, endless=True)
    draws = _settled(bench, urns, each, bench.rng(design), items=None)
    found, least = _came_to(bench, draws), float(np.minimum(each, urns.sizes).sum())
    yield bench.needed(design, found, least=least)
    yield from bench.bias(design, found)
    if design == PAPER:
        yield from bench.covered(design, draws.figures())
    here = bench.scene.urns(by, count, endless=False)
    spent = float(np.minimum(each, here.sizes).sum())
    finite = _settled(bench, here, each, bench.rng(design, "finite"), items=bench.items)
    yield bench.needed_finite(design, _came_to(bench, finite), least=spent)


def examined(bench: Bench) -> Iterator[Measured]:
    """Bias and coverage of the designs that need no simulation to know their size."""
    for design, by, count in ((RANDOM, "quantile", 1), (PAPER_OPTIMAL, "quantile", PAPER_STRATA)):
        urns = bench.scene.urns(by, count, endless=True)
        n = stratified_size(urns.parts, bench.target).n
        counts = allocation.optimal(max(n, 2 * len(urns.sizes)), urns.sizes, urns.parts.deviations, least=2)
        draws = urns.drawn(counts, bench.settings.simulations, bench.rng(design))
        yield from bench.bias(design, _came_to(bench, draws))
        yield from bench.covered(design, draws.figures())


def piloted_blindly(bench: Bench, as_if: Slice) -> Iterator[Measured]:
    """The paper's practical design with a classifier that knows nothing."""
    design, rng = {**PAPER, **as_if}, bench.rng(PAPER, *as_if.values())
    shuffled = bench.scene.endless.shuffled(rng)
    urns = Urns.of(bench.scene.strata("quantile", PAPER_STRATA), shuffled.label, times=shuffled.times)
    draws = _settled(bench, urns, PAPER_PILOT, rng, items=None)
    found = _came_to(bench, draws)
    yield bench.needed(design, found, least=float(np.minimum(PAPER_PILOT, urns.sizes).sum()))
    yield from bench.bias(design, found)
    yield from bench.covered(design, draws.figures())


def _settled(bench: Bench, urns: Urns, each: int, rng: np.random.Generator, *, items: int | None) -> Draws:
    """Samples of the size that is needed, found by trial."""
    most, settings = int(urns.sizes.sum()), bench.settings
    n = stratified_size(urns.parts, bench.target).n
    for _ in range(2):
        trial = urns.piloted(min(n, most), each, settings.trial, rng)
        n = math.ceil(_came_to(bench, trial).needed(bench.error, items=items))
    return urns.piloted(min(n, most), each, settings.simulations, rng)


def _came_to(bench: Bench, draws: Draws) -> Simulated:
    return Simulated(draws.values, draws.spent, bench.scene.here.prevalence)
