"""Intervals of areas under curves: the AUC (DeLong's variance) and the average precision (influence of each item).

DeLong's variance collapses when few items or an AUC near 1 leave nothing misranked. So each side is given what one
wholly confused item (ranked in the middle of the other side) would add to the variance, and the result enters Wilson's
form through the effective number of items it stands for.

For average precision, a violating item brings its own precision, and every item changes the precision at the violating
items that score no higher. A sample that finds little also shows little of that variance, and one that finds all shows
none. So the area is never taken to be more precise than a share of the items that are to be found: of the two effective
numbers of items, the smaller enters Wilson's form. docs/intervals.md shows the coverage beside the alternatives.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Floats
from evenhand.intervals.proportions import WilsonInterval
from evenhand.tally import Classes, GroupSample, Mass, Split, dot, merged

DELONG_SCORE = "delong_score"

# How much of that item: the least in tenths with which coverage stays above 93 % with a margin. A whole one takes it
# above 97 % where samples are large.
UNSEEN_WEIGHT = 0.8
AT_RANDOM = 1.0 / 12.0  # the variance of a rank that could be any


def split_auc_interval(split: Split, high: GroupSample, low: GroupSample, auc: float) -> WilsonInterval:
    """The AUC of two of the four samples of a group."""
    placements = (split.placements(high, low), split.placements(low, high))
    return _delong((split.sample(high), split.sample(low)), placements, auc)


def classes_auc_interval(classes: Classes, auc: float) -> WilsonInterval:
    """The AUC of the violating over the benign items of one tally."""
    violating, benign = merged(classes)
    return _delong((violating, benign), (benign.below, violating.below), auc)


def _delong(samples: tuple[Mass, Mass], placements: tuple[Floats, Floats], auc: float) -> WilsonInterval:
    """The variance that each sample brings in through the placements of its items among the other."""
    high, low = samples
    first, second = _side_variance(high, placements[0], auc), _side_variance(low, placements[1], 1.0 - auc)
    unseen = UnseenItem.from_samples((high, low), auc)
    variance = first + second + unseen.variance
    freedom = _satterthwaite(variance, (first, high), (second, low))
    return WilsonInterval.from_variance(auc, variance, shift=unseen.shift, freedom=freedom)


class UnseenItem(NamedTuple):
    """What an item that was not seen could do to an AUC: add to its variance, and move it towards one half."""

    variance: float
    shift: float

    @classmethod
    def from_samples(cls, samples: tuple[Mass, Mass], auc: float) -> UnseenItem:
        """Ranked in the middle, or at random where that is further from the AUC."""
        shares = [sample.unseen for sample in samples]
        variance = UNSEEN_WEIGHT * max((auc - 0.5) ** 2, AT_RANDOM) * sum(share**2 for share in shares)
        weight = UNSEEN_WEIGHT * sum(shares)
        return cls(variance, (0.5 - auc) * weight / (1.0 + weight))


def _side_variance(sample: Mass, placements: Floats, mean: float) -> float:
    """The part of the variance that the items of one sample bring in."""
    total = sample.total
    if total.count < 2:
        return mean * (1.0 - mean) * total.unseen  # one item says nothing of its variance: take the most
    squares = placements - mean
    squares *= squares
    scatter = dot(sample.spread, squares) / total.weight**2
    return scatter * total.effective / max(total.effective - 1.0, 1.0)


def _satterthwaite(variance: float, *sides: tuple[float, Mass]) -> float:
    """Satterthwaite's degrees of freedom, halved because placements are skewed. The unseen item is a constant."""
    terms = [part**2 / (0.5 * max(sample.total.effective - 1.0, 1.0)) for part, sample in sides]
    return variance**2 / sum(terms) if sum(terms) > 0.0 else math.inf


PRECISION_SCORE = "precision_score"


def average_precision_interval(classes: Classes, area: float) -> WilsonInterval:
    """The area under precision over recall of the violating items among all; there must be some."""
    violating, cells = classes.violating.total, merged(classes)
    squares = (values * values for values in average_precision_influence(cells))
    variance = sum(dot(mass.spread, square) for mass, square in zip(cells, squares, strict=True))
    variance *= violating.count / max(violating.count - 1.0, 1.0)
    share = (
        max(violating.spread, violating.weight * violating.heaviest) / violating.weight**2
    )  # a design may have left no variance
    size = max(WilsonInterval.from_variance(area, variance).size, share)
    return WilsonInterval(area, size, max(0.5 * (violating.count - 1.0), 1.0))


def average_precision_influence(classes: Classes) -> tuple[Floats, Floats]:
    """On the average precision, of a violating and of a benign item at each score, per unit of weight."""
    violating, benign = (mass.weight for mass in classes)
    hits, flagged = (np.cumsum(part[::-1])[::-1] for part in (violating, violating + benign))
    precision, steps = (np.divide(p, flagged, out=np.zeros_like(hits), where=flagged > 0.0) for p in (hits, violating))
    total = classes.violating.total.weight
    area = dot(violating, precision) / total
    lower = np.cumsum(steps * precision)
    return (precision - area + np.cumsum(steps) - lower) / total, -lower / total
