"""The target precision of a plan, held against the published interval after each batch.

A target is reached where the half-width of the interval that is published is at most what was asked, and at least ten
violations were found in every pool: before that the width is luck. Where the score may miss violations the published
interval is the robust one. Until then the labels that are still needed follow from the width so far, which falls with
the square root of the labels, but for what gold items add to it; how far that can be off follows from how many
violations it rests on. The numbers hold for looks after whole batches.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from evenhand.audits.accuracy.blind_spots import published_estimate
from evenhand.audits.accuracy.pools import PoolName
from evenhand.catalogue import find_measure
from evenhand.catalogue.accuracy import PREVALENCE, VIOLATIONS
from evenhand.catalogue.shared import COUNT, PRECISION, RECALL
from evenhand.errors import Undefined
from evenhand.finding import Finding, Slice, SliceKey
from evenhand.intervals.survey import CorrectedShare, GoldCounts, SurveyShare
from evenhand.measurement.plan import ALL, SamplingPlan
from evenhand.measurement.sample import CampaignSample
from evenhand.sampling.allocation import share_out
from evenhand.sampling.sizes import Target

FEWEST_FOUND = 10  # violations of each pool, before which labelling does not stop
RANGE_QUANTILE = 1.2816  # of the range of labels needed: four times in five
MOST_GROWTH = 2.0  # times the labels so far: what a next batch makes of them at most
LEAST_GROWTH = 0.2  # of the labels so far, that a next batch has at least
BATCH_MARGIN = 1.1  # times the labels still needed, so that the next batch is the last more often than not
UNSEEN = 1.0  # violations that a pool without any counts as having, when labels are split


@dataclass(frozen=True, slots=True)
class MeasuredTarget:
    """A target precision of a measure, of all items or of a part."""

    measure: str
    target: Target
    slice: Slice = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Of what, in words."""
        parts = ", ".join(value for key, value in self.slice.items() if key != SliceKey.POOL)
        return f"{find_measure(self.measure).title.lower()}{f' of {parts}' if parts else ''}"


@dataclass(frozen=True, slots=True)
class TargetProgress:
    """How far labels are from the target of their plan.

    `excess` is the published half-width over the target, `usual_excess` that of the usual interval where another one is
    published; `more` labels are expected to be needed. `lacking` is a pool with too few violations to stop, where the
    interval is narrow enough. `fixed` is the part of the variance that more labels do not reduce: that of gold items.
    `drives` says how the labels of each pool count: in proportion to it they are fewest.
    """

    measure: str
    target: Target
    labels: int
    excess: float
    violations: float
    items: int
    lacking: str = ""
    usual_excess: float | None = None
    fixed: float = 0.0
    drives: Mapping[str, float] = field(default_factory=dict)
    title: str = ""

    @property
    def reached(self) -> bool:
        """Whether labelling can stop."""
        return self.excess <= 1.0 and not self.lacking

    @property
    def out_of_reach(self) -> bool:
        """Whether gold items alone make the interval wider than the target."""
        return self.fixed * self.excess**2 >= 1.0

    def _needed(self, times: float = 1.0) -> int:
        square = self.excess**2 * times
        left = 1.0 - self.fixed * square
        total = self.labels * (1.0 - self.fixed) * square / left if left > 0.0 else math.inf
        return max(0, math.ceil(min(total, float(self.items))) - self.labels)

    @property
    def more(self) -> int:
        """Labels that are expected to be needed."""
        if self.excess <= 1.0 and self.lacking:
            rate = max(self.violations, 1.0) / self.labels
            return min(math.ceil((FEWEST_FOUND - self.violations) / rate), self.items - self.labels)
        return self._needed()

    @property
    def range(self) -> tuple[int, int]:
        """Between which numbers that lies, four times in five."""
        spread = math.exp(RANGE_QUANTILE / math.sqrt(max(self.violations, 1.0)))
        return self._needed(1.0 / spread), max(self._needed(spread), self.more)

    @property
    def next_batch(self) -> int:
        """Labels of the next batch: what is needed, at most as many as there are.

        No small step either: every look is a chance to stop too soon.
        """
        most = (MOST_GROWTH - 1.0) * self.labels
        return math.ceil(min(max(BATCH_MARGIN * self.more, LEAST_GROWTH * self.labels), most))

    @property
    def extended(self) -> int:
        """Labels in all of a longer plan: with the next batch, at most so many times what there is."""
        return min(self.labels + self.next_batch, self.items)

    def next_of_pools(self, drawn: Mapping[str, int], left: Mapping[str, int]) -> dict[str, int]:
        """The next batch, split so that all labels of a pool come near to what drives the width; of what is planned."""
        size = min(self.next_batch, sum(left.values()))
        parts = np.array([self.drives.get(name, 1.0) for name in left])
        taken = np.array([drawn[name] for name in left])
        most = taken + np.array(list(left.values()))
        in_all = share_out(int(taken.sum()) + size, parts, most, least=taken)
        return dict(zip(left, (in_all - taken).tolist(), strict=True))

    def record(self) -> dict[str, object]:
        """As plain data."""
        return {
            "measure": self.measure,
            **({"of": self.title} if self.title else {}),
            "target": {self.target.name: self.target.amount},
            "now": self.target.amount * self.excess,
            **({} if self.usual_excess is None else {"now_usual": self.target.amount * self.usual_excess}),
            "reached": self.reached,
            "labels": self.labels,
            "more_labels": 0 if self.reached else self.more,
            "more_labels_range": [0, 0] if self.reached else list(self.range),
        }

    def line(self, per_hour: float | None = None) -> str:
        """In a sentence; one target among several does not say whether labelling can stop."""
        name = self.title or find_measure(self.measure).title.lower()
        now = self.target.described(self.target.amount * self.excess)
        if self.usual_excess is not None:
            usual = self.target.described(self.target.amount * self.usual_excess)
            now = f"{now} ({usual} if the score misses no kind of violation)"
        target = f"Target for {name}: {self.target.described(self.target.amount)}; now {now}"
        if self.reached:
            return f"{target}. Reached{'' if self.title else ': labelling can stop here'}."
        if self.out_of_reach:
            return f"{target}. More labels alone cannot reach it: it takes more gold items."
        if self.excess <= 1.0:
            pool = "" if self.lacking == ALL else f" among {self.lacking} items"
            return (
                f"{target}. Not reached: only {self.violations:,.3g} violations were found{pool}, and a narrow "
                f"interval means little before there are {FEWEST_FOUND}. About {self.more:,} more labels are expected."
            )
        low, high = self.range
        hours = f", {duration(self.more / per_hour)} at {per_hour:g} per hour" if per_hour else ""
        return f"{target}. About {self.more:,} more labels are expected ({low:,} to {high:,}){hours}."


def target_progress(
    plan: SamplingPlan, finding: Finding, sample: CampaignSample, gold: GoldCounts | None = None
) -> TargetProgress | None:
    """Of a plan with a two-sided target; None without one, or where its number is undefined."""
    measure = RECALL if len(plan.pools) > 1 else PREVALENCE
    if plan.target is None or plan.target.bound is not None:
        return None
    return measured_progress(plan, finding, sample, MeasuredTarget(measure, plan.target), gold)


def measured_progress(
    plan: SamplingPlan,
    finding: Finding,
    sample: CampaignSample,
    wanted: MeasuredTarget,
    gold: GoldCounts | None = None,
) -> TargetProgress | None:
    """Of one target; None where its number is undefined."""
    measure, target, part = wanted.measure, wanted.target, wanted.slice
    if not finding.has(measure, **part) or not finding.get(measure, **part).defined:
        return None
    labels = round(finding.get(COUNT).value or 0.0)
    fewest, lacking = _fewest_found(plan, finding, measure, labels) if not part else _found_in(finding, wanted)
    items = sum(pool.items for pool in plan.pools)
    published, usual = published_estimate(finding, measure, part), finding.get(measure, **part)
    drives, fixed = _drives(plan, sample, measure, gold)
    if part.get(SliceKey.POOL):
        drives = {name: float(name == part[SliceKey.POOL]) for name in drives}
    return TargetProgress(
        measure,
        target,
        labels,
        target.excess(published),
        fewest,
        items,
        lacking,
        usual_excess=None if published is usual else target.excess(usual),
        fixed=fixed,
        drives={name: float(name == lacking) for name in drives} if lacking in drives else drives,
        title=wanted.title if plan.targets else "",
    )


def _found_in(finding: Finding, wanted: MeasuredTarget) -> tuple[float, str]:
    """The violations of a part, and its name where they are too few."""
    violations = finding.get(VIOLATIONS, **wanted.slice).value or 0.0
    parts = [value for key, value in wanted.slice.items() if key != SliceKey.POOL]
    return violations, "" if violations >= FEWEST_FOUND else ", ".join(parts)


def _fewest_found(plan: SamplingPlan, finding: Finding, measure: str, labels: int) -> tuple[float, str]:
    """The violations of the pool that has fewest of those a measure rests on, and its name where they are too few."""
    pools = [pool.name for pool in plan.pools if measure != PRECISION or pool.name == PoolName.REMOVED]
    violations = {name: _violations(finding, name) for name in pools}
    fewest = min(violations, key=lambda name: violations[name])
    nothing_left = labels >= sum(pool.items for pool in plan.pools)
    enough = violations[fewest] >= FEWEST_FOUND or nothing_left or plan.design.traits.open_ended
    return violations[fewest], "" if enough else fewest


def _drives(
    plan: SamplingPlan, sample: CampaignSample, measure: str, gold: GoldCounts | None
) -> tuple[dict[str, float], float]:
    """Of each pool, the root of what its labels add to the variance of a measure, times those; and the part of gold."""
    drives, own, of_gold = {}, 0.0, 0.0
    for pool in plan.pools:
        try:
            share = sample.share(pool) if gold is None else sample.share(pool).corrected(gold)
        except Undefined:
            continue
        factor = pool_factor(share, pool.items, pool.name, measure)
        variance = factor**2 * max(share.variance, share.cautious_variance)
        part = share.gold_share if isinstance(share, CorrectedShare) else 0.0
        drives[pool.name] = math.sqrt(variance * (1.0 - part) * share.n)
        own, of_gold = own + variance * (1.0 - part), of_gold + variance * part
    return drives, of_gold / (own + of_gold) if of_gold else 0.0


def pool_factor(share: SurveyShare, items: int, pool: str, measure: str) -> float:
    """How a pool's share carries over: recall by its relative error, precision by the removed alone."""
    if measure == RECALL:
        return 1.0 / max(share.value, UNSEEN / max(share.n, 1))
    if measure == PRECISION:
        return float(pool == PoolName.REMOVED)
    return float(items)


def _violations(finding: Finding, pool: str) -> float:
    slice_ = {} if pool == ALL else {SliceKey.POOL: pool}
    return finding.get(VIOLATIONS, **slice_).value or 0.0


def duration(hours: float) -> str:
    """Hours and minutes."""
    minutes = max(1, round(60.0 * hours))
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60:,} h" + (f" {minutes % 60} min" if minutes % 60 else "")
