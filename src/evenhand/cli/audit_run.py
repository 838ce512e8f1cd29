"""The work behind `evenhand audit`, apart from its many options."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenhand.audits.request import read_terms, read_toml
from evenhand.cli.progress import progress_bar
from evenhand.errors import InputError
from evenhand.files import check_writable
from evenhand.reports import Report, audit
from evenhand.reports.papers import check_formats

OUT = Path("evenhand-report")


def run(
    data: str,
    options: Mapping[str, Any],
    *,
    audits: list[str] | None,
    query: str | None,
    compare: Path | None = None,
    tables: Sequence[str] = (),
    terms: Path | None,
    spellings: Path | None = None,
    out: Path | None,
    shown: str,
) -> None:
    """Open, audit, save, print."""
    folder = out or (OUT if shown == "table" else None)
    check_formats(tables)
    if tables and folder is None:
        raise InputError("tables are files: say where with --out")
    if folder:
        check_writable(folder)
    words: dict[str, Any] = {"terms": read_terms(terms)} if terms else {}
    words |= {"spellings": read_toml(spellings)} if spellings else {}
    with progress_bar() as progress:
        report = audit(data, audits=audits, query=query, compare=compare, progress=progress, **options, **words)
        if folder:
            report.save(folder, tables=tables, progress=progress)
    show(report, shown)
    if folder:
        print(f"\nreport: {folder / 'report.html'}", file=sys.stdout if shown == "table" else sys.stderr)


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
