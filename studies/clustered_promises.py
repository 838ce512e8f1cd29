"""Are guarantees kept where authors write many comments that are alike, with the authors declared?

Scores and labels follow the shapes of `promises`, so the true error of every threshold is known; the score, and whether
a comment of this score violates, are alike within an author (`correlation`). Authors differ in how much they write.
`independent` is how often the guarantee is broken if authors are not declared.
"""

from __future__ import annotations

import itertools

import numpy as np
from scipy.stats import norm

from evenhand.routing.thresholds import choose
from studies.promises import DELTA, MISSED, WRONG, population, truth
from studies.study import Row, Study

COMMENTS = 20  # of an author, on average


def cells() -> list[Row]:
    every = itertools.product(("edge", "sharp"), (100, 300), (0.05, 0.3, 0.5), ("removals", "violations"))
    return [{"shape": s, "authors": a, "correlation": c, "asked": w} for s, a, c, w in every]


def drawn(cell: Row, p: np.ndarray, chance: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Scores, labels and authors."""
    sizes = np.maximum(1, np.rint(COMMENTS * rng.lognormal(-0.18, 0.6, cell["authors"]))).astype(int)
    author = np.repeat(np.arange(len(sizes)), sizes)

    def shared() -> np.ndarray:
        both = rng.normal(size=len(sizes))[author], rng.normal(size=len(author))
        return norm.cdf(cell["correlation"] ** 0.5 * both[0] + (1.0 - cell["correlation"]) ** 0.5 * both[1])

    items = np.minimum((shared() * len(p)).astype(int), len(p) - 1)
    return p[items], shared() < chance[items], author


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    p, chance = population(cell["shape"])
    limits = {"wrong_removals": WRONG} if cell["asked"] == "removals" else {"missed_violations": MISSED}
    results = []
    for _ in range(draws):
        score, label, author = drawn(cell, p, chance, rng)
        policy, alone = (choose(score, label, delta=DELTA, cluster=who, **limits) for who in (author, None))
        wrong, missed, removed, left = truth(p, chance, policy.upper, policy.lower)
        independent = any(truth(p, chance, alone.upper, alone.lower)[:2])
        results.append(
            [wrong or missed, independent, policy.upper is not None or policy.lower is not None, removed, left]
        )
    names = ("broken", "independent", "acts", "share_removed", "share_left")
    return [dict(zip(names, np.mean(results, axis=0).tolist(), strict=True))]


STUDY = Study("clustered_promises", cells(), run, draws=1000)
