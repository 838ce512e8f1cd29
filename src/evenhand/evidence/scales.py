"""The units that scores come in, and the probability that a score of each stands for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from evenhand.arrays import Floats
from evenhand.errors import InputError
from evenhand.tally.order import ScoreArray


@dataclass(frozen=True, slots=True)
class ScoreScale:
    """The unit of a score: its range, where it is cut unless told otherwise, and the probability it stands for."""

    name: str
    lowest: float | None
    highest: float | None
    threshold: float | None
    probability: Callable[[Floats], Floats] | None


SCALES = {
    scale.name: scale
    for scale in (
        ScoreScale("probability", 0.0, 1.0, 0.5, lambda score: score),
        ScoreScale("percent", 0.0, 100.0, 50.0, lambda score: score / 100.0),
        ScoreScale("logit", None, None, 0.0, lambda score: special.expit(score)),
        ScoreScale("rank", None, None, None, None),
    )
}


BENIGN, VIOLATING = "benign", "violating"  # the two classes of a score


def to_probability(score: ScoreArray, scale: ScoreScale, source: str, column: str) -> Floats:
    """What a score stands for."""
    if scale.probability is None:
        problem = "the score is a rank and no probability: only its order means something"
        raise InputError(problem, source=source, column=column)
    return scale.probability(score.astype(np.float64))


def two_classes(p: Floats) -> Floats:
    """Benign and violating, side by side."""
    return np.stack([1.0 - p, p], axis=1)
