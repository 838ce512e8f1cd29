"""evenhand annotations: read exports of annotation tools as a table of labels, and write tasks for Label Studio."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.choices import Choice, NameValue, OutputPath
from evenhand.cli.help import CommandGroup
from evenhand.cli.options import option, reads_tables
from evenhand.cli.output import print_lines


@reads_tables()
def read(
    files: Annotated[list[Path], typer.Argument(help="Exports of the tool: JSON, or JSON lines.", show_default=False)],
    tool: Annotated[str, option("The tool: label-studio, argilla, doccano or prodigy.", "--from", metavar="NAME")],
    out: Annotated[OutputPath, option("The table to write: .csv, .parquet, …", "--out", "-o")],
    label: Annotated[NameValue, Choice("Name of the question or choices, if there are several.")],
) -> None:
    """Read an export as a table with a row for each answer: item, text, annotator, label, skipped, gold, lead time.

    Example: evenhand annotations read export.json --from label-studio -o labels.csv
    """
    from evenhand.evidence.formats import check_output_file, write_table
    from evenhand.exchange.annotation_tools import annotation_table, read_tool_files
    from evenhand.formatting import format_count

    check_output_file(out)
    items = read_tool_files(files, tool, label=label)
    write_table(annotation_table(items).lazy(), out)
    answers = sum(len(item.annotations) for item in items)
    people = {one.annotator for item in items for one in item.annotations}
    print_lines(
        f"{out}: {format_count(answers, 'answer')} by {format_count(len(people), 'annotator')} "
        f"on {format_count(len(items), 'item')}.",
        f"next: evenhand audit {out} --audits perspective --item item --annotator annotator --label label",
    )


@reads_tables()
def write(
    table: Annotated[
        Path, typer.Argument(help="Table with columns item, text and, if known, the others.", show_default=False)
    ],
    out: Annotated[OutputPath, option("The tasks to write, as .json.", "--out", "-o")],
) -> None:
    """Write tasks for Label Studio, with annotations and predictions where the table has them."""
    from evenhand.errors import InputError
    from evenhand.evidence import open_source
    from evenhand.exchange.annotation_tools import write_tasks
    from evenhand.exchange.annotation_tools.items import TABLE_COLUMNS, items_from_table
    from evenhand.formatting import format_count

    if out.suffix.lower() != ".json":
        raise InputError("the output must end in .json", source=str(out))
    source = open_source(table)
    known = [name for name in TABLE_COLUMNS if name in source.columns()]
    items = items_from_table(source.collect(lambda frame: frame.select(known)), source.name)
    write_tasks(items, out)
    print_lines(f"{out}: {format_count(len(items), 'task')} for Label Studio.")


app = CommandGroup(help="Exchange annotations with Label Studio, Argilla, doccano and Prodigy.", no_args_is_help=True)
app.command("read")(read)
app.command("write")(write)
