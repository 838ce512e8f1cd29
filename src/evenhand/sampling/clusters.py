"""Cluster sampling: whole threads, or all items of an author, at random.

Items of one cluster are alike, so that they count as one draw, however many they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from evenhand import arrays
from evenhand.arrays import Bools, Floats, Ints
from evenhand.errors import InputError, Undefined
from evenhand.intervals.drawn_clusters import equal_sized_clusters, sizes_are_uneven
from evenhand.intervals.sampled_labels import SampledLabels
from evenhand.intervals.survey import SurveyShare
from evenhand.intervals.survey_estimators import design_effect
from evenhand.sampling.design import (
    DesignTraits,
    DrawnSoFar,
    Estimator,
    FixedStratum,
    LabelForecast,
    LabelWeights,
    SamplingPool,
    column_lists,
    number_columns,
)


@dataclass(frozen=True)
class ClusterDraw:
    """The rows of all drawn clusters, the cluster of each, how many were drawn and how many there are.

    >>> draw = eh.sampling.draw_clusters(["t1", "t1", "t2", "t3"], 2, seed=1)
    >>> draw.inclusion[0].round(3).item()
    0.667
    """

    rows: Ints
    clusters: Ints
    drawn: int
    total: int

    @property
    def inclusion(self) -> Floats:
        """Of each row: that of its cluster."""
        return np.full(len(self.rows), self.drawn / self.total)

    @property
    def weights(self) -> Floats:
        """Of each row: how many items it stands for."""
        return 1.0 / self.inclusion

    @property
    def places(self) -> Ints:
        """As in `Drawn`: the rows of the file."""
        return self.rows

    def usable(self, labelled: Bools) -> Bools:
        """As in `Drawn`: clusters of which every item has a label."""
        return ~np.isin(self.clusters, np.unique(self.clusters[~labelled]))

    def only(self, keep: Bools) -> ClusterDraw:
        """As in `Drawn`; the others count as not drawn."""
        clusters = self.clusters[keep]
        return replace(self, rows=self.rows[keep], clusters=clusters, drawn=len(np.unique(clusters)))

    def with_labels(self, known: Bools, label: Floats) -> LabelledClusters:
        """As in `Drawn`."""
        return LabelledClusters(self, known, label)

    def to_data(self) -> dict[str, Any]:
        """As in `Drawn`."""
        items = {"row": self.rows, "cluster": self.clusters, "inclusion": self.inclusion}
        return {"clusters": {"drawn": self.drawn, "total": self.total}, "items": column_lists(items)}

    @classmethod
    def from_data(cls, content: Mapping[str, Any], size: int) -> ClusterDraw:
        """From plain data."""
        items, known = number_columns(content["items"], size, whole=("row", "cluster")), content["clusters"]
        return cls(items["row"], items["cluster"], int(known["drawn"]), int(known["total"]))

    def check(self, pool: SamplingPool) -> None:
        """As in `Drawn`: the clusters of the items are not known to the pool."""


@dataclass(frozen=True)
class LabelledClusters:
    """Drawn clusters, which of their items have a label, and the labels of those."""

    draw: ClusterDraw
    known: Bools
    label: Floats


def draw_clusters(cluster: npt.ArrayLike, count: int, *, seed: int) -> ClusterDraw:
    """So many clusters at random, every cluster with the same chance; `cluster` names that of each item.

    >>> draw = eh.sampling.draw_clusters(["t1", "t1", "t2", "t3"], 2, seed=1)
    >>> draw.drawn, draw.total
    (2, 3)
    """
    names, code = np.unique(np.asarray(cluster), return_inverse=True)
    wanted = arrays.whole(count, "the number of clusters")
    if wanted > len(names):
        raise InputError(
            f"{wanted:,} clusters requested, but there are only {len(names):,}: label all of them (a census)"
        )
    rng = np.random.default_rng(arrays.whole(seed, "the seed", least=0))
    chosen = np.zeros(len(names), dtype=np.bool_)
    chosen[rng.choice(len(names), wanted, replace=False)] = True
    rows = np.flatnonzero(chosen[code])
    return ClusterDraw(rows, code[rows].astype(np.int64), wanted, len(names))


@dataclass(frozen=True, slots=True)
class ClusterDesign:
    """Whole threads, or all items of an author, at random; methods are as in `SamplingDesign`.

    >>> eh.sampling.ClusterDesign().name
    'clusters'
    """

    name: ClassVar[str] = "clusters"
    options: ClassVar[tuple[str, ...]] = ()

    @property
    def traits(self) -> DesignTraits:
        return DesignTraits(
            score=False,
            clusters=True,
            pools=False,
            joins_strata=False,
            unforeseeable="how similar the items of a cluster are is not known in advance",
        )

    @property
    def forecast(self) -> LabelForecast | None:
        return None

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> ClusterDesign:
        return cls(**settings)

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> ClusterDesign:
        return cls(**options)

    def settings(self) -> dict[str, Any]:
        return {}

    def aimed_at(self, promise: Mapping[str, float]) -> ClusterDesign:
        return self

    def check_drawable(self, pool: SamplingPool, rng: np.random.Generator) -> None:
        """Whole clusters can always be drawn."""

    def batch_sizes(self, pool: SamplingPool) -> tuple[int, ...]:
        return (pool.labels,)

    def next_draw(
        self, pool: SamplingPool, done: DrawnSoFar, rng: np.random.Generator, *, until_kept: bool
    ) -> ClusterDraw | None:
        """Items come with their clusters."""
        return None

    def choose_clusters(self, pool: SamplingPool, rng: np.random.Generator) -> Ints:
        chosen: Ints = rng.choice(pool.clusters, pool.wanted, replace=False)
        return chosen

    def read_draw(self, content: Mapping[str, Any], size: int) -> ClusterDraw:
        return ClusterDraw.from_data(content, size)

    def labels_to_come(self, pool: SamplingPool, *, batches: int, drawn: int, kept: bool | None) -> int | None:
        return 0

    def share(self, pool: SamplingPool, past: Sequence[LabelledClusters], *, group: int | None = None) -> SurveyShare:
        if group is not None:
            raise InputError("a cluster plan cannot be estimated by group")
        (done,) = past
        return self.label_weights(pool, past).planned.share(done.label, np.ones(len(done.label), np.bool_), part=False)

    def other_shares(
        self, pool: SamplingPool, past: Sequence[LabelledClusters]
    ) -> Iterable[tuple[Estimator, SurveyShare]]:
        return ()

    def strata(self, pool: SamplingPool, past: Sequence[LabelledClusters]) -> Iterable[FixedStratum]:
        return ()

    def label_weights(self, pool: SamplingPool, past: Sequence[LabelledClusters]) -> LabelWeights:
        (done,) = past
        draw, clusters = done.draw, done.draw.clusters[done.known]
        if len(np.unique(clusters)) < 2:
            raise Undefined("a single cluster was drawn, so the variance between clusters is unknown")
        weights, drawn, left = draw.weights[done.known], draw.drawn, draw.total - draw.drawn
        _, code, items = np.unique(clusters, return_inverse=True, return_counts=True)
        scale = np.full(len(clusters), draw.total * left / drawn)
        reach = (left / drawn * items[code]).astype(np.float64)
        planned = SampledLabels(weights, np.zeros(len(clusters), np.int64), scale, reach, clusters=clusters)
        return LabelWeights(planned, draw.inclusion[done.known])

    def caveats(self, pool: SamplingPool, past: Sequence[LabelledClusters]) -> Iterator[str]:
        (done,) = past
        sizes = np.unique(done.draw.clusters[done.known], return_counts=True)[1].astype(np.float64)
        if sizes_are_uneven(sizes):
            yield (
                f"A few clusters have most of the items: the {len(sizes):,} clusters tell as much as "
                f"{equal_sized_clusters(sizes):.0f} of equal size. The interval allows for one more violating cluster "
                "than was drawn, and is wide: drawing items instead of clusters needs fewer labels."
            )
        try:
            times = design_effect(self.share(pool, past))
        except Undefined:
            return
        similar = "are similar" if times > 1.0 else "are no more similar than other items in this sample"
        yield (
            f"Items in the same cluster {similar}: the variance is {times:.2g} times that of a simple random sample "
            "of the same size."
        )
