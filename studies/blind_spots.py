"""Do intervals hold the truth where the score cannot see a part of the violations?

Sixty thousand items; a part of the violations scores like benign items (`hidden`). One pool, of which the prevalence is
estimated, or two, with recall: what scores above one half was removed. A `good` score separates what it sees by three
standard deviations, a `sharp` one by five. Labels are drawn by the default design. `usual` assumes that the score
misses nothing, `robust` does not, and `published` is the robust one where the two disagree. `flagged_failures` is how
often a usual interval that misses the truth was flagged; widths are medians, over the truth.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.special import expit

from evenhand.audits.accuracy.blind_spots import published_estimate, with_robust_intervals
from evenhand.audits.accuracy.pools import ModeratedPopulation, PoolShare, pool_measures
from evenhand.catalogue.accuracy import PREVALENCE
from evenhand.catalogue.shared import RECALL
from evenhand.estimate import Estimate, Flag
from evenhand.finding import Finding, SliceKey
from evenhand.intervals.survey import SurveyShare
from evenhand.measurement.simulation.populations import LabelledPopulation
from evenhand.sampling.batches import LabelledBatch, gather_labels
from evenhand.sampling.design import DrawnSoFar, Estimator
from evenhand.sampling.expectations import expect_pool, split_labels
from evenhand.sampling.score_driven import ScoreDrivenDesign
from studies.study import Row, Study

ITEMS, LEVEL, FRESH = 60_000, 0.95, 25  # FRESH: draws from one population
QUALITY = {"good": 3.0, "sharp": 5.0}
DESIGN = ScoreDrivenDesign()


def cells() -> list[Row]:
    names = ("pools", "score", "prevalence", "hidden", "labels")
    every = itertools.product((1, 2), QUALITY, (0.005, 0.01), (0.0, 0.2, 0.3), (700, 2000))
    return [dict(zip(names, cell, strict=True)) for cell in every if cell[:2] != (2, "sharp")]


def populations(cell: Row, rng: np.random.Generator) -> list[LabelledPopulation]:
    """What was removed and what is visible; or everything."""
    share, apart = cell["prevalence"], QUALITY[cell["score"]]
    violating = rng.random(ITEMS) < share
    seen = violating & (rng.random(ITEMS) >= cell["hidden"])
    height = apart * (apart * seen + rng.normal(size=ITEMS)) - apart**2 / 2.0 + math.log(share / (1.0 - share))
    score, removed = expit(height), height > 0.0
    pools = [np.ones(ITEMS, dtype=np.bool_)] if cell["pools"] == 1 else [removed, ~removed]
    return [LabelledPopulation.of(score[inside], violating[inside] * 1.0) for inside in pools]


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    outcomes, pools = [], list[LabelledPopulation]()
    for draw in range(draws):
        if draw % FRESH == 0:
            pools = populations(cell, rng)
        outcomes.append(outcome(pools, cell["labels"], rng))
    found = np.array(outcomes)
    usual, robust, published, flagged = found[:, :4].T.astype(bool)
    widths = np.median(found[:, 4:], axis=0)
    return [
        {
            "usual": float(usual.mean()),
            "robust": float(robust.mean()),
            "published": float(published.mean()),
            "flagged": float(flagged.mean()),
            "failures": int(np.sum(~usual)),
            "flagged_failures": float(np.sum(flagged & ~usual)) / max(1, int(np.sum(~usual))),
            **dict(zip(("usual_width", "robust_width", "published_width"), widths.tolist(), strict=True)),
        }
    ]


def outcome(pools: list[LabelledPopulation], n: int, rng: np.random.Generator) -> list[float]:
    """Whether each interval holds the truth, whether the usual one is flagged, and their widths."""
    labels = split_labels(n, [expect_pool(pool.frame, DESIGN) for pool in pools]) if len(pools) > 1 else (n,)
    parts = [PoolShare(share(pool, k, rng), len(pool.label)) for pool, k in zip(pools, labels, strict=True)]
    names = ("removed", "visible") if len(pools) > 1 else ("whole",)
    population = ModeratedPopulation(**dict(zip(names, parts, strict=True)))
    measured = with_robust_intervals(population, LEVEL, lambda one: pool_measures(one, LEVEL))
    finding, measure = Finding("accuracy", "", measured, (), {}), RECALL if len(pools) > 1 else PREVALENCE
    hits = [float(pool.label.sum()) for pool in pools]
    truth = hits[0] / sum(hits) if len(pools) > 1 else hits[0] / ITEMS
    usual, robust = finding.get(measure), finding.get(measure, **{SliceKey.ESTIMATOR: Estimator.ROBUST})
    every = (usual, robust, published_estimate(finding, measure))
    widths = [((one.high or 0.0) - (one.low or 0.0)) / truth for one in every]
    return [*(_holds(one, truth) for one in every), Flag.BLIND_SPOT in usual.flags, *widths]


def share(population: LabelledPopulation, n: int, rng: np.random.Generator) -> SurveyShare:
    past: list[LabelledBatch] = []
    for _ in DESIGN.sizes(population.frame, n):
        batch = DESIGN.draw(population.frame, DrawnSoFar(past, gather_labels(past)[0]), n, rng)
        past.append(LabelledBatch(batch, population.label[batch.draw.rows]))
    label = gather_labels(past)[1]
    return DESIGN.label_draws(population.frame, past).share(label, np.ones(len(label), dtype=np.bool_), part=False)


def _holds(estimate: Estimate, truth: float) -> bool:
    return (estimate.low or 0.0) <= truth <= (1.0 if estimate.high is None else estimate.high)


STUDY = Study("blind_spots", cells(), run, draws=300)
