"""The difference estimate, also called prediction-powered: what a model expects everywhere, and what labels say beyond.

It is unbiased whatever the model is worth. A good model leaves little to say beyond, so that the variance is small.
"""

from __future__ import annotations

from dataclasses import replace

import numpy.typing as npt

from evenhand import arrays
from evenhand.intervals.survey import Sampled


def difference(
    label: npt.ArrayLike, expected: npt.ArrayLike, mean: float, *, strata: npt.ArrayLike, sizes: npt.ArrayLike
) -> Sampled:
    """From labels and what was expected of the same items; `mean` is what is expected of all items of all strata.

    The expectation must not have seen these labels.
    """
    violating = arrays.labels(label)
    rest = violating - arrays.numbers(expected, "expected", size=len(violating))
    return replace(Sampled.of(rest, strata, sizes), known=float(mean), hits=float(violating.sum()))
