"""Is a guarantee kept where the best of ten models is taken, or where the share of violations has moved since?

Ten equally good models score the same labelled items; of those with a guarantee the one that leaves fewest items to
people is taken. `broken` is how often its guarantee does not hold, with all ten counted as looked at (`candidates`), or
with the scores of fresh items given (`fresh`); `unaware` is the same without. Thresholds act in `acts` of the samples.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm

from evenhand.routing import choose
from evenhand.routing.policies import Policy
from studies.study import Row, Study

WRONG, MISSED, DELTA = 0.1, 0.1, 0.1
LABELS, FRESH, APART, SHARE, MODELS = 2000, 5000, 4.0, 0.1, 10


def cells() -> list[Row]:
    chosen = [{"asked": asked, "models": MODELS, "now": SHARE} for asked in ("removals", "violations")]
    return [*chosen, *({"asked": "removals", "models": 1, "now": now} for now in (0.02, 0.05, 0.1, 0.2))]


def drawn(number: int, share: float, models: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Scores, models × items, of which half the noise is shared; and which items violate."""
    y = rng.random(number) < share
    noise = np.sqrt(0.5) * (rng.normal(size=number) + rng.normal(size=(models, number)))
    return expit(APART * y - APART + noise), y


def is_broken(policy: Policy, now: float) -> bool:
    """What the thresholds do to all items."""
    wrong = missed = False
    if policy.upper is not None:
        benign, violating = norm.sf(logit(policy.upper) + APART), norm.sf(logit(policy.upper))
        wrong = (1.0 - now) * benign > WRONG * ((1.0 - now) * benign + now * violating)
    if policy.lower is not None:
        missed = bool(norm.cdf(logit(policy.lower)) > MISSED)
    return bool(wrong or missed)


def decided(policy: Policy, now: float) -> float:
    """The share of items that the thresholds decide."""
    benign, violating = 1.0 - now, now
    removed = left = 0.0
    if policy.upper is not None:
        removed = benign * norm.sf(logit(policy.upper) + APART) + violating * norm.sf(logit(policy.upper))
    if policy.lower is not None:
        left = benign * norm.cdf(logit(policy.lower) + APART) + violating * norm.cdf(logit(policy.lower))
    return float(removed + left)


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    outcomes = np.array([_outcome(cell, rng) for _ in range(draws)])
    return [dict(zip(("broken", "unaware", "acts"), outcomes.mean(axis=0).tolist(), strict=True))]


def _outcome(cell: Row, rng: np.random.Generator) -> list[bool]:
    models, now = int(cell["models"]), cell["now"]
    scores, y = drawn(LABELS, SHARE, models, rng)
    limits = {"wrong_removals": WRONG} if cell["asked"] == "removals" else {"missed_violations": MISSED}
    aware = {"candidates": models} if models > 1 else {"fresh": drawn(FRESH, now, 1, rng)[0][0]}
    taken = [
        max((choose(one, y, delta=DELTA, **limits, **more) for one in scores), key=lambda policy: decided(policy, now))
        for more in (aware, {})
    ]
    return [*(is_broken(policy, now) for policy in taken), decided(taken[0], now) > 0.0]


STUDY = Study("chosen_models", cells(), run, draws=500)
