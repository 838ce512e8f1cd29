"""A share whose labels come in clusters: threads, authors.

Student's quantile has the degrees of freedom of the clusters, of which large ones count for more than one, and
violations are few where independent labels that tell as much would have shown few. Where sizes are very unequal, most
clusters are small and one like the largest often was not drawn: then variances between clusters are too small without
a sign of it, and the interval allows for one more violating cluster than was drawn, of the size that the cluster of an
item has in the mean. docs/sampling.md shows the coverage.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from evenhand.arrays import Floats
from evenhand.estimate import Estimate, Flag
from evenhand.intervals.blind_spots import RobustShare
from evenhand.intervals.survey import CAUTIOUS, FEW_VIOLATIONS, SCORE, SurveyShare, korn_graubard_interval

LEAST_EVEN = 2.0 / 3.0  # equal clusters for each one drawn, under which sizes are very unequal


@dataclass(frozen=True, slots=True)
class ClusteredShare(SurveyShare):
    """A share from clusters of similar size: violations count as few where the clusters with some are few."""

    @classmethod
    def from_share(cls, share: SurveyShare) -> ClusteredShare:
        """From a share with the variance between clusters."""
        return cls(**{field.name: getattr(share, field.name) for field in fields(SurveyShare)})

    def estimate(self, level: float = 0.95) -> Estimate:
        """With the usual interval; with the cautious one where independent labels would have shown few violations."""
        usual = SurveyShare.estimate(self, level)
        if usual.method != SCORE or usual.value is None or self._independent_violations >= FEW_VIOLATIONS:
            return usual
        low, high = korn_graubard_interval(self, level)
        ends = min(low, usual.value), max(high, usual.value)
        return Estimate(usual.value, *ends, level, CAUTIOUS, self.n).flagged(Flag.SMALL)

    @property
    def _independent_violations(self) -> float:
        rarer = min(self.value, 1.0 - self.value)
        return rarer * self.value * (1.0 - self.value) / max(self.variance, 1e-300)


def equal_sized_clusters(weights: Floats) -> float:
    """As many clusters of equal size as would tell as much, if the items of each are all alike."""
    return float(weights.sum() ** 2 / np.sum(weights**2))


def sizes_are_uneven(weights: Floats) -> bool:
    """Whether a few clusters have most of the items."""
    return equal_sized_clusters(weights) < LEAST_EVEN * len(weights)


def allow_for_clusters(share: SurveyShare, weights: Floats, left: float = 1.0) -> SurveyShare:
    """The same share, where labels were drawn in clusters that stand for so many items each.

    `left` is the part of what they stand for that was not drawn.
    """
    if share.variance == share.heaviest == 0.0:  # all of it is known
        return share
    number = equal_sized_clusters(weights)
    freedom = max(min(share.freedom, number - 1.0), 1.0)
    heaviest = max(share.heaviest, left * float(weights.max() / weights.sum()))
    clustered = replace(share, freedom=freedom, cautious_freedom=freedom, heaviest=heaviest, mean_weight=0.0)
    if not sizes_are_uneven(weights):
        return ClusteredShare.from_share(clustered)
    return RobustShare.from_share(replace(clustered, mean_weight=left / number))
