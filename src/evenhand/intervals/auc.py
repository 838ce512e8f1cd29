"""How sure an AUC is: DeLong's variance, kept honest near 0 and 1 by an item that was not seen.

DeLong's variance collapses when few items or an AUC near 1 leave nothing misranked. So each side is given what one
wholly confused item (ranked in the middle of the other side) would add to the variance, and the result enters Wilson's
form through the effective number of items it stands for. docs/intervals.md shows the coverage beside the alternatives.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from evenhand.intervals.bounded import Bounded
from evenhand.tally import Classes, FloatArray, Mass, Sample, Split, dot

METHOD = "delong_score"

# How much of that item: the least in tenths with which coverage stays above 93 % with a margin. A whole one takes it
# above 97 % where samples are large.
UNSEEN = 0.8
AT_RANDOM = 1.0 / 12.0  # the variance of a rank that could be any


def of_split(split: Split, high: Sample, low: Sample, auc: float) -> Bounded:
    """The AUC of two of the four samples of a group."""
    placements = (split.placements(high, low), split.placements(low, high))
    return _delong((split.sample(high), split.sample(low)), placements, auc)


def of_classes(classes: Classes, auc: float) -> Bounded:
    """The AUC of the violating over the benign items of one tally."""
    violating, benign = classes
    return _delong((violating, benign), (benign.below, violating.below), auc)


def _delong(samples: tuple[Mass, Mass], placements: tuple[FloatArray, FloatArray], auc: float) -> Bounded:
    """The variance that each sample brings in through the placements of its items among the other."""
    high, low = samples
    first, second = _side(high, placements[0], auc), _side(low, placements[1], 1.0 - auc)
    unseen = Unseen.of((high, low), auc)
    variance = first + second + unseen.variance
    freedom = _freedom(variance, (first, high), (second, low))
    return Bounded.of(auc, variance, shift=unseen.shift, freedom=freedom)


class Unseen(NamedTuple):
    """What an item that was not seen could do to an AUC: add to its variance, and move it towards one half."""

    variance: float
    shift: float

    @classmethod
    def of(cls, samples: tuple[Mass, Mass], auc: float) -> Unseen:
        """Ranked in the middle, or at random where that is further from the AUC."""
        shares = [sample.total.unseen for sample in samples]
        variance = UNSEEN * max((auc - 0.5) ** 2, AT_RANDOM) * sum(share**2 for share in shares)
        weight = UNSEEN * sum(shares)
        return cls(variance, (0.5 - auc) * weight / (1.0 + weight))


def _side(sample: Mass, placements: FloatArray, mean: float) -> float:
    """The part of the variance that the items of one sample bring in."""
    total = sample.total
    if total.count < 2:
        return mean * (1.0 - mean) * total.unseen  # one item says nothing of its variance: take the most
    squares = placements - mean
    squares *= squares
    scatter = dot(sample.spread, squares) / total.weight**2
    return scatter * total.count / (total.count - 1.0)


def _freedom(variance: float, *sides: tuple[float, Mass]) -> float:
    """Satterthwaite's degrees of freedom, halved because placements are skewed. The unseen item is a constant."""
    terms = [part**2 / (0.5 * max(sample.total.count - 1.0, 1.0)) for part, sample in sides]
    return variance**2 / sum(terms) if sum(terms) > 0.0 else math.inf
