"""Do the 95 % intervals of a plan hold the truth as often as they say?

`good` and `poor` are the binormal models of the collaboration study. `flagging` is a model whose false alarms lie at
all scores above the threshold and whose misses lie just below it, so that review by uncertainty is ahead at first and
review by toxicity later: the two cross where the truth is known. In the other two one strategy is nowhere behind, so
that there is no crossing to be covered. The truth is that of a population of 400,000 whose scores are quantiles.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache

import numpy as np
from scipy.special import ndtri

from evenhand.estimate import Estimate
from evenhand.routing.strategies import TOXICITY, UNCERTAINTY
from evenhand.staffing.capacity import Costs, Workload, capacity_for_target, cheapest_capacity, cost_curve
from evenhand.staffing.crossings import strategy_crossings
from evenhand.staffing.curves import LabelledHistory, ReviewRoute, first_capacity_reaching
from studies.binormal import MODELS, too_sure
from studies.study import Row, Study

MANY = 400_000
REPLICATES = 60  # the command takes 200: with fewer the intervals are a little less sure
COSTS = Costs(false_removal=2.0, missed_violation=5.0, review=0.25)
DAY = Workload(items_per_day=1_000_000, seconds_per_review=30, hours_per_day=6)
RECALL = 0.9
FLAGGED, SURELY = 0.9, 0.675  # of `flagging`: items flagged per violating one, and the share of them that violates


def cells() -> list[Row]:
    asked = itertools.product((*MODELS, "flagging"), (0.02, 0.1), (500, 2000, 10_000))
    return [{"model": model, "prevalence": prevalence, "items": items} for model, prevalence, items in asked]


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    """Coverage and width where there is a number, how often there is, and how often the interval is open at the top."""
    found: dict[str, list[tuple[float, ...]]] = {}
    for seed in range(draws):
        for name, truth, estimate in planned(cell, drawn(cell, rng), seed):
            if estimate.value is not None and estimate.low is not None and estimate.high is not None:
                holds = estimate.low - 1e-9 <= truth <= estimate.high + 1e-9
                open_ = estimate.high == 1.0 and ("capacity" in name or name == "crossing")
                found.setdefault(name, []).append((holds, estimate.high - estimate.low, open_, truth))
    return [
        {
            "number": name,
            "truth": np.mean([row[3] for row in rows]),
            "coverage": np.mean([row[0] for row in rows]),
            "width": np.mean([row[1] for row in rows]),
            "open": np.mean([row[2] for row in rows]),
            "defined": len(rows) / draws,
        }
        for name, rows in found.items()
    ]


def planned(cell: Row, history: LabelledHistory, seed: int) -> Iterator[tuple[str, float, Estimate]]:
    """Everything that a plan prints with an interval, and what is true of the population."""
    true = truth(cell["model"], cell["prevalence"])
    how = {"replicates": REPLICATES, "seed": seed}
    for name, target in targets(cell["model"], cell["prevalence"]).items():
        plan = capacity_for_target(history, UNCERTAINTY, name, target, DAY, **how)
        yield f"capacity for {name}", true[name], plan.capacity
        yield f"reviewers for {name}", DAY.reviewers(true[name]), plan.reviewers
    best = cheapest_capacity(history, UNCERTAINTY, COSTS, DAY, **how)
    yield "cheapest capacity", true["cheapest"], best.capacity
    assert best.cost is not None
    paid = np.interp(best.capacity.value or 0.0, *cost_of(cell["model"], cell["prevalence"]))
    yield "cost a day", float(paid), best.cost
    if cell["model"] == "flagging":
        yield (
            "crossing",
            true["crossing"],
            strategy_crossings(history, UNCERTAINTY, TOXICITY, measure="oc_accuracy", **how).main,
        )


def drawn(cell: Row, rng: np.random.Generator) -> LabelledHistory:
    """A sample of items."""
    n, prevalence = cell["items"], cell["prevalence"]
    if cell["model"] == "flagging":
        p, chance = flagging(prevalence, rng.random(n), rng.random(n) < FLAGGED * prevalence)
        return LabelledHistory.of(p, rng.random(n) < chance)
    label = rng.random(n) < prevalence
    return LabelledHistory.of(too_sure(cell["model"], prevalence, label, rng.standard_normal(n)), label)


def flagging(prevalence: float, u: np.ndarray, flagged: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scores and the chance of violating: from .5 to .85 above the threshold, falling steeply below it."""
    rest, missed = 1.0 - FLAGGED * prevalence, prevalence * (1.0 - SURELY * FLAGGED)
    steep = (0.5 * rest / missed - 1.0) / 4.0
    return np.where(flagged, 0.5 + 0.5 * u, 0.5 * u**steep), np.where(flagged, 0.5 + 0.35 * u, 0.5 * u ** (4.0 * steep))


@cache
def population(model: str, prevalence: float) -> LabelledHistory:
    """Quantiles instead of draws."""
    if model == "flagging":
        sizes = round(FLAGGED * prevalence * MANY), MANY - round(FLAGGED * prevalence * MANY)
        u, flagged = np.concatenate([_middles(n) for n in sizes]), np.repeat((True, False), sizes)
        p, chance = flagging(prevalence, u, flagged)
        label = np.repeat((True, False), MANY)
        return LabelledHistory.of(np.tile(p, 2), label, counts=np.concatenate([chance, 1.0 - chance]))
    sizes = round(prevalence * MANY), MANY - round(prevalence * MANY)
    label, noise = np.repeat((True, False), sizes), np.concatenate([ndtri(_middles(n)) for n in sizes])
    return LabelledHistory.of(too_sure(model, prevalence, label, noise), label)


def _middles(n: int) -> np.ndarray:
    return (np.arange(n) + 0.5) / n


@cache
def targets(model: str, prevalence: float) -> dict[str, float]:
    """Half of the errors away, and nine in ten violations found."""
    history = population(model, prevalence)
    right = float(np.dot(history.counts, (history.p >= 0.5) == history.y) / history.counts.sum())
    return {"oc_accuracy": round(0.5 * (right + 1.0), 3), "oc_recall": RECALL}


@cache
def cost_of(model: str, prevalence: float) -> tuple[np.ndarray, np.ndarray]:
    return cost_curve(population(model, prevalence), UNCERTAINTY, COSTS, DAY)


@cache
def truth(model: str, prevalence: float) -> dict[str, float]:
    """Of the population."""
    history = population(model, prevalence)
    path, (shares, cost) = (
        ReviewRoute.for_strategy(history, UNCERTAINTY).path(history.counts),
        cost_of(model, prevalence),
    )
    found = {
        name: first_capacity_reaching(path, name, target) / path.reviewed[-1]
        for name, target in targets(model, prevalence).items()
    }
    found["cheapest"] = float(shares[np.argmin(cost)])
    if model == "flagging":
        main = strategy_crossings(history, UNCERTAINTY, TOXICITY, measure="oc_accuracy", replicates=20).main
        found["crossing"] = main.value or 0.0
    return found


STUDY = Study("planning", cells(), run, draws=150)
