"""Is a target kept, and the interval still right, if labelling stops once the published interval is narrow enough?

On seven real sets of scores, as they are and made over- and underconfident or worthless: the prevalence of one pool,
and recall with two pools, where moderation removed what the score as it is puts highest. The plan is made from the
score as it is taken, by the spread of estimates alone, so that there are more looks than a real plan has. After each
batch the labels still needed are predicted, the next batch is that many, at most as many as there are, and a plan that
is used up is extended, to at most twice its labels. Labelling stops at "within 20 %" with ten violations or more in
each pool, or at twice the plan. `coverage` is that of the published interval, `usual` that of the usual one. `wide`
counts intervals above twice the median width. `needed` are the labels of which, at a fixed number, half the campaigns
would have reached the target; 0 where four times as many as were used did not do.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from evenhand.audits.accuracy.blind_spots import published_estimate, with_robust_intervals
from evenhand.audits.accuracy.pools import ModeratedPopulation, PoolName, PoolShare
from evenhand.catalogue.accuracy import PREVALENCE
from evenhand.catalogue.shared import RECALL
from evenhand.estimate import Estimate
from evenhand.finding import Finding, Measured
from evenhand.measurement.plan import ALL
from evenhand.measurement.simulation.populations import LabelledPopulation
from evenhand.measurement.target_progress import FEWEST_FOUND, TargetProgress, pool_factor
from evenhand.sampling.batches import LabelledBatch, gather_labels
from evenhand.sampling.design import DrawnSoFar
from evenhand.sampling.expectations import (
    expect_pool,
    fewest_labels,
    size_for_prevalence,
    size_for_recall,
    split_labels,
)
from evenhand.sampling.score_driven import ScoreDrivenDesign
from evenhand.sampling.sizes import Within
from studies.scored import CLASSIFIERS, MORE_SETS, misled, real
from studies.study import Row, Study

TARGET, DESIGN, CAP = Within(0.2), ScoreDrivenDesign(), 2
REMOVED_SHARE = 0.5  # of the expected violations, that moderation removed
FIXED_RUNS, FIXED_STEP, FIXED_MOST = 40, 1.1, 4.0


def cells() -> list[Row]:
    return [
        {"measure": str(measure), "set": name, "classifier": classifier}
        for measure, name, classifier in itertools.product((PREVALENCE, RECALL), MORE_SETS, CLASSIFIERS)
    ]


@dataclass(frozen=True)
class Setting:
    """What is measured of which pools, and what is true."""

    measure: str
    pools: Mapping[str, LabelledPopulation]
    truth: float

    @property
    def items(self) -> int:
        return sum(len(pool.frame) for pool in self.pools.values())

    def planned(self) -> dict[str, int]:
        expected = [expect_pool(pool.frame, DESIGN) for pool in self.pools.values()]
        least, most = int(fewest_labels(expected).sum()), self.items // (2 * CAP)
        size = size_for_prevalence(expected[0], TARGET) if len(expected) == 1 else size_for_recall(*expected, TARGET)
        return self.split(min(max(size.n, least), most))

    def split(self, n: int) -> dict[str, int]:
        expected = [expect_pool(pool.frame, DESIGN) for pool in self.pools.values()]
        sizes = (n,) if len(expected) == 1 else split_labels(n, expected)
        return dict(zip(self.pools, sizes, strict=True))


def setting(cell: Row, rng: np.random.Generator) -> Setting:
    original = real(cell["set"])
    scored = misled(original, cell["classifier"], rng)
    if cell["measure"] == PREVALENCE:
        population = LabelledPopulation.of(scored.score, scored.label)
        return Setting(PREVALENCE, {ALL: population}, population.prevalence)
    order = np.argsort(-original.score, kind="stable")
    removed = np.zeros(len(order), dtype=bool)
    expected = np.cumsum(original.score[order])
    removed[order[: max(200, int(np.searchsorted(expected, REMOVED_SHARE * expected[-1])))]] = True
    pools = {
        name: LabelledPopulation.of(scored.score[rows], scored.label[rows])
        for name, rows in ((PoolName.REMOVED, removed), (PoolName.VISIBLE, ~removed))
    }
    return Setting(RECALL, pools, float(scored.label[removed].sum() / scored.label.sum()))


@dataclass
class Campaign:
    """One campaign, batch by batch."""

    of: Setting
    planned: dict[str, int]
    rng: np.random.Generator

    def __post_init__(self) -> None:
        self.past: dict[str, tuple[LabelledBatch, ...]] = dict.fromkeys(self.of.pools, ())

    def drawn(self) -> dict[str, int]:
        return {name: len(gather_labels(past)[0]) for name, past in self.past.items()}

    def draw(self, most: Mapping[str, int] | None = None) -> None:
        for name, population in self.of.pools.items():
            past, gone = self.past[name], gather_labels(self.past[name])[0]
            done = DrawnSoFar(past, gone, None if most is None else most[name])
            pool = SimpleNamespace(frame=population.frame, items=len(population.frame), labels=self.planned[name])
            batch = DESIGN.next_draw(pool, done, self.rng, until_kept=True)
            if batch is not None:
                self.past[name] = (*past, LabelledBatch(batch, population.label[batch.draw.rows]))

    def progress(self) -> tuple[TargetProgress, Estimate, Estimate]:
        """How far it is, the published interval and the usual one."""
        shares = {}
        for name, population in self.of.pools.items():
            pool = SimpleNamespace(frame=population.frame, items=len(population.frame))
            shares[name] = PoolShare(DESIGN.share(pool, self.past[name]), len(population.frame))
        finding = self._finding(shares)
        usual, published = finding.get(self.of.measure), published_estimate(finding, self.of.measure)
        if not published.defined:  # no violation so far
            usual = published = Estimate(0.0, 0.0, 1.0, TARGET.level, usual.method, usual.n)
        hits = {name: pool.figure.hits for name, pool in shares.items()}
        fewest = min(hits, key=lambda name: hits[name])
        lacking = "" if hits[fewest] >= FEWEST_FOUND else fewest
        drives = {
            name: pool_factor(one.figure, int(one.items), name, self.of.measure)
            * (max(one.figure.variance, one.figure.cautious_variance) * one.figure.n) ** 0.5
            for name, one in shares.items()
        }
        if lacking:
            drives = {name: float(name == lacking) for name in drives}
        progress = TargetProgress(
            self.of.measure,
            TARGET,
            sum(self.drawn().values()),
            TARGET.excess(published),
            hits[fewest],
            self.of.items,
            lacking,
            drives=drives,
        )
        return progress, published, usual

    def _finding(self, shares: Mapping[str, PoolShare]) -> Finding:
        if self.of.measure == PREVALENCE:
            population = ModeratedPopulation(whole=shares[ALL])
        else:
            population = ModeratedPopulation(removed=shares[PoolName.REMOVED], visible=shares[PoolName.VISIBLE])

        def measured(pools: ModeratedPopulation) -> list[Measured]:
            whole = pools.whole
            figure = whole.figure.estimate() if whole else pools.both.estimate(RECALL)  # type: ignore[union-attr]
            return [Measured(self.of.measure, {}, figure)]

        return Finding("accuracy", "", with_robust_intervals(population, TARGET.level, measured), (), {})


def campaign(of: Setting, planned: dict[str, int], rng: np.random.Generator) -> tuple[float, ...]:
    """One until it stops: value, whether both intervals hold, width, labels, whether the target was reached."""
    running, cap = Campaign(of, dict(planned), rng), CAP * sum(planned.values())
    most = None
    while True:
        running.draw(most)
        progress, published, usual = running.progress()
        drawn = running.drawn()
        if progress.reached or sum(drawn.values()) >= cap:
            ends = [(one.low or 0.0) <= of.truth <= (one.high or 0.0) for one in (published, usual)]
            width = (published.high or 0.0) - (published.low or 0.0)
            return published.value or 0.0, *map(float, ends), width, sum(drawn.values()), float(progress.reached)
        left = {name: running.planned[name] - drawn[name] for name in drawn}
        if sum(left.values()) < DESIGN.fewest(next(iter(of.pools.values())).frame):
            step = max(min(progress.next_batch, cap - sum(drawn.values())), DESIGN.rules.each * 4)
            room = {name: len(of.pools[name].frame) - drawn[name] for name in drawn}
            more = _drawable(_at_most(room, step, progress.drives))
            running.planned = {name: drawn[name] + number for name, number in more.items()}
            most = more
        else:
            most = progress.next_of_pools(drawn, left)


def _at_most(room: Mapping[str, int], step: int, drives: Mapping[str, float]) -> dict[str, int]:
    """So many more labels, in proportion to what drives the width."""
    whole = sum(drives.values()) or 1.0
    return {name: min(room[name], round(step * drives[name] / whole)) for name in room}


def _drawable(more: Mapping[str, int]) -> dict[str, int]:
    """None where it is too few for a batch."""
    return {name: number if number >= 2 * DESIGN.rules.each else 0 for name, number in more.items()}


def reached_share(of: Setting, n: int, rng: np.random.Generator) -> float:
    """Of campaigns with so many labels, planned beforehand: how many reach the target."""
    reached = 0
    for _ in range(FIXED_RUNS):
        one = Campaign(of, of.split(n), rng)
        for _ in DESIGN.rules.batches(n):
            one.draw()
        reached += one.progress()[0].reached
    return reached / FIXED_RUNS


def fixed_labels(of: Setting, near: float, rng: np.random.Generator) -> float:
    """The number of labels at which half of the campaigns that have just as many reach the target."""
    least = int(fewest_labels([expect_pool(pool.frame, DESIGN) for pool in of.pools.values()]).sum())
    n = max(near, float(least))
    if reached_share(of, round(n), rng) >= 0.5:
        while n / FIXED_STEP >= least and reached_share(of, round(n / FIXED_STEP), rng) >= 0.5:
            n /= FIXED_STEP
        return n
    while n * FIXED_STEP <= min(FIXED_MOST * near, of.items / 2):
        n *= FIXED_STEP
        if reached_share(of, round(n), rng) >= 0.5:
            return n
    return 0.0


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    of = setting(cell, rng)
    planned = of.planned()
    value, published, usual, width, labels, reached = np.array([campaign(of, planned, rng) for _ in range(draws)]).T
    error = float(value.std(ddof=1))
    return [
        {
            "planned": sum(planned.values()),
            "labels": float(labels.mean()),
            "needed": fixed_labels(of, float(labels.mean()), rng),
            "reached": float(reached.mean()),
            "coverage": float(published.mean()),
            "usual": float(usual.mean()),
            "bias_in_errors": float(value.mean() - of.truth) / error,
            "relative_error": error / of.truth,
            "wide": int(np.sum(width > 2.0 * np.median(width))),
            "widest": float(np.max(width) / np.median(width)),
        }
    ]


STUDY = Study("stopping", cells(), run, draws=300)
