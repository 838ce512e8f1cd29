"""Do intervals hold the truth where whole threads are drawn, of equal and of very unequal size?

Five thousand threads, all of six items or with sizes of a heavy tail; the items of a thread are alike (`correlation`).
Some threads are drawn at random and labelled whole. `plan` is the interval of the cluster design, `audit` that of the
accuracy audit with `cluster` declared, and `independent` the audit's without it. Widths are medians, over the truth.
"""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np

from evenhand.intervals.domains import WeightedSample
from evenhand.sampling.clusters import ClusterDesign, ClusterDraw, LabelledClusters
from evenhand.tally import Clusters
from studies.study import Row, Study

THREADS, LARGEST, FRESH = 5000, 2000, 20  # FRESH: draws from one population
SIZES = ("equal", "lognormal", "pareto 2", "pareto 1.2")
DESIGN = ClusterDesign()


def cells() -> list[Row]:
    kinds = itertools.product(SIZES, (30, 100, 300), ((0.05, 0.3), (0.2, 0.1)))
    return [{"sizes": s, "threads": k, "prevalence": p, "correlation": c} for s, k, (p, c) in kinds]


def thread_sizes(name: str, rng: np.random.Generator) -> np.ndarray:
    drawn = {
        "equal": lambda: np.full(THREADS, 6.0),
        "lognormal": lambda: np.exp(rng.normal(1.0, 1.3, THREADS)),
        "pareto 2": lambda: 2.0 * rng.pareto(2.0, THREADS),
        "pareto 1.2": lambda: rng.pareto(1.2, THREADS),
    }[name]()
    return np.clip(np.ceil(drawn), 1, LARGEST).astype(np.int64)


def population(cell: Row, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The thread and the label of each item."""
    spread = 1.0 / cell["correlation"] - 1.0
    share = rng.beta(cell["prevalence"] * spread, (1.0 - cell["prevalence"]) * spread, THREADS)
    thread = np.repeat(np.arange(THREADS), thread_sizes(cell["sizes"], rng))
    return thread, rng.random(len(thread)) < share[thread]


def run(cell: Row, draws: int, rng: np.random.Generator) -> list[Row]:
    found, thread, violating = [], np.empty(0), np.empty(0)
    for draw in range(draws):
        if draw % FRESH == 0:
            thread, violating = population(cell, rng)
        chosen = np.zeros(THREADS, dtype=np.bool_)
        chosen[rng.choice(THREADS, cell["threads"], replace=False)] = True
        found.append(outcome(thread, violating, np.flatnonzero(chosen[thread]), cell["threads"]))
    held, widths = np.array(found).reshape(draws, 2, 3).transpose(1, 0, 2)
    names = ("plan", "audit", "independent")
    return [
        dict(zip(names, held.mean(axis=0).tolist(), strict=True))
        | dict(zip([f"{name}_width" for name in names], np.median(widths, axis=0).tolist(), strict=True))
    ]


def outcome(thread: np.ndarray, violating: np.ndarray, rows: np.ndarray, drawn: int) -> list[float]:
    """Whether each interval holds the truth, and its width."""
    truth, everything = float(violating.mean()), np.ones(len(rows), dtype=np.bool_)
    draw = ClusterDraw(rows, thread[rows], drawn, THREADS)
    audited = WeightedSample(draw.weights, clusters=Clusters.from_codes(thread[rows]))
    shares = (
        DESIGN.share(SimpleNamespace(), [LabelledClusters(draw, everything, violating[rows] * 1.0)]),
        audited.share(violating[rows], everything),
        audited.without_clusters().share(violating[rows], everything),
    )
    ends = [(one.low or 0.0, one.high or 0.0) for one in (share.estimate() for share in shares)]
    return [*(low <= truth <= high for low, high in ends), *((high - low) / truth for low, high in ends)]


STUDY = Study("drawn_clusters", cells(), run, draws=500)
