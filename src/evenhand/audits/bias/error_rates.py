"""What happens to people at the threshold: who is flagged by mistake or missed more often than everyone else.

Each group's false positive and false negative rate is held against the rate outside the group, by an interval that
holds for all of them together, and judged against a tolerance: larger, ruled out, or undetermined. A tolerance above 1
is a ratio of rates, one below 1 a difference of shares. Where nobody outside the group is affected there is no ratio,
and the difference is judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.audits.group_words import ErrorRate, log_ratio
from evenhand.audits.quantities import FEWEST_ITEMS
from evenhand.audits.tolerance import TOLERATED_RATIO, Comparison, compare, more_labels
from evenhand.catalogue.bias import FNR_DIFFERENCE, FNR_RATIO, FPR_DIFFERENCE, FPR_RATIO
from evenhand.catalogue.shared import FPR, TPR
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Slice, SliceKey

MEASURES = {
    ErrorRate.FALSE_POSITIVE: (FPR_RATIO, FPR_DIFFERENCE),
    ErrorRate.FALSE_NEGATIVE: (FNR_RATIO, FNR_DIFFERENCE),
}


@dataclass(frozen=True)
class ErrorRateVerdict:
    """One error rate of a group beside everyone else's, and what it amounts to."""

    group: str
    rate: ErrorRate
    inside: float
    outside: float
    judged: Estimate  # the ratio, or the difference
    is_ratio: bool
    comparison: Comparison
    items: int  # of the class in the group

    @property
    def size(self) -> float:
        """How far from equal, on the scale of ratios: to order by."""
        return abs(self.harm)

    @property
    def harm(self) -> float:
        """How much more often a mistake is made in the group, on the scale of ratios; below 0: less often."""
        return log_ratio(self.inside, self.outside)

    def more_labels(self, tolerance: float) -> float | None:
        """Items of the group to be labelled beyond those there are, until an interval settles it; None: too many."""
        return more_labels(self.judged, tolerance, self.items, is_ratio=self.is_ratio)


def tolerance_of(finding: Finding) -> float:
    """The tolerance that a finding was made with."""
    declared = finding.provenance.get("settings", {}).get("tolerance")
    return float(declared) if isinstance(declared, int | float) else TOLERATED_RATIO


def error_rate_verdicts(finding: Finding, model: Slice, groups: Sequence[str]) -> list[ErrorRateVerdict]:
    """Of every group of a model and both rates, the largest difference first; empty without a threshold."""
    tolerance = tolerance_of(finding)
    verdicts = [
        verdict
        for group in groups
        for rate in ErrorRate
        if (verdict := _verdict(finding, {**model, SliceKey.GROUP: group}, rate, tolerance)) is not None
    ]
    return sorted(verdicts, key=lambda one: -one.size)


def _verdict(finding: Finding, slice_: Slice, rate: ErrorRate, tolerance: float) -> ErrorRateVerdict | None:
    ratio, difference = (_estimate(finding, measure, slice_) for measure in MEASURES[rate])
    if difference is None or difference.value is None:
        return None
    is_ratio = tolerance > 1.0 and ratio is not None and ratio.defined
    judged = ratio if is_ratio and ratio is not None else difference
    own = finding.get(FPR if rate is ErrorRate.FALSE_POSITIVE else TPR, **slice_)
    inside = own.value or 0.0
    inside = inside if rate is ErrorRate.FALSE_POSITIVE else 1.0 - inside
    few = min(own.n, difference.n - own.n) < FEWEST_ITEMS  # nothing is promised, so nothing is concluded
    return ErrorRateVerdict(
        group=slice_[SliceKey.GROUP],
        rate=rate,
        inside=inside,
        outside=max(0.0, round(inside - difference.value, 12)),
        judged=judged,
        is_ratio=is_ratio,
        comparison=Comparison.UNDETERMINED if few else compare(judged, tolerance, is_ratio=is_ratio),
        items=own.n,
    )


def _estimate(finding: Finding, measure: str, slice_: Slice) -> Estimate | None:
    return finding.get(measure, **slice_) if finding.has(measure, **slice_) else None


def by_harm(verdicts: Sequence[ErrorRateVerdict]) -> dict[str, dict[ErrorRate, ErrorRateVerdict]]:
    """The verdicts of each group: those with a higher error rate first, then by what the estimates say of the harm."""
    groups: dict[str, dict[ErrorRate, ErrorRateVerdict]] = {}
    for one in sorted(verdicts, key=lambda one: (one.comparison is not Comparison.HIGHER, -one.harm)):
        groups.setdefault(one.group, {})[one.rate] = one
    return groups
