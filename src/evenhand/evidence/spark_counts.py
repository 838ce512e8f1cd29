"""Rows of one score counted on a cluster, so that every audit of a score can be run on what comes back.

The counterpart of `counted_rows` for rows that stay where they are: the same cells, in expressions that a cluster
evaluates. Yes and no of all groups travel as the bits of a few numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from evenhand.arrays import Bools
from evenhand.errors import InputError
from evenhand.evidence.counted_rows import EVEN_CELLS, LOG_ODDS_CELLS, MOST_CUTS, SMALLEST, UNITS, CountedScores
from evenhand.evidence.items import ScoreEvidence
from evenhand.evidence.spark import SparkEvidence
from evenhand.evidence.spark_columns import COUNT, LABEL, SLICE, SparkFrame, collect_rows
from evenhand.tally import Membership, Weights

FINE, EVEN, CUT, OFFSET, LOWEST, HIGHEST, PACK = "_fine", "_even", "_cut", "_offset", "_lowest", "_highest", "_pack_"
EXACT_ROWS = 1_000_000  # up to which scores are kept as they are
PER_PACK = 50  # bits that a number of double precision holds
NEEDS_ROWS = "needs the rows locally, not on a cluster"


def can_be_counted(evidence: SparkEvidence) -> bool:
    """One score on a scale that has cells, and no sampling weights."""
    declaration = evidence.declaration
    by_row = declaration.inclusion or declaration.uncertainty or declaration.decision
    return len(declaration.score) == 1 and not by_row and evidence.scale(declaration.score[0]).name in UNITS


def counted_evidence(evidence: SparkEvidence, cuts: Sequence[float]) -> ScoreEvidence:
    """The rows that are alike as one with a count; `cuts` are scores that are told apart."""
    (score,) = evidence.declaration.score
    missing = evidence.unannotated()
    flags = [column for name, own in evidence.members.items() for column in (own if name in missing else own[:1])]
    counted = _in_means(_count(evidence, score, flags, cuts), score, evidence)
    masks = {flag: _bit(counted, number) for number, flag in enumerate(flags)}
    label = counted[LABEL].to_numpy() > 0.5
    times = counted[COUNT].cast(pl.Float64).to_numpy()
    parts = [part for part in evidence.parts[1:] if _kept(counted, part.slice).any()]
    rows = CountedScores(int(times.sum()), counted[score].n_unique(), counted["_mixed"].to_numpy())
    return ScoreEvidence(
        name=evidence.name,
        declaration=evidence.declaration,
        parts=(evidence.parts[0], *(part._replace(number=number) for number, part in enumerate(parts, start=1))),
        notes=(rows.note(counted[score].to_numpy(), label, times), *evidence.notes[1:]),
        members={
            name: Membership(np.flatnonzero(masks[inside]).astype(np.int32), masks[known] if name in missing else None)
            for name, (inside, known) in evidence.members.items()
        },
        weights=Weights.from_columns(count=times),
        clusters=None,
        keeps=tuple(_kept(counted, part.slice) for part in parts),
        fingerprint=lambda: {"source": evidence.name},
        fetch=lambda _: _refuse("examples need the rows locally, not on a cluster", evidence.name),
        judged=lambda: _refuse(f"this {NEEDS_ROWS}", evidence.name),
        label=label,
        scores={score: counted[score].to_numpy()},
        counted=rows,
    )


def _refuse(problem: str, name: str) -> NoReturn:
    raise InputError(problem, source=name)


def _count(evidence: SparkEvidence, score: str, flags: Sequence[str], cuts: Sequence[float]) -> pl.DataFrame:
    """One pass over the cluster."""
    slices = [SLICE + key for key in dict.fromkeys(key for part in evidence.parts for key in part.slice)]
    packs = {f"{PACK}{start}": _packed(flags[start : start + PER_PACK]) for start in range(0, len(flags), PER_PACK)}
    frame: SparkFrame = evidence.frame.filter(nw.col(COUNT) > 0.0)
    fine, even, offset = _cell(nw.col(score), evidence)
    cut = sum((nw.when(nw.col(score) >= one).then(1.0).otherwise(0.0) for one in cuts[:MOST_CUTS]), start=nw.lit(0.0))
    columns = {FINE: fine, EVEN: even, CUT: cut, OFFSET: offset * nw.col(COUNT), **packs}
    alike = [FINE, EVEN, CUT, LABEL, *packs, *slices]
    counted = (
        frame.with_columns(**columns)
        .group_by(*alike)
        .agg(
            nw.col(COUNT).sum(),
            nw.col(OFFSET).sum(),
            nw.col(score).min().alias(LOWEST),
            nw.col(score).max().alias(HIGHEST),
        )
    )
    return collect_rows(counted).sort(alike)


def _unit(evidence: SparkEvidence) -> float | None:
    (score,) = evidence.declaration.score
    return UNITS[evidence.scale(score).name]


def _cell(score: nw.Expr, evidence: SparkEvidence) -> tuple[nw.Expr, nw.Expr, nw.Expr]:
    """The cell of a score on two scales, and how far the score is from its lower edge."""
    unit = _unit(evidence)
    if evidence.size <= EXACT_ROWS:
        return score, score * 0.0, score * 0.0
    if unit is None:
        fine = (score * LOG_ODDS_CELLS).floor()
        return fine, fine * 0.0, score - fine / LOG_ODDS_CELLS
    value = score / unit
    near = nw.when(value < 0.5).then(value).otherwise(1.0 - value)
    odds = nw.when(near > SMALLEST).then(near).otherwise(SMALLEST).log()
    fine = (nw.when(value < 0.5).then(odds).otherwise(odds * -1.0) * LOG_ODDS_CELLS).floor()
    even = (value * EVEN_CELLS).floor()
    return fine, even, value - even / EVEN_CELLS


def _packed(flags: Sequence[str]) -> nw.Expr:
    return sum((nw.col(flag) * float(2**place) for place, flag in enumerate(flags)), start=nw.lit(0.0))


def _bit(counted: pl.DataFrame, number: int) -> Bools:
    pack, place = counted[f"{PACK}{number - number % PER_PACK}"].cast(pl.Int64).to_numpy(), number % PER_PACK
    return np.asarray(pack >> place & 1, dtype=np.bool_)


def _kept(counted: pl.DataFrame, slice_: Mapping[str, str]) -> Bools:
    ((key, value),) = slice_.items()
    return (counted[SLICE + key] == value).fill_null(False).to_numpy()


def _in_means(counted: pl.DataFrame, score: str, evidence: SparkEvidence) -> pl.DataFrame:
    """The mean of each cell as the score of its rows, and whether there are several scores in it."""
    if evidence.size <= EXACT_ROWS:
        return counted.with_columns(pl.col(FINE).alias(score), pl.lit(False).alias("_mixed"))
    unit = _unit(evidence)
    cell = [FINE, EVEN, CUT]
    edge = pl.col(FINE) / LOG_ODDS_CELLS if unit is None else pl.col(EVEN) / EVEN_CELLS
    mean = (pl.col(OFFSET).sum().over(cell) / pl.col(COUNT).sum().over(cell) + edge) * (unit or 1.0)
    lowest, highest = pl.col(LOWEST).min().over(cell), pl.col(HIGHEST).max().over(cell)
    return counted.with_columns(mean.clip(lowest, highest).alias(score), (lowest < highest).alias("_mixed"))
