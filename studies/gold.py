"""Does the interval of a share that is corrected for annotator error hold the truth, where violations are rare?

Items are drawn at random and labelled by annotators with a sensitivity and a specificity that only gold items show:
`violating` and `benign` ones. `explained` is how often the errors of annotators explain all that they marked, so that
the corrected share is 0.
"""

from __future__ import annotations

import itertools

import numpy as np

from evenhand.errors import Undefined
from evenhand.intervals.survey import GoldCounts, SurveyShare, correct_annotator_error
from evenhand.intervals.survey_estimators import StratifiedSample
from studies.study import Row, Study

LEVEL, ITEMS = 0.95, 1_000_000
ANNOTATORS = {"weak": (0.8, 0.98), "good": (0.9, 0.995), "excellent": (0.95, 0.999)}
GOLD = ((50, 50), (50, 200), (200, 800))


def cells() -> list[Row]:
    names = ("prevalence", "labels", "annotators", "violating", "benign")
    every = itertools.product((0.005, 0.01, 0.05), (500, 1000, 3000), ANNOTATORS, GOLD)
    return [dict(zip(names, (*cell, *gold), strict=True)) for *cell, gold in every]


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    truth, n = cell["prevalence"], cell["labels"]
    sensitivity, specificity = ANNOTATORS[cell["annotators"]]
    marked = rng.binomial(n, truth * sensitivity + (1.0 - truth) * (1.0 - specificity), draws)
    caught, passed = (
        rng.binomial(cell["violating"], sensitivity, draws),
        rng.binomial(cell["benign"], specificity, draws),
    )
    ends, explained = [], 0
    for hits, right, fine in zip(marked.tolist(), caught.tolist(), passed.tolist(), strict=True):
        gold = GoldCounts(cell["violating"], right, cell["benign"], fine)
        try:
            share = correct_annotator_error(_seen(hits, n), gold)
        except Undefined:
            continue
        estimate = share.estimate(LEVEL)
        ends.append((estimate.low, estimate.high))
        explained += share.explained
    low, high = np.array(ends).T
    return [
        {
            "draws": len(ends),
            "coverage": float(np.mean((low <= truth) & (truth <= high))),
            "too_low": float(np.mean(high < truth)),
            "too_high": float(np.mean(low > truth)),
            "width": float(np.mean(high - low)) / truth,
            "explained": explained / len(ends),
        }
    ]


def _seen(hits: int, n: int) -> SurveyShare:
    share = hits / n
    variance = np.array([share * (1.0 - share) * n / (n - 1.0)])
    one = np.ones(1)
    return StratifiedSample(one, n * one, share * one, variance, n / ITEMS * one, float(hits)).figure()


STUDY = Study("gold", cells(), run, draws=2000)
