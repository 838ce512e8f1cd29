"""Sets of labels with a promise: split-conformal prediction from a model's probabilities (Angelopoulos and Bates 2023).

`split_by_item` parts the rows, `calibrate` makes a `Conformal` of the one part, its `predict` gives a set of labels for
each row of the other, and `coverage` says how often the sets hold the label. The promise (the label is in the set with
chance 1 − alpha) is for all rows together, for each class, or for each group. It rests on rows, or items, being
exchangeable: it does not survive a shift of the data by itself.
"""

from evenhand.conformal.coverage import Coverage, coverage, coverage_by
from evenhand.conformal.cut import Cut
from evenhand.conformal.predictor import KINDS, Conformal, Sets, calibrate
from evenhand.conformal.scores import SCORES
from evenhand.conformal.split import one_per_item, split_by_item

__all__ = [
    "KINDS",
    "SCORES",
    "Conformal",
    "Coverage",
    "Cut",
    "Sets",
    "calibrate",
    "coverage",
    "coverage_by",
    "one_per_item",
    "split_by_item",
]
