"""Calibrators of two classes: Platt's, with a line on the log-odds, and beta, with a slope for either end.

The second class is the violating one, and p its probability.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from evenhand.calibrators.newton import minimum
from evenhand.calibrators.predictions import Predictions
from evenhand.calibrators.validation import Validation
from evenhand.calibrators.vector import separated
from evenhand.tally import FloatArray

BOTH, UPPER, LOWER, NEITHER = (0, 1, 2), (0, 2), (1, 2), (2,)  # which of a, b and c are free
BACKWARDS = "a higher probability speaks against '{}': the calibrated probabilities go the other way, or nowhere"


@dataclass(frozen=True)
class Platt:
    """Log-odds become slope · log-odds + offset."""

    slope: float
    offset: float

    def __call__(self, predictions: Predictions) -> FloatArray:
        return _probabilities(_line(predictions) @ (self.slope, self.offset))

    def fits(self, width: int) -> bool:
        return width == 2


@dataclass(frozen=True)
class Beta:
    """Log-odds become a · log p − b · log(1 − p) + c, with a and b not below 0 (Kull, Silva Filho and Flach 2017)."""

    a: float
    b: float
    c: float

    def __call__(self, predictions: Predictions) -> FloatArray:
        return _probabilities(_ends(predictions) @ (self.a, self.b, self.c))

    def fits(self, width: int) -> bool:
        return width == 2 and min(self.a, self.b) >= 0.0


def platt(validation: Validation, _: Mapping[str, Any]) -> tuple[Platt, list[str]]:
    """The line of least log loss."""
    slope, offset = _fitted(_line(validation.predictions), validation, (1.0, 0.0)).tolist()
    found = Platt(slope, offset)
    notes = [] if slope > 0.0 else [BACKWARDS.format(validation.classes[1])]
    return found, notes + separated(validation, found(validation.predictions))


def beta(validation: Validation, _: Mapping[str, Any]) -> tuple[Beta, list[str]]:
    """The parameters of least log loss; of a convex loss the best one with some held at 0 is the best allowed."""
    features, best, least = _ends(validation.predictions), np.zeros(3), np.inf
    for free in (BOTH, UPPER, LOWER, NEITHER):
        values = np.zeros(3)
        values[list(free)] = _fitted(features[:, list(free)], validation, np.array([1.0, 1.0, 0.0])[list(free)])
        loss = _loss(features @ values, validation)
        if values[:2].min() >= 0.0 and loss < least:
            best, least = values, loss
        if free is BOTH and np.isfinite(least):
            break
    found = Beta(*best.tolist())
    notes = [] if found.a > 0.0 or found.b > 0.0 else [BACKWARDS.format(validation.classes[1])]
    return found, notes + separated(validation, found(validation.predictions))


def _line(predictions: Predictions) -> FloatArray:
    logs = predictions.logs
    return np.column_stack([logs[:, 1] - logs[:, 0], np.ones(len(logs))])


def _ends(predictions: Predictions) -> FloatArray:
    logs = predictions.logs
    return np.column_stack([logs[:, 1], -logs[:, 0], np.ones(len(logs))])


def _probabilities(log_odds: FloatArray) -> FloatArray:
    return np.column_stack([special.expit(-log_odds), special.expit(log_odds)])


def _loss(log_odds: FloatArray, validation: Validation) -> float:
    return float(validation.shares @ (np.logaddexp(0.0, log_odds) - validation.labels * log_odds))


def _fitted(features: FloatArray, validation: Validation, start: Sequence[float] | FloatArray) -> FloatArray:
    """Logistic regression without a penalty."""
    share = validation.shares

    def loss(at: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        log_odds = features @ at
        p = special.expit(log_odds)
        curvature = features.T @ ((share * p * (1.0 - p))[:, None] * features)
        return _loss(log_odds, validation), features.T @ (share * (p - validation.labels)), curvature

    return minimum(loss, np.asarray(start, dtype=np.float64))
