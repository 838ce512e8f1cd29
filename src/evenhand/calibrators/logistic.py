"""Calibrators that are linear in the log-probabilities, fitted by Newton's method: vector, Platt and beta.

Vector scaling has one slope and one offset for each class. Platt scaling is a line on the log-odds of two classes, and
beta calibration has a slope for either end; of the two classes the second is the violating one, and p its probability.
The losses are smooth and convex and have few parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from evenhand.arrays import Floats
from evenhand.calibrators.predictions import OptionValue, UncalibratedPredictions, Validation

Objective = Callable[[Floats], tuple[float, Floats, Floats]]  # loss, gradient and curvature
RIDGE = 1e-10  # draws parameters to doing nothing: bounds them where classes are separated without an error
STEPS = 300
HALVINGS = 40
NEAR = 1e-14  # the step that lowers the loss by so little is the last


def newton_minimum(objective: Objective, start: Floats) -> Floats:
    """Where the loss, with a ridge around `start` too weak to be seen, is least."""

    def ridged(at: Floats) -> tuple[float, Floats, Floats]:
        loss, gradient, curvature = objective(at)
        change = at - start
        whole = loss + 0.5 * RIDGE * float(change @ change)
        return whole, gradient + RIDGE * change, curvature + RIDGE * np.eye(len(at))

    at, (loss, gradient, curvature) = start, ridged(start)
    for _ in range(STEPS):
        step = -np.linalg.solve(curvature, gradient)
        if -0.5 * float(gradient @ step) <= NEAR * (1.0 + loss):
            return np.asarray(at + step)
        for _ in range(HALVINGS):
            candidate = ridged(at + step)
            if candidate[0] <= loss:
                break
            step = step / 2.0
        else:
            return at  # nothing lower can be told apart in floating point
        at, (loss, gradient, curvature) = at + step, candidate
    return at


CERTAIN = 1e-6  # a class whose every item gets all but this much is separated without an error


@dataclass(frozen=True)
class Vector:
    """Softmax of slope · log p + offset by class. The offsets sum to zero, for only their differences count."""

    slopes: tuple[float, ...]
    offsets: tuple[float, ...]

    def __call__(self, predictions: UncalibratedPredictions) -> Floats:
        calibrated: Floats = special.softmax(predictions.logs * self.slopes + self.offsets, axis=1)
        return calibrated

    def fits(self, width: int) -> bool:
        return len(self.slopes) == len(self.offsets) == width


def fit_vector(validation: Validation, _: Mapping[str, OptionValue]) -> tuple[Vector, list[str]]:
    """The slopes and offsets of least log loss."""
    width = len(validation.classes)
    best = newton_minimum(_vector_loss(validation), np.concatenate([np.ones(width), np.zeros(width)]))
    slopes, offsets = best[:width], best[width:] - best[width:].mean()
    curve = Vector(tuple(slopes.tolist()), tuple(offsets.tolist()))
    backwards = [validation.classes[k] for k in np.flatnonzero(slopes < 0.0)]
    notes = [f"a higher probability of '{name}' makes it less likely: its slope is below 0" for name in backwards]
    return curve, notes + separation_warnings(validation, curve(validation.predictions))


def separation_warnings(validation: Validation, fitted: Floats) -> list[str]:
    """A warning for each class that is separated without an error, where only a ridge keeps parameters finite."""
    surest = np.zeros(len(validation.classes))
    np.maximum.at(surest, validation.labels, np.where(validation.weights > 0.0, 1.0 - validation.of_truth(fitted), 0.0))
    return [
        f"'{validation.classes[k]}' is separated without an error: its calibrated probabilities become 0 or 1, which "
        "is more certain than validation data can show"
        for k in np.flatnonzero((surest < CERTAIN) & (validation.counts > 0.0))
    ]


def _vector_loss(validation: Validation) -> Objective:
    logs, share, truth = validation.predictions.logs, validation.shares[:, None], validation.truth()
    width = logs.shape[1]

    def loss(at: Floats) -> tuple[float, Floats, Floats]:
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


BOTH, UPPER, LOWER, NEITHER = (0, 1, 2), (0, 2), (1, 2), (2,)  # which of a, b and c are free
BACKWARDS = "a higher probability makes '{}' less likely: the calibrated probabilities are reversed, or constant"


@dataclass(frozen=True)
class Platt:
    """Log-odds become slope · log-odds + offset."""

    slope: float
    offset: float

    def __call__(self, predictions: UncalibratedPredictions) -> Floats:
        return _two_columns(_platt_features(predictions) @ (self.slope, self.offset))

    def fits(self, width: int) -> bool:
        return width == 2


@dataclass(frozen=True)
class Beta:
    """Log-odds become a · log p − b · log(1 − p) + c, with a and b not below 0 (Kull, Silva Filho and Flach 2017)."""

    a: float
    b: float
    c: float

    def __call__(self, predictions: UncalibratedPredictions) -> Floats:
        return _two_columns(_beta_features(predictions) @ (self.a, self.b, self.c))

    def fits(self, width: int) -> bool:
        return width == 2 and min(self.a, self.b) >= 0.0


def fit_platt(validation: Validation, _: Mapping[str, OptionValue]) -> tuple[Platt, list[str]]:
    """The line of least log loss."""
    slope, offset = _logistic_fit(_platt_features(validation.predictions), validation, (1.0, 0.0)).tolist()
    curve = Platt(slope, offset)
    notes = [] if slope > 0.0 else [BACKWARDS.format(validation.classes[1])]
    return curve, notes + separation_warnings(validation, curve(validation.predictions))


def fit_beta(validation: Validation, _: Mapping[str, OptionValue]) -> tuple[Beta, list[str]]:
    """The parameters of least log loss; of a convex loss the best one with some held at 0 is the best allowed."""
    features, best, least = _beta_features(validation.predictions), np.zeros(3), np.inf
    for free in (BOTH, UPPER, LOWER, NEITHER):
        values = np.zeros(3)
        values[list(free)] = _logistic_fit(features[:, list(free)], validation, np.array([1.0, 1.0, 0.0])[list(free)])
        loss = _logistic_loss(features @ values, validation)
        if values[:2].min() >= 0.0 and loss < least:
            best, least = values, loss
        if free is BOTH and np.isfinite(least):
            break
    curve = Beta(*best.tolist())
    notes = [] if curve.a > 0.0 or curve.b > 0.0 else [BACKWARDS.format(validation.classes[1])]
    return curve, notes + separation_warnings(validation, curve(validation.predictions))


def _platt_features(predictions: UncalibratedPredictions) -> Floats:
    logs = predictions.logs
    return np.column_stack([logs[:, 1] - logs[:, 0], np.ones(len(logs))])


def _beta_features(predictions: UncalibratedPredictions) -> Floats:
    logs = predictions.logs
    return np.column_stack([logs[:, 1], -logs[:, 0], np.ones(len(logs))])


def _two_columns(log_odds: Floats) -> Floats:
    return np.column_stack([special.expit(-log_odds), special.expit(log_odds)])


def _logistic_loss(log_odds: Floats, validation: Validation) -> float:
    return float(validation.shares @ (np.logaddexp(0.0, log_odds) - validation.labels * log_odds))


def _logistic_fit(features: Floats, validation: Validation, start: Sequence[float] | Floats) -> Floats:
    """Logistic regression without a penalty."""
    share = validation.shares

    def loss(at: Floats) -> tuple[float, Floats, Floats]:
        log_odds = features @ at
        p = special.expit(log_odds)
        curvature = features.T @ ((share * p * (1.0 - p))[:, None] * features)
        return _logistic_loss(log_odds, validation), features.T @ (share * (p - validation.labels)), curvature

    return newton_minimum(loss, np.asarray(start, dtype=np.float64))
