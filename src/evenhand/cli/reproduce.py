"""evenhand reproduce: a paper's tables and figures with our numbers beside, from a folder of data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from evenhand.choices import Choice, FlagValue, FolderValue, OutputFolder, WholeValue
from evenhand.cli.options import with_options
from evenhand.cli.output import print_lines
from evenhand.errors import InputError
from evenhand.progress import Progress


def _folder_with_data(paper: str, data: Path | None, download: Path | None, progress: Progress) -> Path:
    """Where the data is; fetched into it first, if asked."""
    from evenhand.reproduce.papers import fetch_data, find_paper

    find_paper(paper)
    if data is not None and download is None:
        return data
    if download is None or data is not None:
        raise InputError("name the folder of the data: --data FOLDER, or --download FOLDER to download it")
    for line in fetch_data(paper, download, progress=progress):
        print_lines(line, file=sys.stderr)
    return download


@with_options
def reproduce_paper(
    *,
    paper: Annotated[
        str,
        typer.Argument(
            help="bias, collaboration, calibration, accuracy or perspective. Without it, papers are listed."
        ),
    ] = "",
    data: Annotated[FolderValue, Choice("Folder that holds the data, in the published formats.")],
    download: Annotated[OutputFolder, Choice("Folder to download the published data to; then used as --data.")],
    out: Annotated[
        OutputFolder,
        Choice(
            "Folder for the report and its data. Default: evenhand-reproduced/PAPER; none with --json.",
            flags=("--out", "-o"),
        ),
    ],
    seed: Annotated[WholeValue, Choice("Random seed (0).")],
    light: Annotated[FlagValue, Choice("Fewer random draws: a preview rather than a result.")],
    json: Annotated[FlagValue, Choice("Print the results as JSON and nothing else.")],
) -> None:
    """Reproduce a paper: compare its tables and figures with our numbers, check its claims, list its errors."""
    from evenhand.cli.output import progress_bar
    from evenhand.output_folder import check_folder_writable
    from evenhand.reproduce.papers import describe_papers, reproduce
    from evenhand.reproduce.rendering import reproduction_contents

    if not paper:
        print_lines(*describe_papers(), "evenhand reproduce PAPER --data FOLDER")
        return
    folder = out or (None if json else Path("evenhand-reproduced") / paper)
    if folder:
        check_folder_writable(folder, reproduction_contents(paper))
    with progress_bar() as progress:
        place = _folder_with_data(paper, data, download, progress)
        made = reproduce(paper, place, seed=seed or 0, light=bool(light), progress=progress)
        if folder:
            made.save(folder, progress=progress)
    if json:
        sys.stdout.write(made.json())
    else:
        print_lines(*(f"{claim.verdict:10} {claim.text}" for claim in made.result.claims))
    if folder:
        print_lines("", f"report: {folder / 'report.html'}", file=sys.stderr if json else sys.stdout)
