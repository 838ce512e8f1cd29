"""evenhand init, audit and agreement: declare the columns of a file, audit it, compare two bias findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.choices import (
    Choice,
    FileValue,
    NamesValue,
    NameValue,
    Options,
    OutputPath,
    RoleOptions,
    WholeValue,
    without_unset,
)
from evenhand.cli.options import Query, only, reads_tables, with_options
from evenhand.cli.output import Output, PrintOptions, print_lines, progress_bar
from evenhand.errors import InputError

if TYPE_CHECKING:
    from evenhand.reports import Report


@reads_tables("file")
def init(
    file: Annotated[
        str,
        typer.Argument(help="The file, a database URL with --query, or a declaration to renew.", show_default=False),
    ],
    columns: Annotated[RoleOptions, only(where="Look only at rows that meet this SQL condition, and declare it.")],
    query: Query,
    out: Annotated[OutputPath, typer.Option("--out", "-o", help="Where to write the declaration.")] = Path(
        "audit.toml"
    ),
) -> None:
    """Examine the columns of a file and write a commented TOML declaration of what each may mean."""
    from evenhand.evidence import open_source
    from evenhand.evidence.database_address import VARIABLE, declared_address
    from evenhand.evidence.draft import draft_declaration as sketch
    from evenhand.files import write_text

    is_database = "://" in file
    draft = sketch(open_source(file, query=query), file, query, beside=out, where=columns["where"])
    write_text(out, draft.text, private=is_database)
    if is_database and declared_address(file) != file:
        print_lines(f"the database URL is not in it: set the environment variable {VARIABLE} to it")
    if draft.questions:
        print_lines(f"replace the question marks in {out}: {', '.join(draft.questions)}")
    print_lines(f"wrote {out}: check it, then run: evenhand audit {out}")


def run(
    data: str | Path,
    options: Mapping[str, Any],
    output: Output,
    *,
    tables: Sequence[str] = (),
    audit: Callable[..., Report] | None = None,
    **request: Any,
) -> None:
    """Options are roles and settings; `request` goes to `audit`, by default `evenhand.audit`, as it is."""
    from evenhand.evidence.terms import read_terms
    from evenhand.files import read_toml
    from evenhand.reports import audit as audit_table
    from evenhand.reports.paper_formats import check_table_formats

    readers: dict[str, Callable[[Any], Any]] = {
        "terms": read_terms,
        "spellings": read_toml,
    }  # what a file on the command line stands for

    check_table_formats(tables)
    if tables and output.folder is None:
        raise InputError("tables are files: say where with --out")
    output.check()
    words = {name: read(options[name]) for name, read in readers.items() if options.get(name)}
    with progress_bar() as progress:
        report = (audit or audit_table)(data, progress=progress, **request, **{**options, **words})
        output.save(report, progress, tables=tables)
    output.print(report)


REPORT_FOLDER = Path("evenhand-report")
PRINT_OPTIONS = only(
    "csv",
    "png",
    out=f"Report folder ({REPORT_FOLDER}; none with --json).",
    json="Print the findings as JSON and nothing else.",
)


@with_options
def audit_file(
    file: Annotated[str, typer.Argument(help="Table (CSV, XLSX, …), database URL, or TOML file.")],
    options: Options,
    audits: Annotated[
        NamesValue,
        Choice(
            "Audits to run, comma-separated: bias, collaboration, calibration, accuracy, perspective. "
            "Default: all whose columns are named."
        ),
    ],
    query: Query,
    snapshot: Annotated[
        WholeValue, Choice("For a store of the desk: its state after the event with this number. Default: the last.")
    ],
    preset: Annotated[
        NameValue,
        Choice("Published data: civil-comments, sbic, crehate, md-agreement, hatecheck or jigsaw-wikipedia."),
    ],
    tables: Annotated[NamesValue, Choice("Also write tables for a paper: markdown, latex or both, comma-separated.")],
    compare: Annotated[FileValue, Choice("findings.json of an earlier run: also report what has changed.")],
    printed: Annotated[PrintOptions, PRINT_OPTIONS],
) -> None:
    """Audit scores and decisions: bias, review, calibration, accuracy, annotators.

    Example: evenhand audit items.csv --score p --label toxic --groups women
    """
    output = Output.from_options(printed, usual=REPORT_FOLDER)
    if preset is None and query is None and is_desk_store(file):
        request = {"audits": audits, "compare": compare, "snapshot": snapshot}
        run(file, options, output, tables=tables or (), audit=_audit_store, **request)
        return
    if snapshot is not None:
        raise InputError("`snapshot` is the number of an event in a store of the desk", source=file)
    data, declared = (file, options) if preset is None else _preset(preset, Path(file), options)
    run(data, declared, output, tables=tables or (), audits=audits, query=query, compare=compare)


def is_desk_store(file: str) -> bool:
    """Whether the argument is a store of the desk: looked at only where it is a database, and no query is named."""
    from evenhand.evidence.sqlite_reader import is_sqlite_file

    if not file.startswith(("postgres", "sqlite:")) and not is_sqlite_file(Path(file)):
        return False
    from evenhand.store.connection import is_store

    return is_store(file)


def _audit_store(data: str, **request: Any) -> Report:
    from evenhand.store import audit_store, open_store

    with open_store(data) as store:
        return audit_store(store, **request)


def _preset(name: str, path: Path, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The table of a published data set, and its roles under what the options say."""
    from evenhand.loose_values import one_or_several
    from evenhand.reproduce.corpora.presets import load_preset

    added = () if options.get("items") else one_or_several(options.get("score") or ())
    loaded = load_preset(name, path, added=added)
    return loaded.frame, {**loaded.roles, **without_unset(options)}


def agreement(
    first: Annotated[
        Path, typer.Argument(help="findings.json of one bias audit, such as of real data.", show_default=False)
    ],
    second: Annotated[
        Path, typer.Argument(help="findings.json of another, such as of template data.", show_default=False)
    ],
    json: Annotated[bool, typer.Option("--json", help="Print the finding as JSON and nothing else.")] = False,
) -> None:
    """Compare two bias findings: do they rank the groups alike, and which groups are among the worst in both?"""
    from evenhand.cli.output import show
    from evenhand.comparison.rankings import agreement as compare
    from evenhand.reports import Report, load

    findings = [load(path, audit="bias") for path in (first, second)]
    show(Report((compare(*findings),)), "json" if json else "table")
