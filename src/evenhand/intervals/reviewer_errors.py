"""How often reviewers err, from items that one or several of them decided, some of which are gold: the truth is known.

Gold items are few. What reviewers decided is known of all items: how often they agree that an item is violating, agree
that it is not, or are split. So gold items stand for the items on which reviewers agreed or split as they did
(post-stratification): all items say how often that happens, gold items who is right then. This holds however alike the
errors of several reviewers are, if gold items are drawn at random from items like these or by what reviewers decided.

The influence of every item is kept, so that clusters and weights enter as in every other interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import Undefined
from evenhand.intervals.clusters import row_covariance
from evenhand.intervals.proportions import WilsonInterval
from evenhand.tally import Clusters, Reviews, Weights
from evenhand.tally.reviews import UNKNOWN

FEWEST_REVIEWED = 10  # gold items of a class, under which nothing is said of reviewers' errors
CLASSES = ("benign", "violating")
VOTES = ("all reviewers called benign", "reviewers were split about", "all reviewers called violating")


class ReviewerError(NamedTuple):
    """Of all decisions on items of a class, the share that is wrong, its variance, and the decisions behind it."""

    value: float
    variance: float
    decisions: float
    freedom: float = math.inf

    @property
    def share(self) -> WilsonInterval:
        """With its interval."""
        shift = _with_unseen(self.value, self.decisions) - self.value
        return WilsonInterval.from_variance(self.value, self.variance, shift=shift, freedom=self.freedom)


ALWAYS_RIGHT = ReviewerError(0.0, 0.0, math.inf)


@dataclass(frozen=True)
class ReviewedItems:
    """The reviewed items of everybody, of a group or of all others, with what each stands for."""

    reviews: Reviews
    weights: Weights | None = None
    clusters: Clusters | None = None

    @classmethod
    def from_rows(
        cls, reviews: Reviews, weights: Weights | None, clusters: Clusters | None, rows: Ints
    ) -> ReviewedItems:
        """Those of some rows that were reviewed."""
        some = rows[reviews.reviewers[rows] > 0]
        return cls(
            reviews.take(some),
            None if weights is None else weights.take(some),
            None if clusters is None else clusters.take(some),
        )

    def error(self, *, violating: bool) -> ReviewerError:
        """How often reviewers err on items of a class; `Undefined` where gold items are too few to tell."""
        own = self._gold & (self.reviews.known == int(violating))
        if int(own.sum()) < FEWEST_REVIEWED:
            raise Undefined(
                f"reviewers' errors rest on {int(own.sum())} {CLASSES[violating]} gold items, and at least "
                f"{FEWEST_REVIEWED} are needed"
            )
        times = self._times
        wrong = self.reviews.violating if not violating else self.reviews.reviewers - self.reviews.violating
        whole = float((times * self.reviews.reviewers)[own].sum())
        value = float((times * wrong)[own].sum()) / whole
        residual = wrong - value * self.reviews.reviewers
        values = (own * residual * self._gold_weight + self._stratum_means(own * residual)) / whole
        covariance, clusters = row_covariance(values[:, None], self.weights, self.clusters)
        decisions = whole * len(times) / float(self._weight.sum())
        variance = float(covariance[0, 0]) + self._unseen(own, residual) / whole**2
        moved = _with_unseen(value, decisions)
        least = moved * (1.0 - moved) / decisions
        return ReviewerError(value, max(variance, least), decisions, max(clusters - 1.0, 1.0))

    @cached_property
    def _weight(self) -> Floats:
        return np.ones(len(self.reviews.reviewers)) if self.weights is None else self.weights.weight

    @cached_property
    def _gold(self) -> Bools:
        gold: Bools = self.reviews.known != UNKNOWN
        return gold

    @cached_property
    def _stratum(self) -> Ints:
        """0: all called it benign; 2: all called it violating; 1: split."""
        some, every = self.reviews.violating > 0, self.reviews.violating == self.reviews.reviewers
        stratum: Ints = some.astype(np.int64) + (every & some)
        return stratum

    @cached_property
    def _per_gold(self) -> Floats:
        """In each stratum, how many items a gold item stands for."""
        items, gold = self._sums(self._weight), self._sums(self._weight * self._gold)
        for lacking in np.flatnonzero((items > 0.0) & (gold == 0.0)).tolist():
            raise Undefined(f"there is no gold item among those that {VOTES[lacking]}")
        return np.divide(items, gold, out=np.ones(3), where=gold > 0.0)

    @cached_property
    def _gold_weight(self) -> Floats:
        return self._per_gold[self._stratum]

    @cached_property
    def _times(self) -> Floats:
        """What each gold item stands for."""
        return self._weight * self._gold_weight

    def _sums(self, values: Floats) -> Floats:
        return np.bincount(self._stratum, values, 3).astype(np.float64)

    def _stratum_means(self, values: Floats) -> Floats:
        """What every item brings by being of its stratum, less what gold items bring by standing for it."""
        gold = self._sums(self._weight * self._gold)
        means = np.divide(self._sums(self._weight * values), gold, out=np.zeros(3), where=gold > 0.0)
        return means[self._stratum] * (1.0 - self._gold * self._gold_weight)

    def _unseen(self, own: Bools, residual: Floats) -> float:
        """Of strata whose gold items are all of one class: the variance that one of the other class would bring."""
        gold, items = (np.bincount(self._stratum, each, 3) for each in (self._gold, np.ones(len(own))))
        errors = np.bincount(self._stratum, own, 3)
        total = 0.0
        for number in np.flatnonzero(gold).tolist():
            inside = self._stratum == number
            share, moved = errors[number] / gold[number], (errors[number] + 0.5) / (gold[number] + 1.0)
            more = max(moved * (1.0 - moved) - share * (1.0 - share), 0.0) / gold[number]
            reach = float((self._weight * residual)[inside].sum())
            total += reach**2 * more * (1.0 - gold[number] / items[number])
        return total


def _with_unseen(value: float, decisions: float) -> float:
    """A share with half a decision of either kind added, so that a perfect record is not taken for certainty."""
    return value if math.isinf(decisions) else (value * decisions + 0.5) / (decisions + 1.0)
