"""Newton's method for the smooth convex losses of calibrators with a few parameters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from evenhand.tally import FloatArray

Objective = Callable[[FloatArray], tuple[float, FloatArray, FloatArray]]  # loss, gradient and curvature
RIDGE = 1e-10  # draws parameters to doing nothing: bounds them where classes are told apart without an error
STEPS = 300
HALVINGS = 40
NEAR = 1e-14  # the step that lowers the loss by so little is the last


def minimum(objective: Objective, start: FloatArray) -> FloatArray:
    """Where the loss, with a ridge around `start` too weak to be seen, is least."""

    def ridged(at: FloatArray) -> tuple[float, FloatArray, FloatArray]:
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
            found = ridged(at + step)
            if found[0] <= loss:
                break
            step = step / 2.0
        else:
            return at  # nothing lower can be told apart in floating point
        at, (loss, gradient, curvature) = at + step, found
    return at
