"""How many labels does a design need for "within 20 %", and is it unbiased? On five real sets of scores.

Labels needed are n · (standard deviation of the estimate / standard error asked for)². The population is taken fifty
times over, so that no design gains from having labelled much of it; beside it are the labels needed in the population
as it is. The default design is asked for as many labels as the better of two references would need: the oracle
allocation on eight quantile strata, which knows all labels, and 1.15 times the limit of any design by the score.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from evenhand.sampling import allocation, strata
from evenhand.sampling.adaptive import Labelled, ScoreDriven, draw_batch
from evenhand.sampling.estimation import of_batches
from evenhand.sampling.frame import Frame
from evenhand.sampling.sizes import Parts, random_size, stratified_size
from evenhand.sampling.targets import Within
from studies.scored import CLASSIFIERS, SETS, Scored, limit, misled, real
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
    error, quantiles = TARGET.error(truth.prevalence), strata.quantile(scored.score, PARTS)
    parts = Parts.of(quantiles.sizes, quantiles.prevalences(scored.label))
    least, oracle = limit(truth) / error**2, stratified_size(parts, TARGET).n
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
    design, found, frame = ScoreDriven(), np.zeros(draws), repeated(scored, times)
    for draw in range(draws):
        if classifier == "shuffled" and draw % FRESH == 0:
            frame = repeated(misled(scored, classifier, rng), times)
        found[draw] = of_batches(frame, once(frame, scored.label, n, rng, design), design.weights(n)).figure().value
    return found, n


def once(frame: Frame, label: np.ndarray, n: int, rng: np.random.Generator, design: ScoreDriven) -> list[Labelled]:
    past: list[Labelled] = []
    for size in design.batches(n):
        batch = draw_batch(frame, past, size, rng, design)
        past.append(Labelled(batch, label[batch.draw.rows]))
    return past


def repeated(scored: Scored, times: int) -> Frame:
    """A population that holds every item so many times."""
    frame = Frame.of(scored.score)
    return Frame(np.repeat(frame.order, times), frame.starts * times, frame.logits, frame.groups)


def pilot(scored: Scored, n: int, draws: int, rng: np.random.Generator, times: int) -> tuple[np.ndarray, float]:
    """The paper's practical method: eight quantile strata, fifty pilot labels in each, pooled with the rest."""
    quantiles = strata.quantile(scored.score, PARTS)
    sizes = quantiles.sizes * times
    hits = np.round(quantiles.prevalences(scored.label) * sizes).astype(np.int64)
    first = rng.hypergeometric(hits, sizes - hits, PILOT, (draws, len(sizes)))
    counts = np.array([allocation.after_pilot(n, sizes, np.full(len(sizes), PILOT), seen) for seen in first])
    more = rng.hypergeometric(hits - first, sizes - hits - PILOT + first, counts - PILOT)
    return (first + more) / counts @ (sizes / sizes.sum()), float(counts.sum(axis=1).mean())


def planned(parts: Parts, sizes: np.ndarray, n: int) -> dict[str, np.ndarray]:
    """Designs that do not look at labels on the way."""
    return {
        "equal": allocation.equal(n, sizes),
        "proportional": allocation.proportional(n, sizes),
        "optimal": allocation.optimal(n, sizes, parts.deviations),
    }


def stratified(
    scored: Scored, quantiles: strata.Strata, counts: np.ndarray, draws: int, rng: np.random.Generator, times: int
) -> tuple[np.ndarray, float]:
    sizes = quantiles.sizes * times
    hits = np.round(quantiles.prevalences(scored.label) * sizes).astype(np.int64)
    seen = rng.hypergeometric(hits, sizes - hits, counts, (draws, len(sizes)))
    return seen / counts @ (sizes / sizes.sum()), float(counts.sum())


def _oracle(truth: Scored) -> float:
    quantiles = strata.quantile(truth.score, PARTS)
    return stratified_size(Parts.of(quantiles.sizes, quantiles.prevalences(truth.label)), TARGET).n


def _row(name: str, n: int, endless: tuple, finite: tuple, truth: Scored) -> Row:
    (values, spent), (others, others_spent) = endless, finite
    p = truth.prevalence
    error = TARGET.error(p)
    return {
        "design": name,
        "n": n,
        "spent": spent,
        "needed": spent * float(values.var()) / error**2,
        "needed_finite": others_spent * float(others.var()) / error**2,
        "relative_bias": float(values.mean()) / p - 1.0,
        "bias_in_errors": float((values.mean() - p) / values.std()) * math.sqrt(len(values)),
        "bias_in_errors_finite": float((others.mean() - p) / others.std()) * math.sqrt(len(others)),
    }


STUDY = Study("sampling", cells(), run, draws=5000)
