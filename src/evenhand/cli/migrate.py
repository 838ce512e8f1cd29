"""evenhand migrate perspective: thresholds of a new model that stand for those of Perspective."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from evenhand.choices import MigrationOptions, RoleOptions, ScoreOptions, SettingOptions
from evenhand.cli.help import CommandGroup
from evenhand.cli.options import Query, only, reads_tables
from evenhand.cli.output import Output, PrintOptions

app = CommandGroup(
    help="Move from another service: find the thresholds of the new model, and what changes for whom.",
    no_args_is_help=True,
)
REPORT_FOLDER = Path("evenhand-migration")
LOG_ROLES = only(
    *(
        "scale",
        "label",
        "positive",
        "label_threshold",
        "groups",
        "group_by",
        "terms",
        "group_threshold",
        "slices",
        "skip_unscored",
        "where",
    ),
    text="Text column, for --model and --terms. Default for --model: a common name such as text.",
)
FOLDER_HELP = f"Folder for the report and the thresholds. Default: {REPORT_FOLDER}; none with --json or --csv."


@app.callback()
def _group() -> None:
    """So that a group of one command is a group."""


@app.command("perspective")
@reads_tables("log")
def perspective(
    log: Annotated[
        str,
        typer.Argument(
            help="Old scores with texts or new scores: a table, JSONL of stored responses, or a database URL.",
            show_default=False,
        ),
    ],
    scores: ScoreOptions,
    columns: Annotated[RoleOptions, LOG_ROLES],
    query: Query,
    judged: MigrationOptions,
    shared: Annotated[SettingOptions, only("level", "seed", "smallest_group")],
    printed: Annotated[PrintOptions, only("json", "csv", "png", out=FOLDER_HELP)],
) -> None:
    """Move from Perspective: new thresholds for the old ones, with intervals, and what changes for whom."""
    from evenhand.cli.output import progress_bar
    from evenhand.evidence.terms import read_terms
    from evenhand.reports import migrate_perspective

    output = Output.from_options(printed, usual=REPORT_FOLDER)
    output.check()
    options: dict[str, Any] = {**scores, **columns, **judged, **shared}
    if options["terms"]:
        options["terms"] = read_terms(options["terms"])
    with progress_bar() as progress:
        report = migrate_perspective(log, query=query, progress=progress, **options)
        output.save(report, progress)
    output.print(report)
