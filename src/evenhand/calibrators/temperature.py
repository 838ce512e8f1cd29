"""Temperature scaling: the logits of every item are divided by one number T, so that no decision changes.

Weighted temperature scaling (Obadinma, Guo and Zhu 2021) weighs the loss of an item by 1 − n_k/N, the share of items
that are not of its class. Rare classes then say more about T, at the cost of calibration overall.

The loss is convex in 1/T, so its slope has one root, which is found between bounds on a scale of log T. There is no
parameter of a class, so a class without validation data is divided by T like any other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from evenhand.arrays import Floats
from evenhand.calibrators.predictions import OptionValue, UncalibratedPredictions, Validation

LOWEST, HIGHEST = 0.01, 100.0
STRIDES = (0.3, 1.0, 2.5)  # of log T, before the bound
APART = 1.25  # ratio of the two temperatures from which the weighted one is worth a warning


@dataclass(frozen=True)
class Temperature:
    """Divides the log-probabilities by `temperature`; above 1 makes a model less confident."""

    temperature: float

    def __call__(self, predictions: UncalibratedPredictions) -> Floats:
        calibrated: Floats = special.softmax(predictions.logs / self.temperature, axis=1)
        return calibrated

    def fits(self, width: int) -> bool:
        return LOWEST <= self.temperature <= HIGHEST


def fit_temperature(validation: Validation, _: Mapping[str, OptionValue]) -> tuple[Temperature, list[str]]:
    """Plain: every item weighs alike."""
    temperature = _best_temperature(validation, validation.weights)
    return Temperature(temperature), _bound_warnings(temperature)


def fit_weighted_temperature(validation: Validation, _: Mapping[str, OptionValue]) -> tuple[Temperature, list[str]]:
    """Weighted: an item weighs 1 − n_k/N of its class."""
    others = 1.0 - validation.counts / validation.weights.sum()
    weighted, plain = (
        _best_temperature(validation, w) for w in (validation.weights * others[validation.labels], validation.weights)
    )
    notes = _bound_warnings(weighted)
    if max(weighted / plain, plain / weighted) > APART:
        before = " (by which hardly anything changes)" if 0.9 < plain < 1.1 else ""
        notes.append(
            f"weighted temperature scaling gives T = {weighted:.1f} where plain temperature scaling gives {plain:.1f}"
            f"{before}: it improves the calibration of rare classes at the expense of overall calibration"
        )
    return Temperature(weighted), notes


def _best_temperature(validation: Validation, weights: Floats) -> float:
    """The temperature of least log loss; 1 where every temperature is alike."""
    logs, share = validation.predictions.logs, weights / weights.sum()
    logs = logs - validation.of_truth(logs)[:, None]  # beside the true class, whose own stays 0
    if not np.abs(logs).max() > 0.0:
        return 1.0
    below = logs - logs.max(axis=1, keepdims=True)

    def slope(log_t: float) -> float:
        """Of the loss along 1/T: the mean of what the model at T expects beyond the truth."""
        mass = np.exp(below * math.exp(-log_t))
        expected = np.einsum("ik,ik->i", mass, logs) / mass.sum(axis=1)
        return float(share @ expected)

    return _root(slope)


def _root(slope: Callable[[float], float]) -> float:
    """Where a falling function of log T crosses zero, bracketed from T = 1 outwards; or the bound that it stops at."""
    way, bound = (1.0, HIGHEST) if slope(0.0) > 0.0 else (-1.0, LOWEST)
    inner = 0.0
    for outer in (*(way * stride for stride in STRIDES), math.log(bound)):
        if way * slope(outer) < 0.0:
            return math.exp(optimize.brentq(slope, inner, outer, xtol=1e-13, rtol=1e-13))
        inner = outer
    return bound


def _bound_warnings(temperature: float) -> list[str]:
    if temperature == LOWEST:
        return [
            f"the classes are separated without an error, so the temperature stops at its bound of {LOWEST:g}: "
            "probabilities become 0 or 1, which is more certain than validation data can show"
        ]
    if temperature == HIGHEST:
        return [
            f"the temperature stops at its bound of {HIGHEST:g}: the probabilities carry almost no information about "
            "the classes as weighted here, and become almost equal"
        ]
    return []
