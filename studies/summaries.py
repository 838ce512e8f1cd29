"""Do the intervals of power means and of the Jigsaw score hold the truth, although groups overlap?

The truth is that of a population of a million; each draw takes some thousands of it at random.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from evenhand.audits.bias.quantities import JigsawScore, PowerMean
from evenhand.audits.quantities import has_few_items
from evenhand.audits.views import View
from evenhand.measures import bias
from evenhand.tally import Membership, PlacedRows, Rows
from studies.study import Row, Study

LEVEL = 0.95
NAMES = ("a", "b", "c", "d", "e")
SHIFTS = (0.0, 0.4, -0.5, 1.2, 0.8)
SHARES = (0.3, 0.2, 0.1, 0.08)  # and the smallest


CONFUSED = 0.01  # of the violating items score like benign ones, where AUCs are near 1


def cells() -> list[Row]:
    """AUCs from .8 to .9, with 500, 100, 50, 20 and 10 items in the smallest group on average; and AUCs near 1."""
    sizes = ((10_000, 0.05), (2000, 0.05), (2000, 0.025), (2000, 0.01), (2000, 0.005))
    ordinary = [{"aucs": ".8 to .9", "rows": rows, "smallest": smallest} for rows, smallest in sizes]
    return ordinary + [{"aucs": "near 1", "rows": rows, "smallest": smallest} for rows, smallest in sizes[:2]]


def draw(cell: Row, rows: int, rng: np.random.Generator) -> View:
    label = rng.random(rows) < 0.25
    groups = {name: rng.random(rows) < share for name, share in zip(NAMES, (*SHARES, cell["smallest"]), strict=True)}
    if cell["aucs"] == "near 1":
        score = 10.0 * (label & (rng.random(rows) >= CONFUSED)) + rng.standard_normal(rows)
    else:
        shifts = sum(shift * inside for inside, shift in zip(groups.values(), SHIFTS, strict=True))
        score = 1.8 * label + rng.standard_normal(rows) + shifts
    members = {name: Membership(np.flatnonzero(inside).astype(np.int32)) for name, inside in groups.items()}
    placed = PlacedRows.from_rows(score, Rows(label, members))
    return View(placed.tally(), None, placed)


@cache
def truth(number: int) -> dict[str, float]:
    rng = np.random.default_rng(1)
    views = [draw(cells()[number], 500_000, rng) for _ in range(8)]
    return {q.name: float(np.mean([q.value(view.everything) for view in views])) for q in quantities()}


def quantities() -> list[PowerMean | JigsawScore]:
    return [*(PowerMean(NAMES, comparison) for comparison in bias.AUCS), JigsawScore(NAMES)]


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    """Coverage, width, and how often the number was marked as resting on a group that is too small."""
    sums, right = {q.name: np.zeros(3) for q in quantities()}, truth(cells().index(cell))
    for _ in range(draws):
        scope = draw(cell, cell["rows"], rng).everything
        for quantity in quantities():
            value = quantity.value(scope)
            low, high, *_ = quantity.interval(scope, value, LEVEL)
            sums[quantity.name] += [low <= right[quantity.name] <= high, high - low, has_few_items(quantity, scope)]
    columns = ("coverage", "width", "marked")
    return [{"measure": n, **dict(zip(columns, (s / draws).tolist(), strict=True))} for n, s in sums.items()]


STUDY = Study("summaries", cells(), run, draws=3000)
