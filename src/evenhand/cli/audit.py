"""evenhand audit: from a file to a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.choices import Choice, File, Names, Options
from evenhand.cli.options import Query, only, with_options
from evenhand.cli.output import Output, Printed

OUT = Path("evenhand-report")
HERE = only(
    "csv",
    out=f"Folder for the report and its data. Default: {OUT}; none with --json or --csv.",
    json="Print the findings as JSON and nothing else.",
)


@with_options
def audit(
    file: Annotated[
        str, typer.Argument(help="CSV, TSV, Parquet, JSONL, Arrow, XLSX, a database URL, or a TOML declaration.")
    ],
    audits: Annotated[
        Names, Choice("Which audits, by commas. Default: bias if groups are declared, perspective if annotators are.")
    ],
    options: Options,
    query: Query,
    tables: Annotated[
        Names, Choice("Also write every table for a paper into the folder: markdown, latex or both, by commas.")
    ],
    compare: Annotated[File, Choice("The findings.json of an earlier run: also say what has changed since.")],
    printed: Annotated[Printed, HERE],
) -> None:
    """Audit scores and decisions: how groups fare, what people and model achieve, how honest and accurate they are."""
    from evenhand.cli.audit_run import run

    output = Output.of(printed, usual=OUT)
    run(file, options, output, tables=tables or (), audits=audits, query=query, compare=compare)
