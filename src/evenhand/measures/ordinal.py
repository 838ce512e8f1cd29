"""How a score orders items whose label is on a scale, such as 1 to 5: concordance, which is the AUROC for two labels.

Two items with different labels are comparable. They are concordant if the one with the higher label has the higher
score; equal scores count one half.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.arrays import Floats, Ints
from evenhand.errors import InputError, Undefined

MOST_LABELS = 10_000  # the time grows with the number of distinct labels


@dataclass(frozen=True)
class ComparablePairs:
    """Of each item: the place of its label on the scale, and with how many items it is comparable and concordant."""

    place: Ints
    comparable: Floats
    concordant: Floats

    @classmethod
    def from_items(cls, scores: Floats, labels: Floats) -> ComparablePairs:
        """Counted label by label, from the lowest to the highest."""
        values, place = np.unique(labels, return_inverse=True)
        if len(values) > MOST_LABELS:
            raise InputError(f"{len(values):,} distinct labels: a scale may have {MOST_LABELS:,} at most")
        distinct, rank = np.unique(scores, return_inverse=True)
        everything = np.bincount(rank, minlength=len(distinct)).astype(np.float64)
        lower, (comparable, concordant) = np.zeros(len(distinct)), np.zeros((2, len(scores)))
        for rows in np.split(np.argsort(place, kind="stable"), np.cumsum(np.bincount(place))[:-1]):
            own = np.bincount(rank[rows], minlength=len(distinct))
            higher = everything - lower - own
            comparable[rows] = lower.sum() + higher.sum()
            concordant[rows] = (_below(lower) + higher.sum() - _below(higher))[rank[rows]]
            lower = lower + own
        return cls(place.astype(np.int64), comparable, concordant)

    @property
    def concordance(self) -> float:
        """The share of comparable pairs that are concordant."""
        if not self.comparable.any():
            raise Undefined("all labels are the same")
        return float(self.concordant.sum() / self.comparable.sum())


def _below(counts: Floats) -> Floats:
    """For each distinct score the number of items with a lower one, and half of those with the same."""
    return np.asarray(counts.cumsum() - counts / 2.0)
