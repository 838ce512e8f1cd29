"""Whole campaigns, simulated: how many labels until the interval that is published is as narrow as a target asks.

Items whose labels are all known are planned, drawn, labelled and estimated with the code of real campaigns, in the
pools of their decisions and with their parts. A number of labels means here what it means after each batch: with it,
half of the campaigns publish an interval within the target, be it of recall, precision, prevalence or of a part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenhand import arrays
from evenhand.arrays import Bools, Floats, Ints
from evenhand.audits.accuracy.blind_spots import published_estimate
from evenhand.audits.settings import versions
from evenhand.catalogue import find_measure
from evenhand.catalogue.accuracy import INTERVAL_COVERAGE, LABELS_PUBLISHED, PREVALENCE
from evenhand.catalogue.shared import PRECISION, RECALL
from evenhand.errors import InputError, Undefined
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured, Slice, SliceKey, Status, Verdict, column_key
from evenhand.intervals.proportions import WilsonInterval
from evenhand.measurement.estimate import estimate_measures
from evenhand.measurement.labels import ItemLabels
from evenhand.measurement.plan import (
    ALL,
    REMOVED,
    VISIBLE,
    DrawnPart,
    Measurement,
    PlanPool,
    PlanRound,
    PopulationFile,
    SamplingPlan,
)
from evenhand.measurement.sample import CampaignSample, CollectedLabels
from evenhand.progress import Progress, silent
from evenhand.sampling.cell_design import CellDesign
from evenhand.sampling.expectations import expect_pool, fewest_labels, size_for_recall, split_labels
from evenhand.sampling.frame import CellCounter, SamplingFrame
from evenhand.sampling.score_driven import ScoreDrivenDesign
from evenhand.sampling.simple_random import RandomDesign
from evenhand.sampling.sizes import Within
from evenhand.sampling.strata import Strata

NAME = "campaigns"
QUESTION = "How many labels until the published interval is narrow enough?"
DESIGNS: Mapping[str, CellDesign] = {"score-driven": ScoreDrivenDesign(), "random": RandomDesign()}
CAMPAIGNS, TRIAL, MOST_LABELS = 100, 10, 5000
LARGEST_PARTS = 12  # parts that are followed
METHOD = "monte_carlo"


@dataclass(frozen=True)
class DecidedItems:
    """Items with score and label; with decisions and parts where these are known."""

    score: Floats
    label: Bools
    removed: Bools | None = None
    part: Ints | None = None
    parts: tuple[str, ...] = ()
    key: str = ""  # of the parts in slices

    def pools(self) -> Iterator[tuple[str, Bools]]:
        """What is sampled apart."""
        if self.removed is None:
            yield ALL, np.ones(len(self.label), dtype=np.bool_)
            return
        yield REMOVED, self.removed
        yield VISIBLE, ~self.removed

    def truth(self, measure: str, part: Slice) -> float:
        """What an estimate should show."""
        own = np.ones(len(self.label), dtype=np.bool_)
        if part and self.part is not None:
            own = self.part == self.parts.index(part[self.key])
        removed = np.zeros(len(own), dtype=np.bool_) if self.removed is None else self.removed
        counted = {
            PREVALENCE: (self.label, own),
            RECALL: (removed, own & self.label),
            PRECISION: (self.label, own & removed),
        }
        hits, whole = counted[find_measure(measure)]
        return float(hits[whole].mean()) if whole.any() else math.nan


@dataclass(frozen=True)
class SimulatedPool:
    """A pool as plans have it, and the row of the item at each place."""

    cells: Any
    rows: Ints

    @classmethod
    def from_items(cls, items: DecidedItems, inside: Bools) -> SimulatedPool:
        """Of some of the items."""
        part = np.zeros(len(items.label), dtype=np.int64) if items.part is None else items.part
        counter = CellCounter()
        counter.add(items.score[inside], part[inside])
        by = Strata.of(part[inside], list(items.parts) or ["all"])
        order = SamplingFrame.of(items.score[inside], by=by).order
        return cls(counter.cells(), np.flatnonzero(inside)[order])


class CampaignSimulation:
    """Campaigns of one design on these items; ids are rows."""

    def __init__(self, items: DecidedItems, design: CellDesign, level: float) -> None:
        self.items, self.design, self.level = items, design, level
        self.pools = {name: SimulatedPool.from_items(items, inside) for name, inside in items.pools()}
        self.expected = [expect_pool(SamplingFrame.counted(pool.cells), design) for pool in self.pools.values()]

    def first_size(self, within: float) -> int:
        """What a plan would say."""
        target = Within(within, self.level)
        if len(self.expected) == 2:
            return self.possible(size_for_recall(self.expected[0], self.expected[1], target).n)
        return self.possible(self.design.size(self.expected[0], target).n)

    def possible(self, n: float) -> int:
        """A number of labels that can be drawn."""
        most = min(MOST_LABELS, sum(pool.items for pool in self.expected))
        return int(np.clip(round(n), fewest_labels(self.expected).sum(), most))

    def run(self, n: int, seed: int) -> Finding:
        """One campaign, from plan to estimate."""
        numbers = split_labels(n, self.expected) if len(self.expected) > 1 else (n,)
        pools = tuple(
            PlanPool(name, len(pool.cells), own, pool.cells)
            for (name, pool), own in zip(self.pools.items(), numbers, strict=True)
        )
        columns = {"by": [self.items.key] if self.items.parts else [], "score": "score"}
        plan = SamplingPlan(
            Measurement("", "", "all", "", ""), PopulationFile("", "", len(self.items.label)), columns,
            self.items.parts, self.design, pools, self.level, seed,
        )  # fmt: skip
        return estimate_measures(self._labelled(plan))

    def _labelled(self, plan: SamplingPlan) -> CollectedLabels:
        labels: dict[str, float | None] = {}
        while True:
            past = CampaignSample.from_labels(plan, ItemLabels(labels), len(plan.rounds)).histories()
            parts = []
            for number, pool in enumerate(plan.pools):
                rng = plan.generator(len(plan.rounds), number)
                drawn = plan.design.next_draw(pool, past[pool.name], rng, until_kept=False)
                if drawn is not None:
                    rows = self.pools[pool.name].rows[drawn.places]
                    ids = tuple(map(str, rows.tolist()))
                    labels |= dict(zip(ids, self.items.label[rows].astype(float).tolist(), strict=True))
                    parts.append(DrawnPart(pool.name, ids, drawn))
            if not parts:
                return CollectedLabels.from_labels(plan, ItemLabels(labels))
            plan = plan.with_round(PlanRound(tuple(parts)))


@dataclass(frozen=True)
class CampaignSettings:
    """The target, how many campaigns of each design, and the seed."""

    within: float = 0.2
    campaigns: int = CAMPAIGNS
    level: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        arrays.share(self.within, "within")
        arrays.whole(self.campaigns, "`campaigns`", least=TRIAL)


def simulate_campaigns(
    items: DecidedItems, settings: CampaignSettings, source: str, progress: Progress = silent
) -> Finding:
    """Labels needed for the published interval of each measure and part, and how often the interval holds the truth."""
    _check(items)
    measured: list[Measured] = []
    followed = list(_followed(items))
    for number, (name, design) in enumerate(DESIGNS.items()):
        simulation = CampaignSimulation(items, design, settings.level)

        def tick(done: int, before: int = number * (settings.campaigns + TRIAL)) -> None:
            progress("simulating campaigns", before + done, len(DESIGNS) * (settings.campaigns + TRIAL))

        n = simulation.first_size(settings.within)
        trial = _excesses(simulation, n, range(TRIAL), settings, followed[:1], tick)
        n = simulation.possible(n * float(np.nanmedian(trial[0][0])) ** 2) if trial[0] else n
        outcomes = _excesses(simulation, n, range(TRIAL, TRIAL + settings.campaigns), settings, followed, tick)
        for (measure, part), excess, covers in zip(followed, *outcomes, strict=True):
            slice_: Slice = {SliceKey.DESIGN: name, SliceKey.OF: str(find_measure(measure)), **part}
            measured += _records(slice_, n, excess, covers, settings, len(items.label))
    finding = Finding(NAME, QUESTION, tuple(measured), (CAVEAT,), _provenance(items, settings, source))
    verdicts = tuple(_verdicts(finding, settings, followed[0][0]))
    return Finding(NAME, QUESTION, finding.estimates, finding.caveats, finding.provenance, verdicts=verdicts)


CAVEAT = (
    "With the number of labels needed, half of the campaigns publish an interval within the target; plan for more if "
    "it must be reached. Numbers far from those that were simulated are scaled from there."
)


def _check(items: DecidedItems) -> None:
    if len(items.label) < MOST_LABELS // 50:
        raise InputError(
            f"{len(items.label):,} rows are too few for a simulation: at least {MOST_LABELS // 50} are needed"
        )
    for name, inside in items.pools():
        if not items.label[inside].any() or items.label[inside].all():
            raise InputError(f"{'all items' if name == ALL else f'{name} items'} have labels of one kind only")


def _followed(items: DecidedItems) -> Iterator[tuple[str, Slice]]:
    """Measures of all items, the first being what a plan aims at; and the prevalence of the largest parts."""
    yield from (
        (measure, {}) for measure in ((RECALL, PRECISION, PREVALENCE) if items.removed is not None else (PREVALENCE,))
    )
    if items.part is not None:
        sizes = np.bincount(items.part, minlength=len(items.parts))
        for number in np.argsort(-sizes, kind="stable")[:LARGEST_PARTS].tolist():
            yield PREVALENCE, {items.key: items.parts[number]}


def _excesses(
    simulation: CampaignSimulation,
    n: int,
    seeds: Sequence[int] | range,
    settings: CampaignSettings,
    followed: Sequence[tuple[str, Slice]],
    tick: Callable[[int], None],
) -> tuple[list[Floats], list[Floats]]:
    """Of each measure and campaign: the published half-width over the target, and whether the truth is in it."""
    target = Within(settings.within, settings.level)
    excess = np.full((len(followed), len(seeds)), np.nan)
    covers = np.full((len(followed), len(seeds)), np.nan)
    for column, seed in enumerate(seeds):
        tick(seed)
        try:
            finding = simulation.run(n, settings.seed * 1_000_003 + seed)
        except Undefined:
            continue
        for row, (measure, part) in enumerate(followed):
            if finding.has(measure, **part) and finding.get(measure, **part).defined:
                estimate = published_estimate(finding, measure, part)
                truth = simulation.items.truth(measure, part)
                covers[row, column] = (estimate.low or 0.0) <= truth <= (estimate.high or 0.0)
                if estimate.value:
                    excess[row, column] = target.excess(estimate)
    return list(excess), list(covers)


def _records(
    slice_: Slice, n: int, excess: Floats, covers: Floats, settings: CampaignSettings, items: int
) -> Iterator[Measured]:
    """Labels needed by the median width, with the range of that median; and the coverage."""
    known, covering = excess[~np.isnan(excess)], covers[~np.isnan(covers)]
    if len(known) < TRIAL // 2:
        unknown = Estimate.undefined("too few campaigns have a number", level=settings.level, n=len(known))
        yield Measured(LABELS_PUBLISHED, slice_, unknown)
        return
    ordered, reach = np.sort(known), 0.98 * math.sqrt(len(known))  # of the ranks of a median, at 95 %
    ranks = [int(np.clip(round(0.5 * len(known) + side * reach), 0, len(known) - 1)) for side in (-1.0, 1.0)]
    value, low, high = (min(n * end**2, items) for end in (float(np.median(known)), *ordered[ranks].tolist()))
    yield Measured(LABELS_PUBLISHED, slice_, Estimate(value, low, high, settings.level, METHOD, len(known)))
    share = WilsonInterval(float(covering.mean()), 1.0 / len(covering))
    covered = Estimate(share.value, *share.interval(settings.level), settings.level, "wilson", len(covering))
    yield Measured(INTERVAL_COVERAGE, slice_, covered)


def _verdicts(finding: Finding, settings: CampaignSettings, measure: str) -> Iterator[Verdict]:
    """What each design needs for the measure that plans aim at."""
    title = find_measure(measure).title
    for name in DESIGNS:
        e = finding.get(LABELS_PUBLISHED, **{SliceKey.DESIGN: name, SliceKey.OF: str(find_measure(measure))})
        if e.value is None:
            continue
        text = (
            f"{name}: about {e.value:,.0f} labels ({e.low:,.0f} to {e.high:,.0f}) until the published interval of "
            f"{title.lower()} is within ±{100.0 * settings.within:.3g} % in half of the campaigns."
        )
        yield Verdict(Status.MEASURED, {}, text)


def _provenance(items: DecidedItems, settings: CampaignSettings, source: str) -> dict[str, Any]:
    known = {"within": settings.within, "campaigns": settings.campaigns, "level": settings.level}
    return {
        "source": source,
        "rows": len(items.label),
        "settings": known,
        "seed": settings.seed,
        "versions": versions(),
    }


def part_key(columns: Sequence[str]) -> str:
    """The slice key of parts that are told apart by these columns."""
    return column_key(" / ".join(columns))
