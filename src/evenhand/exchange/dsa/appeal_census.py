"""Complaints and disputes of a period with their outcomes, counted from a table of all of them: table 7."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from evenhand.evidence import TableSource
from evenhand.exchange.dsa import labels
from evenhand.exchange.dsa.census import in_period, median_hours
from evenhand.exchange.dsa.draft_report import DraftReport, count_cell
from evenhand.exchange.dsa.labels import NUMBER
from evenhand.exchange.dsa.period import ReportingPeriod
from evenhand.exchange.records import RecordTable

APPEAL_COLUMNS = ("appeal_id", "submitted_at", "about")
APPEAL_OPTIONAL = ("channel", "outcome", "decided_at", "new_restriction", "implemented")
APPEAL_OUTCOMES = {
    "upheld": labels.UPHELD,
    "partially_reversed": labels.PARTLY,
    "reversed": labels.REVERSED,
    "omitted": labels.OMITTED,
}
CHANNELS = ("internal", "out_of_court")


@dataclass(frozen=True)
class AppealCensus:
    """All complaints and disputes of a period, a row each."""

    frame: pl.DataFrame
    outside: int

    @classmethod
    def read(cls, source: TableSource, period: ReportingPeriod) -> AppealCensus:
        """From a table of appeals; those that are not decided yet have no outcome."""
        table = RecordTable.read(source, APPEAL_COLUMNS, APPEAL_OPTIONAL)
        table.check_complete("appeal_id", "about")
        table.check_unique("appeal_id")
        table.check_words("about", labels.COMPLAINT_SUBJECTS)
        table.check_words("outcome", APPEAL_OUTCOMES)
        table.check_words("channel", CHANNELS)
        inside = in_period(table, "submitted_at", period)
        table = table.only(inside)
        frame = table.frame.select("about").with_columns(
            table.text("channel").fill_null(CHANNELS[0]).alias("channel"),
            table.text("outcome").alias("outcome"),
            table.moments("submitted_at").alias("start"),
            table.moments("decided_at").alias("stop"),
            table.yes("new_restriction", default=False).alias("new"),
            table.yes("implemented", default=False).alias("implemented"),
        )
        return cls(frame, int((~inside).sum()))

    def fill(self, report: DraftReport) -> None:
        """The first two sections of table 7."""
        internal, outside = (self.frame.filter(pl.col("channel") == channel) for channel in CHANNELS)
        _fill_outcomes(report, labels.ALL_COMPLAINTS, internal)
        report.fill(labels.APPEALS, labels.NEW_RESTRICTIONS, NUMBER, count_cell(int(internal["new"].sum())))
        for about, indicator in labels.COMPLAINT_SUBJECTS.items():
            _fill_outcomes(report, indicator, internal.filter(pl.col("about") == about))
        _fill_outcomes(report, labels.ALL_DISPUTES, outside)
        decided = outside.filter(pl.col("outcome").is_not_null())
        share = 100.0 * float(decided["implemented"].mean()) if decided.height else None  # type: ignore[arg-type]
        report.fill(labels.APPEALS, labels.ALL_DISPUTES, labels.IMPLEMENTED, count_cell(share))


def _fill_outcomes(report: DraftReport, indicator: str, frame: pl.DataFrame) -> None:
    numbers: Sequence[tuple[str, float | int | None]] = (
        (NUMBER, frame.height),
        *((scope, int((frame["outcome"] == word).sum())) for word, scope in APPEAL_OUTCOMES.items()),
        (labels.MEDIAN_TIME, median_hours(frame)),
    )
    for scope, number in numbers:
        report.fill(labels.APPEALS, indicator, scope, count_cell(number))
