"""The same the way people do it today: NumPy masks and scikit-learn's areas, one capacity after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score, roc_auc_score

from benchmarks.clock import timed

CAPACITIES = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2)


def from_parquet(path: str) -> dict[str, Any]:
    found, values = timed(lambda: measure(*read(path)))
    return found | {"values": values}


def from_memory(path: str) -> dict[str, Any]:
    columns = read(path)
    found, values = timed(lambda: measure(*columns))
    return found | {"values": values}


def read(path: str) -> tuple[np.ndarray, np.ndarray]:
    frame = pd.read_parquet(path, columns=["p", "toxic"])
    return frame["p"].to_numpy(), frame["toxic"].to_numpy()


def five(p: np.ndarray, y: np.ndarray, u: np.ndarray, last: float, count: int) -> dict[str, float]:
    """Items with the last review score are split: a part of each is reviewed."""
    above, tied = u > last + 1e-12, np.abs(u - last) <= 1e-12
    part = (count - above.sum()) / tied.sum()
    wrong = (p >= 0.5) != y
    caught = (wrong & above).sum() + part * (wrong & tied).sum()
    reviewed = above if part < 1.0 else above | tied
    rank, label, weight = np.where(reviewed, np.where(y, 2.0, -1.0), p), y, None
    if part < 1.0:
        rank = np.concatenate((rank, np.where(y[tied], 2.0, -1.0)))
        label = np.concatenate((y, y[tied]))
        weight = np.concatenate((np.where(tied, 1.0 - part, 1.0), np.full(tied.sum(), part)))
    return {
        "oc_accuracy": float(1.0 - (wrong.sum() - caught) / len(p)),
        "oc_auroc": float(roc_auc_score(label, rank, sample_weight=weight)),
        "oc_auprc": float(average_precision_score(label, rank, sample_weight=weight)),
        "review_efficiency": float(caught / count),
        "review_effectiveness": float(caught / wrong.sum()),
    }


def measure(score: np.ndarray, label: np.ndarray) -> dict[str, dict[str, float]]:
    p, found = score.astype(np.float64), {}
    for name, u in (("uncertainty", p * (1.0 - p)), ("toxicity", p)):
        descending = np.sort(u)[::-1]
        for alpha in CAPACITIES:
            count = int(alpha * len(p) + 1e-9)
            found[f"{name} {alpha}"] = five(p, label, u, descending[count - 1], count)
    return found
