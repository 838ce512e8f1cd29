"""Do the intervals of the difference between two models on the same items hold the truth as often as they say?

Scores of the two models share a part of their scatter. Beside ours (square-and-add with DeLong's correlation): the
plain paired interval of DeLong, which collapses where little is misranked.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.special import ndtri

from evenhand.intervals import auc as auc_interval
from evenhand.intervals.influence import influence_correlation, overall_auc_influence
from evenhand.measures.ranking import auroc
from evenhand.tally import PlacedRows, Rows
from studies.study import Row, Study

LEVEL = 0.95
PAIRS = ((0.8, 0.8), (0.9, 0.8), (0.95, 0.9), (0.98, 0.98), (0.99, 0.95), (0.999, 0.99))
SIZES = ((10, 100), (30, 30), (100, 1000), (300, 300))


def cells() -> list[Row]:
    return [
        {"first": first, "second": second, "shared": shared, "high": high, "low": low}
        for (first, second), shared, (high, low) in itertools.product(PAIRS, (0.0, 0.5, 0.9), SIZES)
    ]


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    truth, hits = cell["first"] - cell["second"], np.zeros(3)
    rows = Rows(np.repeat([True, False], [cell["high"], cell["low"]]), {})
    for _ in range(draws):
        common = rng.standard_normal(len(rows))
        found = []
        for auc in (cell["first"], cell["second"]):
            own = rng.standard_normal(len(rows))
            score = math.sqrt(cell["shared"]) * common + math.sqrt(1 - cell["shared"]) * own
            placed = PlacedRows.from_rows(score + math.sqrt(2.0) * ndtri(auc) * rows.label, rows)
            tally = placed.tally()
            value = auroc(tally.everyone)
            found.append(
                (
                    auc_interval.classes_auc_interval(tally.everyone, value),
                    placed,
                    overall_auc_influence(placed, tally, value),
                )
            )
        (one, first, trace), (two, second, other) = found
        low, high = one.square_and_add(two, LEVEL, influence_correlation((first, trace), (second, other)))
        gap = trace.rows(first) - other.rows(second)
        reach = ndtri(0.5 + LEVEL / 2) * math.sqrt(float(gap @ gap))
        hits += [low <= truth <= high, abs(one.value - two.value - truth) <= reach, high - low]
    coverage, plain, width = (float(x) / draws for x in hits)
    return [{"coverage": coverage, "paired_delong": plain, "width": width}]


STUDY = Study("differences", cells(), run, draws=4000)
