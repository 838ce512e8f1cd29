"""How many labels does a design need for "within 20 %", and is it unbiased? On five real sets of scores.

Labels needed are n · (standard deviation of the estimate / standard error asked for)². The population is taken fifty
times over, so that no design gains from having labelled much of it; beside it are the labels needed in the population
as it is. The default design is asked for as many labels as the better of two references would need: the oracle
allocation on eight quantile strata, which knows all labels, and 1.15 times the limit of any design by the score.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from evenhand.measurement.simulation.default_design import simulate_score_driven
from evenhand.measurement.simulation.experiments import SimulatedEstimates
from evenhand.measurement.simulation.populations import LabelledPopulation, Urns
from evenhand.sampling import allocation, strata
from evenhand.sampling.score_driven import ScoreDrivenSettings
from evenhand.sampling.sizes import StrataShares, Within, random_size, stratified_size
from studies.scored import CLASSIFIERS, SETS, Scored, misled, real
from studies.study import Row, Study

TARGET = Within(0.2)
OVER = 50  # times the population is taken
FRESH = 20  # draws, after which a shuffled classifier is shuffled again
PILOT, PARTS = 50, 8


def cells() -> list[Row]:
    return [{"set": name, "classifier": classifier} for name, classifier in itertools.product(SETS, CLASSIFIERS)]


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    truth = real(cell["set"])
    scored = misled(truth, cell["classifier"], rng)
    error, quantiles = TARGET.error(truth.prevalence), strata.quantile_strata(scored.score, PARTS)
    parts = StrataShares.of(quantiles.sizes, quantiles.prevalences(scored.label))
    least, oracle = LabelledPopulation.of(truth.score, truth.label).limit() / error**2, stratified_size(parts, TARGET).n
    at_random = random_size(truth.prevalence, TARGET).n
    reference = max(_oracle(truth), 1.15 * least)
    known = {"limit": least, "oracle_8": oracle, "random": at_random, "reference": reference}
    n = at_random if cell["classifier"] == "shuffled" else round(reference)
    draws = draws // 2 if cell["classifier"].endswith("confident") else draws
    rows = [
        _row("default", n, *(default(scored, n, draws, rng, cell["classifier"], times) for times in (OVER, 1)), truth),
        _row("pilot", n, *(pilot(scored, n, draws, rng, times) for times in (OVER, 1)), truth),
    ]
    for name, counts in planned(parts, quantiles.sizes, n).items():
        rows.append(_row(name, n, *(stratified(scored, quantiles, counts, draws, rng, t) for t in (OVER, 1)), truth))
    return [{**known, **row} for row in rows]


def default(
    scored: Scored, n: int, draws: int, rng: np.random.Generator, classifier: str, times: int
) -> tuple[np.ndarray, float]:
    """Estimates of the default design, and the labels it took."""
    samples = simulate_score_driven(populations(scored, draws, rng, classifier, times), n, rng, ScoreDrivenSettings())
    return np.array([sampled.figure().value for sampled in samples]), n


def populations(
    scored: Scored, draws: int, rng: np.random.Generator, classifier: str, times: int
) -> Iterator[LabelledPopulation]:
    """The same for every draw; a shuffled classifier is shuffled again now and then."""
    population = LabelledPopulation.of(scored.score, scored.label, times=times)
    for draw in range(draws):
        if classifier == "shuffled" and draw % FRESH == 0:
            population = LabelledPopulation.of(misled(scored, classifier, rng).score, scored.label, times=times)
        yield population


def pilot(scored: Scored, n: int, draws: int, rng: np.random.Generator, times: int) -> tuple[np.ndarray, float]:
    """The paper's practical method: eight quantile strata, fifty pilot labels in each, pooled with the rest."""
    found = Urns.of(strata.quantile_strata(scored.score, PARTS), scored.label, times=times).piloted(
        n, PILOT, draws, rng
    )
    return found.values, found.spent


def planned(parts: StrataShares, sizes: np.ndarray, n: int) -> dict[str, np.ndarray]:
    """Designs that do not look at labels on the way."""
    return {
        "equal": allocation.equal_allocation(n, sizes),
        "proportional": allocation.proportional_allocation(n, sizes),
        "optimal": allocation.optimal_allocation(n, sizes, parts.deviations),
    }


def stratified(
    scored: Scored, quantiles: strata.Strata, counts: np.ndarray, draws: int, rng: np.random.Generator, times: int
) -> tuple[np.ndarray, float]:
    found = Urns.of(quantiles, scored.label, times=times).drawn(counts, draws, rng)
    return found.values, found.spent


def _oracle(truth: Scored) -> float:
    quantiles = strata.quantile_strata(truth.score, PARTS)
    return stratified_size(StrataShares.of(quantiles.sizes, quantiles.prevalences(truth.label)), TARGET).n


def _row(name: str, n: int, endless: tuple, finite: tuple, truth: Scored) -> Row:
    error = TARGET.error(truth.prevalence)
    found, others = (SimulatedEstimates(*one, truth.prevalence) for one in (endless, finite))
    return {
        "design": name,
        "n": n,
        "spent": found.spent,
        "needed": found.needed(error),
        "needed_finite": others.needed(error),
        "relative_bias": found.relative_bias,
        "bias_in_errors": found.bias_in_errors,
        "bias_in_errors_finite": others.bias_in_errors,
    }


STUDY = Study("sampling", cells(), run, draws=2000)
