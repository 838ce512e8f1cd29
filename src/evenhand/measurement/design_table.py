"""Before a plan is sealed: what other designs would need for the same, and what each part will know.

All numbers are predictions from the score, or from the expected prevalence. A worthless score is the worst case of the
default design: violations lie anywhere, whatever the score says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenhand.arrays import Floats
from evenhand.errors import InputError
from evenhand.measurement.plan import PlanPool, SamplingPlan
from evenhand.sampling.design import LabelForecast, PoolExpectation
from evenhand.sampling.expectations import cell_chances, expect_pool, size_for_prevalence, size_for_recall
from evenhand.sampling.frame import SamplingFrame
from evenhand.sampling.score_driven import ScoreDrivenDesign
from evenhand.sampling.simple_random import RandomDesign
from evenhand.sampling.sizes import SampleSize, Target, two_sided
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
        known = "" if self.within is None else f": ±{100.0 * self.within:.0f} %"
        return f"  {self.name:40} {self.labels:>9,} labels, {self.hours:,.1f} h{known}"


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
            labels = n if plan.target is None else _needed(pools, plan.target)
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
    share = pool.frame.sizes / len(pool.frame)
    variance = prevalence * (1.0 - prevalence) * float(share @ (1.0 / label_density(pool.frame, chance)))
    return replace(expect_pool(pool.frame, DESIGNS["random"], prevalence=prevalence), variance=variance)


def label_density(frame: SamplingFrame, chance: Floats) -> Floats:
    """How dense labels of the default design are on the items of each cell; 1 on average."""
    share, floor = frame.sizes / len(frame), ScoreDrivenDesign().rules.floor[0]
    spread = np.sqrt(chance * (1.0 - chance))
    density: Floats = floor + (1.0 - floor) * spread / float(share @ spread)
    return density


def _needed(pools: list[PoolExpectation], target: Target) -> int:
    if len(pools) == 2:
        return min(size_for_recall(pools[0], pools[1], target).n, sum(pool.items for pool in pools))
    return size_for_prevalence(pools[0], target).n


def _within(pools: list[PoolExpectation], n: int, level: float) -> float:
    """The half-width of recall, or of the prevalence, relative to it."""
    error = two_sided(level) * sum(pool.variation for pool in pools) / float(np.sqrt(n))
    if len(pools) == 1:
        return error
    removed, visible = (pool.prevalence * pool.items for pool in pools)
    return error * visible / (removed + visible)


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


Density = Callable[[SamplingFrame, Floats], Floats]


def known_density(design: str) -> Density | None:
    """How dense labels are on the items of each cell; None of designs of which that is not known beforehand."""
    return {RandomDesign.name: lambda frame, _: np.ones(len(frame.sizes)), ScoreDrivenDesign.name: label_density}.get(
        design
    )


def part_spreads(frame: SamplingFrame, prevalence: float, density_of: Density) -> dict[int, PartSpread]:
    """By the number of the group; none of groups where nothing is expected to violate."""
    chance = cell_chances(frame, prevalence)
    share, density = frame.sizes / len(frame), density_of(frame, chance)
    spreads = {}
    for number in np.unique(frame.groups).tolist():
        own = frame.groups == number
        hits = float(share[own] @ chance[own])
        if hits > 0.0:
            variance = float(np.sum((share * chance * (1.0 - chance) / density)[own]))
            spreads[number] = PartSpread(float(np.sqrt(variance)) / hits, float(share[own] @ density[own]))
    return spreads


def part_rows(plan: SamplingPlan, expected: Mapping[str, PoolExpectation]) -> list[PartRow]:
    """What each part will know, the best first; none of designs whose labels by part are not known beforehand."""
    density, pool = known_density(plan.design.name), plan.pools[-1]
    if density is None or not plan.groups or not expected or pool.cells is None or plan.columns["score"] is None:
        return []
    z = two_sided(plan.level) / float(np.sqrt(pool.labels))
    spreads = part_spreads(pool.frame, expected[pool.name].prevalence, density)
    rows = [PartRow(plan.groups[n], pool.labels * one.labels, z * one.relative) for n, one in spreads.items()]
    return sorted(rows, key=lambda row: row.within)
