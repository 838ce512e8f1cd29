"""The harmonised report of a service and period: filled from a study and a census, and written as CSV and XLSX."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from evenhand.errors import InputError
from evenhand.evidence import TableSource
from evenhand.exchange.dsa import labels
from evenhand.exchange.dsa.appeal_census import AppealCensus
from evenhand.exchange.dsa.automated_means import RATE_MEASURES, AutomatedMeans
from evenhand.exchange.dsa.census import DecisionCensus
from evenhand.exchange.dsa.draft_report import Cell, DraftReport
from evenhand.exchange.dsa.labels import Provider
from evenhand.exchange.dsa.notice_census import NoticeCensus
from evenhand.exchange.dsa.period import ReportingPeriod
from evenhand.exchange.dsa.qualitative import rate_of_error_text
from evenhand.exchange.dsa.template import report_template
from evenhand.exchange.records import RecordTable
from evenhand.output_folder import FolderContents, staged_folder
from evenhand.visible_text import spreadsheet_text

WORKBOOK = "report.xlsx"
REPORT_FILES = FolderContents((*(f"{name}.csv" for name in report_template()), WORKBOOK))
MOST_DIFFERENT = 0.05  # of the automated measures that a sample stands for, from those that were counted
LONGEST_CELL = 32_000  # characters that a workbook takes
VALUE_COLUMNS, VALUE_OPTIONAL = ("table", "indicator", "value"), ("scope", "context")


@dataclass(frozen=True)
class Identification:
    """Table 1: who reports, and when."""

    name: str = ""
    published: str = ""
    previous: str = ""

    def __post_init__(self) -> None:
        for name, text in (("published", self.published), ("previous", self.previous)):
            try:
                datetime.date.fromisoformat(text or "2026-01-01")
            except ValueError:
                raise InputError(f"invalid `{name}`: '{text}' (must be a date such as 2026-08-28)") from None


@dataclass(frozen=True)
class CensusFiles:
    """Tables of all decisions, notices and appeals, and of figures that are counted elsewhere."""

    decisions: TableSource | None = None
    notices: TableSource | None = None
    appeals: TableSource | None = None
    values: TableSource | None = None

    def replaced(self, other: CensusFiles) -> CensusFiles:
        """With the tables that the other one has."""
        tables = {entry.name: getattr(other, entry.name) for entry in fields(other)}
        return replace(self, **{name: table for name, table in tables.items() if table is not None})


@dataclass(frozen=True)
class TransparencyReport:
    """A filled report: its tables, and notes for whoever made it."""

    draft: DraftReport
    notes: Sequence[str] = field(default=())

    def rows(self, table: str) -> list[list[str]]:
        """The cells of a table, its header first."""
        columns = report_template()[table].columns
        return [list(columns), *([row[name] for name in columns] for row in self.draft.tables[table])]

    def csv(self, table: str) -> str:
        """A table as comma-separated text in which a spreadsheet runs nothing."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\r\n")
        writer.writerows([_cell_text(value) for value in row] for row in self.rows(table))
        return text.getvalue()

    def save(self, folder: Path) -> None:
        """All tables and the workbook, or nothing."""
        content = self._workbook(folder / WORKBOOK)
        with staged_folder(folder, REPORT_FILES) as staging:
            for table in report_template():
                (staging / f"{table}.csv").write_bytes(self.csv(table).encode())
            (staging / WORKBOOK).write_bytes(content)

    def summary(self) -> dict[str, Any]:
        """How many cells of table 8 have a value, and the notes."""
        rows = self.draft.tables[labels.AUTOMATED]
        rates = [row for row in rows if row[labels.INDICATOR] in RATE_MEASURES]
        return {
            "provider": self.draft.provider.value,
            "service": self.draft.service,
            "period": str(self.draft.period),
            "rates": len(rates),
            "rates_with_value": sum(bool(row[labels.VALUE]) for row in rates),
            "notes": list(self.notes),
        }

    def _workbook(self, out: Path) -> bytes:
        try:
            import xlsxwriter  # type: ignore[import-untyped]
        except ImportError:
            problem = "XLSX support is not installed: pip install 'evenhand[xlsx]'"
            raise InputError(problem, source=str(out)) from None
        content = io.BytesIO()
        plain = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False, "in_memory": True}
        with xlsxwriter.Workbook(content, plain) as book:
            book.set_properties({"created": datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)})  # the same bytes again
            bold = book.add_format({"bold": True})
            for table in report_template():
                page = book.add_worksheet(table)
                for number, row in enumerate(self.rows(table)):
                    for place, value in enumerate(row):
                        page.write_string(number, place, _cell_text(value)[:LONGEST_CELL], *([] if number else [bold]))
                page.freeze_panes(1, 0)
        return content.getvalue()


def _cell_text(value: str) -> str:
    """What a spreadsheet may show; our own numbers are left as they are."""
    return spreadsheet_text(" ".join(value.split()))


def make_report(
    provider: Provider,
    service: str,
    period: ReportingPeriod,
    *,
    means: AutomatedMeans,
    census: CensusFiles | None = None,
    identification: Identification | None = None,
    notes: Sequence[str] = (),
) -> TransparencyReport:
    """Fill all that can be filled; everything else stays empty, with the reason where a value was to be expected."""
    files, identity = census or CensusFiles(), identification or Identification()
    draft = DraftReport.empty(provider, service, period)
    _identify(draft, identity)
    notices = [*notes]
    notices += [] if period.is_usual(provider) else [f"{period} is not a usual period for this kind of provider."]
    decisions = None if files.decisions is None else DecisionCensus.read(files.decisions, period)
    counted: Mapping[str, DecisionCensus | NoticeCensus | AppealCensus | None] = {
        "decisions": decisions,
        "notices": None if files.notices is None else NoticeCensus.read(files.notices, period),
        "appeals": None if files.appeals is None else AppealCensus.read(files.appeals, period),
    }
    for name, one in counted.items():
        if one is not None:
            one.fill(draft)
            notices += [f"{one.outside:,} {name} lie outside the period and were not counted."] if one.outside else []
    notices += _population_note(decisions, means)
    means.fill(draft, only_own=decisions.only_own_automation if decisions else None)
    draft.fill(labels.QUALITATIVE, labels.RATE_TEXT, None, Cell(rate_of_error_text(draft, means)))
    if files.values is not None:
        _fill_values(draft, files.values)
    return TransparencyReport(draft, tuple(notices))


def _population_note(decisions: DecisionCensus | None, means: AutomatedMeans) -> list[str]:
    """The labelled sample stands for so many automated measures; all of them were counted too."""
    if decisions is None or means.study is None:
        return []
    represented, counted = means.study.automated_items, decisions.fully_automated
    if represented is None or abs(represented - counted) <= MOST_DIFFERENT * max(represented, counted):
        return []
    return [
        f"The labelled sample represents {represented:,.0f} measures taken solely by automated means, and the table of "
        f"decisions has {counted:,}: check that both are of the same content and period."
    ]


def _identify(draft: DraftReport, identity: Identification) -> None:
    for indicator, value in (
        (labels.PROVIDER_NAME, identity.name),
        (labels.PUBLISHED, identity.published),
        (labels.PREVIOUS, identity.previous),
        (labels.STARTS, str(draft.period.start)),
        (labels.ENDS, str(draft.period.end)),
    ):
        draft.fill(labels.IDENTIFICATION, indicator, None, Cell(value))


def _fill_values(draft: DraftReport, values: TableSource) -> None:
    """Figures and texts that are counted or written elsewhere: moderators, recipients, suspensions, table 11."""
    table = RecordTable.read(values, VALUE_COLUMNS, VALUE_OPTIONAL)
    table.check_complete("table", "indicator")
    for number, row in enumerate(_records(table), start=1):
        try:
            cell = Cell(row["value"] or "", row.get("context") or "")
            draft.fill_named(row["table"] or "", row["indicator"] or "", row.get("scope"), cell)
        except InputError as error:
            place = {"source": table.source, "column": error.column, "row": number}
            raise InputError(error.fault, remedy=error.remedy, **place) from None  # type: ignore[arg-type]


def _records(table: RecordTable) -> Iterator[dict[str, str | None]]:
    yield from table.frame.iter_rows(named=True)
