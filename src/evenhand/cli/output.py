"""Where the answer of a command goes: tables, JSON or CSV printed, a report in a folder; and the progress bar."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO, TypedDict

from evenhand.choices import Choice, FlagValue, OutputFolder
from evenhand.errors import InputError
from evenhand.progress import Progress, silent
from evenhand.visible_text import visible, visible_json

if TYPE_CHECKING:
    from evenhand.reports import Report


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A function that moves the bar; the bar disappears when the work is done."""
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks = {"reading": bar.add_task("reading", total=None)}

        def move(what: str, done: int, of: int) -> None:
            if what not in tasks:
                for task in tasks.values():
                    bar.update(task, visible=False)
                tasks[what] = bar.add_task(visible(what), total=of)
            bar.update(tasks[what], completed=done, total=of)

        yield move


def print_lines(*lines: str, file: TextIO | None = None) -> None:
    """Sentences for a person: nothing of them is invisible or moves the cursor, and settings are named as options."""
    from evenhand.cli.main import name_options

    for line in lines:
        print(visible(name_options(line) if "`" in line else line), file=file)


def print_answer(record: Mapping[str, Any], lines: Iterable[str], *, as_json: bool | None) -> None:
    """An answer as JSON or in sentences."""
    if as_json:
        print(visible_json(record, indent=1))
    else:
        print_lines(*lines)


Json = Annotated[FlagValue, Choice("Print the finding as JSON and nothing else.")]
ReportFolder = Annotated[OutputFolder, Choice("Folder for a report. Default: none.", flags=("--out", "-o"))]


Png = Annotated[FlagValue, Choice("Also write the figures of the report as PNG.")]


class PrintOptions(TypedDict):
    """The options that say it."""

    out: ReportFolder
    json: Json
    csv: Annotated[FlagValue, Choice("Print the estimates as CSV and nothing else.")]
    png: Png


@dataclass(frozen=True)
class Output:
    """What is printed (table, json or csv), and the folder for a report, where there is to be one, also with PNGs."""

    shown: str = "table"
    folder: Path | None = None
    png: bool = False

    @classmethod
    def from_options(cls, options: Mapping[str, Any], *, usual: Path) -> Output:
        """From the options; a report that nobody named a folder for goes into the usual one, beside tables only."""
        if options["json"] and options["csv"]:
            raise InputError("--json and --csv both print to the same place: choose one")
        shown = "json" if options["json"] else "csv" if options["csv"] else "table"
        return cls(shown, options["out"] or (usual if shown == "table" else None), bool(options["png"]))

    def check(self) -> None:
        """Before the work: can the folder be written to?"""
        check_report_folder(self.folder)

    def save(self, report: Report, progress: Progress, *, tables: Sequence[str] = ()) -> None:
        """Write the report, where there is to be one."""
        if self.folder:
            report.save(self.folder, tables=tables, png=self.png, progress=progress)

    def print(self, report: Report) -> None:
        """The answer, and where the report is that was saved."""
        show(report, self.shown)
        if self.shown == "table" and report.not_run:
            print_lines("", f"not run: {'; '.join(f'{name} ({why})' for name, why in report.not_run.items())}")
        if self.folder:
            beside = sys.stdout if self.shown == "table" else sys.stderr
            print_lines("", f"report: {self.folder / 'report.html'}", file=beside)


def check_report_folder(folder: Path | None) -> None:
    """Before the work: can a report be saved there, if it is to be?"""
    from evenhand.output_folder import check_folder_writable
    from evenhand.reports.report import REPORT_CONTENTS

    if folder:
        check_folder_writable(folder, REPORT_CONTENTS)


def print_headline(report: Report) -> None:
    """The first verdict of each finding, before its tables."""
    for finding in report.findings:
        for verdict in finding.verdicts:
            named = ", ".join(verdict.slice.values())
            print_lines(f"{named}: {verdict.statement}" if named else verdict.statement)
            print_lines(*(text for text in (verdict.certainty,) if text))


def show(report: Report, shown: str) -> None:
    """Print a report as JSON, CSV or tables."""
    if shown == "json":
        sys.stdout.write(report.json())
    elif shown == "csv":
        sys.stdout.write(report.csv())
    else:
        from rich.console import Console

        from evenhand.cli.main import name_options
        from evenhand.reports.terminal import print_findings

        console = Console()
        with console.capture() as printed:
            print_findings(report.findings, console)
        sys.stdout.write(name_options(printed.get()))
