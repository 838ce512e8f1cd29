"""Does the interval of the adjudicated verdict hold the truth, whatever errors reviewers make?

Forty thousand items in two groups; reviewers err in 5 to 20 % of items, more in one class or in one group. Labels are
drawn and estimated as a plan does it, in one pool or two, and a panel judges a random part of them; the truth is what
the panel would say of all items. `found` are the violations that the panel saw, in the mean; `usual` is how often the
interval of the reviewers' verdict held that truth.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import expit

from evenhand.audits.accuracy.pools import ModeratedPopulation, PoolName, PoolShare, pool_measures
from evenhand.catalogue.accuracy import PREVALENCE
from evenhand.catalogue.shared import PRECISION, RECALL
from evenhand.errors import Undefined
from evenhand.measurement.labels import ItemLabels
from evenhand.measurement.panel import Adjudication, choose_for_panel
from evenhand.measurement.plan import ALL, DrawnPart, Measurement, PlanPool, PlanRound, PopulationFile, SamplingPlan
from evenhand.measurement.sample import CampaignSample, CollectedLabels
from evenhand.sampling import RandomDesign, SamplingFrame, ScoreDrivenDesign
from evenhand.sampling.cell_design import CellDesign
from evenhand.sampling.design import DrawnSoFar
from evenhand.sampling.expectations import expect_pool, split_labels
from evenhand.sampling.frame import CellCounter
from studies.study import Row, Study

ITEMS, LEVEL = 40_000, 0.95
ERRORS = {  # of violating and of benign items, in each of two groups
    "even": ((0.10, 0.05), (0.10, 0.05)),
    "by class": ((0.20, 0.05), (0.20, 0.05)),
    "by group": ((0.05, 0.05), (0.20, 0.10)),
    "many": ((0.20, 0.20), (0.20, 0.20)),
}
DESIGNS: dict[str, CellDesign] = {"score-driven": ScoreDrivenDesign(), "random": RandomDesign()}
NOTHING, FILE = Measurement("truth", "", "all", "", ""), PopulationFile("items", "", ITEMS)


@dataclass(frozen=True)
class Pool:
    """A pool as a plan has it; truth and the reviewers' verdict of the item at each place."""

    pool: PlanPool
    truth: np.ndarray
    said: np.ndarray


def community(cell: Row, rng: np.random.Generator) -> list[Pool]:
    prevalence = cell["prevalence"]
    truth, group = rng.random(ITEMS) < prevalence, (rng.random(ITEMS) < 0.3).astype(int)
    height = 2.0 * (2.2 * truth + rng.normal(size=ITEMS) - 1.1) + np.log(prevalence / (1.0 - prevalence))
    rates = np.array(ERRORS[cell["errors"]])[group]
    said = truth ^ (rng.random(ITEMS) < np.where(truth, rates[:, 0], rates[:, 1]))
    removed = rng.random(ITEMS) < expit(2.5 * (height - 1.0))
    parts = {ALL: np.ones(ITEMS, dtype=bool)}
    if cell["pools"] == 2:
        parts = {PoolName.REMOVED: removed, PoolName.VISIBLE: ~removed}
    design, frames = DESIGNS[cell["design"]], {}
    for name, inside in parts.items():
        counter = CellCounter()
        counter.add(expit(height[inside]))
        frames[name] = (counter.cells(), np.flatnonzero(inside)[SamplingFrame.of(expit(height[inside])).order])
    expected = [expect_pool(SamplingFrame.counted(cells), design) for cells, _ in frames.values()]
    numbers = split_labels(cell["n"], expected) if len(expected) > 1 else [cell["n"]]
    return [
        Pool(PlanPool(name, len(cells), n, cells), truth[rows], said[rows])
        for (name, (cells, rows)), n in zip(frames.items(), numbers, strict=True)
    ]


def campaign(pools: list[Pool], design: CellDesign, seed: int) -> CollectedLabels:
    """All batches, drawn and labelled; ids are places."""
    plan = SamplingPlan(NOTHING, FILE, {"by": ()}, (), design, tuple(pool.pool for pool in pools), LEVEL, seed)
    labels: dict[str, float | None] = {}
    while True:
        done = CampaignSample.from_labels(plan, ItemLabels(labels), len(plan.rounds)).histories()
        parts = []
        for number, pool in enumerate(pools):
            history = done.get(pool.pool.name, DrawnSoFar())
            drawn = design.next_draw(pool.pool, history, plan.generator(len(plan.rounds), number), until_kept=False)
            if drawn is not None:
                ids = tuple(f"{pool.pool.name}{place}" for place in drawn.places.tolist())
                labels |= dict(zip(ids, pool.said[drawn.places].astype(float).tolist(), strict=True))
                parts.append(DrawnPart(pool.pool.name, ids, drawn))
        if not parts:
            return CollectedLabels.from_labels(plan, ItemLabels(labels))
        plan = plan.with_round(PlanRound(tuple(parts)))


def adjudicated(collected: CollectedLabels, pools: list[Pool], n: int) -> Adjudication:
    """With the verdicts of a panel that says the truth."""
    truth = {
        id_: float(pool.truth[place])
        for pool in pools
        for batch in collected.plan.rounds
        for part in batch.parts
        if part.pool == pool.pool.name
        for id_, place in zip(part.ids, part.places.tolist(), strict=True)
    }
    return Adjudication(collected, {id_: truth[id_] for id_ in choose_for_panel(collected, n)})


def estimates(shares: dict[str, PoolShare]) -> dict[str, tuple[float, float, float]]:
    whole = ModeratedPopulation(whole=shares[ALL]) if ALL in shares else ModeratedPopulation(**shares)
    return {
        m.measure: (m.estimate.value, m.estimate.low, m.estimate.high)
        for m in pool_measures(whole, LEVEL)
        if not m.slice and m.measure in (PREVALENCE, RECALL, PRECISION) and m.estimate.value is not None
    }


def truths(pools: list[Pool]) -> dict[str, float]:
    hits, sizes = [float(pool.truth.sum()) for pool in pools], [len(pool.truth) for pool in pools]
    prevalence = {PREVALENCE: sum(hits) / sum(sizes)}
    return prevalence if len(pools) == 1 else {**prevalence, RECALL: hits[0] / sum(hits), PRECISION: hits[0] / sizes[0]}


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    pools = community(cell, np.random.default_rng(3))
    truth, found, outcomes = truths(pools), [], defaultdict(list)
    for _ in range(draws):
        collected = campaign(pools, DESIGNS[cell["design"]], int(rng.integers(1 << 31)))
        panel = adjudicated(collected, pools, cell["panel"])
        sample = CampaignSample.from_labels(collected.plan, collected.labels, collected.rounds)
        try:
            own = {pool.pool.name: PoolShare(panel.share(pool.pool), pool.pool.items) for pool in pools}
        except Undefined:
            continue
        usual = {pool.pool.name: PoolShare(sample.share(pool.pool), pool.pool.items) for pool in pools}
        found.append(sum(value or 0.0 for value in panel.counted.values()))
        by_panel, by_reviewers = estimates(own), estimates(usual)
        for measure, true in truth.items():
            value, low, high = by_panel[measure]
            _, usual_low, usual_high = by_reviewers[measure]
            outcomes[measure].append((low <= true <= high, usual_low <= true <= usual_high, value / true, high - low))
    return [
        _row(measure, truth[measure], np.array(rows, dtype=float), float(np.mean(found)))
        for measure, rows in outcomes.items()
    ]


def _row(measure: str, truth: float, rows: np.ndarray, found: float) -> Row:
    held, usual, ratio, width = rows.T
    bias = float((ratio.mean() - 1.0) / max(ratio.std(), 1e-12))
    return {
        "measure": str(measure),
        "truth": truth,
        "draws": len(rows),
        "found": found,
        "coverage": float(held.mean()),
        "usual": float(usual.mean()),
        "bias_in_spreads": bias,
        "width": float(np.median(width)),
    }


def _cells(design: str, errors: list[str]) -> list[Row]:
    return [
        {"design": design, "pools": pools, "prevalence": prevalence, "errors": kind, "n": 800, "panel": panel}
        for pools, (prevalence, panel), kind in product((1, 2), ((0.02, 400), (0.1, 200)), errors)
    ]


CELLS = [*_cells("score-driven", list(ERRORS)), *_cells("random", ["by group"])]
STUDY = Study("adjudication", CELLS, run, draws=250)
