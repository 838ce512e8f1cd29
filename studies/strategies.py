"""Two review strategies on the same items: do the intervals of their difference hold the truth?

A calibrated score, or one whose items come from authors that are alike; two capacities. `coverage` is how often the
intervals of all capacities hold the truth at once, as they promise, and `apart` how often all of them leave out 0: the
strategies differ in truth. `wider` is how much wider the difference of the two separate intervals would be.
"""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
from scipy.special import expit
from scipy.stats import norm

import evenhand as eh
from evenhand.estimate import Estimate
from evenhand.finding import Finding
from evenhand.intervals.mover import mover_difference
from studies.study import Row, Study

CAPACITIES = ("0.05", "0.2")
ROLES = {"score": "p", "label": "y", "capacities": CAPACITIES, "audits": "collaboration", "replicates": 50}
MEASURES = ("oc_recall", "oc_precision", "oc_accuracy", "oc_auroc", "review_efficiency", "review_effectiveness")
LARGE = 400_000


def cells() -> list[Row]:
    every = itertools.product((600, 2000), (0.0, 0.3))
    return [{"items": items, "correlation": correlation} for items, correlation in every]


def drawn(items: int, correlation: float, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Ten comments an author; the score, and whether a comment of this score violates, are alike within an author."""
    author = np.arange(items) // 10

    def latent() -> np.ndarray:
        shared, own = rng.normal(size=author[-1] + 1)[author], rng.normal(size=items)
        mixed: np.ndarray = np.sqrt(correlation) * shared + np.sqrt(1.0 - correlation) * own
        return mixed

    p = expit(2.0 * latent() - 1.8)
    return {"p": p, "y": norm.cdf(latent()) < p, "author": author}


def audited(table: dict[str, np.ndarray], correlation: float) -> Finding:
    return eh.audit(table, **ROLES, **({"cluster": "author"} if correlation else {})).findings[0]


def difference(finding: Finding, measure: str, capacity: str) -> Estimate:
    return finding.get(measure, strategy="toxicity", against="uncertainty", capacity=capacity)


@cache
def truth() -> dict[tuple[str, str], float]:
    """Of very many items. Authors are alike, but items are the same on average."""
    large = audited(drawn(LARGE, 0.0, np.random.default_rng(1)), 0.0)
    return {(one, at): float(difference(large, one, at).value or 0.0) for one in MEASURES for at in CAPACITIES}


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    outcomes = np.array([_outcome(cell, truth(), rng) for _ in range(draws)])
    names = ("coverage", "apart", "wider")
    return [
        {"measure": measure, **dict(zip(names, outcomes[:, number].mean(axis=0).tolist(), strict=True))}
        for number, measure in enumerate(MEASURES)
    ]


def _outcome(cell: Row, known: dict[tuple[str, str], float], rng: np.random.Generator) -> list[list[float]]:
    finding = audited(drawn(int(cell["items"]), cell["correlation"], rng), cell["correlation"])
    return [_of_measure(finding, measure, known) for measure in MEASURES]


def _of_measure(finding: Finding, measure: str, known: dict[tuple[str, str], float]) -> list[float]:
    paired = [difference(finding, measure, at) for at in CAPACITIES]
    ends = [(e.low if e.low is not None else -1.0, e.high if e.high is not None else 1.0) for e in paired]
    holds = all(low <= known[measure, at] <= high for at, (low, high) in zip(CAPACITIES, ends, strict=True))
    apart = all(low > 0.0 or high < 0.0 for low, high in ends)
    both = [_separate(finding, measure, at) for at in CAPACITIES]
    return [holds, apart, float(np.mean([s / (high - low) for s, (low, high) in zip(both, ends, strict=True)]))]


def _separate(finding: Finding, measure: str, capacity: str) -> float:
    """The width that two independent numbers would give."""
    one, other = (finding.get(measure, strategy=name, capacity=capacity) for name in ("toxicity", "uncertainty"))
    low, high = mover_difference((one.value, one.low, one.high), (other.value, other.low, other.high))
    return high - low


STUDY = Study("strategies", cells(), run, draws=300)
