"""Do intervals of parts hold the truth? Twenty-four languages in two pools, from 30 % to 0.6 % of the items.

Sixty thousand items of which 2 to 15 % violate, by language; what was removed and what is visible are two pools, with
500 labels in all. Of each language: the share of violating items in either pool, recall and prevalence. `exact_width`
is the median width of Clopper and Pearson's interval from the same labels, as if they had been drawn with equal
probability. A language without labels in a pool has no number there, and counts in no draw.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from scipy.special import betaincinv, expit

from evenhand.errors import Undefined
from evenhand.estimate import Estimate
from evenhand.intervals.pools import Pools
from evenhand.intervals.survey import SurveyShare
from evenhand.sampling import LabelledBatch, RandomDesign, SamplingFrame, ScoreDrivenDesign, Strata, StratifiedDesign
from evenhand.sampling.batches import gather_labels
from evenhand.sampling.cell_design import CellDesign
from evenhand.sampling.design import DrawnSoFar
from evenhand.sampling.expectations import expect_pool, split_labels
from studies.study import Row, Study

LANGUAGES, ITEMS, LABELS, LEVEL = 24, 60_000, 500, 0.95
POOLS = ("removed", "visible")
DESIGNS: dict[str, CellDesign] = {
    "score-driven": ScoreDrivenDesign(),
    "random": RandomDesign(),
    "stratified": StratifiedDesign("quantile", 2, "proportional"),
}


@dataclass(frozen=True)
class Pool:
    """A pool of items with the label of each, in the order of its frame's rows."""

    frame: SamplingFrame
    label: np.ndarray
    language: np.ndarray

    def truth(self, language: int) -> float:
        return float(self.label[self.language == language].mean())

    def items(self, language: int) -> int:
        return int(np.sum(self.language == language))


def population(rng: np.random.Generator) -> dict[str, Pool]:
    share = 0.3 * (0.006 / 0.3) ** (np.arange(LANGUAGES) / (LANGUAGES - 1))
    language = rng.choice(LANGUAGES, ITEMS, p=share / share.sum())
    violating = rng.random(ITEMS) < rng.uniform(0.02, 0.15, LANGUAGES)[language]
    height = 2.0 * (2.2 * violating + rng.normal(size=ITEMS) - 1.1) + np.log(0.06 / 0.94)
    removed = rng.random(ITEMS) < expit(2.5 * (height - 1.5))
    pools = {}
    for name, inside in zip(POOLS, (removed, ~removed), strict=True):
        by = Strata.of(language[inside], [str(code) for code in range(LANGUAGES)])
        pools[name] = Pool(SamplingFrame.of(expit(height[inside]), by=by), violating[inside] * 1.0, language[inside])
    return pools


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    pools, design = population(np.random.default_rng(1)), DESIGNS[cell["design"]]
    labels = split_labels(LABELS, [expect_pool(pool.frame, design) for pool in pools.values()])
    outcomes: dict[tuple[str, int], list[tuple[float, ...]]] = defaultdict(list)
    for _ in range(draws):
        shares = [
            _shares(pool, _labelled(pool, n, design, rng), design)
            for pool, n in zip(pools.values(), labels, strict=True)
        ]
        for language in range(LANGUAGES):
            own = [by_language.get(language) for by_language in shares]
            for measure, estimate, truth, n, hits in _estimates(pools, own, language):
                low, high = estimate.low or 0.0, estimate.high or 0.0
                exact = np.subtract(*clopper_pearson(hits, n)) if measure in POOLS else np.nan
                outcomes[measure, language].append((low <= truth <= high, high < truth, high - low, exact, n))
    return [
        {"measure": measure, "language": code, **_row(found)} for (measure, code), found in sorted(outcomes.items())
    ]


def _labelled(pool: Pool, n: int, design: CellDesign, rng: np.random.Generator) -> list[LabelledBatch]:
    past: list[LabelledBatch] = []
    for _ in design.sizes(pool.frame, n):
        batch = design.draw(pool.frame, DrawnSoFar(past, gather_labels(past)[0]), n, rng)
        past.append(LabelledBatch(batch, pool.label[batch.draw.rows]))
    return past


def _shares(pool: Pool, past: list[LabelledBatch], design: CellDesign) -> dict[int, SurveyShare]:
    shares = {}
    for language in range(LANGUAGES):
        asked = SimpleNamespace(frame=pool.frame, items=len(pool.label))
        try:
            shares[language] = design.share(asked, past, group=language)
        except Undefined:
            continue
    return shares


def _estimates(
    pools: dict[str, Pool], shares: list[SurveyShare | None], language: int
) -> list[tuple[str, Estimate, float, int, float]]:
    found = []
    for (name, pool), share in zip(pools.items(), shares, strict=True):
        if share is not None:
            found.append((name, share.estimate(LEVEL), pool.truth(language), share.n, share.hits))
    removed, visible = shares
    if removed is None or visible is None:
        return found
    items = [pool.items(language) for pool in pools.values()]
    hits = [pool.truth(language) * n for pool, n in zip(pools.values(), items, strict=True)]
    both, n = Pools(removed, items[0], visible, items[1]), removed.n + visible.n
    for measure, truth in (("recall", hits[0] / sum(hits)), ("prevalence", sum(hits) / sum(items))):
        estimate = both.estimate(measure, LEVEL)
        found += [(measure, estimate, truth, n, removed.hits + visible.hits)] if estimate.defined else []
    return found


def clopper_pearson(hits: float, n: int) -> tuple[float, float]:
    """High and low."""
    tail = 0.5 * (1.0 - LEVEL)
    high = float(betaincinv(hits + 1.0, n - hits, 1.0 - tail)) if hits < n else 1.0
    return high, float(betaincinv(hits, n - hits + 1.0, tail)) if hits > 0.0 else 0.0


def _row(found: list[tuple[float, ...]]) -> Row:
    held, too_low, width, exact, labels = np.array(found, dtype=float).T
    return {
        "draws": len(found),
        "labels": float(labels.mean()),
        "coverage": float(held.mean()),
        "too_low": float(too_low.mean()),
        "width": float(np.median(width)),
        "exact_width": float(np.median(exact)),
    }


STUDY = Study("parts", [{"design": name} for name in DESIGNS], run, draws=500)
