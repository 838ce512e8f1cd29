"""The work behind `evenhand audit` and `evenhand demo`: open, audit, save, print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evenhand.audits.request import read_terms, read_toml
from evenhand.cli.output import Output
from evenhand.cli.progress import progress_bar
from evenhand.errors import InputError
from evenhand.reports import audit
from evenhand.reports.papers import check_formats

FILES = {"terms": read_terms, "spellings": read_toml}  # what a file on the command line stands for


def run(data: str, options: Mapping[str, Any], output: Output, *, tables: Sequence[str] = (), **asked: Any) -> None:
    """Options are roles and settings; what else is asked of `evenhand.audit` is handed on."""
    check_formats(tables)
    if tables and output.folder is None:
        raise InputError("tables are files: say where with --out")
    output.check()
    words = {name: read(options[name]) for name, read in FILES.items() if options.get(name)}
    with progress_bar() as progress:
        report = audit(data, progress=progress, **asked, **{**options, **words})
        if output.folder:
            report.save(output.folder, tables=tables, progress=progress)
    output.print(report)
