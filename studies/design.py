"""Inclusion probabilities: are weighted estimates right on average, and do their intervals hold the population's value?

One population, made up once; each draw takes every item with its own probability (Poisson sampling), more often where
the model's score is high, as a review queue would.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from evenhand.audits.bias.quantities import GROUP_QUANTITIES
from evenhand.audits.quantities import OVERALL_QUANTITIES, Quantity
from evenhand.audits.views import Scope, View
from evenhand.tally import Membership, PlacedRows, Rows, Weights
from studies.population import population as made_up
from studies.study import Row, Study

LEVEL = 0.95
POPULATION = 30_000
GROUPS = ("women", "gay", "christian")


def cells() -> list[Row]:
    return [{"share": share} for share in (0.05, 0.1, 0.3, 1.0)]


@cache
def population() -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    made = made_up(POPULATION, seed=77)
    return made.score, made.label, {name: made.groups[name] for name in GROUPS}


def quantities() -> list[tuple[Quantity, str | None]]:
    whole: list[tuple[Quantity, str | None]] = [(q, None) for q in OVERALL_QUANTITIES]
    return whole + [(q, group) for group in GROUPS for q in GROUP_QUANTITIES]


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    score, label, groups = population()
    chance = (
        np.clip(cell["share"] * (0.3 + 3.0 * score.astype(float)), 0.0, 1.0)
        if cell["share"] < 1
        else np.ones(len(score))
    )
    truth = [q.value(Scope(_view(score, label, groups, None), g)) for q, g in quantities()]
    values, hits = np.zeros((draws, len(truth))), np.zeros((draws, len(truth)))
    for draw in range(draws):
        taken = rng.random(len(score)) < chance
        view = _view(score[taken], label[taken], {n: g[taken] for n, g in groups.items()}, chance[taken])
        for number, (quantity, group) in enumerate(quantities()):
            values[draw, number] = value = quantity.value(Scope(view, group))
            low, high, *_ = quantity.interval(Scope(view, group), value, LEVEL)
            hits[draw, number] = min(low, value) <= truth[number] <= max(high, value)
    error = values.std(axis=0) / np.sqrt(draws)
    return [
        {
            "measure": quantity.name,
            "group": group or "",
            "truth": float(truth[number]),
            "bias_in_errors": float((values[:, number].mean() - truth[number]) / error[number])
            if error[number]
            else 0.0,
            "relative_bias": float(values[:, number].mean() - truth[number]) / max(abs(truth[number]), 0.05),
            "coverage": float(hits[:, number].mean()),
        }
        for number, (quantity, group) in enumerate(quantities())
    ]


def _view(score: np.ndarray, label: np.ndarray, groups: dict[str, np.ndarray], chance: np.ndarray | None) -> View:
    members = {name: Membership(np.flatnonzero(inside).astype(np.int32)) for name, inside in groups.items()}
    placed = PlacedRows.from_rows(score, Rows(label, members, Weights.from_columns(inclusion=chance)))
    return View(placed.tally(), 0.5, placed)


STUDY = Study("design", cells(), run, draws=3000)
