"""A table larger than memory, counted as it is read: rows that audits cannot tell apart become one with a count.

An audit of one score asks of an item its score, its label, its groups and its slices. Scores of which there are few are
kept as they are. Others are taken together in cells, and a score becomes the mean of its cell. Cells are narrow on
the scale of log odds, so that an AUC is off by a few millionths at most. They keep to every multiple of a nine
thousandth, so that thresholds of three decimals and the usual bins are exact. How far an AUC can be off is stated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from evenhand.arrays import Bools, Floats
from evenhand.errors import InputError
from evenhand.evidence import checks
from evenhand.evidence.columns import COUNTED, SourceTable, without_score
from evenhand.evidence.condition import ROW, sql_condition
from evenhand.evidence.declaration import Declaration
from evenhand.evidence.reading import LENGTH, MENTIONS, SHORT, checked_columns, no_rows
from evenhand.evidence.source import Source
from evenhand.evidence.terms import mentions_expression
from evenhand.tally.order import ScoreArray

COUNTED_FROM = 8_000_000  # rows, from which they are counted as they are read
COUNTED_FROM_BYTES = 500_000_000  # of text, in which rows are not known before they are read
FEW_SCORES = 50_000  # different ones, which are kept as they are
UNITS = {"probability": 1.0, "percent": 100.0, "logit": None}  # scales with cells, and what one is on them
LOG_ODDS_CELLS = 4096  # to a unit of log odds
EVEN_CELLS = 9000  # of the probability: every third, fourth, fifth, … to a thousandth is among their edges
MOST_CUTS = 15  # thresholds that are edges too
SMALLEST = 1e-40  # nearer to 0 or 1, scores are one cell
FIXED_POINT = 2.0**44  # whole numbers add up to the same sum in any order
MOST_REPEATED = 1000  # ids that are looked at
MIXED, CELL, EDGE, OFFSET, LOWEST, HIGHEST, PACKED = (
    *("\0mixed", "\0cell", "\0edge", "\0offset"),
    *("\0lowest", "\0highest", "\0packed"),
)  # names that no file can hold
PER_PACK = 31  # columns of yes, no or empty in 64 bits
BY_ROW = frozenset(
    {
        *("probabilities", "count", "inclusion", "weight", "decision", "stratum", "cluster", "uncertainty", "reviews"),
        *("gold", "item", "annotator"),
    }
)  # roles for which every row is looked at by itself


@dataclass(frozen=True)
class CountedScores:
    """How many rows were counted, in how many cells; `mixed` are the rows whose cell holds more than one score."""

    rows: int
    cells: int
    mixed: Bools

    def note(self, score: ScoreArray, label: Bools, count: Floats) -> str:
        """For the caveats: how far the overall AUC may be off is half the share of pairs within one cell."""
        if not self.mixed.any():
            return f"{self.rows:,} rows were counted as they were read: every number is that of the rows."
        table = pl.DataFrame({"score": score, "violating": count * label, "benign": count * ~label})
        cells = table.filter(self.mixed).group_by("score").sum()
        pairs = float((cells["violating"] * cells["benign"]).sum())
        off = 0.5 * pairs / float(table["violating"].sum()) / float(table["benign"].sum())
        return (
            f"{self.rows:,} rows were counted as they were read, in {self.cells:,} cells of the score. An AUC may be "
            f"off by {off:.6f} for that, by which its interval is wider."
        )


def is_counted(source: Source, declaration: Declaration) -> bool:
    """Whether the rows of a file are so many that they are counted, and nothing is declared that needs every row."""
    if source.file is None or len(declaration.score) != 1 or declaration.declared & BY_ROW:
        return False
    if not source.columns()[declaration.score[0]].is_numeric():
        return False
    if source.file.is_delimited or source.file.format.name == "JSONL":
        return source.file.size >= COUNTED_FROM_BYTES
    return _row_number(source) >= COUNTED_FROM


def _row_number(source: Source) -> int:
    return int(source.collect(lambda lazy: lazy.select(pl.len())).item())


def read_counted(
    source: Source, declaration: Declaration, cuts: Sequence[float] = ()
) -> tuple[SourceTable, CountedScores] | None:
    """The declared columns with a count; None where scores are many and of a scale that has no cells."""
    source = checked_columns(source, declaration.columns)
    rows = _Rows(source, declaration)
    few = rows.few_scores()
    if not few and declaration.scale_of(0).name not in UNITS:
        return None
    if declaration.id:
        _check_ids(source, declaration.id)
    frame = rows.count(in_cells=not few, cuts=cuts)
    counted = CountedScores(int(frame[COUNTED].sum()), frame[declaration.score[0]].n_unique(), frame[MIXED].to_numpy())
    table = SourceTable(source.name, frame.drop(MIXED), frame[ROW], source.decimal, rows.notes, source.place)
    return table, counted


class _Rows:
    """The rows of a source that meet the condition, and have a score where others are left out."""

    def __init__(self, source: Source, declaration: Declaration) -> None:
        self.source, self.declaration, self.score = source, declaration, declaration.score[0]
        self.notes: tuple[str, ...] = ()
        self._condition = None if declaration.where is None else sql_condition(declaration.where, source)

    def few_scores(self) -> bool:
        """Whether there are few different ones, roughly; a score that breaks a rule is an error as elsewhere."""
        score, kind = pl.col(self.score), self.source.columns()[self.score]
        blank = score.is_null() | score.is_nan() if kind.is_float() else score.is_null()
        facts = self.source.collect(
            lambda frame: self._chosen(frame).select(
                rows=pl.len(), kinds=score.approx_n_unique(), blank=blank.sum(), low=score.min(), high=score.max()
            )
        ).row(0, named=True)
        if not facts["rows"]:
            raise no_rows(self.declaration, self.source.name)
        self._leave_out(blank, facts["blank"], facts["rows"])
        scale = self.declaration.scale_of(0)
        low, high = (float("nan") if facts[end] is None else float(facts[end]) for end in ("low", "high"))
        inside = (scale.lowest is None or low >= scale.lowest) and (scale.highest is None or high <= scale.highest)
        if not (np.isfinite([low, high]).all() and inside) or (facts["blank"] and not self.declaration.skip_unscored):
            self._fail(~score.is_between(scale.lowest, scale.highest) if scale.lowest is not None else pl.lit(False))
        return bool(facts["kinds"] <= FEW_SCORES)

    def _leave_out(self, blank: pl.Expr, number: int, rows: int) -> None:
        """Rows without a score, where they are to be left out."""
        if not (self.declaration.skip_unscored and number):
            return
        if number == rows:
            raise InputError("no row has a score", source=self.source.name, column=self.score)
        self.notes = (without_score(number, rows),)
        self._condition = ~blank if self._condition is None else self._condition & ~blank

    def _fail(self, outside: pl.Expr) -> None:
        """Say which row it is: the first with such a score is read as a table of its own."""
        score = pl.col(self.score).cast(pl.Float64)
        bad = score.is_null() | score.is_nan() | score.is_infinite() | outside
        rows = self.source.collect(lambda frame: self._chosen(frame).filter(bad).select(ROW, self.score).head(1))
        table = SourceTable(self.source.name, rows, rows[ROW], self.source.decimal, place=self.source.place)
        checks.read_scores(table, self.score, self.declaration.scale_of(0), [])

    def _chosen(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        rows = frame.with_row_index(ROW)
        return rows if self._condition is None else rows.filter(self._condition)

    def count(self, *, in_cells: bool, cuts: Sequence[float]) -> pl.DataFrame:
        """One row for rows that are alike, in the order of the first of each; the score is the mean of its cell."""
        scored = self._cells(cuts) if in_cells else []
        lowest, highest = pl.col(self.score).min().alias(LOWEST), pl.col(self.score).max().alias(HIGHEST)
        ends = (pl.col(EDGE).first(), pl.col(OFFSET).sum(), lowest, highest)

        def build(frame: pl.LazyFrame) -> pl.LazyFrame:
            described = [*dict.fromkeys(self._plain_columns())]
            rows = self._chosen(frame).select(ROW, self.score, *described, *_text_expressions(self.declaration))
            rows = rows.unnest(MENTIONS) if self.declaration.terms else rows
            kinds = rows.collect_schema()
            flags = [name for name, kind in kinds.items() if kind == pl.Boolean]
            rest = [name for name in kinds if name not in (*flags, ROW, self.score)]
            packs = [flags[start : start + PER_PACK] for start in range(0, len(flags), PER_PACK)]
            packed = [_packed(pack).alias(f"{PACKED}{number}") for number, pack in enumerate(packs)]
            alike = [CELL if in_cells else self.score, *rest, *(f"{PACKED}{number}" for number in range(len(packs)))]
            counted = rows.select(ROW, self.score, *scored, *rest, *packed).group_by(alike)
            summed = counted.agg(pl.col(ROW).min(), pl.len().cast(pl.Int64).alias(COUNTED), *(ends if in_cells else ()))
            unpacked = [flag for number, pack in enumerate(packs) for flag in _unpacked(pack, number)]
            return summed.with_columns(unpacked).drop([name for name in alike if name.startswith(PACKED)])

        counted = self.source.collect(build).sort(ROW)
        return self._with_means(counted) if in_cells else counted.with_columns(pl.lit(False).alias(MIXED))

    def _plain_columns(self) -> list[str]:
        """All that are declared but the score and the text."""
        roles = self.declaration
        return [name for name in roles.columns if name not in (self.score, roles.text, roles.id)]

    def _cells(self, cuts: Sequence[float]) -> list[pl.Expr]:
        """The number of the cell of each score, ascending with it; its lower edge; and how far that is away."""
        value = pl.col(self.score).cast(pl.Float64)
        cut = pl.sum_horizontal([pl.lit(0), *((value >= one).cast(pl.Int64) for one in cuts[:MOST_CUTS])])
        if (unit := UNITS[self.declaration.scale_of(0).name]) is None:
            even, fine = pl.lit(0), (value * LOG_ODDS_CELLS).floor()
            edge = fine / LOG_ODDS_CELLS
        else:
            value = value / unit
            low = value < 0.5
            near = pl.when(low).then(value).otherwise(1.0 - value).clip(SMALLEST, 1.0).log()
            even, fine = (
                (value * EVEN_CELLS).floor(),
                (pl.when(low).then(near).otherwise(-near) * LOG_ODDS_CELLS).floor(),
            )
            edge = even / EVEN_CELLS
        number = (fine.cast(pl.Int64) * 2**14 + even.cast(pl.Int64)) * (MOST_CUTS + 1) + cut
        return [
            number.alias(CELL),
            edge.alias(EDGE),
            ((value - edge) * FIXED_POINT).round().cast(pl.Int64).alias(OFFSET),
        ]

    def _with_means(self, counted: pl.DataFrame) -> pl.DataFrame:
        """The mean of each cell as the score of its rows, and whether there are several scores in it."""
        unit = UNITS[self.declaration.scale_of(0).name] or 1.0
        mean = pl.col(OFFSET).sum() / FIXED_POINT / pl.col(COUNTED).sum() + pl.col(EDGE).first()
        cells = counted.group_by(CELL).agg((mean * unit).alias(self.score), pl.col(LOWEST).min(), pl.col(HIGHEST).max())
        ends = pl.col(LOWEST).cast(pl.Float64), pl.col(HIGHEST).cast(pl.Float64)
        cells = cells.select(CELL, pl.col(self.score).clip(*ends), (ends[0] < ends[1]).alias(MIXED))
        return counted.drop(EDGE, OFFSET, LOWEST, HIGHEST).join(cells, on=CELL, maintain_order="left").drop(CELL)


def _text_expressions(declaration: Declaration) -> list[pl.Expr]:
    """Of a text, whether it is short and what it mentions."""
    if not declaration.text:
        return []
    text = pl.col(declaration.text).cast(pl.String)
    short = pl.when(text.str.len_chars() < SHORT).then(0).when(text.is_not_null()).then(SHORT)
    mentions = [mentions_expression(text, declaration.terms).alias(MENTIONS)] if declaration.terms else []
    return [short.alias(LENGTH), *mentions]


def _packed(flags: Sequence[str]) -> pl.Expr:
    """Columns of yes, no and empty as one whole number."""
    digits = (pl.col(name).cast(pl.UInt64).fill_null(2) * 4**place for place, name in enumerate(flags))
    return pl.sum_horizontal(list(digits))


def _unpacked(flags: Sequence[str], number: int) -> Iterator[pl.Expr]:
    for place, name in enumerate(flags):
        digit = pl.col(f"{PACKED}{number}") // 4**place % 4
        yield pl.when(digit < 2).then(digit == 1).alias(name)


def _check_ids(source: Source, column: str) -> None:
    """Ids must be there and differ: compared as hashes, of which the equal ones are looked at."""
    hashes = source.collect(lambda frame: frame.select(pl.col(column).hash(), pl.col(column).is_null().alias(MIXED)))
    ordered = hashes[column].sort()
    repeated = ordered.filter(ordered == ordered.shift(1)).head(MOST_REPEATED)
    if not (len(repeated) or hashes[MIXED].any()):
        return
    suspects = pl.col(column).is_null() | pl.col(column).hash().is_in(repeated.implode())
    rows = source.collect(lambda frame: frame.with_row_index(ROW).filter(suspects).select(ROW, column))
    checks.check_unique(SourceTable(source.name, rows, rows[ROW], place=source.place), column)
