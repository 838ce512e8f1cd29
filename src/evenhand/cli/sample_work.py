"""evenhand sample draw and estimate: a batch for annotators, and what their labels show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from evenhand.cli.options import Text, Whole, option

PlanFile = Annotated[Path, typer.Argument(help="What `sample plan` wrote.", show_default=False)]
ItemsFile = Annotated[
    Optional[Path], option("Where the items are, if the file was moved since planning.", "--items")  # noqa: UP045
]


def draw(
    plan: PlanFile,
    out: Annotated[Path, option("The sheet to write: .csv, .xlsx, or .json for Label Studio.", "--out", "-o")],
    batch: Annotated[Whole, option("Write this batch again; the last one unless said.")] = None,
    items: ItemsFile = None,
) -> None:
    """Draw the first batch for annotators, or write one again. Later batches come from `sample estimate --next`."""
    from evenhand.audits.measurement.summary import batch_lines
    from evenhand.audits.measurement.working import Work
    from evenhand.cli.progress import progress_bar

    with progress_bar() as progress:
        written = Work(plan, items, progress).draw(out, number=batch)
    print("\n".join(batch_lines(written)))


def estimate(
    plan: PlanFile,
    labels: Annotated[
        list[Path],
        typer.Argument(
            help="Filled-in sheets of all batches so far, or an export of Label Studio.", show_default=False
        ),
    ],
    label: Annotated[str, typer.Option(help="Column of answers.")] = "label",
    annotator: Annotated[Text, option("Column of who answered, where several label one item.")] = None,
    several: Annotated[Text, option("Several answers to one item: majority (default), or mean.")] = None,
    gold: Annotated[
        Optional[Path],  # noqa: UP045
        option("Items of known truth (columns id, truth) among the labels: errors of annotators are put right."),
    ] = None,
    unfinished: Annotated[bool, option("Take what is labelled so far, if it is enough.", "--unfinished")] = False,
    next: Annotated[Optional[Path], option("Draw the next batch into this sheet.", "--next")] = None,  # noqa: UP045
    items: ItemsFile = None,
    evidence: Annotated[
        Optional[Path],  # noqa: UP045
        option("Write labelled items with inclusion probabilities and strata, for `evenhand audit --audits accuracy`."),
    ] = None,
    out: Annotated[Optional[Path], option("Folder for a report; none unless given.", "--out", "-o")] = None,  # noqa: UP045
    json: Annotated[bool, option("Print the finding as JSON and nothing else.", "--json")] = False,
) -> None:
    """Estimate from labels: prevalence, recall, precision, what is still visible; and draw the next batch."""
    import sys

    from evenhand.audits.measurement.given import Files
    from evenhand.audits.measurement.labelled import write_labelled
    from evenhand.audits.measurement.summary import batch_lines, outcome_lines
    from evenhand.audits.measurement.working import Work
    from evenhand.cli.progress import progress_bar
    from evenhand.reports import Report

    files = Files(tuple(labels), label, annotator, several, gold, unfinished)
    with progress_bar() as progress:
        work = Work(plan, items, progress)
        outcome = work.take(files)
        report = Report((outcome.finding,), str(plan))
        if evidence:
            write_labelled(outcome.given, evidence)
        if out:
            report.save(out, progress=progress)
        written = work.go_on(next, outcome) if next else None
    if json:
        sys.stdout.write(report.json())
    beside = sys.stderr if json else sys.stdout
    if not json:
        print("\n".join(outcome_lines(outcome)))
    if written:
        print("\n".join(batch_lines(written)), file=beside)
    if out:
        print(f"report: {out / 'report.html'}", file=beside)
    if next and not written:
        print(f"Everything was drawn, so {next} was not written.", file=beside)
