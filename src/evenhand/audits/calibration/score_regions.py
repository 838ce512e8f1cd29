"""Is 35 % really 35 %? Items by what they are scored, and how often they are violating (or of a class) in truth.

Scores fall into ten fixed regions, and all items together are one more. In each, the share of items that are of the
class is held against the mean of their scores, by intervals that hold for all regions, classes and models together
(Clopper and Pearson's, at the level of Bonferroni's correction). With design weights or clusters the interval is that
of the effective number of items.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv

from evenhand.arrays import TINIEST, Bools, Floats
from evenhand.audits.calibration.sample import ClassedSample
from evenhand.audits.quantities import FEWEST_ITEMS
from evenhand.audits.tolerance import TOLERATED_DIFFERENCE, Comparison, compare, more_labels
from evenhand.catalogue.calibration import MEAN_PROBABILITY, OBSERVED_SHARE
from evenhand.estimate import Estimate
from evenhand.evidence.scales import BENIGN, VIOLATING
from evenhand.finding import Finding, Measured, Slice, SliceKey
from evenhand.intervals import proportions
from evenhand.intervals.clusters import BY_CLUSTER, RowInfluence, design_effect
from evenhand.intervals.proportions import WilsonInterval
from evenhand.intervals.significance import normal_quantile, simultaneous_level, student_quantile
from evenhand.tally import Amount

REGIONS = 10
EXACT_SIMULTANEOUS = "clopper_pearson_simultaneous"
EMPTY = "no item has such a score"
ROUNDING = 1e-7  # of scores in single precision, which belong where they were written


class ScoreRegion(NamedTuple):
    """Scores from `low` to below `high`; the last region has its end too."""

    low: float
    high: float

    @property
    def name(self) -> str:
        """As in a slice."""
        return f"{self.low:g}-{self.high:g}"

    @property
    def is_whole(self) -> bool:
        """Whether these are all items."""
        return (self.low, self.high) == (0.0, 1.0)

    @classmethod
    def from_name(cls, name: str) -> ScoreRegion:
        """From a slice."""
        low, _, high = name.partition("-")
        return cls(float(low), float(high))

    def holds(self, probability: Floats) -> Bools:
        """Which of these lie in the region."""
        return (probability >= self.low - ROUNDING) & ((probability < self.high - ROUNDING) | (self.high == 1.0))


WHOLE = ScoreRegion(0.0, 1.0)
SCORE_REGIONS = (*(ScoreRegion(n / REGIONS, (n + 1) / REGIONS) for n in range(REGIONS)), WHOLE)


@dataclass(frozen=True)
class RegionShare:
    """The items in one region of the score of a class: how many, their mean score, and the share of the class."""

    slice: Slice
    items: int
    stated: float
    observed: WilsonInterval | None  # None: no items

    def measured(self, level: float, each: float, *, clustered: bool) -> Iterator[Measured]:
        """The share with its interval at the level of `each` interval, and the mean score, which is a plain fact."""
        if self.observed is None:
            nothing = Estimate.undefined(EMPTY, level=level, n=0)
            yield from (Measured(measure, self.slice, nothing) for measure in (OBSERVED_SHARE, MEAN_PROBABILITY))
            return
        method = EXACT_SIMULTANEOUS + (BY_CLUSTER if clustered else "")
        ends = exact_ends(self.observed, each)
        yield Measured(OBSERVED_SHARE, self.slice, Estimate(self.observed.value, *ends, level, method, self.items))
        yield Measured(MEAN_PROBABILITY, self.slice, Estimate.exact(self.stated, level=level, n=self.items))


def exact_ends(share: WilsonInterval, level: float) -> tuple[float, float]:
    """Clopper and Pearson's interval of as many items as the share is worth."""
    if share.size <= TINIEST:
        return share.value, share.value
    stretch = student_quantile(level, share.freedom) / normal_quantile(level)
    items, tail = 1.0 / (share.size * stretch**2), (1.0 - level) / 2.0
    hits = share.value * items
    low = float(betaincinv(hits, items - hits + 1.0, tail)) if hits > TINIEST else 0.0
    high = float(betaincinv(hits + 1.0, items - hits, 1.0 - tail)) if items - hits > TINIEST else 1.0
    return min(low, share.value), max(high, share.value)


def region_shares(sample: ClassedSample, named: Slice) -> Iterator[RegionShare]:
    """Of every class and region; of a score's two classes only that of violating items, as the other mirrors it."""
    classes = sample.classed.classes
    for column, name in enumerate(classes):
        if name == BENIGN and classes == (BENIGN, VIOLATING):
            continue
        probability, violating = sample.classed.probabilities[:, column], sample.classed.label == column
        for region in SCORE_REGIONS:
            slice_ = {**named, SliceKey.CLASS: name, SliceKey.SCORED: region.name}
            yield _region_share(sample, slice_, probability, violating, region.holds(probability))


def _region_share(
    sample: ClassedSample, slice_: Slice, probability: Floats, violating: Bools, inside: Bools
) -> RegionShare:
    weights = sample.classed.weights
    if weights is None and sample.classed.clusters is None:
        return _plain_share(slice_, probability[inside], violating[inside])
    weight = np.ones(len(inside)) if weights is None else weights.weight
    if not weight[inside].any():
        return RegionShare(slice_, 0, 0.0, None)
    part, rest = (_amount(sample, inside & own) for own in (violating, ~violating))
    share = proportions.wilson(part, rest)
    if sample.classed.clusters is not None:
        moved = np.where(inside, violating - share.value, 0.0) / float(weight[inside].sum())
        kinds = np.zeros(len(inside), dtype=np.int32)
        influence = RowInfluence(moved, kinds, weights, max(share.value, 1.0 - share.value))
        share = design_effect(influence, sample.classed.clusters).widen(share)
    stated = float(np.average(probability[inside], weights=weight[inside]))
    return RegionShare(slice_, round(part.count + rest.count), stated, share)


def _plain_share(slice_: Slice, probability: Floats, violating: Bools) -> RegionShare:
    """Of items that stand for themselves."""
    items, part = len(violating), float(np.count_nonzero(violating))
    if not items:
        return RegionShare(slice_, 0, 0.0, None)
    inside, rest = (Amount(number, number, number) for number in (part, items - part))
    share = proportions.wilson(inside, rest)
    return RegionShare(slice_, items, float(probability.astype(np.float64).sum()) / items, share)


def _amount(sample: ClassedSample, rows: Bools) -> Amount:
    weights = sample.classed.weights
    if weights is None:
        number = float(rows.sum())
        return Amount(number, number, number)
    weight, spread, count = (float(each[rows].sum()) for each in (weights.weight, weights.spread, weights.count))
    if weights.is_plain or not rows.any():
        return Amount(weight, spread, count)
    return Amount(weight, spread, count, heaviest=float(np.max(weights.spread[rows] / weights.weight[rows])))


def measured_regions(shares: Sequence[RegionShare], level: float, *, clustered: bool) -> Iterator[Measured]:
    """All of a finding, with intervals that hold together."""
    each = simultaneous_level(level, sum(one.items >= FEWEST_ITEMS for one in shares))
    for one in shares:
        yield from one.measured(level, each, clustered=clustered)


@dataclass(frozen=True)
class RegionVerdict:
    """One region beside what its scores say, and what that amounts to."""

    class_name: str
    region: ScoreRegion
    stated: float
    observed: Estimate
    judged: Estimate  # observed less stated, or their ratio
    is_ratio: bool
    comparison: Comparison

    @property
    def items(self) -> int:
        """How many items lie in the region."""
        return self.observed.n

    @property
    def gap(self) -> float:
        """How much more often items are of the class than their scores say."""
        return (self.observed.value or 0.0) - self.stated

    @property
    def affected(self) -> float:
        """Items times gap: to order by."""
        return self.items * abs(self.gap)

    def more_labels(self, tolerance: float) -> float | None:
        """Items of the region to be labelled beyond those there are; None: too many."""
        return more_labels(self.judged, tolerance, self.items, is_ratio=self.is_ratio)


def tolerance_of(finding: Finding) -> float:
    """The tolerance that a finding was made with."""
    declared = finding.provenance.get("settings", {}).get("tolerance")
    return float(declared) if isinstance(declared, int | float) else TOLERATED_DIFFERENCE


def region_verdicts(finding: Finding, named: Slice) -> list[RegionVerdict]:
    """Of every region of a model that has items, the most items times gap first; empty where none was measured."""
    tolerance = tolerance_of(finding)
    verdicts = [
        _verdict(m.slice, m.estimate, finding.get(MEAN_PROBABILITY, **m.slice).value or 0.0, tolerance)
        for m in finding
        if m.measure == OBSERVED_SHARE and m.estimate.defined and _is_of(m.slice, named)
    ]
    return sorted(verdicts, key=lambda one: -one.affected)


def empty_regions(finding: Finding, named: Slice) -> dict[str, list[ScoreRegion]]:
    """The regions without items, by class."""
    empty: dict[str, list[ScoreRegion]] = {}
    for m in finding:
        if m.measure == OBSERVED_SHARE and not m.estimate.defined and _is_of(m.slice, named):
            empty.setdefault(m.slice[SliceKey.CLASS], []).append(ScoreRegion.from_name(m.slice[SliceKey.SCORED]))
    return empty


def _is_of(slice_: Slice, named: Slice) -> bool:
    return set(slice_) == {*named, SliceKey.CLASS, SliceKey.SCORED} and slice_.items() >= named.items()


def _verdict(slice_: Slice, observed: Estimate, stated: float, tolerance: float) -> RegionVerdict:
    is_ratio = tolerance > 1.0 and stated > TINIEST
    ends = (observed.value or 0.0, observed.low or 0.0, observed.high or 0.0)
    value, low, high = (end / stated if is_ratio else end - stated for end in ends)
    judged = Estimate(value, low, high, observed.level, observed.method, observed.n)
    few = observed.n < FEWEST_ITEMS  # nothing is promised, so nothing is concluded
    comparison = Comparison.UNDETERMINED if few else compare(judged, tolerance, is_ratio=is_ratio)
    region = ScoreRegion.from_name(slice_[SliceKey.SCORED])
    return RegionVerdict(slice_[SliceKey.CLASS], region, stated, observed, judged, is_ratio, comparison)
