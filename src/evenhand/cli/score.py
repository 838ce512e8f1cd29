"""evenhand score: ask a model about every text of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypedDict

import typer

from evenhand.choices import Choice, Flag, Text, given
from evenhand.cli.options import Query, option, with_options


class Asking(TypedDict):
    """How the model is asked, and what the columns are called."""

    text: Annotated[Text, Choice("Text column. Found by its name if it has a usual one.")]
    prefix: Annotated[Text, Choice("Put this before the names of the new columns.")]
    query: Query
    device: Annotated[Text, Choice("Of an encoder: cuda or cpu. Default: a card if there is one.")]
    download: Annotated[Flag, Choice("Fetch a preset from the Hugging Face hub.")]


@with_options
def score(
    model: Annotated[
        str,
        typer.Argument(
            help="'default', a folder that 'evenhand train' wrote, a TOML file that describes a model, or preset:NAME.",
            show_default=False,
        ),
    ],
    file: Annotated[
        str, typer.Argument(help="CSV, TSV, Parquet, JSONL, Arrow, XLSX, or a database URL.", show_default=False)
    ],
    out: Annotated[Path, option("File to write: .parquet, .csv, .tsv, .jsonl or .arrow.", "--out", "-o")],
    asking: Asking,
) -> None:
    """Score the texts of a file: adds p, uncertainty, model_uncertainty, model and model_version.

    A run that was broken off goes on where it stopped when the same command is given again.
    """
    from evenhand.classifiers.scoring import score_file
    from evenhand.cli.progress import progress_bar

    with progress_bar() as progress:
        done = score_file(file, out, model=model, progress=progress, **given(asking))
    if done.resumed:
        print(f"went on after {done.resumed:,} rows that were scored before")
    if done.unscored:
        print(f"{done.unscored:,} rows have no score: they have no text, or the model gave no answer")
    print(f"scored {done.rows - done.unscored:,} of {done.rows:,} rows: {out}")
