"""Do intervals of a prevalence hold it, down to 0.1 %? By design, and by the violations expected in the sample.

Made-up populations of a million items, in which violating items score higher by `strength` standard deviations, and
five real sets of scores. With a blind spot, a fifth of the violating items score like all others: what no design by the
score can see. Beside the default interval are those that others would take from the same sample.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from scipy.special import expit

from evenhand.intervals import survey_estimators
from evenhand.intervals.survey import SurveyShare
from evenhand.intervals.survey_estimators import StratifiedSample
from evenhand.measurement.simulation.default_design import simulate_batches, simulate_score_driven
from evenhand.measurement.simulation.experiments import INTERVALS, covers_truth
from evenhand.measurement.simulation.populations import LabelledPopulation, Urns
from evenhand.sampling import allocation, strata
from evenhand.sampling.score_driven import ScoreDrivenSettings
from studies.sampling import OVER
from studies.scored import SETS, Scored, real
from studies.study import Row, Study

LEVEL, ITEMS, MOST, BLIND = 0.95, 1_000_000, 10_000, 0.2
Draw = Callable[[np.random.Generator], StratifiedSample]
SOME = 500  # draws on which the slower intervals are taken too


def cells() -> list[Row]:
    prevalences, expected = (0.001, 0.01, 0.1), (15, 50, 130)
    planned = itertools.product(("made up",), prevalences, (3.0,), ("optimal", "random"), (*expected, 300))
    strong = itertools.product(("made up",), prevalences, (3.0,), ("default",), expected)
    weak = itertools.product(("made up",), prevalences[1:], (1.5,), ("default",), expected[1:])
    blind = itertools.product(("blind spot",), prevalences[1:], (3.0,), ("default",), expected[2:])
    found = itertools.product(SETS, ("",), ("",), ("default",), expected[1:])
    names = ("population", "prevalence", "strength", "design", "expected")
    return [dict(zip(names, cell, strict=True)) for cell in (*planned, *strong, *weak, *blind, *found)]


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    if cell["population"] not in SETS:
        unseen = BLIND if cell["population"] == "blind spot" else 0.0
        scored = population(cell["prevalence"], cell["strength"], unseen, rng)
        n, draw = DESIGNS[cell["design"]](LabelledPopulation.of(scored.score, scored.label), cell["expected"], rng)
    else:
        scored = real(cell["population"])
        n, draw = adaptive(LabelledPopulation.of(scored.score, scored.label, times=OVER), cell["expected"], rng)
    drawn = [draw(rng) for _ in range(draws)]
    slow = {
        "bayesian": [survey_estimators.bayesian_interval(sampled, LEVEL) for sampled in drawn[:SOME]],
        "bootstrap": [survey_estimators.stratified_bootstrap_interval(sampled, LEVEL, rng) for sampled in drawn[:SOME]],
    }
    held = {
        name: float(np.mean([low <= scored.prevalence <= high for low, high in ends])) for name, ends in slow.items()
    }
    return [{"n": n, **covered([sampled.figure() for sampled in drawn], scored.prevalence), **held}]


def population(prevalence: float, strength: float, unseen: float, rng: np.random.Generator) -> Scored:
    label = rng.random(ITEMS) < prevalence
    height = strength * (strength * (label & (rng.random(ITEMS) >= unseen)) + rng.normal(size=ITEMS) - strength / 2.0)
    return Scored(expit(height + np.log(prevalence / (1.0 - prevalence))), label.astype(float))


def adaptive(population: LabelledPopulation, expected: float, rng: np.random.Generator) -> tuple[int, Draw]:
    """So many labels of the default design that the sample holds the expected number of violations."""
    design, n = ScoreDrivenSettings(), 200
    for _ in range(8):
        seen = [sum(part.label.sum() for part in simulate_batches(population, n, rng, design)) for _ in range(5)]
        n = int(np.clip(n * expected / max(np.mean(seen), 1.0), 40, MOST + 1))
    return n, lambda rng: next(simulate_score_driven([population], n, rng, design))


def optimal(population: LabelledPopulation, expected: float, _rng: np.random.Generator) -> tuple[int, Draw]:
    """The optimal allocation on eight quantile strata."""
    parts = strata.quantile_strata(population.score, 8)
    rates = parts.prevalences(population.label)
    wanted = parts.sizes * np.sqrt(rates * (1.0 - rates))
    counts = allocation.optimal_allocation(
        round(expected / (wanted @ rates) * wanted.sum()), parts.sizes, wanted, least=2
    )
    return int(counts.sum()), _planned(Urns.of(parts, population.label), counts)


def at_random(population: LabelledPopulation, expected: float, _rng: np.random.Generator) -> tuple[int, Draw]:
    n = round(expected / population.prevalence)
    return n, _planned(Urns.of(strata.quantile_strata(population.score, 1), population.label), np.array([n]))


def _planned(urns: Urns, counts: np.ndarray) -> Draw:
    return lambda rng: next(urns.drawn(counts, 1, rng).samples())


DESIGNS = {"default": adaptive, "optimal": optimal, "random": at_random}


def covered(figures: list[SurveyShare], truth: float) -> Row:
    """Shares of draws whose interval holds the truth, or lies below or above it."""
    found = [figure.estimate(LEVEL) for figure in figures]
    low, high = np.array([e.low for e in found]), np.array([e.high for e in found])
    return {
        "violations": float(np.mean([figure.hits for figure in figures])),
        "coverage": float(np.mean((low <= truth) & (truth <= high))),
        "too_low": float(np.mean(high < truth)),
        "too_high": float(np.mean(low > truth)),
        "marked": float(np.mean([bool(e.flags) for e in found])),
        "width": float(np.mean(high - low)) / truth,
        **{way: float(np.mean([covers_truth(way, figure, truth, LEVEL) for figure in figures])) for way in INTERVALS},
    }


STUDY = Study("survey", cells(), run, draws=4000)
