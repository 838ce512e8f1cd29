"""The second opinion: every number straight from its definition, slow and plain, knowing nothing of tallies."""

from __future__ import annotations

import numpy as np


def auc(high, low, high_weight=None, low_weight=None) -> float:
    """P(high > low) + P(high = low) / 2, pair by pair."""
    high, low = np.asarray(high, dtype=np.float64), np.asarray(low, dtype=np.float64)
    w = np.ones(len(high)) if high_weight is None else np.asarray(high_weight, dtype=np.float64)
    v = np.ones(len(low)) if low_weight is None else np.asarray(low_weight, dtype=np.float64)
    won = (high[:, None] > low[None, :]) + 0.5 * (high[:, None] == low[None, :])
    return float(w @ won @ v / (w.sum() * v.sum()))


def five(score, label, inside, weight=None) -> dict[str, float]:
    """The five comparisons of Borkan et al. 2019, definitions 1, 3 and 4; `inside` may hold None (not annotated)."""
    score, label = np.asarray(score, dtype=np.float64), np.asarray(label, dtype=bool)
    weight = np.ones(len(score)) if weight is None else np.asarray(weight, dtype=np.float64)
    known = np.array([x is not None for x in inside])
    member = np.array([bool(x) for x in inside])
    samples = {
        "g+": known & member & label,
        "g-": known & member & ~label,
        "d+": known & ~member & label,
        "d-": known & ~member & ~label,
    }

    def of(high: str, low: str) -> float:
        h, lo = samples[high], samples[low]
        return auc(score[h], score[lo], weight[h], weight[lo])

    return {
        "subgroup_auc": of("g+", "g-"),
        "bpsn_auc": of("d+", "g-"),
        "bnsp_auc": of("g+", "d-"),
        "negative_aeg": 0.5 - of("d-", "g-"),
        "positive_aeg": 0.5 - of("d+", "g+"),
    }


def average_precision(score, label, weight=None) -> float:
    """Σ (R_k − R_{k−1}) P_k, one distinct threshold after the other."""
    score, label = np.asarray(score, dtype=np.float64), np.asarray(label, dtype=bool)
    weight = np.ones(len(score)) if weight is None else np.asarray(weight, dtype=np.float64)
    total, before, area = weight[label].sum(), 0.0, 0.0
    for threshold in sorted(set(score.tolist()), reverse=True):
        flagged = score >= threshold
        hits = weight[flagged & label].sum()
        area += (hits / total - before) * hits / weight[flagged].sum()
        before = hits / total
    return float(area)


def delong_variance(high, low) -> float:
    """DeLong, DeLong and Clarke-Pearson 1988: the variances of the placements, side by side."""
    high, low = np.asarray(high, dtype=np.float64), np.asarray(low, dtype=np.float64)
    won = (high[:, None] > low[None, :]) + 0.5 * (high[:, None] == low[None, :])
    return float(won.mean(axis=1).var(ddof=1) / len(high) + won.mean(axis=0).var(ddof=1) / len(low))
