"""A sampling plan: what is measured, of which population, by which design; and the batches drawn by it.

It holds the cells of the population instead of its items, so that everything but the texts follows from it: the next
batch, and the estimate from labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from evenhand.arrays import Ints
from evenhand.audits.accuracy.pools import PoolName
from evenhand.errors import InputError
from evenhand.finding import column_key
from evenhand.sampling.design import Drawn, SamplingDesign
from evenhand.sampling.frame import CellCounts, SamplingFrame
from evenhand.sampling.sizes import Target, target_named

DECISION_METRIC, PREVALENCE_METRIC = "recall, precision, F1, accuracy", "prevalence"
REMOVED, VISIBLE, ALL = PoolName.REMOVED, PoolName.VISIBLE, "all"


@dataclass(frozen=True, slots=True)
class Measurement:
    """What has to be said before any number: the ground truth, the population and the metric.

    >>> eh.measurement.Measurement("policy", "v1", "all comments", "2026-01", "prevalence").period
    '2026-01'
    """

    ground_truth: str
    codebook: str
    population: str
    period: str
    metric: str

    @classmethod
    def from_purpose(cls, purpose: Mapping[str, Any], *, decided: bool) -> Measurement:
        """From what was said; the metric follows from whether decisions are known."""
        return cls(**purpose, metric=DECISION_METRIC if decided else PREVALENCE_METRIC)


@dataclass(frozen=True, slots=True)
class PopulationFile:
    """The file that the plan was made on."""

    file: str
    sha256: str
    rows: int


@dataclass(frozen=True)
class PlanPool:
    """A part of the population that is sampled by itself, and how many labels it gets: `cells`, or `clusters`."""

    name: str
    items: int
    labels: int
    cells: CellCounts | None = None
    clusters: int = 0

    @property
    def wanted(self) -> int:
        """Clusters to draw, so that they hold about as many items as there are to be labels."""
        return min(max(2, round(self.labels * self.clusters / self.items)), self.clusters)

    @property
    def counted(self) -> CellCounts:
        """The cells, which all pools have but those of a plan by clusters."""
        if self.cells is None:
            raise InputError("a cluster plan has no cells")
        return self.cells

    def items_by_group(self, groups: int) -> Ints:
        """How many items of each of so many groups there are."""
        return np.bincount(self.frame.groups, self.frame.sizes, minlength=groups).astype(np.int64)

    @cached_property
    def frame(self) -> SamplingFrame:
        """The population as designs see it."""
        return SamplingFrame.counted(self.counted)


@dataclass(frozen=True)
class DrawnPart:
    """What was drawn of one pool: the id of each draw, in order."""

    pool: str
    ids: tuple[str, ...]
    drawn: Drawn

    @property
    def places(self) -> Ints:
        """Where the items are; for clusters the rows of the file."""
        return self.drawn.places


@dataclass(frozen=True)
class PlanRound:
    """One batch for annotators: a part of each pool, and the labels it was drawn by (how many, and their hash)."""

    parts: tuple[DrawnPart, ...]
    after: tuple[int, str] | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """Of all items, each once."""
        return tuple(dict.fromkeys(one for part in self.parts for one in part.ids))


@dataclass(frozen=True)
class SamplingPlan:
    """See the module.

    >>> eh.measurement.read_plan("plan.json").design.name
    'random'
    """

    measurement: Measurement
    items: PopulationFile
    columns: Mapping[str, Any]
    groups: tuple[str, ...]
    design: SamplingDesign
    pools: tuple[PlanPool, ...]
    level: float
    seed: int
    promise: Mapping[str, float] = field(default_factory=dict)
    rounds: tuple[PlanRound, ...] = ()
    targets: Mapping[str, float] = field(default_factory=dict)  # instead: several, each a relative half-width
    extends: str | None = None  # the seal of the plan of which this is a longer one

    @property
    def group_key(self) -> str:
        """The slice key of the groups that are estimated apart: the columns they are told apart by."""
        return column_key(" / ".join(self.columns["by"]))

    def pool(self, name: str) -> PlanPool:
        """By its name."""
        return next(pool for pool in self.pools if pool.name == name)

    def drawn(self, pool: str) -> int:
        """Items of a pool that were drawn so far."""
        return sum(len(part.ids) for one in self.rounds for part in one.parts if part.pool == pool)

    def with_round(self, drawn: PlanRound) -> SamplingPlan:
        """The same plan with one more batch."""
        return replace(self, rounds=(*self.rounds, drawn))

    def generator(self, number: int, pool: int) -> np.random.Generator:
        """What a batch of one pool is drawn with: the same for the same plan."""
        return np.random.default_rng([self.seed, number, pool])

    def sizes(self, pool: PlanPool) -> tuple[int, ...]:
        """Labels of each batch of a pool, as far as it can be said."""
        return self.design.batch_sizes(pool)

    @property
    def target(self) -> Target | None:
        """The target precision of the estimate, if there is one."""
        for name, value in self.promise.items():
            return target_named(name, value, self.level)
        return None
