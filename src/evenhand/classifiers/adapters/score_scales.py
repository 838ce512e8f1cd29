"""The scales that servers give scores on, and the probabilities that they stand for.

A scale is declared, never guessed. Values that cannot be on the declared scale are refused, with the scale that they
could be on: a logit of −0.2 is the probability 0.45, a log-probability of −0.2 is 0.82.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from evenhand.arrays import AnyFloats
from evenhand.classifiers.adapters.server import ScaleContradiction

ScaleName = Literal["probability", "percent", "logit", "logprob"]
ROUNDING = 1e-6  # how far above 0 a log-probability may be
SUM_TOLERANCE = 1e-3  # how far the sum of exclusive probabilities may be from one: half precision is allowed


class AnswerScale(NamedTuple):
    """The range of a scale, and the probability that a value of it stands for."""

    lowest: float
    highest: float
    probability: Callable[[AnyFloats], AnyFloats]


def _logistic(values: AnyFloats) -> AnyFloats:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(values, -700.0, 700.0))))


SCALES: dict[ScaleName, AnswerScale] = {
    "probability": AnswerScale(0.0, 1.0, lambda values: values),
    "percent": AnswerScale(0.0, 100.0, lambda values: values / 100.0),
    "logit": AnswerScale(-np.inf, np.inf, _logistic),
    "logprob": AnswerScale(-np.inf, ROUNDING, lambda values: np.exp(np.minimum(values, 0.0))),
}


def to_probabilities(values: AnyFloats, scale: ScaleName, *, exclusive: bool) -> AnyFloats:
    """The probabilities of [texts, classes]; the error names the first text whose values contradict the scale."""
    lowest, highest, probability = SCALES[scale]
    outside = ~((values >= lowest) & (values <= highest))
    if outside.any():
        text = int(outside.any(axis=1).argmax())
        value = float(values[text][outside[text]][0])
        raise ScaleContradiction(f"{value:g} is not on the scale '{scale}' ({_other_scale(value, scale)})", text)
    probabilities = probability(values)
    if exclusive:
        _check_sums(values, probabilities, scale)
    return probabilities


def _other_scale(value: float, scale: ScaleName) -> str:
    if np.isnan(value):
        return "it must be a number"
    if scale == "logprob":
        return "a log-probability is at most 0: the scales 'logit' and 'probability' are others"
    if value < 0.0:
        return "it is below 0: set scale = 'logprob' for log-probabilities, 'logit' for log-odds"
    return "it is above 1: set scale = 'percent' or 'logit' if it is one" if scale == "probability" else "0 to 100"


def _check_sums(values: AnyFloats, probabilities: AnyFloats, scale: ScaleName) -> None:
    """The probabilities of exclusive classes sum to one."""
    off = ~np.isclose(probabilities.sum(axis=1), 1.0, atol=SUM_TOLERANCE)
    if not off.any():
        return
    text = int(off.argmax())
    remedy = "set task = 'multi-label' if several classes can be true at once"
    if scale == "logit" and np.all(values[text] <= 0.0) and abs(np.exp(values[text]).sum() - 1.0) <= SUM_TOLERANCE:
        remedy = "the values are log-probabilities: set scale = 'logprob'"
    total = f"{probabilities[text].sum():.3g}"
    problem = f"on the scale '{scale}' the probabilities of the classes sum to {total} instead of 1: {remedy}"
    raise ScaleContradiction(problem, text)
