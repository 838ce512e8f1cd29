"""Models whose probabilities are true, and the same models made too sure."""

from __future__ import annotations

import numpy as np
from scipy import special
from scipy.optimize import brentq

from evenhand.calibrators import FLOOR, METHODS

NAMES = ("neutral", "criticism", "hostility", "discussion")
MULTI = [name for name, method in METHODS.items() if not method.binary]


def drawn(p: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A class for each row, by its probabilities."""
    return (p.cumsum(axis=1)[:, :-1] < rng.random((len(p), 1))).sum(axis=1)


def several(items: int = 3000, *, sureness: float = 1.0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Four classes, about 68, 7, 19 and 6 % of the items; `sureness` multiplies the true log-probabilities."""
    rng = np.random.default_rng(seed)
    logits = 1.8 * rng.normal(size=(items, 4)) + [2.2, -0.9, 0.6, -1.2]
    labels = drawn(special.softmax(logits, axis=1), rng)
    return special.softmax(sureness * logits, axis=1), labels


def binary(
    items: int = 3000, *, positives: float = 0.3, spread: float = 2.4, sureness: float = 1.0, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Two classes; the true log-odds are normal with this spread, and `positives` is the share of the second class."""
    at = np.linspace(-8.0, 8.0, 4001)
    mass = np.exp(-0.5 * at**2) / np.exp(-0.5 * at**2).sum()
    mean = brentq(lambda m: mass @ special.expit(m + spread * at) - positives, -40.0, 40.0)
    rng = np.random.default_rng(seed)
    log_odds = mean + spread * rng.normal(size=items)
    labels = (rng.random(items) < special.expit(log_odds)).astype(int)
    return two(special.expit(sureness * log_odds)), labels


def lifted(p: np.ndarray) -> np.ndarray:
    """Logarithms are taken of these."""
    high = np.maximum(p, FLOOR)
    return high / high.sum(axis=1, keepdims=True)


def two(p: np.ndarray) -> np.ndarray:
    return np.column_stack([1.0 - p, p])


def example(method: str, **options: float) -> tuple[np.ndarray, np.ndarray]:
    return binary(**options) if METHODS[method].binary else several(**options)
