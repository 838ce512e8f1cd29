"""Do the 95 % intervals of the collaboration audit hold the truth as often as they say?

Scores are binormal: the probability that a model would give, made too sure of itself and shifted, so that it is not
calibrated. `good` separates the classes by 2.5 standard deviations (AUC .96), `poor` by 1.2 (AUC .80). `coarse` scores
are rounded to twentieths. The truth is that of a population of a million whose scores are the quantiles of both normal
distributions, so that it has no noise of its own. `rests_on` is how many items of the rarer kind a number rests on, on
average: the fewer, the less can be promised.
"""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
from scipy.special import ndtri

from evenhand.audits.collaboration.quantities import (
    MODEL_QUANTITIES,
    UNGROUPED_QUANTITIES,
    F1Score,
    ReviewEfficiency,
    ThresholdShare,
    capacity_quantities,
    strategy_quantities,
)
from evenhand.audits.quantities import PrecisionRecallArea, Quantity, RocArea
from evenhand.audits.views import Scope, View
from evenhand.errors import Undefined
from evenhand.intervals.proportions import WilsonInterval
from evenhand.intervals.significance import ROUNDING
from evenhand.measures.collaboration import Capacity
from evenhand.routing.strategies import TOXICITY, UNCERTAINTY
from evenhand.tally import PlacedRows, Rows
from studies.binormal import MODELS, too_sure
from studies.study import Row, Study

LEVEL = 0.95
PREVALENCES = (0.02, 0.1, 0.5)
SIZES = (500, 2000, 10_000)
SCORES = ("continuous", "coarse")
STRATEGIES = (UNCERTAINTY, TOXICITY)
CAPACITIES = (0.01, 0.05, 0.2)
MILLION = 1_000_000
UNASKED = ("count", "positive_share", "precision", "recall", "f1")  # facts, and what OC- numbers are with no review
ELSEWHERE = ("brier", "ece")  # their intervals are those of the calibration audit: see `calibration`


def cells() -> list[Row]:
    return [
        {"model": model, "prevalence": prevalence, "items": items, "scores": scores}
        for model, prevalence, items, scores in itertools.product(MODELS, PREVALENCES, SIZES, SCORES)
    ]


@cache
def asked() -> list[tuple[str, str, Quantity]]:
    """Strategy, capacity and quantity."""
    alone = (*MODEL_QUANTITIES, *UNGROUPED_QUANTITIES)
    found: list[tuple[str, str, Quantity]] = [("", "", q) for q in alone if q.name not in (*UNASKED, *ELSEWHERE)]
    for strategy in STRATEGIES:
        found += [(strategy.name, "", quantity) for quantity in strategy_quantities(strategy)]
        for share in CAPACITIES:
            found += [
                (strategy.name, f"{share:g}", quantity)
                for quantity in capacity_quantities(strategy, Capacity.fraction(share))
            ]
    return found


def methods() -> dict[str, str]:
    """How each interval is made."""
    label = np.arange(200) % 3 == 0
    scope = _scope(np.linspace(0.3, 0.7, 200), label)
    return {q.name: q.interval(scope, q.value(scope), LEVEL).method for _, _, q in asked()}


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    """Coverage and width where the number is defined, and how often it is."""
    true, sums = truth(cell["model"], cell["prevalence"], cell["scores"]), np.zeros((len(asked()), 4))
    for _ in range(draws):
        label = rng.random(cell["items"]) < cell["prevalence"]
        scope = _scope(_scores(cell, label, rng.standard_normal(cell["items"])), label)
        for number, (_, _, quantity) in enumerate(asked()):
            try:
                value = quantity.value(scope)
            except Undefined:
                continue
            low, high, *_ = quantity.interval(scope, value, LEVEL)
            right, _ = true[number]
            simple = _of_positives(quantity, scope, value)
            sums[number] += [
                _holds(low, right, high),
                high - low,
                1.0,
                simple is not None and _holds(simple[0], right, simple[1]),
            ]
    return [
        {
            "strategy": strategy,
            "capacity": capacity,
            "measure": quantity.name,
            "truth": right,
            "rests_on": rests_on * cell["items"],
            "coverage": covered / times,
            "width": width / times,
            "of_positives": simple / times if isinstance(quantity, PrecisionRecallArea) else math.nan,
            "defined": times / draws,
        }
        for (strategy, capacity, quantity), (right, rests_on), (covered, width, times, simple) in zip(
            asked(), true, sums, strict=True
        )
        if times >= 0.5 * draws
    ]


@cache
def truth(model: str, prevalence: float, scores: str) -> list[tuple[float, float]]:
    """Of every quantity, and the share of all items that it rests on."""
    violating = round(prevalence * MILLION)
    label = np.repeat((True, False), (violating, MILLION - violating))
    noise = np.concatenate([ndtri((np.arange(n) + 0.5) / n) for n in (violating, MILLION - violating)])
    cell = {"model": model, "prevalence": prevalence, "scores": scores}
    scope = _scope(_scores(cell, label, noise), label)
    return [(_value(quantity, scope), _rests_on(quantity, scope) / MILLION) for _, _, quantity in asked()]


def _value(quantity: Quantity, scope: Scope) -> float:
    try:
        return quantity.value(scope)
    except Undefined:
        return math.nan


def _rests_on(quantity: Quantity, scope: Scope) -> float:
    if isinstance(quantity, ThresholdShare | ReviewEfficiency):
        share = quantity.share(scope)
        return min(share.part.weight, share.rest.weight)
    if isinstance(quantity, F1Score):
        c = quantity.confusion(scope)
        return min(c.true_positive.weight, (c.false_positive + c.false_negative).weight)
    if isinstance(quantity, RocArea | PrecisionRecallArea):
        return min(mass.total.weight for mass in quantity.classes(scope))
    return float(scope.items)


def _of_positives(quantity: Quantity, scope: Scope, value: float) -> tuple[float, float] | None:
    """The simple way: Wilson's interval of a share of the items to be found, however many others there are."""
    if not isinstance(quantity, PrecisionRecallArea):
        return None
    return WilsonInterval(value, 1.0 / quantity.classes(scope).violating.total.weight).interval(LEVEL)


def _holds(low: float, right: float, high: float) -> bool:
    return low - ROUNDING <= right <= high + ROUNDING


def _scores(cell: Row, label: np.ndarray, noise: np.ndarray) -> np.ndarray:
    p = too_sure(cell["model"], cell["prevalence"], label, noise)
    return np.round(20.0 * p) / 20.0 if cell["scores"] == "coarse" else p


def _scope(score: np.ndarray, label: np.ndarray) -> Scope:
    placed = PlacedRows.from_rows(score, Rows(label, {}))
    return View(placed.tally(), 0.5, placed).everything


STUDY = Study("collaboration", cells(), run, draws=400)
