"""The interval of a concordance: DeLong's method for labels on a scale.

An item influences the concordance through all pairs that it is part of. The variance is the sum of the squared
influences, with what an unseen item of each label would add, as for an AUC. With two labels it is the AUC's interval.
"""

from __future__ import annotations

import math

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.intervals.auc import AT_RANDOM, UNSEEN_WEIGHT
from evenhand.intervals.proportions import WilsonInterval


def concordance_interval(place: Ints, comparable: Floats, concordant: Floats) -> WilsonInterval:
    """From the label of each item and the numbers of its comparable and concordant pairs; there must be some."""
    value = float(concordant.sum() / comparable.sum())
    pairs = comparable.sum() / 2.0
    items = np.bincount(place).astype(np.float64)
    reach = (items.sum() - items) / pairs  # the share of all pairs that one item of a label is part of
    variances = np.bincount(place, ((concordant - value * comparable) / pairs) ** 2)
    alone = items < 2.0  # says nothing of its variance: take the most
    variances = np.where(alone, value * (1.0 - value) * reach**2, variances * items / np.maximum(items - 1.0, 1.0))
    unseen = UNSEEN_WEIGHT * max((value - 0.5) ** 2, AT_RANDOM) * float((reach**2).sum())
    variance, weight = float(variances.sum()) + unseen, UNSEEN_WEIGHT * float(reach.sum())
    terms = float((variances**2 / (0.5 * np.maximum(items - 1.0, 1.0))).sum())
    freedom = variance**2 / terms if terms > 0.0 else math.inf
    return WilsonInterval.from_variance(value, variance, shift=(0.5 - value) * weight / (1.0 + weight), freedom=freedom)
