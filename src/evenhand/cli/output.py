"""Where the answer of a command goes: printed as tables, JSON or CSV, and into a folder as a report."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from evenhand.choices import Choice, File, Flag
from evenhand.errors import InputError

if TYPE_CHECKING:
    from evenhand.reports import Report


Json = Annotated[Flag, Choice("Print the finding as JSON and nothing else.")]
Folder = Annotated[File, Choice("Folder for a report; none unless given.", flags=("--out", "-o"))]


class Printed(TypedDict):
    """The options that say it."""

    out: Folder
    json: Json
    csv: Annotated[Flag, Choice("Print the estimates as CSV and nothing else.")]


@dataclass(frozen=True)
class Output:
    """What is printed (table, json or csv), and the folder for a report, where there is to be one."""

    shown: str = "table"
    folder: Path | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any], *, usual: Path) -> Output:
        """From the options; a report that nobody named a folder for goes into the usual one, beside tables only."""
        if given["json"] and given["csv"]:
            raise InputError("--json and --csv both print to the same place: choose one")
        shown = "json" if given["json"] else "csv" if given["csv"] else "table"
        return cls(shown, given["out"] or (usual if shown == "table" else None))

    def check(self) -> None:
        """Before the work: can the folder be written to?"""
        from evenhand.files import check_writable

        if self.folder:
            check_writable(self.folder)

    def print(self, report: Report) -> None:
        """The answer, and where the report is that was saved."""
        show(report, self.shown)
        if self.folder:
            beside = sys.stdout if self.shown == "table" else sys.stderr
            print(f"\nreport: {self.folder / 'report.html'}", file=beside)


def show(report: Report, shown: str) -> None:
    """Print a report as JSON, CSV or tables."""
    if shown == "json":
        sys.stdout.write(report.json())
    elif shown == "csv":
        sys.stdout.write(report.csv())
    else:
        from rich.console import Console

        from evenhand.reports.terminal import show as show_tables

        show_tables(report.findings, Console())
