"""The population of the study of inclusion probabilities: scores, labels and ten groups, made up once and for all.

It stays as it was when the committed results were computed; the made-up community of the package may change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SHIFTS = {  # a group's share, and by how many logits its benign and its violating items are shifted
    "women": (0.12, 0.5, 0.4),
    "men": (0.10, 0.0, 0.0),
    "gay": (0.03, 2.4, 1.2),
    "black": (0.03, 1.6, 0.5),
    "white": (0.05, 0.7, 0.4),
    "muslim": (0.04, 1.2, -0.7),
    "christian": (0.08, -0.5, -0.5),
    "jewish": (0.02, 0.8, -0.6),
    "older": (0.02, -1.5, -1.8),
    "disabled": (0.002, 1.0, 0.0),
}
SHORT_FACTOR = 1.5
UNUSED = (3, 3, 5)  # choices that were once drawn for texts, and are drawn still so that the rest is the same


@dataclass(frozen=True)
class Population:
    score: np.ndarray
    label: np.ndarray
    groups: dict[str, np.ndarray]


def population(rows: int, *, seed: int) -> Population:
    rng = np.random.default_rng(seed)
    groups = {name: rng.random(rows) < share for name, (share, *_) in SHIFTS.items()}
    violates = rng.random(rows) < np.where(np.sum(list(groups.values()), axis=0) > 0, 0.14, 0.07)
    short, annotated = rng.random(rows) < 0.4, rng.random(rows) < 0.75
    for choices in UNUSED:
        rng.integers(0, choices, rows)
    label = rng.binomial(10, np.where(violates, 0.85, 0.06)) / 10 >= 0.5
    seen = {
        name: annotated & (rng.binomial(10, np.where(inside, 0.9, 0.01)) / 10 >= 0.5) for name, inside in groups.items()
    }
    logit = np.where(label, 1.6, -2.6) + 1.3 * rng.standard_normal(rows)
    for name, (_, benign, violating) in SHIFTS.items():
        logit += np.where(label, violating, benign) * np.where(short, SHORT_FACTOR, 1.0) * groups[name]
    return Population((1.0 / (1.0 + np.exp(-logit))).astype(np.float32), label, seen)
