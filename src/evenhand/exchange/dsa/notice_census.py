"""Notices of a period, counted from a table of all of them: table 4, and the notices of table 8."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from evenhand.evidence import TableSource
from evenhand.exchange.dsa import labels
from evenhand.exchange.dsa.census import in_period, median_hours
from evenhand.exchange.dsa.codes import NOT_SPECIFIED_ORDER, OTHER_TERMS, TOTAL, codes, report_categories
from evenhand.exchange.dsa.draft_report import DraftReport, count_cell
from evenhand.exchange.dsa.labels import AUTOMATED
from evenhand.exchange.dsa.period import ReportingPeriod
from evenhand.exchange.records import RecordTable

NOTICE_COLUMNS = ("notice_id", "received_at", "category")
NOTICE_OPTIONAL = ("keyword", "trusted_flagger", "items", "acted_at", "action", "automated")
ACTIONS = ("law", "terms", "none")
NOTICE_FIGURES: tuple[Callable[[pl.DataFrame], float | int | None], ...] = (
    # of all notices and of those of trusted flaggers, in the order of the table
    lambda part: part.height,
    lambda part: int(part["items"].sum()),
    median_hours,
    lambda part: int((part["action"] == "law").sum()),
    lambda part: int((part["action"] == "terms").sum()),
)


@dataclass(frozen=True)
class NoticeCensus:
    """All notices of a period, a row each."""

    frame: pl.DataFrame
    outside: int

    @classmethod
    def read(cls, source: TableSource, period: ReportingPeriod) -> NoticeCensus:
        """From a table of notices; `action` is law, terms or none, `automated` whether no person was involved."""
        table = RecordTable.read(source, NOTICE_COLUMNS, NOTICE_OPTIONAL)
        table.check_complete("notice_id", "category")
        table.check_unique("notice_id")
        table.check_words("category", {category.code for category in report_categories()} - {NOT_SPECIFIED_ORDER})
        table.check_words("keyword", codes("keywords"))
        table.check_words("action", ACTIONS)
        inside = in_period(table, "received_at", period)
        table = table.only(inside)
        frame = table.frame.select("category").with_columns(
            table.codes("keyword").alias("keywords"),
            table.yes("trusted_flagger", default=False).alias("flagged"),
            table.wholes("items", 1).alias("items"),
            table.moments("received_at").alias("start"),
            table.moments("acted_at").alias("stop"),
            table.text("action").alias("action"),
            table.yes("automated", default=False).alias("automated"),
            pl.lit(table.has("automated")).alias("automation_known"),
        )
        return cls(frame, int((~inside).sum()))

    def fill(self, report: DraftReport) -> None:
        """Table 4, and the notices of table 8."""
        for code, parent, row in report.category_rows(labels.NOTICES, OTHER_TERMS, NOT_SPECIFIED_ORDER):
            part = _of_category(self.frame, code, parent)
            flagged = part.filter(pl.col("flagged"))
            pairs = [(count, count(part), count(flagged)) for count in NOTICE_FIGURES]
            values = [value for _, everyone, of_flaggers in pairs for value in (everyone, of_flaggers)]
            row |= {name: count_cell(value).value for name, value in zip(labels.NOTICE_MEASURES, values, strict=True)}
        if not self.frame["automation_known"].any():
            return
        for scope, part in ((labels.NAM, self.frame), (labels.NAM_FLAGGED, self.frame.filter(pl.col("flagged")))):
            alone = int(part["automated"].sum())
            report.fill(AUTOMATED, labels.NOTICES_SOLELY, scope, count_cell(alone))
            report.fill(AUTOMATED, labels.NOTICES_NOT, scope, count_cell(part.height - alone))


def _of_category(frame: pl.DataFrame, code: str, parent: str) -> pl.DataFrame:
    """The rows of a category, or of a keyword within one."""
    if code == TOTAL:
        return frame
    part = frame.filter(pl.col("category") == parent)
    return part if code == parent else part.filter(pl.col("keywords").list.contains(code))
