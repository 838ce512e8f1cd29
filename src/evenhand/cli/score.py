"""evenhand score: ask a model about every text of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer


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
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="File to write: .parquet, .csv, .tsv, .jsonl or .arrow.", show_default=False),
    ],
    text: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--text", help="Text column. Found by its name if it has a usual one.", show_default=False),
    ] = None,
    prefix: Annotated[
        str, typer.Option("--prefix", help="Put this before the names of the new columns.", show_default=False)
    ] = "",
    query: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--query", help="For a database URL: the query whose rows are the items.", show_default=False),
    ] = None,
    device: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            "--device", help="Of an encoder: cuda or cpu. Default: a card if there is one.", show_default=False
        ),
    ] = None,
    download: Annotated[
        bool, typer.Option("--download", help="Fetch a preset from the Hugging Face hub.", show_default=False)
    ] = False,
) -> None:
    """Score the texts of a file: adds p, uncertainty, model_uncertainty, model and model_version.

    A run that was broken off goes on where it stopped when the same command is given again.
    """
    from evenhand.classifiers.scoring import score_file
    from evenhand.cli.progress import progress_bar

    with progress_bar() as progress:
        done = score_file(
            file,
            out,
            model=model,
            text=text,
            prefix=prefix,
            query=query,
            device=device,
            download=download,
            progress=progress,
        )
    if done.resumed:
        print(f"went on after {done.resumed:,} rows that were scored before")
    if done.unscored:
        print(f"{done.unscored:,} rows have no score: they have no text, or the model gave no answer")
    print(f"scored {done.rows - done.unscored:,} of {done.rows:,} rows: {out}")
