"""Prediction sets with a guarantee: split-conformal prediction from class probabilities (Angelopoulos and Bates 2023).

`split_by_item` parts the rows, `calibrate` makes a `ConformalPredictor` of the one part, its `predict` gives a set of
labels for each row of the other, and `coverage` says how often the sets hold the label. The guarantee (the label is in
the set with probability 1 − alpha) is for all rows together, for each class, or for each group. It rests on rows, or
items, being exchangeable: it does not survive a shift of the data by itself. `KINDS` are the kinds of guarantee,
`SCORES` the nonconformity scores; `PredictionSets` are arrays of rows × classes, true where a label is in the set.
"""

from evenhand.conformal.scores import SCORES, Cut
from evenhand.conformal.sets import (
    KINDS,
    ConformalPredictor,
    Coverage,
    PredictionSets,
    calibrate,
    coverage,
    coverage_by,
    one_per_item,
    split_by_item,
)

__all__ = [
    "KINDS",
    "SCORES",
    "ConformalPredictor",
    "Coverage",
    "Cut",
    "PredictionSets",
    "calibrate",
    "coverage",
    "coverage_by",
    "one_per_item",
    "split_by_item",
]


def __dir__() -> list[str]:
    """The public names, for tab completion."""
    return sorted(__all__)
