"""Before a plan is sealed: what other designs would need for the same, and what each part will know.

All numbers are predictions from the score, or from the expected prevalence. A worthless score is the worst case of the
default design: violations lie anywhere, whatever the score says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand.catalogue.accuracy import PREVALENCE
from evenhand.catalogue.shared import RECALL
from evenhand.errors import InputError
from evenhand.measurement.plan import PlanPool, SamplingPlan
from evenhand.measurement.target_progress import duration
from evenhand.sampling.design import LabelForecast, PoolExpectation, SamplingDesign
from evenhand.sampling.expectations import cell_chances, expect_drawn, expect_pool, split_labels
from evenhand.sampling.frame import SamplingFrame
from evenhand.sampling.published_sizes import expected_estimate, expected_labels, expected_labels_for_recall
from evenhand.sampling.score_driven import ScoreDrivenDesign
from evenhand.sampling.simple_random import RandomDesign
from evenhand.sampling.sizes import SampleSize, two_sided
from evenhand.sampling.stratified import StratifiedDesign

WORTHLESS = "score-driven, if the score is worthless"
DESIGNS: Mapping[str, LabelForecast] = {
    "random": RandomDesign(),
    "stratified": StratifiedDesign(),
    "score-driven": ScoreDrivenDesign(),
}


@dataclass(frozen=True, slots=True)
class DesignNeed:
    """A design: the labels that a target takes, or the relative half-width that so many labels give."""

    name: str
    labels: int
    hours: float
    within: float | None = None

    def record(self) -> dict[str, Any]:
        """As plain data."""
        return {"design": self.name, "labels": self.labels, "hours": self.hours, "within": self.within}

    def line(self) -> str:
        """In a line."""
        known = "" if self.within is None else f": {half_width(self.within)}"
        return f"  {self.name:40} {self.labels:>9,} labels, {duration(self.hours)}{known}"


def design_rows(
    plan: SamplingPlan, expected: Mapping[str, PoolExpectation], per_hour: float, annotators: int
) -> list[DesignNeed]:
    """Each design, and the default as if the score were worthless; none where the score says nothing beforehand."""
    if not expected or plan.columns["score"] is None or any(pool.cells is None for pool in plan.pools):
        return []
    n = sum(pool.labels for pool in plan.pools)
    rows = []
    for name in (*DESIGNS, WORTHLESS):
        pools = [_expectation(pool, expected[pool.name].prevalence, name) for pool in plan.pools]
        try:
            labels = n if plan.target is None else _needed(name, pools, plan)
        except InputError:  # a prevalence of 0 or 1 leaves nothing to plan
            return []
        within = _within(pools, n, plan.level) if plan.target is None else None
        hours = SampleSize(labels, 0.0).hours(per_hour=per_hour, annotators=annotators)
        rows.append(DesignNeed(name, labels, hours, within))
    return rows


def _expectation(pool: PlanPool, prevalence: float, name: str) -> PoolExpectation:
    if name != WORTHLESS:
        return expect_pool(pool.frame, DESIGNS[name], prevalence=prevalence)
    chance = cell_chances(pool.frame, prevalence)
    density = DESIGNS[ScoreDrivenDesign.name].density(pool.frame, chance)
    share, everywhere = pool.frame.sizes / len(pool.frame), np.full(len(chance), prevalence)
    variance = prevalence * (1.0 - prevalence) * float(share @ (1.0 / density))
    return expect_drawn(pool.frame, everywhere, variance, density, DESIGNS[RandomDesign.name])


def _needed(name: str, pools: list[PoolExpectation], plan: SamplingPlan) -> int:
    """The labels of the plan itself, or what another design would take; never more than there are items."""
    target, forecast = plan.target, DESIGNS.get(name, DESIGNS[ScoreDrivenDesign.name])
    assert target is not None
    if name == plan.design.name:
        return sum(pool.labels for pool in plan.pools)
    if len(pools) == 2:
        return expected_labels_for_recall(pools[0], pools[1], target, plan.level)
    if target.bound is not None:
        return forecast.size_below(plan.pools[0].frame, target.bound, pools[0], least=1)
    return expected_labels(PREVALENCE, pools, target, plan.level, forecast.size(pools[0], target).n)


def _within(pools: list[PoolExpectation], n: int, level: float) -> float:
    """The half-width of recall, or of the prevalence, relative to it."""
    labels = split_labels(n, pools) if len(pools) == 2 else (n,)
    estimate = expected_estimate(RECALL if len(pools) == 2 else PREVALENCE, pools, labels, level)
    value, low, high = (end or 0.0 for end in (estimate.value, estimate.low, estimate.high))
    return 0.5 * (high - low) / value


def half_width(within: float) -> str:
    """A relative half-width in words."""
    return f"±{100.0 * within:.0f} %" if within <= 1.0 else "more than ±100 %"


@dataclass(frozen=True, slots=True)
class PartRow:
    """A part, and how well its prevalence will be known, relative to it; of what is visible, where that is a pool."""

    name: str
    labels: float
    within: float


@dataclass(frozen=True, slots=True)
class PartSpread:
    """Of a part: the relative spread of its estimate for one label of the pool, and the share of labels in it."""

    relative: float
    labels: float
    items: int

    def within(self, n: int, level: float) -> float:
        """The relative half-width with n labels of the pool; what is labelled of the part is known."""
        left = max(0.0, 1.0 - n * self.labels / self.items)
        return two_sided(level) * self.relative * float(np.sqrt(left / n))

    def needed(self, within: float, level: float) -> int:
        """Labels of the pool for a relative half-width."""
        error = (within / two_sided(level)) ** 2
        return int(np.ceil(self.relative**2 / (error + self.relative**2 * self.labels / self.items)))


def foreseen_parts(design: SamplingDesign) -> LabelForecast | None:
    """What says how labels fall on parts; None of designs of which that is not known beforehand."""
    return design.forecast if design.name in (RandomDesign.name, ScoreDrivenDesign.name) else None


def part_spreads(frame: SamplingFrame, prevalence: float, forecast: LabelForecast) -> dict[int, PartSpread]:
    """By the number of the group; none of groups where nothing is expected to violate."""
    chance = cell_chances(frame, prevalence)
    share, density = frame.sizes / len(frame), forecast.density(frame, chance)
    spreads = {}
    for number in np.unique(frame.groups).tolist():
        own = frame.groups == number
        hits = float(share[own] @ chance[own])
        if hits > 0.0:
            variance = float(np.sum((share * chance * (1.0 - chance) / density)[own]))
            items, labels = int(frame.sizes[own].sum()), float(share[own] @ density[own])
            spreads[number] = PartSpread(float(np.sqrt(variance)) / hits, labels, items)
    return spreads


def part_rows(plan: SamplingPlan, expected: Mapping[str, PoolExpectation]) -> list[PartRow]:
    """What each part will know, the best first; none of designs whose labels by part are not known beforehand."""
    forecast, pool = foreseen_parts(plan.design), plan.pools[-1]
    if forecast is None or not plan.groups or not expected or pool.cells is None or plan.columns["score"] is None:
        return []
    spreads = part_spreads(pool.frame, expected[pool.name].prevalence, forecast)
    rows = [
        PartRow(plan.groups[n], min(pool.labels * one.labels, one.items), one.within(pool.labels, plan.level))
        for n, one in spreads.items()
    ]
    return sorted(rows, key=lambda row: row.within)
