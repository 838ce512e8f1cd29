"""Models with binormal scores that are too sure of themselves: `good` has an AUC of .96, `poor` one of .80."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit

MODELS = {"good": 2.5, "poor": 1.2}  # standard deviations between the classes
SURE, SHIFT = 1.4, 0.7  # by how much the logit is stretched and moved


def too_sure(model: str, prevalence: float, label: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """The probability that the model would give, stretched and moved so that it is not calibrated."""
    apart = MODELS[model]
    honest = logit(prevalence) + apart * (noise + apart * label) - 0.5 * apart**2
    return expit(SURE * honest + SHIFT)
