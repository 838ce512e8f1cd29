"""evenhand synthesise and demo: synthetic data with a known truth, and a first audit of such data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from evenhand.choices import OutputPath
from evenhand.cli.help import CommandGroup
from evenhand.cli.options import with_options
from evenhand.cli.output import print_lines

app = CommandGroup(help="Write synthetic data with known ground truth.", no_args_is_help=True)
SeedOption = Annotated[int, typer.Option("--seed", help="Random seed.")]


@app.command("templates")
@with_options
def templates(
    out: Annotated[
        OutputPath,
        typer.Option("--out", "-o", help="File to write: .parquet, .csv, .tsv, .jsonl or .arrow.", show_default=False),
    ],
    intersections: Annotated[
        bool, typer.Option("--intersections", help="Also write sentences about two terms at once.")
    ] = False,
    rows: Annotated[int | None, typer.Option("--rows", help="Maximum number of rows.", show_default=False)] = None,
    terms: Annotated[
        Path | None,
        typer.Option("--terms", help="File of terms, one per line.", show_default=False),
    ] = None,
    seed: SeedOption = 0,
) -> None:
    """Write a template test set: the same sentences about every term, half of them violating."""
    from evenhand.evidence.formats import check_output_file as check_file
    from evenhand.evidence.formats import write_table
    from evenhand.evidence.terms import read_terms
    from evenhand.synthetic.templates import templates as make

    check_file(out)
    named = [words[0] for words in read_terms(terms).values()] if terms else None
    table = make(terms=named, intersections=intersections, rows=rows, seed=seed)
    write_table(table.lazy(), out)
    print_lines(f"wrote {len(table):,} sentences about {table['term'].n_unique()} terms: {out}")


@app.command("community")
@with_options
def community(
    out: Annotated[
        OutputPath,
        typer.Option(
            "--out", "-o", help="Folder for the tables and the ground truth.", metavar="FOLDER", show_default=False
        ),
    ],
    items: Annotated[int, typer.Option("--items", help="Number of items.")] = 100_000,
    seed: SeedOption = 0,
) -> None:
    """Write a synthetic community: items, scores, annotations, moderators' decisions and the ground truth."""
    from evenhand.output_folder import check_folder_writable
    from evenhand.synthetic.community import community as make
    from evenhand.synthetic.community.tables import COMMUNITY_CONTENTS, write_community

    check_folder_writable(out, COMMUNITY_CONTENTS)
    write_community(make(items, seed=seed), out)
    print_lines(f"wrote {items:,} synthetic items with their annotations and moderation history: {out}")
    print_lines(f"description of the columns: {out / 'README.md'}; planted values: {out / 'truth.json'}")


DEMO_TABLES = ("comments.parquet", "annotations.parquet", "annotators.parquet", "scored.parquet")
DEMO_MODELS = "default_p,model_a,model_b"
DEMO_ANNOTATORS = "gender"


@with_options
def demo(
    out: Annotated[
        OutputPath, typer.Option("--out", "-o", help="Folder for the data and the report.", metavar="FOLDER")
    ] = Path("evenhand-demo"),
    rows: Annotated[int, typer.Option(help="Number of synthetic comments.", min=1000)] = 40_000,
    seed: Annotated[int, typer.Option(help="Seed of the data.", min=0)] = 0,
) -> None:
    """Run every audit on synthetic comments and three models, and print where the report is."""
    from evenhand.classifiers.scoring import score_file
    from evenhand.cli.output import Output, progress_bar
    from evenhand.finding import Finding
    from evenhand.output_folder import FolderContents, check_folder_writable, staged_folder
    from evenhand.reports import Report, audit
    from evenhand.reports.report import REPORT_CONTENTS

    comments, annotations, annotators, scored = (out / name for name in DEMO_TABLES)
    check_folder_writable(out, FolderContents((*DEMO_TABLES, *REPORT_CONTENTS.files)))
    mentioned = _write_demo_tables(out, rows, seed)
    print_lines(
        f"wrote the English comments out of {rows:,} synthetic ones, scored by two synthetic models: {comments}",
        f"running: evenhand score default {comments} -o {scored} --prefix default_",
    )
    with progress_bar() as progress, staged_folder(out, FolderContents((scored.name,))) as staging:
        score_file(comments, staging / scored.name, prefix="default_", progress=progress)
    about_items = {"score": DEMO_MODELS, "groups": ",".join(mentioned), "label": "toxicity", "text": "text", "id": "id"}
    about_items |= {"decision": "decision", "removes": "removed"}
    about_people = {"item": "item", "annotator": "annotator", "label": "label", "score": DEMO_MODELS}
    about_people |= {"items": str(scored), "annotators": str(annotators), "annotator_groups": DEMO_ANNOTATORS}
    findings: list[Finding] = []
    output = Output(folder=out)
    with progress_bar() as progress:
        for table, options in ((scored, about_items), (annotations, about_people)):
            written = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in options.items())
            print_lines(f"running: evenhand audit {table} {written}")
            findings += audit(str(table), progress=progress, **_lists(options)).findings
        report = Report(tuple(findings), str(scored))
        output.save(report, progress)
    output.print(report)
    print_lines("next: 'evenhand serve --demo' opens a desk with weeks of synthetic moderation, to review in a browser")


def _lists(options: dict[str, str]) -> dict[str, Any]:
    """Options as they are on the command line: several values are separated by commas."""
    return {name: value.split(",") if "," in value else value for name, value in options.items()}


def _write_demo_tables(out: Path, rows: int, seed: int) -> list[str]:
    """English comments and what people said of them; the groups that they mention: of few comments not all."""
    import polars as pl

    from evenhand.evidence.formats import write_table
    from evenhand.output_folder import FolderContents, staged_folder
    from evenhand.synthetic.community import GROUPS, community

    made = community(rows, seed=seed)
    items = made.items.filter(pl.col("language") == "en")
    annotations = made.annotations.filter(pl.col("item").is_in(items["id"].implode()))
    with staged_folder(out, FolderContents(DEMO_TABLES)) as staging:
        for name, table in zip(DEMO_TABLES, (items, annotations, made.annotators), strict=False):
            write_table(table.lazy(), staging / name)
    return [group for group in GROUPS if (items[group] >= 0.5).any()]
