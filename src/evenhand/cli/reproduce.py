"""evenhand reproduce: a paper's tables and figures, with our numbers beside."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from evenhand.cli.options import Whole, option


def reproduce(
    paper: Annotated[
        str, typer.Argument(help="bias, collaboration, calibration, accuracy or perspective; none lists them.")
    ] = "",
    data: Annotated[Optional[Path], option("Folder that holds the data, in the published formats.", "--data")] = None,  # noqa: UP045
    download: Annotated[
        Optional[Path],  # noqa: UP045
        option("Folder to fetch the data into, from where it is published; then as --data.", "--download"),
    ] = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        option("Folder for the report and its data. Default: evenhand-reproduced/PAPER; none with --json."),
    ] = None,
    seed: Annotated[Whole, option("Seed of everything random (0).")] = None,
    light: Annotated[bool, option("Draw less often: a look rather than a result.", "--light")] = False,
    json: Annotated[bool, option("Print the results as JSON and nothing else.", "--json")] = False,
) -> None:
    """Reproduce a paper: its tables and figures with our numbers beside, its claims judged, its slips named."""
    from evenhand.cli.progress import progress_bar
    from evenhand.cli.reproduce_run import listing, run

    if not paper:
        sys.stdout.write("\n".join(listing()) + "\n")
        return
    with progress_bar() as progress:
        made = run(paper, data, download, seed=seed or 0, light=light, progress=progress)
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
