"""evenhand synthesise: data with a known truth, for tests and for learning to read the numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Make up data whose truth is known.", no_args_is_help=True, rich_markup_mode=None)
Seed = Annotated[int, typer.Option("--seed", help="Seed of everything random.")]


@app.command("templates")
def templates(
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="File to write: .parquet, .csv, .tsv, .jsonl or .arrow.", show_default=False),
    ],
    intersections: Annotated[
        bool, typer.Option("--intersections", help="Also sentences about two terms at once.")
    ] = False,
    rows: Annotated[int | None, typer.Option("--rows", help="At most so many rows.", show_default=False)] = None,
    terms: Annotated[
        Path | None,
        typer.Option("--terms", help="File of terms, one a line.", show_default=False),
    ] = None,
    seed: Seed = 0,
) -> None:
    """Write a template test set: the same sentences about every term, half of them violating."""
    from evenhand.audits.request import read_terms
    from evenhand.evidence.output import check_file, write_table
    from evenhand.synthetic.templates import templates as make

    check_file(out)
    named = [words[0] for words in read_terms(terms).values()] if terms else None
    table = make(terms=named, intersections=intersections, rows=rows, seed=seed)
    write_table(table.lazy(), out)
    print(f"wrote {len(table):,} sentences about {table['term'].n_unique()} terms: {out}")


@app.command("community")
def community(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the tables and the truth.", show_default=False)],
    items: Annotated[int, typer.Option("--items", help="How many items.")] = 100_000,
    seed: Seed = 0,
) -> None:
    """Write a whole made-up community: items, scores, annotations, what moderators did, and the truth."""
    from evenhand.cli.synthesise_run import write_community
    from evenhand.files import check_writable
    from evenhand.synthetic.community import community as make

    check_writable(out)
    write_community(make(items, seed=seed), out)
    print(f"made up {items:,} items and what was done with them: {out}")
    print(f"what each column is: {out / 'README.md'}; what was planted: {out / 'truth.json'}")
