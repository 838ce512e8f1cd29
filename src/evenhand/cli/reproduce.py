"""evenhand reproduce: a paper's tables and figures, with our numbers beside."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from evenhand.choices import Choice, File, Flag, Whole
from evenhand.cli.options import with_options


@with_options
def reproduce(
    *,
    paper: Annotated[
        str, typer.Argument(help="bias, collaboration, calibration, accuracy or perspective; none lists them.")
    ] = "",
    data: Annotated[File, Choice("Folder that holds the data, in the published formats.")],
    download: Annotated[File, Choice("Folder to fetch the data into, from where it is published; then as --data.")],
    out: Annotated[
        File, Choice("Folder for the report and its data. Default: evenhand-reproduced/PAPER; none with --json.")
    ],
    seed: Annotated[Whole, Choice("Seed of everything random (0).")],
    light: Annotated[Flag, Choice("Draw less often: a look rather than a result.")],
    json: Annotated[Flag, Choice("Print the results as JSON and nothing else.")],
) -> None:
    """Reproduce a paper: its tables and figures with our numbers beside, its claims judged, its slips named."""
    from evenhand.cli.progress import progress_bar
    from evenhand.cli.reproduce_run import listing, run

    if not paper:
        sys.stdout.write("\n".join(listing()) + "\n")
        return
    with progress_bar() as progress:
        made = run(paper, data, download, seed=seed or 0, light=bool(light), progress=progress)
        folder = out or (None if json else Path("evenhand-reproduced") / paper)
        if folder:
            made.save(folder, progress=progress)
    if json:
        sys.stdout.write(made.json())
    else:
        for claim in made.result.claims:
            print(f"{claim.verdict:10} {claim.text}")
    if folder:
        print(f"\nreport: {folder / 'report.html'}", file=sys.stderr if json else sys.stdout)
