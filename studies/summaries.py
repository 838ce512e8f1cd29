"""Do the intervals of power means and of the Jigsaw score hold the truth, although groups overlap?

The truth is that of a population of a million; each draw takes some thousands of it at random.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from evenhand.audits.bias.summary import JigsawScore, PowerMean
from evenhand.audits.quantity import is_few
from evenhand.audits.view import View
from evenhand.measures import bias
from evenhand.tally import Membership, Placed, Rows
from studies.study import Row, Study

LEVEL = 0.95
NAMES = ("a", "b", "c", "d", "e")
SHIFTS = (0.0, 0.4, -0.5, 1.2, 0.8)
SHARES = (0.3, 0.2, 0.1, 0.08)  # and the smallest


def cells() -> list[Row]:
    """The items of the smallest group: 500, 100, 50, 20 and 10 on average."""
    sizes = ((10_000, 0.05), (2000, 0.05), (2000, 0.025), (2000, 0.01), (2000, 0.005))
    return [{"rows": rows, "smallest": smallest} for rows, smallest in sizes]


def draw(rows: int, smallest: float, rng: np.random.Generator) -> View:
    label = rng.random(rows) < 0.25
    groups = {name: rng.random(rows) < share for name, share in zip(NAMES, (*SHARES, smallest), strict=True)}
    score = 1.8 * label + rng.standard_normal(rows)
    for inside, shift in zip(groups.values(), SHIFTS, strict=True):
        score += shift * inside
    members = {name: Membership(np.flatnonzero(inside).astype(np.int32)) for name, inside in groups.items()}
    placed = Placed.of(score, Rows(label, members))
    return View(placed.tally(), None, placed)


@cache
def truth(smallest: float) -> dict[str, float]:
    rng = np.random.default_rng(1)
    views = [draw(500_000, smallest, rng) for _ in range(8)]
    return {q.name: float(np.mean([q.value(view.everything) for view in views])) for q in quantities()}


def quantities() -> list[PowerMean | JigsawScore]:
    return [*(PowerMean(NAMES, comparison) for comparison in bias.AUCS), JigsawScore(NAMES)]


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    """Coverage, width, and how often the number was marked as resting on a group that is too small."""
    sums, right = {q.name: np.zeros(3) for q in quantities()}, truth(cell["smallest"])
    for _ in range(draws):
        scope = draw(cell["rows"], cell["smallest"], rng).everything
        for quantity in quantities():
            value = quantity.value(scope)
            low, high, *_ = quantity.sure(scope, value, LEVEL)
            sums[quantity.name] += [low <= right[quantity.name] <= high, high - low, is_few(quantity, scope)]
    columns = ("coverage", "width", "marked")
    return [{"measure": n, **dict(zip(columns, (s / draws).tolist(), strict=True))} for n, s in sums.items()]


STUDY = Study("summaries", cells(), run, draws=3000)
