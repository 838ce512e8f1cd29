"""Two other intervals for a stratified share, beside which the default was chosen: Bayesian by stratum, and redrawn.

Both treat every stratum by itself. That is well where strata are few and large; with two labels each, a prior of one
label weighs as much as half the data, and redrawing two labels knows nothing of what was not drawn.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv

from evenhand.intervals.survey import Sampled

PRIOR = 0.5  # Jeffreys': half a violating and half another item in every stratum


def bayesian(sampled: Sampled, level: float) -> tuple[float, float]:
    """Independent posteriors of the stratum shares; their weighted sum is taken for a beta of its mean and variance."""
    counts = sampled.counts + 2.0 * PRIOR
    means = (sampled.means * sampled.counts + PRIOR) / counts
    spread = sampled.shares**2 * (1.0 - sampled.fractions) * means * (1.0 - means) / (counts + 1.0)
    value, variance = sampled.known + float(sampled.shares @ means), float(spread.sum())
    size = value * (1.0 - value) / variance - 1.0
    tail = 0.5 * (1.0 - level)
    low, high = betaincinv(value * size, (1.0 - value) * size, [tail, 1.0 - tail])
    return float(low), float(high)


def redrawn(sampled: Sampled, level: float, rng: np.random.Generator, *, replicates: int = 200) -> tuple[float, float]:
    """Percentiles of n − 1 labels redrawn from the n of each stratum, which makes the variance the unbiased one."""
    fewer = np.maximum(sampled.counts - 1.0, 1.0)
    means = rng.binomial(fewer.astype(np.int64), sampled.means, (replicates, len(fewer))) / fewer
    still = sampled.fractions >= 1.0
    means[:, still] = sampled.means[still]
    low, high = np.quantile(means @ sampled.shares + sampled.known, [0.5 * (1.0 - level), 0.5 * (1.0 + level)])
    return float(low), float(high)
