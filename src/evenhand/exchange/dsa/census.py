"""Measures of a period, counted from a table of all decisions: tables 5 and 6, and the counts of table 8.

A table has one row for each decision, with the fields of its statement of reasons. Rows outside the period are left
out, and the number of them is kept; notices and appeals, which are counted in the same way, have modules of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from evenhand.evidence import TableSource
from evenhand.exchange.dsa import labels
from evenhand.exchange.dsa.codes import (
    FULLY_AUTOMATED,
    ILLEGAL,
    INCOMPATIBLE,
    NOT_SPECIFIED_NOTICE,
    NOT_SPECIFIED_ORDER,
    OTHER_TERMS,
    PARTIALLY_AUTOMATED,
    TOTAL,
    VOLUNTARY,
    codes,
    official_languages,
    statement_categories,
)
from evenhand.exchange.dsa.draft_report import DraftReport, count_cell
from evenhand.exchange.dsa.labels import AUTOMATED, NUMBER
from evenhand.exchange.dsa.period import ReportingPeriod
from evenhand.exchange.records import RecordTable

RESTRICTION_COLUMNS = {
    "decision_visibility": "visibility",
    "decision_monetary": "monetary",
    "decision_provision": "provision",
    "decision_account": "account",
}
CODE_COLUMNS = {  # columns, and the kind of their codes
    "decision_ground": "grounds",
    "source_type": "sources",
    "automated_decision": "automated_decisions",
    **RESTRICTION_COLUMNS,
    "category_specification": "keywords",
}
DECISION_COLUMNS = (
    *("puid", "application_date", "decision_ground", "category", "source_type"),
    *("automated_detection", "automated_decision"),
)
PARTLY_AUTOMATED_NOTE = "Includes {:,} measures taken partly by automated means."


def in_period(table: RecordTable, column: str, period: ReportingPeriod) -> pl.Series:
    """Which rows have a date within the period; every row needs one."""
    table.check_complete(column)
    day = table.moments(column).dt.date()
    return (day >= period.start) & (day <= period.end)


def median_hours(frame: pl.DataFrame) -> float | None:
    """From `start` to `stop`, where both are known."""
    hours = (frame["stop"] - frame["start"]).dt.total_seconds() / 3600.0
    return None if not hours.drop_nulls().len() else float(hours.median())  # type: ignore[arg-type]


@dataclass(frozen=True)
class DecisionCensus:
    """All measures of a period, a row each."""

    frame: pl.DataFrame
    outside: int

    @classmethod
    def read(cls, source: TableSource, period: ReportingPeriod) -> DecisionCensus:
        """From a table with the fields of statements of reasons."""
        optional = (*RESTRICTION_COLUMNS, "category_specification", "content_language")
        table = RecordTable.read(source, DECISION_COLUMNS, optional)
        table.check_complete(*DECISION_COLUMNS)
        table.check_unique("puid")
        table.check_words("category", statement_categories())
        for column, kind in CODE_COLUMNS.items():
            table.check_words(column, codes(kind))
        inside = in_period(table, "application_date", period)
        table = table.only(inside)
        restrictions = pl.DataFrame([table.codes(column) for column in RESTRICTION_COLUMNS])
        frame = table.frame.select(
            pl.col("decision_ground").alias("ground"),
            "category",
            (pl.col("source_type") == VOLUNTARY).alias("own"),
            pl.col("automated_decision").alias("automation"),
        ).with_columns(
            table.codes("category_specification").alias("keywords"),
            table.yes("automated_detection").alias("detected"),
            restrictions.select(pl.concat_list(*RESTRICTION_COLUMNS).alias("restrictions"))["restrictions"],
            table.text("content_language").str.to_lowercase().alias("language"),
        )
        return cls(frame, int((~inside).sum()))

    @property
    def fully_automated(self) -> int:
        """How many measures were taken solely by automated means."""
        return self.frame.filter(pl.col("automation") == FULLY_AUTOMATED).height

    @property
    def only_own_automation(self) -> bool:
        """Whether no measure after a notice was taken solely by automated means."""
        return bool(self.frame.filter(pl.col("automation") == FULLY_AUTOMATED)["own"].all())

    def fill(self, report: DraftReport) -> None:
        """Tables 5 and 6, and the counts of table 8."""
        own = self.frame.filter(pl.col("own"))
        for name, ground in ((labels.OWN_ILLEGAL, ILLEGAL), (labels.OWN_TERMS, INCOMPATIBLE)):
            _fill_initiative(report, name, own.filter(pl.col("ground") == ground))
        for scope, part in self._scopes(own):
            fully = part.filter(pl.col("automation") == FULLY_AUTOMATED).height
            partly = part.filter(pl.col("automation") == PARTIALLY_AUTOMATED).height
            report.fill(AUTOMATED, labels.SOLELY, scope, count_cell(fully))
            note = PARTLY_AUTOMATED_NOTE.format(partly) if partly else ""
            report.fill(AUTOMATED, labels.NOT_SOLELY, scope, count_cell(part.height - fully, note))

    def _scopes(self, own: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
        yield NUMBER, self.frame
        yield labels.OWN_INITIATIVE, own
        if self.frame["language"].is_not_null().any():
            yield from ((code, self.frame.filter(pl.col("language") == code)) for code in official_languages())


def _fill_initiative(report: DraftReport, table: str, frame: pl.DataFrame) -> None:
    left_out = (NOT_SPECIFIED_ORDER, NOT_SPECIFIED_NOTICE, *([OTHER_TERMS] if table == labels.OWN_ILLEGAL else []))
    counted = {
        column: pl.col("restrictions").list.eval(pl.element().is_in(list(codes_))).list.any().sum().alias(column)
        for column, codes_ in labels.RESTRICTIONS.items()
    }
    sums = [pl.len().alias(labels.OWN_MEASURES), pl.col("detected").sum().alias(labels.OWN_DETECTED), *counted.values()]
    counts = _by_category(frame, sums)
    for code, parent, row in report.category_rows(table, *left_out):
        measures = counts.get((code, parent), {})
        row |= {column: str(measures.get(column, 0)) for column in labels.INITIATIVE_MEASURES}


def _by_category(frame: pl.DataFrame, sums: Sequence[pl.Expr]) -> dict[tuple[str, str], dict[str, int]]:
    """The sums of everything, of each category, and of each keyword within one."""
    keywords = frame.with_columns(code=pl.col("keywords").list.unique()).explode("code").drop_nulls("code")
    parts = (
        frame.with_columns(code=pl.lit(TOTAL), parent=pl.lit(TOTAL)),
        frame.with_columns(code=pl.col("category"), parent=pl.col("category")),
        keywords.with_columns(parent=pl.col("category")),
    )
    rows = (row for part in parts for row in part.group_by("code", "parent").agg(*sums).iter_rows(named=True))
    return {(row.pop("code"), row.pop("parent")): row for row in rows}
