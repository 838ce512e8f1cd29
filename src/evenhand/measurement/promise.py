"""The target precision of a plan, held against the published interval after each batch.

A target is reached where the half-width of the interval that is published is at most what was asked, and at least ten
violations were found in every pool: before that the width is luck. Until then the labels that are still needed follow
from the width so far, which falls with the square root of the labels; how far that can be off follows from how many
violations it rests on. The numbers hold for looks after whole batches.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from evenhand.audits.accuracy.blind_spots import published_estimate
from evenhand.catalogue.accuracy import PREVALENCE, VIOLATIONS
from evenhand.catalogue.shared import COUNT, RECALL
from evenhand.finding import Finding, SliceKey
from evenhand.measurement.plan import ALL, SamplingPlan
from evenhand.sampling.sizes import Target

FEWEST_FOUND = 10  # violations of each pool, before which labelling does not stop
RANGE_QUANTILE = 1.2816  # of the range of labels needed: four times in five
MOST_GROWTH = 2.0  # times the labels so far, up to which an extension is advised
LEAST_GROWTH = 0.2  # of the labels so far, that a next batch has at least
BATCH_MARGIN = 1.1  # times the labels still needed, so that the next batch is the last more often than not


@dataclass(frozen=True, slots=True)
class TargetProgress:
    """How far labels are from the target of their plan.

    `excess` is the published half-width over the target; `more` labels are expected to be needed, from `fewest` to
    `most`. `lacking` is a pool with too few violations to stop, where the interval is narrow enough.
    """

    measure: str
    target: Target
    labels: int
    excess: float
    found: float
    items: int
    lacking: str = ""
    robust_excess: float | None = None  # the same of the interval that holds whatever the score misses, if it differs

    @property
    def reached(self) -> bool:
        """Whether labelling can stop."""
        return self.excess <= 1.0 and not self.lacking

    def _needed(self, times: float = 1.0) -> int:
        total = min(self.labels * self.excess**2 * times, float(self.items))
        return max(0, math.ceil(total) - self.labels)

    @property
    def more(self) -> int:
        """Labels that are expected to be needed."""
        if self.excess <= 1.0 and self.lacking:
            rate = max(self.found, 1.0) / self.labels
            return min(math.ceil((FEWEST_FOUND - self.found) / rate), self.items - self.labels)
        return self._needed()

    @property
    def range(self) -> tuple[int, int]:
        """Between which numbers that lies, four times in five."""
        spread = math.exp(RANGE_QUANTILE / math.sqrt(max(self.found, 1.0)))
        return self._needed(1.0 / spread), max(self._needed(spread), self.more)

    @property
    def next_batch(self) -> int:
        """Labels of the next batch: what is needed, and no small step: every look is a chance to stop too soon."""
        return math.ceil(max(BATCH_MARGIN * self.more, LEAST_GROWTH * self.labels))

    @property
    def extended(self) -> int:
        """Labels in all of a longer plan: with the next batch, at most so many times what there is."""
        return min(self.labels + self.next_batch, round(MOST_GROWTH * self.labels), self.items)

    def record(self) -> dict[str, object]:
        """As plain data."""
        return {
            "measure": self.measure,
            "target": {self.target.name: self.target.amount},
            "now": self.target.amount * self.excess,
            **({} if self.robust_excess is None else {"now_robust": self.target.amount * self.robust_excess}),
            "reached": self.reached,
            "labels": self.labels,
            "more_labels": 0 if self.reached else self.more,
            "more_labels_range": [0, 0] if self.reached else list(self.range),
        }

    def line(self, per_hour: float | None = None) -> str:
        """In a sentence."""
        name = "Recall" if self.measure == RECALL else "Prevalence"
        now = self.target.described(self.target.amount * self.excess)
        if self.robust_excess is not None:
            wider = self.target.described(self.target.amount * self.robust_excess)
            now = f"{now} ({wider} allowing for violations that the score cannot see)"
        said = f"Target for {name.lower()}: {self.target.described(self.target.amount)}; now {now}"
        if self.reached:
            return f"{said}. Reached: labelling can stop here."
        if self.excess <= 1.0:
            pool = "" if self.lacking == ALL else f" among {self.lacking} items"
            return (
                f"{said}. Not reached: only {self.found:,.3g} violations were found{pool}, and a narrow interval means "
                f"little before there are {FEWEST_FOUND}. About {self.more:,} more labels are expected."
            )
        low, high = self.range
        hours = f", {duration(self.more / per_hour)} at {per_hour:g} per hour" if per_hour else ""
        return f"{said}. About {self.more:,} more labels are expected ({low:,} to {high:,}){hours}."


def target_progress(plan: SamplingPlan, finding: Finding) -> TargetProgress | None:
    """Of a plan with a two-sided target; None without one, or where its number is undefined."""
    target = plan.target
    measure = RECALL if len(plan.pools) > 1 else PREVALENCE
    if target is None or target.bound is not None or not finding.get(measure).defined:
        return None
    found = {pool.name: _violations(finding, pool.name) for pool in plan.pools}
    fewest = min(found, key=lambda name: found[name])
    lacking = fewest if found[fewest] < FEWEST_FOUND else ""
    items = sum(pool.items for pool in plan.pools)
    labels = round(finding.get(COUNT).value or 0.0)
    if labels >= items or plan.design.traits.open_ended:  # nothing is left to find, or the interval allows for luck
        lacking = ""
    usual, published = finding.get(measure), published_estimate(finding, measure)
    robust = None if published is usual else target.excess(published)
    return TargetProgress(measure, target, labels, target.excess(usual), found[fewest], items, lacking, robust)


def _violations(finding: Finding, pool: str) -> float:
    slice_ = {} if pool == ALL else {SliceKey.POOL: pool}
    return finding.get(VIOLATIONS, **slice_).value or 0.0


def duration(hours: float) -> str:
    """Hours and minutes."""
    minutes = max(1, round(60.0 * hours))
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60:,} h" + (f" {minutes % 60} min" if minutes % 60 else "")
