"""A plan: what is measured, of which population, by which design; and the batches that were drawn by it.

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
from evenhand.errors import InputError, nearest
from evenhand.sampling.adaptive import ScoreDriven
from evenhand.sampling.batches import Batch
from evenhand.sampling.cells import Cells
from evenhand.sampling.clusters import ClusterDraw
from evenhand.sampling.designs import Adaptive, Design, Random
from evenhand.sampling.frame import Frame
from evenhand.sampling.sequential import Draws, Sequential
from evenhand.sampling.stratifying import Stratified

REMOVED, VISIBLE, ALL = "removed", "visible", "all"


@dataclass(frozen=True, slots=True)
class Measurement:
    """What has to be said before any number: the ground truth, the population and the metric."""

    ground_truth: str
    codebook: str
    population: str
    period: str
    metric: str


@dataclass(frozen=True, slots=True)
class ItemsFile:
    """The file that the plan was made on."""

    file: str
    sha256: str
    rows: int


@dataclass(frozen=True, slots=True)
class Clusters:
    """Whole threads, or all items of an author, at random."""


AnyDesign = Adaptive | Random | Stratified | Sequential | Clusters
Drawn = Batch | Draws | ClusterDraw


@dataclass(frozen=True)
class Pool:
    """A part of the population that is sampled by itself, and how many labels it gets: `cells`, or `clusters`."""

    name: str
    items: int
    labels: int
    cells: Cells | None = None
    clusters: int = 0

    @property
    def wanted(self) -> int:
        """Clusters to draw, so that they hold about as many items as there are to be labels."""
        return min(max(2, round(self.labels * self.clusters / self.items)), self.clusters)

    @property
    def counted(self) -> Cells:
        """The cells, which all pools have but those of a plan by clusters."""
        if self.cells is None:
            raise InputError("a plan by clusters has no cells")
        return self.cells

    @cached_property
    def frame(self) -> Frame:
        """The population as designs see it."""
        return Frame.counted(self.counted)


@dataclass(frozen=True)
class Part:
    """What was drawn of one pool: the id of each draw, in order."""

    pool: str
    ids: tuple[str, ...]
    drawn: Drawn

    @property
    def places(self) -> Ints:
        """Where the items are; for clusters the rows of the file."""
        return self.drawn.rows if isinstance(self.drawn, ClusterDraw) else self.drawn.places


@dataclass(frozen=True)
class Round:
    """One batch for annotators: a part of each pool, and the labels it was drawn by (how many, and their hash)."""

    parts: tuple[Part, ...]
    after: tuple[int, str] | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """Of all items, each once."""
        return tuple(dict.fromkeys(one for part in self.parts for one in part.ids))


@dataclass(frozen=True)
class Plan:
    """See the module."""

    measurement: Measurement
    items: ItemsFile
    columns: Mapping[str, Any]
    groups: tuple[str, ...]
    design: AnyDesign
    pools: tuple[Pool, ...]
    level: float
    seed: int
    promise: Mapping[str, float] = field(default_factory=dict)
    rounds: tuple[Round, ...] = ()

    def pool(self, name: str) -> Pool:
        """By its name."""
        return next(pool for pool in self.pools if pool.name == name)

    def with_round(self, drawn: Round) -> Plan:
        """The same plan with one more batch."""
        return replace(self, rounds=(*self.rounds, drawn))

    def generator(self, number: int, pool: int) -> np.random.Generator:
        """What a batch of one pool is drawn with: the same for the same plan."""
        return np.random.default_rng([self.seed, number, pool])

    def sizes(self, pool: Pool) -> tuple[int, ...]:
        """Labels of each batch of a pool, as far as it can be said."""
        if isinstance(self.design, Sequential | Clusters):
            return (pool.labels,)
        return self.design.sizes(pool.frame, pool.labels)

    @property
    def on_cells(self) -> Design:
        """The design, if it is one that draws batches of cells."""
        if isinstance(self.design, Sequential | Clusters):
            raise InputError("this design draws no strata")
        return self.design


NAMES: dict[str, type] = {
    "score-driven": Adaptive,
    "random": Random,
    "stratified": Stratified,
    "clusters": Clusters,
    "sequential": Sequential,
}


def name_of(design: AnyDesign) -> str:
    """As it is called on the command line."""
    return next(name for name, kind in NAMES.items() if isinstance(design, kind))


def design_named(name: str, settings: Mapping[str, Any]) -> AnyDesign:
    """From a name and its settings."""
    if name not in NAMES:
        raise InputError(f"there is no design '{name}'; {nearest(name, NAMES)}")
    plain: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in settings.items()}
    if name == "score-driven":
        return Adaptive(ScoreDriven(**plain))
    found: AnyDesign = NAMES[name](**plain)
    return found
