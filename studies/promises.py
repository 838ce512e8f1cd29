"""Do the policies keep what they promise? How often the true error of the chosen thresholds is above the promised one.

Populations are atoms of score with a known chance of violating, so that the true error of any threshold is known. The
shape `good` is calibrated; `sharp` says less than it knows; at `edge` every threshold is barely wrong, which is the
hardest case for a test; in `crooked` the error rises, falls and rises again with the threshold.
"""

from __future__ import annotations

import itertools

import numpy as np
from scipy.special import betaincinv, expit, logit

from evenhand.routing.choosing import choose
from evenhand.routing.grid import GRID
from studies.study import Row, Study

DELTA = 0.1
WRONG, MISSED = 0.05, 0.1  # promised
ATOMS = 4000
SHAPES = ("good", "sharp", "overconfident", "poor", "discrete", "rare", "crooked", "edge")


def cells() -> list[Row]:
    asked = ("removals", "violations", "both")
    return [{"shape": s, "n": n, "asked": a} for s, n, a in itertools.product(SHAPES, (300, 2000, 10_000), asked)]


def population(shape: str) -> tuple[np.ndarray, np.ndarray]:
    """Equally likely scores, rising, and the chance of violating at each."""
    u = (np.arange(ATOMS) + 0.5) / ATOMS
    spread = {"rare": (0.02, 1.0), "edge": (1.0, 1.0), "crooked": (1.0, 1.0), "poor": (0.5, 1.0)}
    p = betaincinv(*spread.get(shape, (0.15, 0.6)), u)
    if shape == "discrete":
        p = np.round(p, 1)
    chance = {
        "sharp": expit(2.5 * logit(np.clip(p, 1e-12, 1.0 - 1e-12))),
        "overconfident": 0.95 * p,
        "poor": 0.1 + 0.5 * p,
        "crooked": np.select([p >= 0.98, p >= 0.8, p >= 0.75, p >= 0.5], [0.85, 0.995, 0.6, 0.97], 0.1 * p),
        "edge": np.where(p >= 0.45, 1.0 - WRONG - 1e-9, 0.1),
    }
    return p, chance.get(shape, p)


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    p, chance = population(cell["shape"])
    asked = {
        "wrong_removals": WRONG if cell["asked"] != "violations" else None,
        "missed_violations": MISSED if cell["asked"] != "removals" else None,
    }
    found = np.array([one(p, chance, cell["n"], asked, rng) for _ in range(draws)])
    names = (
        "naive_broken",
        "broken",
        "wrong_broken",
        "missed_broken",
        "removes",
        "leaves",
        "share_removed",
        "share_left",
    )
    return [dict(zip(names, found.mean(axis=0).tolist(), strict=True))]


def one(p: np.ndarray, chance: np.ndarray, n: int, asked: dict, rng: np.random.Generator) -> list[float]:
    """One labelled sample, the policy it chose, and whether the truth keeps the promises."""
    items = rng.integers(0, len(p), n)
    score, label = p[items], rng.random(n) < chance[items]
    policy = choose(score, label, delta=DELTA, **asked)
    upper, lower = naive(score, label, asked)
    wrong, missed, removed, left = truth(p, chance, policy.upper, policy.lower)
    acts = [policy.upper is not None, policy.lower is not None, removed, left]
    return [any(truth(p, chance, upper, lower)[:2]), wrong or missed, wrong, missed, *acts]


def truth(p: np.ndarray, chance: np.ndarray, upper: float | None, lower: float | None) -> tuple:
    """Whether each promise is broken, and what is decided unseen."""
    removed = p >= (upper if upper is not None else np.inf)
    left = (p < (lower if lower is not None else -np.inf)) & ~removed
    wrong = removed.any() and 1.0 - chance[removed].mean() > WRONG
    return wrong, chance[left].sum() / chance.sum() > MISSED, removed.mean(), left.mean()


def naive(score: np.ndarray, label: np.ndarray, asked: dict) -> tuple[float | None, float | None]:
    """What people do: the lowest threshold, and the highest, whose error on the sample is as promised."""
    upper = lower = None
    if asked["wrong_removals"] is not None:
        items, wrong = GRID.count(score, ~label)
        fine = np.flatnonzero((items > 0) & (wrong <= WRONG * items))
        upper = GRID.thresholds[fine[-1]] if len(fine) else None
    if asked["missed_violations"] is not None and label.any():
        lower = float(np.sort(score[label])[int(MISSED * label.sum())])
    return upper, lower


STUDY = Study("promises", cells(), run, draws=5000)
