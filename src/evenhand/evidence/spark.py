"""Evidence on a cluster: rows stay where they are, and only counts per score bin come back.

Columns are checked by the same `rules` as everywhere, counted in one pass. The grid has a fixed number of bins, and a
threshold is always an edge. Within a bin the order of scores is lost, so every AUC read off it carries how far it can
be off: half the pairs that share a bin in which more than one score was seen. Written in Narwhals expressions; casts
stand outside aggregations, and sums are of floats, as all engines ask.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from evenhand.arrays import Floats
from evenhand.errors import InputError
from evenhand.evidence import reading_errors, rules
from evenhand.evidence.declaration import Declaration
from evenhand.evidence.evidence import DeclaredEvidence, EvidencePart, ModelTally, Thresholds, not_shown
from evenhand.evidence.reading import MOST_SLICES
from evenhand.evidence.scales import ScoreScale
from evenhand.evidence.spark_columns import (
    COUNT,
    HEAVIEST,
    LABEL,
    NAME,
    SLICE,
    SPREAD,
    WEIGHT,
    SparkColumns,
    SparkFrame,
    SparkGroup,
    collect_rows,
    flag,
)
from evenhand.evidence.terms import ListedTerms, mention_notes
from evenhand.finding import SliceKey
from evenhand.memo import Memo
from evenhand.tally import Classes, GroupTally, Mass, Tally

BINS = 65_536
GRID_NOTE = (
    f"Scores were counted on a cluster in {BINS:,} bins. Intervals are widened by as much as that can matter; models "
    "are not compared row by row, and summaries over groups have the widest interval that any overlap could give."
)


@dataclass(frozen=True, repr=False)
class SparkEvidence(DeclaredEvidence):
    """A prepared frame: `_label`, one column per score and slice, `_in_…` and `_known_…` per group, and weights."""

    frame: SparkFrame
    members: Mapping[str, tuple[str, str]]  # group: its column of members and its column of the annotated
    facts: Mapping[str, float]

    has_rows: ClassVar[bool] = False

    @property
    def groups(self) -> tuple[str, ...]:
        return tuple(self.members)

    @property
    def size(self) -> int:
        return int(self.facts["rows"])

    def unannotated(self) -> Mapping[str, int]:
        missing = {name: self.size - int(self.facts[known]) for name, (_, known) in self.members.items()}
        return {name: number for name, number in missing.items() if number}

    def without_small_groups(self, smallest: int) -> Self:
        """As in `Evidence`."""
        named, sizes = self.declaration.groups, self._group_items()
        members = {name: own for name, own in self.members.items() if name in named or sizes[name] >= smallest}
        parts = [part for part in self.parts if not part.slice or self._slice_items(part.slice) >= smallest]
        few, fewer = len(self.members) - len(members), len(self.parts) - len(parts)
        notes = (*self.notes, *not_shown(few, "group", smallest), *not_shown(fewer, "slice", smallest))
        return replace(self, members=members, parts=tuple(parts), notes=notes)

    def _group_items(self) -> dict[str, float]:
        inside = {name: nw.col(column) * nw.col(COUNT) for name, (column, _) in self.members.items()}
        summed = self.frame.with_columns(**inside).select(*(nw.col(name).sum() for name in inside))
        return dict(collect_rows(summed).row(0, named=True)) if inside else {}

    def _slice_items(self, slice_: Mapping[str, str]) -> float:
        """Counted once for each column that rows are sliced by."""
        ((key, value),) = slice_.items()
        return self._counted.once(key, lambda: self._value_items(key)).get(value, 0.0)

    def _value_items(self, key: str) -> dict[str, float]:
        counted = self.frame.group_by(SLICE + key).agg(nw.col(COUNT).sum().alias("items"))
        return dict(collect_rows(counted).select(SLICE + key, "items").iter_rows())

    @cached_property
    def _counted(self) -> Memo:
        return Memo()

    def provenance(self) -> dict[str, Any]:
        return {"source": self.name, "rows": self.size, "bins": BINS, "roles": self.declaration.as_dict()}

    def tallies(self, part: EvidencePart, thresholds: Thresholds) -> Iterator[ModelTally]:
        frame = self.frame
        for key, value in part.slice.items():
            frame = frame.filter(nw.col(SLICE + key) == value)
        for model in self.models:
            grid = _Grid.of(self.scale(model), self.facts[f"low_{model}"], self.facts[f"high_{model}"])
            yield ModelTally(model, _tally(frame, model, grid, thresholds[model], self), None)


@dataclass(frozen=True)
class _Grid:
    low: float
    high: float

    @classmethod
    def of(cls, scale: ScoreScale, lowest: float, highest: float) -> _Grid:
        low = lowest if scale.lowest is None else scale.lowest
        high = highest if scale.highest is None else scale.highest
        return cls(low, high if high > low else low + 1.0)

    def cell(self, score: nw.Expr) -> nw.Expr:
        """The number of the bin; the highest score belongs to the last one."""
        number = ((score - self.low) * (BINS / (self.high - self.low))).floor()
        return nw.when(number >= BINS).then(float(BINS - 1)).otherwise(number)

    def edges(self, cells: Floats) -> Floats:
        return self.low + cells * (self.high - self.low) / BINS


def _tally(frame: SparkFrame, model: str, grid: _Grid, threshold: float | None, evidence: SparkEvidence) -> Tally:
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
            *(_sum_or_max(name).alias(name) for name in (HEAVIEST, *products)),
            nw.col(model).min().alias("_lowest"),
            nw.col(model).max().alias("_highest"),
        )
        .collect("polars")
        .to_polars()
    )
    return _assemble(counted, grid, threshold, evidence)


def _sum_or_max(column: str) -> nw.Expr:
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
        groups[name] = GroupTally(at, own, heaped(known) if name in complete else everyone)
    lowest, highest = np.full(len(scores), np.inf), np.full(len(scores), -np.inf)
    np.minimum.at(lowest, cells, counted["_lowest"].to_numpy().astype(np.float64))
    np.maximum.at(highest, cells, counted["_highest"].to_numpy().astype(np.float64))
    return Tally(scores, everyone, groups, lowest, highest)


def open_spark(frame: SparkFrame, declaration: Declaration) -> SparkEvidence:
    """Check the declared columns where they are, and prepare what will be counted."""
    columns = _known_columns(frame, declaration)
    groups, broken = list(columns.groups(declaration)), list(columns.rules(declaration))
    prepared = columns.frame.select(
        **{model: columns.number(model, rules.score_role(declaration.scale_of(0))) for model in declaration.score},
        **{LABEL: columns.violating(declaration)},
        **columns.weights(declaration),
        **{f"_in_{number}": flag(group.inside) for number, group in enumerate(groups)},
        **{f"_known_{number}": flag(group.known) for number, group in enumerate(groups)},
        **{f"_unsure_{number}": flag(group.unsure) for number, group in enumerate(groups) if group.unsure is not None},
        **columns.slices(declaration),
        **{f"_broken_{number}": rule.broken for number, rule in enumerate(broken)},
    )
    facts = _count_facts(prepared, declaration)
    if not facts["rows"]:
        some = declaration.count and len(collect_rows(frame.head(1)))
        raise InputError(rules.ALL_COUNTS_ZERO if some else "there are no rows", source=NAME, column=declaration.count)
    for number, rule in enumerate(broken):
        if facts[f"_broken_{number}"]:
            rule.fail(columns.frame)
    members = _checked_members(facts, groups, declaration)
    if declaration.id:
        columns.check_ids(declaration.id)
    return SparkEvidence(
        name=NAME,
        declaration=declaration,
        parts=tuple(_parts(columns, declaration)),
        notes=(GRID_NOTE, *_mention_notes(facts, groups, declaration)),
        frame=prepared,
        members=members,
        facts=facts,
    )


def _known_columns(frame: SparkFrame, declaration: Declaration) -> SparkColumns:
    """Of the rows that are there at least once."""
    if declaration.where:
        raise InputError("filter the Spark frame itself rather than with where", source=NAME)
    if declaration.weight:
        raise InputError("`weight` needs the rows on one machine, not on a cluster", source=NAME)
    columns = SparkColumns(frame)
    for column in declaration.columns:
        if column not in columns.schema:
            raise reading_errors.unknown_column(column, list(columns.schema), NAME)
    if not declaration.count:
        return columns
    return SparkColumns(frame.filter(flag(columns.number(declaration.count, rules.COUNT) == 0.0) < 0.5))


def _count_facts(prepared: SparkFrame, declaration: Declaration) -> dict[str, float]:
    """Everything that the checks need, in one pass."""
    counted = [
        name for name in prepared.collect_schema() if name.startswith(("_broken_", "_in_", "_known_", "_unsure_"))
    ]
    ranges = [
        bound
        for model in declaration.score
        for bound in (nw.col(model).min().alias(f"low_{model}"), nw.col(model).max().alias(f"high_{model}"))
    ]
    totals = (nw.col("_one").sum().alias("rows"), nw.col(LABEL).sum().alias("violating"))
    sums = [nw.col(name).sum().alias(name) for name in counted]
    (row,) = collect_rows(prepared.with_columns(_one=nw.lit(1.0)).select(*totals, *sums, *ranges)).iter_rows(named=True)
    return {name: float(value if value is not None else 0.0) for name, value in row.items()}


def _checked_members(
    facts: Mapping[str, float], groups: list[SparkGroup], declaration: Declaration
) -> dict[str, tuple[str, str]]:
    """The columns of each group; somebody must be in it, unless it is one of a word list."""
    if facts["violating"] in (0.0, facts["rows"]):
        problem = rules.one_class(violating=bool(facts["violating"]))
        raise InputError(problem, source=NAME, column=declaration.label)
    empty = [group for number, group in enumerate(groups) if not facts[f"_in_{number}"]]
    left_out = isinstance(declaration.terms, ListedTerms) and len(empty) < len(groups)
    if empty and not left_out:
        problem = rules.empty_groups([group.name for group in empty])
        raise InputError(problem, source=NAME, column=empty[0].column)
    return {g.name: (f"_in_{n}", f"_known_{n}") for n, g in enumerate(groups) if facts[f"_in_{n}"]}


def _mention_notes(facts: Mapping[str, float], groups: list[SparkGroup], declaration: Declaration) -> Iterator[str]:
    if declaration.terms:
        mentions = {group.name: int(facts[f"_in_{number}"]) for number, group in enumerate(groups)}
        unsure = {g.name: int(facts[f"_unsure_{n}"]) for n, g in enumerate(groups) if g.unsure is not None}
        yield from mention_notes(declaration.terms, mentions, unsure)


def _parts(columns: SparkColumns, declaration: Declaration) -> Iterator[EvidencePart]:
    slices: list[dict[str, str]] = [{}]
    if declaration.text:
        slices.append({SliceKey.LENGTH: "short"})
    for column, key in declaration.slice_keys.items():
        slices += [{key: value} for value in columns.values(column, "slicing by its values", MOST_SLICES)]
    return (EvidencePart(slice_, number) for number, slice_ in enumerate(slices))
