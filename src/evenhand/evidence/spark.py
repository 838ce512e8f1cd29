"""Evidence on a cluster: rows stay where they are, and only counts per score bin come back.

The grid has a fixed number of bins, and a threshold is always an edge. Within a bin the order of scores is lost, so
every AUC read off it carries how far it can be off: half the pairs that share a bin in which more than one score was
seen. Written in Narwhals expressions; casts stand outside aggregations, and sums are of floats, as all engines ask.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from evenhand.errors import InputError
from evenhand.evidence.evidence import Counted, Evidence, Part, Thresholds
from evenhand.evidence.scales import Scale
from evenhand.tally import Classes, FloatArray, Mass, Members, Tally

BINS = 65_536
NAME = "the Spark frame"
LABEL, COUNT, WEIGHT, SPREAD, HEAVIEST, LENGTH = "_label", "_count", "_weight", "_spread", "_heaviest", "_length"

Frame = nw.LazyFrame[Any]


@dataclass(frozen=True)
class SparkEvidence(Evidence):
    """A prepared frame: `_label`, one column per score and slice, `_in_…` and `_known_…` per group, and weights."""

    frame: Frame
    members: Mapping[str, tuple[str, str]]  # group: its column of members and its column of the annotated
    facts: Mapping[str, float]

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(self.members)

    @property
    def size(self) -> int:
        return int(self.facts["rows"])

    def unannotated(self) -> Mapping[str, int]:
        missing = {name: self.size - int(self.facts[known]) for name, (_, known) in self.members.items()}
        return {name: number for name, number in missing.items() if number}

    def texts(self, rows: list[int]) -> list[str]:
        raise InputError("texts cannot be looked up on a cluster", source=self.name)

    def provenance(self) -> dict[str, Any]:
        return {"source": self.name, "rows": self.size, "bins": BINS, "roles": self.declaration.as_dict()}

    def tallies(self, part: Part, thresholds: Thresholds) -> Iterator[Counted]:
        frame = self.frame
        for column, value in part.slice.items():
            frame = frame.filter(nw.col(LENGTH if column == "length" else column) == value)
        for model in self.models:
            grid = _Grid.of(self.scale(model), self.facts[f"low_{model}"], self.facts[f"high_{model}"])
            yield Counted(model, _tally(frame, model, grid, thresholds[model], self), None)


@dataclass(frozen=True)
class _Grid:
    low: float
    high: float

    @classmethod
    def of(cls, scale: Scale, lowest: float, highest: float) -> _Grid:
        low = lowest if scale.lowest is None else scale.lowest
        high = highest if scale.highest is None else scale.highest
        return cls(low, high if high > low else low + 1.0)

    def cell(self, score: nw.Expr) -> nw.Expr:
        """The number of the bin; the highest score belongs to the last one."""
        number = ((score - self.low) * (BINS / (self.high - self.low))).floor()
        return nw.when(number >= BINS).then(float(BINS - 1)).otherwise(number)

    def edges(self, cells: FloatArray) -> FloatArray:
        return self.low + cells * (self.high - self.low) / BINS


def _tally(frame: Frame, model: str, grid: _Grid, threshold: float | None, evidence: SparkEvidence) -> Tally:
    sums = [nw.col(name).sum().alias(name) for name in (COUNT, WEIGHT, SPREAD)]
    products: dict[str, nw.Expr] = {}
    for inside, known in evidence.members.values():
        for column in (inside, known):
            for of in (COUNT, WEIGHT, SPREAD, HEAVIEST):
                products[f"{column}{of}"] = nw.col(column) * nw.col(of)
    above = (nw.col(model) >= threshold) if threshold is not None else nw.col(model) >= grid.low
    binned = frame.with_columns(_cell=grid.cell(nw.col(model)), _above=above, **products)
    counted = (
        binned.group_by("_cell", "_above", LABEL)
        .agg(
            *sums,
            *(_heaped(name).alias(name) for name in (HEAVIEST, *products)),
            nw.col(model).min().alias("_lowest"),
            nw.col(model).max().alias("_highest"),
        )
        .collect("polars")
        .to_polars()
    )
    return _assemble(counted, grid, threshold, evidence)


def _heaped(column: str) -> nw.Expr:
    return nw.col(column).max() if column.endswith(HEAVIEST) else nw.col(column).sum()


def _assemble(counted: pl.DataFrame, grid: _Grid, threshold: float | None, evidence: SparkEvidence) -> Tally:
    """From one row per bin, side of the threshold and class to a tally."""
    edges = grid.edges(counted["_cell"].to_numpy().astype(np.float64))
    if threshold is not None:
        edges = np.where(counted["_above"].to_numpy(), np.maximum(edges, threshold), edges)
    scores, cells = np.unique(edges, return_inverse=True)
    label = counted[LABEL].to_numpy() > 0.5
    plain = not evidence.declaration.inclusion

    def heaped(column: str) -> Classes:
        parts = [WEIGHT] if plain else [WEIGHT, SPREAD, COUNT]
        values = [counted[f"{column}{part}"].to_numpy().astype(np.float64) for part in parts]
        heaviest = counted[f"{column}{HEAVIEST}"].to_numpy().astype(np.float64)
        masses = []
        for w in (label, ~label):
            heaps = (np.bincount(cells[w], part[w], len(scores)).astype(np.float64) for part in values)
            masses.append(Mass(*heaps, heaviest=1.0 if plain else float(np.max(heaviest[w], initial=0.0))))
        return Classes(*masses)

    everyone, groups = heaped(""), {}
    complete = evidence.unannotated()
    for name, (inside, known) in evidence.members.items():
        dense = heaped(inside)
        at = np.flatnonzero(dense.violating.count + dense.benign.count).astype(np.int32)
        own = Classes(*(mass.at(at) for mass in dense))
        groups[name] = Members(at, own, heaped(known) if name in complete else everyone)
    lowest, highest = np.full(len(scores), np.inf), np.full(len(scores), -np.inf)
    np.minimum.at(lowest, cells, counted["_lowest"].to_numpy().astype(np.float64))
    np.maximum.at(highest, cells, counted["_highest"].to_numpy().astype(np.float64))
    return Tally(scores, everyone, groups, lowest, highest)
