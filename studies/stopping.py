"""Is a target kept, and the interval still right, if labelling stops once the published interval is narrow enough?

On five real sets of scores, as they are and made over- and underconfident or worthless. The plan is made from the score
as it is taken; after each batch the labels still needed are predicted, the next batch is that many, at most what is
left of the plan, and a plan that is used up is extended, to at most twice its labels. Labelling stops at "within 20 %"
with ten violations or more, or at twice the plan. `coverage` is that of the usual interval, `published` that of the one
which is published: it allows for what the score misses, where the two disagree.
"""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np

from evenhand.catalogue.accuracy import PREVALENCE
from evenhand.intervals.blind_spots import RobustShare, drawn_unequally, intervals_disagree
from evenhand.intervals.survey import SurveyShare
from evenhand.measurement.promise import FEWEST_FOUND, TargetProgress
from evenhand.measurement.simulation.populations import LabelledPopulation
from evenhand.sampling.batches import LabelledBatch, gather_labels
from evenhand.sampling.design import DrawnSoFar
from evenhand.sampling.expectations import FEWEST_OF_POOL, expect_pool, size_for_prevalence
from evenhand.sampling.score_driven import ScoreDrivenDesign
from evenhand.sampling.sizes import Within
from studies.scored import CLASSIFIERS, SETS, misled, real
from studies.study import Row, Study

TARGET, DESIGN, CAP = Within(0.2), ScoreDrivenDesign(), 2


def cells() -> list[Row]:
    return [{"set": name, "classifier": classifier} for name, classifier in itertools.product(SETS, CLASSIFIERS)]


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    scored = misled(real(cell["set"]), cell["classifier"], rng)
    population = LabelledPopulation.of(scored.score, scored.label)
    truth = population.prevalence
    planned = size_for_prevalence(expect_pool(population.frame, DESIGN), TARGET).n
    planned = min(max(planned, FEWEST_OF_POOL), len(scored.label) // CAP)
    runs = [campaign(population, planned, rng) for _ in range(draws)]
    value, low, high, labels, reached, published = np.array(runs).T
    error = float(value.std(ddof=1))
    return [
        {
            "planned": planned,
            "labels": float(labels.mean()),
            "reached": float(reached.mean()),
            "coverage": float(np.mean((low <= truth) & (truth <= high))),
            "published": float(published.mean()),
            "bias_in_errors": float(value.mean() - truth) / error,
            "relative_error": error / truth,
            "widest": float(np.max(high - low) / np.median(high - low)),
        }
    ]


def campaign(population: LabelledPopulation, planned: int, rng: np.random.Generator) -> tuple[float, ...]:
    """One campaign: value, low, high, labels, whether the target was reached, and the published interval holds."""
    pool = SimpleNamespace(frame=population.frame, items=len(population.frame))
    frame, past, n, most = population.frame, list[LabelledBatch](), planned, None
    while True:
        gone = gather_labels(past)[0]
        batch = DESIGN.draw(frame, DrawnSoFar(past, gone, most), n, rng)
        past.append(LabelledBatch(batch, population.label[batch.draw.rows]))
        figure = DESIGN.sampled(frame, past).figure()
        estimate, hits, drawn = figure.estimate(), figure.hits, len(gather_labels(past)[0])
        lacking = "all" if hits < FEWEST_FOUND else ""
        progress = TargetProgress(PREVALENCE, TARGET, drawn, TARGET.excess(estimate), hits, len(frame), lacking)
        if progress.reached or drawn >= CAP * planned:
            assert estimate.low is not None
            held = float(_published_holds(DESIGN.share(pool, past), population.prevalence))
            return figure.value, estimate.low, estimate.high or 0.0, drawn, float(progress.reached), held
        n = n if drawn < n else min(max(progress.extended, drawn + DESIGN.fewest(frame)), CAP * planned + 10)
        most = progress.next_batch


def _published_holds(share: SurveyShare, truth: float) -> bool:
    """Whether the interval that is published holds the truth: the robust one where the two disagree."""
    disagree = drawn_unequally(share) and intervals_disagree(share, TARGET.level)
    estimate = (RobustShare.from_share(share) if disagree else share).estimate(TARGET.level)
    return (estimate.low or 0.0) <= truth <= (estimate.high or 0.0)


STUDY = Study("stopping", cells(), run, draws=100)
