"""Evidence on a cluster: rows stay where they are, and only counts per score bin come back.

The grid has a fixed number of bins, and a threshold is always an edge. Within a bin the order of scores is lost, so
every AUC read off it carries how far it can be off: half the pairs that share a bin in which more than one score was
seen. Written in Narwhals expressions; casts stand outside aggregations, and sums are of floats, as all engines ask.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from evenhand.errors import InputError
from evenhand.evidence import faults
from evenhand.evidence.declaration import Declaration, Scale
from evenhand.evidence.evidence import Counted, Evidence, Part, Thresholds
from evenhand.evidence.opening import MOST_GROUPS, MOST_SLICES, SHORT, whole_words
from evenhand.tally import Classes, FloatArray, Mass, Members, Tally

BINS = 65_536
NAME = "the Spark frame"
GRID_NOTE = (
    f"Scores were counted on a cluster in {BINS:,} bins. Intervals are widened by as much as that can matter; models "
    "are not compared row by row, and summaries over groups have the widest interval that any overlap could give."
)
LABEL, COUNT, WEIGHT, SPREAD, LENGTH = "_label", "_count", "_weight", "_spread", "_length"

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
            for of in (COUNT, WEIGHT, SPREAD):
                products[f"{column}{of}"] = nw.col(column) * nw.col(of)
    above = (nw.col(model) >= threshold) if threshold is not None else nw.col(model) >= grid.low
    binned = frame.with_columns(_cell=grid.cell(nw.col(model)), _above=above, **products)
    counted = (
        binned.group_by("_cell", "_above", LABEL)
        .agg(
            *sums,
            *(nw.col(name).sum().alias(name) for name in products),
            nw.col(model).min().alias("_lowest"),
            nw.col(model).max().alias("_highest"),
        )
        .collect("polars")
        .to_polars()
    )
    return _assemble(counted, grid, threshold, evidence)


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
        values = [counted[f"{column}{part}" if column else part].to_numpy().astype(np.float64) for part in parts]
        return Classes(
            *(
                Mass.of(tuple(np.bincount(cells[w], part[w], len(scores)).astype(np.float64) for part in values))
                for w in (label, ~label)
            )
        )

    everyone, groups = heaped(""), {}
    complete = evidence.unannotated()
    for name, (inside, known) in evidence.members.items():
        dense = heaped(inside)
        at = np.flatnonzero(dense.violating.count + dense.benign.count).astype(np.int32)
        own = Classes(*(Mass.of(tuple(part[at] for part in mass.parts())) for mass in dense))
        groups[name] = Members(at, own, heaped(known) if name in complete else everyone)
    lowest, highest = np.full(len(scores), np.inf), np.full(len(scores), -np.inf)
    np.minimum.at(lowest, cells, counted["_lowest"].to_numpy().astype(np.float64))
    np.maximum.at(highest, cells, counted["_highest"].to_numpy().astype(np.float64))
    return Tally(scores, everyone, groups, lowest, highest)


def open_spark(frame: Frame, declaration: Declaration) -> SparkEvidence:
    """Check the declared columns where they are, and prepare what will be counted."""
    if declaration.where:
        raise InputError("filter the Spark frame itself rather than with where", source=NAME)
    schema = frame.collect_schema()
    for column in _columns(declaration):
        if column not in schema:
            raise faults.unknown_column(column, list(schema), NAME)
    members = _memberships(frame, declaration)
    prepared = frame.select(
        **{model: _number(model) for model in declaration.score},
        **{LABEL: _label(declaration)},
        **_weights(declaration),
        **{column: expression for pair in members.values() for column, expression in pair},
        **{column: nw.col(column).cast(nw.String) for column in declaration.slices},
        **_length(declaration),
    )
    names = {name: (pair[0][0], pair[1][0]) for name, pair in members.items()}
    facts = _facts(prepared, declaration, names)
    _check(facts, declaration, names)
    evidence = SparkEvidence(
        name=NAME, declaration=declaration, parts=(), notes=(GRID_NOTE,), frame=prepared, members=names, facts=facts
    )
    return replace(evidence, parts=tuple(_parts(evidence)))


def _columns(declaration: Declaration) -> list[str]:
    single = (declaration.label, declaration.group_by, declaration.text, declaration.count, declaration.inclusion)
    return [*declaration.score, *(c for c in single if c), *declaration.groups, *declaration.slices]


def _number(column: str) -> nw.Expr:
    return nw.col(column).cast(nw.Float64)


def _flag(condition: nw.Expr) -> nw.Expr:
    """1 where it holds, 0 where it does not or is unknown."""
    return nw.when(condition).then(1.0).otherwise(0.0)


def _label(declaration: Declaration) -> nw.Expr:
    assert declaration.label is not None
    if declaration.positive:
        return _flag(nw.col(declaration.label).cast(nw.String).is_in(list(declaration.positive)))
    return _flag(_number(declaration.label) >= declaration.label_threshold)


def _weights(declaration: Declaration) -> dict[str, nw.Expr]:
    count = _number(declaration.count) if declaration.count else nw.lit(1.0)
    if not declaration.inclusion:
        return {COUNT: count, WEIGHT: count, SPREAD: count}
    chance = _number(declaration.inclusion)
    return {COUNT: count, WEIGHT: count / chance, SPREAD: count * (1.0 - chance) / (chance * chance)}


def _length(declaration: Declaration) -> dict[str, nw.Expr]:
    if not declaration.text:
        return {}
    short = nw.col(declaration.text).str.len_chars() < SHORT
    return {LENGTH: nw.when(short).then(nw.lit("short")).otherwise(nw.lit("long"))}


def _memberships(frame: Frame, declaration: Declaration) -> dict[str, tuple[tuple[str, nw.Expr], tuple[str, nw.Expr]]]:
    """Per group: the name and the expression of its members, and of everybody who was annotated for it."""
    found: dict[str, tuple[nw.Expr, nw.Expr]] = {}
    for column in declaration.groups:
        share = _number(column)
        found[column] = (share >= declaration.group_threshold) & ~share.is_nan(), ~(share.is_null() | share.is_nan())
    if declaration.group_by:
        text = nw.col(declaration.group_by).cast(nw.String)
        for value in _values(frame, declaration.group_by, MOST_GROUPS):
            found[value] = text == value, ~text.is_null()
    for name, words in declaration.terms.items():
        assert declaration.text is not None
        text = nw.col(declaration.text)
        found[name] = text.str.to_lowercase().str.contains("(?U)" + whole_words(words)), ~text.is_null()
    return {
        name: ((f"_in_{number}", _flag(inside)), (f"_known_{number}", _flag(known)))
        for number, (name, (inside, known)) in enumerate(found.items())
    }


def _values(frame: Frame, column: str, most: int) -> list[str]:
    text = nw.col(column).cast(nw.String)
    rows = frame.select(text.alias(column)).drop_nulls().unique().head(most + 1).collect("polars").to_polars()
    if len(rows) > most:
        raise InputError(f"more than {most} different values", source=NAME, column=column)
    return sorted(rows[column].to_list())


def _facts(frame: Frame, declaration: Declaration, members: Mapping[str, tuple[str, str]]) -> dict[str, float]:
    """Everything that the checks need, in one pass."""
    flags: dict[str, nw.Expr] = {"rows": nw.lit(1.0), "violating": nw.col(LABEL)}
    ranges: list[nw.Expr] = []
    for index, model in enumerate(declaration.score):
        scale, value = declaration.scale_of(index), nw.col(model)
        flags[f"empty_{model}"] = _flag(value.is_null())
        flags[f"infinite_{model}"] = _flag(value.is_nan() | ~value.is_finite())
        if scale.lowest is not None and scale.highest is not None:
            flags[f"outside_{model}"] = _flag((value < scale.lowest) | (value > scale.highest))
        ranges += [value.min().alias(f"low_{model}"), value.max().alias(f"high_{model}")]
    weight = nw.col(WEIGHT)
    flags["weights"] = _flag(weight.is_null() | weight.is_nan() | ~weight.is_finite() | (weight < 0))
    for inside, known in members.values():
        flags |= {inside: nw.col(inside), known: nw.col(known)}
    one = frame.with_columns(**{f"_f_{name}": flag for name, flag in flags.items()})
    sums = [nw.col(f"_f_{name}").sum().alias(name) for name in flags]
    row = one.select(*sums, *ranges).collect("polars").to_polars().row(0, named=True)
    return {name: float(value if value is not None else 0.0) for name, value in row.items()}


def _check(facts: Mapping[str, float], declaration: Declaration, members: Mapping[str, tuple[str, str]]) -> None:
    if not facts["rows"]:
        raise InputError("it holds no rows", source=NAME)
    for model in declaration.score:
        for name, problem in (
            ("empty", "is empty"),
            ("infinite", "is not finite"),
            ("outside", "is outside its scale"),
        ):
            if number := facts.get(f"{name}_{model}", 0.0):
                raise InputError(f"the score {problem} in {number:,.0f} rows", source=NAME, column=model)
    if facts["violating"] in (0.0, facts["rows"]):
        kind = "benign" if not facts["violating"] else "violating"
        raise InputError(f"every item is {kind}: both classes are needed", source=NAME, column=declaration.label)
    if number := facts["weights"]:
        problem = f"the weight is empty, negative or not finite in {number:,.0f} rows"
        raise InputError(problem, source=NAME, column=declaration.inclusion or declaration.count)
    for name, (inside, _) in members.items():
        if not facts[inside]:
            raise InputError(f"nobody is in the group '{name}'", source=NAME)


def _parts(evidence: SparkEvidence) -> Iterator[Part]:
    slices: list[dict[str, str]] = [{}]
    if evidence.declaration.text:
        slices.append({"length": "short"})
    for column in evidence.declaration.slices:
        slices += [{column: value} for value in _values(evidence.frame, column, MOST_SLICES)]
    return (Part(slice_, number) for number, slice_ in enumerate(slices))
