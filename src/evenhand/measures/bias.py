"""Bias of a score against a group: three AUCs and two average equality gaps (Borkan et al. 2019), and their power mean.

Each compares two of four samples: violating or benign items, in the group or in its background. The background is the
items outside the group, not all items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.catalogue.bias import BNSP_AUC, BPSN_AUC, NEGATIVE_AEG, POSITIVE_AEG, SUBGROUP_AUC
from evenhand.catalogue.measure import Measure
from evenhand.errors import Undefined
from evenhand.measures.ranking import clip_share
from evenhand.tally import GroupSample, Split, dot

GROUP_VIOLATING = GroupSample(inside=True, violating=True)
GROUP_BENIGN = GroupSample(inside=True, violating=False)
BACKGROUND_VIOLATING = GroupSample(inside=False, violating=True)
BACKGROUND_BENIGN = GroupSample(inside=False, violating=False)

SAMPLE_NAMES = {
    GROUP_VIOLATING: "violating items in the group",
    GROUP_BENIGN: "benign items in the group",
    BACKGROUND_VIOLATING: "violating items outside the group",
    BACKGROUND_BENIGN: "benign items outside the group",
}


@dataclass(frozen=True, slots=True)
class AucComparison:
    """The AUC of one sample of a split over another; the two gaps are shifted so that 0 is even."""

    name: Measure
    high: GroupSample
    low: GroupSample
    shift: float = 0.0

    @property
    def is_gap(self) -> bool:
        """An average equality gap rather than an AUC."""
        return self.shift != 0.0

    def __call__(self, split: Split) -> float:
        self.check(split)
        if self.high.inside:
            return _mean(split, self.high, self.low) + self.shift
        return (1.0 - _mean(split, self.low, self.high)) + self.shift

    def check(self, split: Split) -> None:
        """Undefined when one of the two samples is empty, or so light that the rest of its class drowns it."""
        for which in (self.high, self.low):
            total = split.sample(which).total
            if not total.count:
                raise Undefined(f"there are no {SAMPLE_NAMES[which]}")
            if not total.weight > 0.0:
                raise Undefined(f"the {SAMPLE_NAMES[which]} have no weight compared with the others")


# An average equality gap is 1/2 - AUC(background over group), which is AUC(group over background) - 1/2.
# Positive: the group is scored higher than the background.
subgroup_auc = AucComparison(SUBGROUP_AUC, GROUP_VIOLATING, GROUP_BENIGN)
bpsn_auc = AucComparison(BPSN_AUC, BACKGROUND_VIOLATING, GROUP_BENIGN)
bnsp_auc = AucComparison(BNSP_AUC, GROUP_VIOLATING, BACKGROUND_BENIGN)
negative_aeg = AucComparison(NEGATIVE_AEG, GROUP_BENIGN, BACKGROUND_BENIGN, shift=-0.5)
positive_aeg = AucComparison(POSITIVE_AEG, GROUP_VIOLATING, BACKGROUND_VIOLATING, shift=-0.5)

COMPARISONS = (subgroup_auc, bpsn_auc, bnsp_auc, negative_aeg, positive_aeg)
AUCS = (subgroup_auc, bpsn_auc, bnsp_auc)

JIGSAW_POWER = -5.0  # the exponent of the Jigsaw 2019 challenge: the worst groups weigh most


def _mean(split: Split, own: GroupSample, other: GroupSample) -> float:
    """The mean placement of a sample inside the group."""
    mass = split.sample(own)
    return clip_share(dot(mass.weight, split.placements(own, other)) / mass.total.weight)


def power_mean(values: Sequence[float], power: float = JIGSAW_POWER) -> float:
    """The generalised mean of AUCs over groups; with a negative power it leans towards the worst."""
    if not values:
        raise Undefined("there are no groups to average over")
    if min(values) <= 0.0 and power < 0:
        return 0.0
    return float(np.mean(np.asarray(values) ** power) ** (1.0 / power))


def power_mean_gradient(values: Sequence[float], power: float = JIGSAW_POWER) -> list[float]:
    """How much the power mean moves with each of the values."""
    mean = power_mean(values, power)
    if mean <= 0.0:  # the values at 0 decide alone: the limit of rising from there together
        zeros = sum(value <= 0.0 for value in values)
        slope = float((zeros / len(values)) ** (1.0 / power)) / zeros
        return [slope if value <= 0.0 else 0.0 for value in values]
    return [float((value / mean) ** (power - 1.0)) / len(values) for value in values]


def rank_spread(split: Split, *, violating: bool) -> float:
    """How far from the middle of its background the group's ranks lie; 1 for equal distributions, 3 at the most.

    Where the gaps are 0 it sees what the five comparisons cannot: a group scored both higher and lower than others.
    """
    own, other = GroupSample(inside=True, violating=violating), GroupSample(inside=False, violating=violating)
    mass = split.sample(own)
    if not mass.total.weight or not split.sample(other).total.weight:
        raise Undefined("one of the two samples is empty")
    return 12.0 * dot(mass.weight, (split.placements(own, other) - 0.5) ** 2) / mass.total.weight
