"""Is what a queue draws for measurement enough? Days of a queue, and what the audit makes of their answers.

Each day new items arrive; the policy removes some, people review the best of the rest and a drawn share of everything
else. `hidden` violations have the scores of benign items. Prevalence and recall estimated from the answers are held
against the truth of that day.
"""

from __future__ import annotations

import numpy as np
import polars as pl

import evenhand as eh
from evenhand.routing import ReviewPolicy
from evenhand.staffing import make_queue
from studies.study import Row, Study

ITEMS, REVIEWS = 4000, 300
POLICY = ReviewPolicy(upper=0.85, strategy="below-threshold:0.85", capacity=REVIEWS, items_per_day=ITEMS)
MEASURES = ("prevalence", "recall")


def cells() -> list[Row]:
    return [
        {"prevalence": "usual", "hidden": 0.0, "share": 0.2},
        {"prevalence": "usual", "hidden": 0.1, "share": 0.2},
        {"prevalence": "low", "hidden": 0.1, "share": 0.3},
    ]


def items(cell: Row, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Scores and truth of one day."""
    p = rng.beta(*((0.24, 1.04) if cell["prevalence"] == "usual" else (0.1, 1.6)), ITEMS)
    hidden = rng.random(ITEMS) < cell["hidden"] * 0.3
    return p, (rng.random(ITEMS) < p) | (hidden & (p < 0.3))


def day(cell: Row, rng: np.random.Generator) -> list[float]:
    """Of each measure: its error, and whether its interval has the truth."""
    p, violating = items(cell, rng)
    queue = make_queue(POLICY, p, measured_share=cell["share"], seed=int(rng.integers(2**31)))
    people = queue.reviewed & ~queue.drawn
    removed = np.where(people, violating, queue.removed)
    table = pl.DataFrame(
        {
            "label": pl.Series(violating.astype(int)).scatter(np.flatnonzero(~queue.reviewed), None),
            "removed": removed,
            "inclusion": np.where(queue.reviewed, queue.inclusion, 1.0),
            "stratum": queue.columns("")["stratum"].fill_null("none"),
        }
    )
    (finding,) = eh.audit(
        table, audits="accuracy", label="label", decision="removed", inclusion="inclusion", stratum="stratum"
    ).findings
    truth = {"prevalence": violating.mean(), "recall": (removed & violating).sum() / violating.sum()}
    found = [finding.get(name) for name in MEASURES]
    return [
        part
        for name, e in zip(MEASURES, found, strict=True)
        for part in (e.value - truth[name], e.low <= truth[name] <= e.high)
    ]


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    days = np.array([day(cell, rng) for _ in range(draws)])
    means, errors = days.mean(axis=0), days.std(axis=0) / np.sqrt(draws)
    return [
        {
            "measure": name,
            "bias": float(means[2 * number]),
            "bias_error": float(errors[2 * number]),
            "coverage": float(means[2 * number + 1]),
        }
        for number, name in enumerate(MEASURES)
    ]


STUDY = Study("queue", cells(), run, draws=1000)
