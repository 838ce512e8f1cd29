"""Do the policies keep what they promise? How often the true error of the chosen thresholds is above the promised one.

Populations are atoms of score with a known chance of violating, so that the true error of any threshold is known. The
shape `good` is calibrated; `sharp` says less than it knows; at `edge` every threshold is barely wrong, which is the
hardest case for a test; in `crooked` the error rises, falls and rises again with the threshold; `export` has the shape
of the included model on comments of Wikipedia talk pages. Asked are one promise or both, the best of ten models (on
labels of their own, which is harder than sharing them), and items drawn with unequal probabilities.
"""

from __future__ import annotations

import itertools

import numpy as np
from scipy.special import betaincinv, expit, logit

from evenhand.routing.threshold_grids import DEFAULT_GRID
from evenhand.routing.thresholds import choose
from studies.study import Row, Study

DELTA = 0.1
WRONG, MISSED = 0.05, 0.1  # promised
ATOMS = 4000
SHAPES = ("good", "sharp", "overconfident", "poor", "discrete", "rare", "crooked", "edge", "export")
MODELS = 10


def cells() -> list[Row]:
    asked = ("removals", "violations", "both")
    usual = [{"shape": s, "n": n, "asked": a} for s, n, a in itertools.product(SHAPES, (300, 2000, 10_000), asked)]
    others = itertools.product(("edge", "export"), (2000,), ("best of ten", "inclusion"))
    return usual + [{"shape": s, "n": n, "asked": a} for s, n, a in others]


def population(shape: str) -> tuple[np.ndarray, np.ndarray]:
    """Equally likely scores, rising, and the chance of violating at each."""
    u = (np.arange(ATOMS) + 0.5) / ATOMS
    spread = {
        "rare": (0.02, 1.0),
        "edge": (1.0, 1.0),
        "crooked": (1.0, 1.0),
        "poor": (0.5, 1.0),
        "export": (0.24, 1.04),
    }
    p = betaincinv(*spread.get(shape, (0.15, 0.6)), u)
    if shape == "discrete":
        p = np.round(p, 1)
    chance = {
        "sharp": expit(2.5 * logit(np.clip(p, 1e-12, 1.0 - 1e-12))),
        "overconfident": 0.95 * p,
        "poor": 0.1 + 0.5 * p,
        "crooked": np.select([p >= 0.98, p >= 0.8, p >= 0.75, p >= 0.5], [0.85, 0.995, 0.6, 0.97], 0.1 * p),
        "export": expit(0.9 + 1.36 * logit(np.clip(p, 1e-12, 1.0 - 1e-12))),
        "edge": np.where(p >= 0.45, 1.0 - WRONG - 1e-9, 0.1),
    }
    return p, chance.get(shape, p)


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    p, chance = population(cell["shape"])
    asked = {
        "wrong_removals": WRONG if cell["asked"] != "violations" else None,
        "missed_violations": MISSED if cell["asked"] in ("violations", "both", "inclusion") else None,
    }
    sample = {"best of ten": best_of_ten, "inclusion": unequally_drawn}.get(cell["asked"], one)
    found = np.array([sample(p, chance, cell["n"], asked, rng) for _ in range(draws)])
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


def best_of_ten(p: np.ndarray, chance: np.ndarray, n: int, asked: dict, rng: np.random.Generator) -> list[float]:
    """Ten models that are equally good: the one is taken whose policy removes most."""
    tried = []
    for _ in range(MODELS):
        items = rng.integers(0, len(p), n)
        score, label = p[items], rng.random(n) < chance[items]
        tried.append(choose(score, label, delta=DELTA, candidates=MODELS, **asked).upper)
    upper = min((threshold for threshold in tried if threshold is not None), default=None)
    wrong, missed, removed, left = truth(p, chance, upper, None)
    return [False, wrong or missed, wrong, missed, upper is not None, False, removed, left]


def unequally_drawn(p: np.ndarray, chance: np.ndarray, n: int, asked: dict, rng: np.random.Generator) -> list[float]:
    """Items with a high score are labelled more often, with known probabilities."""
    inclusion = 0.2 + 0.8 * p
    items = rng.integers(0, len(p), round(n / inclusion.mean()))
    items = items[rng.random(len(items)) < inclusion[items]]
    label = rng.random(len(items)) < chance[items]
    policy = choose(p[items], label, delta=DELTA, inclusion=inclusion[items], **asked)
    wrong, missed, removed, left = truth(p, chance, policy.upper, policy.lower)
    return [False, wrong or missed, wrong, missed, policy.upper is not None, policy.lower is not None, removed, left]


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
        items, wrong = DEFAULT_GRID.count(score, ~label)
        fine = np.flatnonzero((items > 0) & (wrong <= WRONG * items))
        upper = DEFAULT_GRID.thresholds[fine[-1]] if len(fine) else None
    if asked["missed_violations"] is not None and label.any():
        lower = float(np.sort(score[label])[int(MISSED * label.sum())])
    return upper, lower


STUDY = Study("promises", cells(), run, draws=5000)
