"""Vector scaling: Platt's idea for any number of classes, one slope and one offset for each log-probability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from evenhand.calibrators.newton import Objective, minimum
from evenhand.calibrators.predictions import Predictions
from evenhand.calibrators.validation import Validation
from evenhand.tally import FloatArray

CERTAIN = 1e-6  # a class whose every item is given all but this much is told apart without an error


@dataclass(frozen=True)
class Vector:
    """Softmax of slope · log p + offset by class. The offsets sum to zero, for only their differences count."""

    slopes: tuple[float, ...]
    offsets: tuple[float, ...]

    def __call__(self, predictions: Predictions) -> FloatArray:
        found: FloatArray = special.softmax(predictions.logs * self.slopes + self.offsets, axis=1)
        return found

    def fits(self, width: int) -> bool:
        return len(self.slopes) == len(self.offsets) == width


def vector(validation: Validation, _: Mapping[str, Any]) -> tuple[Vector, list[str]]:
    """The slopes and offsets of least log loss."""
    width = len(validation.classes)
    best = minimum(_loss(validation), np.concatenate([np.ones(width), np.zeros(width)]))
    slopes, offsets = best[:width], best[width:] - best[width:].mean()
    found = Vector(tuple(slopes.tolist()), tuple(offsets.tolist()))
    backwards = [validation.classes[k] for k in np.flatnonzero(slopes < 0.0)]
    notes = [f"a higher probability of '{name}' speaks against it: its slope is below 0" for name in backwards]
    return found, notes + separated(validation, found(validation.predictions))


def separated(validation: Validation, fitted: FloatArray) -> list[str]:
    """A warning for each class that is told apart without an error, where only a ridge keeps parameters finite."""
    surest = np.zeros(len(validation.classes))
    np.maximum.at(surest, validation.labels, np.where(validation.weights > 0.0, 1.0 - validation.of_truth(fitted), 0.0))
    return [
        f"'{validation.classes[k]}' is told apart without an error: its calibrated probabilities become 0 or 1, which "
        "no validation data can vouch for"
        for k in np.flatnonzero((surest < CERTAIN) & (validation.counts > 0.0))
    ]


def _loss(validation: Validation) -> Objective:
    logs, share, truth = validation.predictions.logs, validation.shares[:, None], validation.truth()
    width = logs.shape[1]

    def loss(at: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        scaled = special.log_softmax(logs * at[:width] + at[width:], axis=1)
        p = np.exp(scaled)
        over = share * (p - truth)
        gradient = np.concatenate([(over * logs).sum(axis=0), over.sum(axis=0)])
        both = np.concatenate([p * logs, p], axis=1)  # each parameter's part in the mean of the logits
        curvature = -both.T @ (share * both)
        spread = share * p
        of_slopes, mixed, of_offsets = ((spread * logs**power).sum(axis=0) for power in (2, 1, 0))
        k = np.arange(width)
        curvature[k, k] += of_slopes
        curvature[k, k + width] += mixed
        curvature[k + width, k] += mixed
        curvature[k + width, k + width] += of_offsets
        return -float((share[:, 0] * validation.of_truth(scaled)).sum()), gradient, curvature

    return loss
