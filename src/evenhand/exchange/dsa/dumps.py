"""Public dumps of the Transparency Database, counted and held against table 8 and tables 5 and 6 of a report.

The same decisions are in both, so the counts should agree. A large difference is named; so is a report whose number of
automated detections is the dump's number of others: a field that was sent inverted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from evenhand.errors import InputError
from evenhand.evidence import open_source
from evenhand.exchange.dsa import labels
from evenhand.exchange.dsa.codes import FULLY_AUTOMATED, TOTAL, VOLUNTARY, official_languages
from evenhand.exchange.dsa.filed_report import FiledTable, plain
from evenhand.exchange.dsa.labels import INDICATOR, SCOPE, VALUE
from evenhand.exchange.dsa.lint_numbers import filed_count
from evenhand.exchange.dsa.period import ReportingPeriod

DUMP_COLUMNS = ("platform_name", "application_date", "source_type", "automated_detection", "automated_decision")
LANGUAGE_COLUMN = "content_language"
MOST_DIFFERENT = 0.05  # of a count, before it is named


@dataclass(frozen=True)
class DumpCounts:
    """Statements of one platform and period: by scope of table 8, and of detections at own initiative."""

    statements: int
    solely: Mapping[str, int]
    others: Mapping[str, int]
    detected: int
    not_detected: int

    @classmethod
    def read(cls, paths: Sequence[Path], platform: str, period: ReportingPeriod) -> DumpCounts:
        """From CSV files, full or light; each is counted by itself, so that they need not fit into memory together."""
        parts = [_read_part(path, platform, period) for path in paths]
        groups = pl.concat(parts).group_by("own", "fully", "detected", "language").agg(pl.col("n").sum())
        if not groups.height:
            problem = f"no statement of '{platform}' with a date within {period}"
            raise InputError(problem, source=", ".join(map(str, paths)))
        own = groups.filter(pl.col("own"))
        scopes = {
            labels.NUMBER: groups,
            labels.OWN_INITIATIVE: own,
            **{code: groups.filter(pl.col("language") == code) for code in official_languages()},
        }
        return cls(
            _sum(groups),
            {scope: _sum(part.filter(pl.col("fully"))) for scope, part in scopes.items()},
            {scope: _sum(part.filter(~pl.col("fully"))) for scope, part in scopes.items()},
            _sum(own.filter(pl.col("detected"))),
            _sum(own.filter(~pl.col("detected"))),
        )


def _sum(groups: pl.DataFrame) -> int:
    return int(groups["n"].sum())


def _read_part(path: Path, platform: str, period: ReportingPeriod) -> pl.DataFrame:
    source = open_source(path)
    known = source.columns()
    for column in DUMP_COLUMNS:
        if column not in known:
            raise source.unknown_column(column)
    has_language = LANGUAGE_COLUMN in known
    day = pl.col("application_date").cast(pl.String).str.slice(0, 10)
    language = pl.col(LANGUAGE_COLUMN).cast(pl.String).str.to_lowercase() if has_language else pl.lit(None, pl.String)
    return source.collect(
        lambda frame: (
            frame.filter(
                (pl.col("platform_name").cast(pl.String).str.strip_chars() == platform)
                & (day >= str(period.start))
                & (day <= str(period.end))
            )
            .group_by(
                own=pl.col("source_type") == VOLUNTARY,
                fully=pl.col("automated_decision") == FULLY_AUTOMATED,
                detected=pl.col("automated_detection").cast(pl.String).str.to_lowercase() == "yes",
                language=language,
            )
            .agg(pl.len().cast(pl.Int64).alias("n"))
        )
    )


@dataclass(frozen=True)
class CountComparison:
    """One count in the report and in the dump."""

    what: str
    reported: float
    dumped: int

    @property
    def differs(self) -> bool:
        """By more than what late statements explain."""
        return abs(self.reported - self.dumped) > MOST_DIFFERENT * max(self.reported, self.dumped)

    def __str__(self) -> str:
        verdict = "differs" if self.differs else "agrees"
        return f"{verdict}: {self.what}: {self.reported:,.0f} in the report, {self.dumped:,} in the dump"


@dataclass(frozen=True)
class DumpComparison:
    """All counts that both have, and whether detection looks inverted."""

    counts: tuple[CountComparison, ...]
    inverted: bool
    notes: tuple[str, ...] = field(default=())

    @property
    def differences(self) -> int:
        """How many counts differ."""
        return sum(count.differs for count in self.counts)


def compare_with_dump(tables: Mapping[str, FiledTable], dump: DumpCounts) -> DumpComparison:
    """A filed report against the dump of the same platform and period."""
    counts = [*_table_8(tables, dump)]
    detected = _own_total(tables, labels.OWN_DETECTED)
    inverted = False
    if detected is not None:
        counts.append(CountComparison("measures at own initiative after automated detection", detected, dump.detected))
        other = CountComparison("", detected, dump.not_detected)
        inverted = counts[-1].differs and not other.differs
    if not counts:
        raise InputError("the report has no count that the dump has too")
    note = "The report's automated detections are the dump's other ones: automated_detection looks inverted in one."
    return DumpComparison(tuple(counts), inverted, (note,) if inverted else ())


def _table_8(tables: Mapping[str, FiledTable], dump: DumpCounts) -> Iterator[CountComparison]:
    table = tables.get(labels.AUTOMATED)
    for _, cells in table.rows if table else ():
        scope, number = cells.get(SCOPE, "").strip(), filed_count(cells, VALUE)
        for indicator, counted in ((labels.SOLELY, dump.solely), (labels.NOT_SOLELY, dump.others)):
            if number is not None and plain(cells.get(INDICATOR, "")) == plain(indicator) and scope in counted:
                yield CountComparison(f"{indicator}, {scope}", number, counted[scope])


def _own_total(tables: Mapping[str, FiledTable], column: str) -> float | None:
    """The totals of tables 5 and 6 together, where both have one."""
    totals = []
    for name, category in ((labels.OWN_ILLEGAL, labels.CATEGORY), (labels.OWN_TERMS, labels.TERMS_CATEGORY)):
        table = tables.get(name)
        row = next((cells for _, cells in table.rows if cells.get(category) == TOTAL), None) if table else None
        totals.append(filed_count(row, column) if row else None)
    return None if None in totals else sum(total for total in totals if total is not None)
