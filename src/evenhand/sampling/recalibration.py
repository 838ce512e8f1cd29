"""What a score means here: the chance of violating, a logistic function of the score's logit, from labels so far.

Before there are labels the score is taken at its word. A prior keeps few labels from saying too much: the slope is
near 1 give or take 1, the intercept near 0 give or take 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from evenhand.arrays import Floats

CENTRE, PULL = np.array([0.0, 1.0]), np.array([5.0, 1.0]) ** -2.0  # of the prior: intercept, slope
STEPS, CLOSE = 100, 1e-6


@dataclass(frozen=True, slots=True)
class Recalibration:
    """The chance of violating at a logit t is 1 / (1 + exp(−(intercept + slope · t)))."""

    intercept: float = 0.0
    slope: float = 1.0

    def chance(self, logits: Floats) -> Floats:
        """Of violating, at each logit."""
        chance: Floats = expit(self.intercept + self.slope * logits)
        return chance


AS_IT_IS = Recalibration()


def recalibrated(logits: Floats, violating: Floats, labelled: Floats) -> Recalibration:
    """The most likely one, from how many items were labelled at each logit and how many of them violate.

    Which items were drawn may depend on their scores: given these it is ignorable. Newton's method, each step halved
    until it is a step up; the peak is the only one.
    """
    design = np.column_stack((np.ones(len(logits)), logits))
    at, height = CENTRE, _height(design, violating, labelled, CENTRE)
    for _ in range(STEPS):
        chance = expit(design @ at)
        slope = (violating - labelled * chance) @ design - PULL * (at - CENTRE)
        bend = (design.T * (labelled * chance * (1.0 - chance))) @ design + np.diag(PULL)
        step = np.linalg.solve(bend, slope)
        higher = _height(design, violating, labelled, at + step)
        while higher < height and np.abs(step).max() > CLOSE:
            step = step / 2.0
            higher = _height(design, violating, labelled, at + step)
        at, height = at + step, higher
        if np.abs(step).max() <= CLOSE:
            break
    return Recalibration(float(at[0]), float(at[1]))


def _height(design: npt.NDArray[np.float64], violating: Floats, labelled: Floats, at: Floats) -> float:
    """The logarithm of the posterior, up to a constant."""
    logits = design @ at
    return float(violating @ logits - labelled @ np.logaddexp(0.0, logits) - 0.5 * np.sum(PULL * (at - CENTRE) ** 2))
