"""evenhand sample draw and estimate: a batch for annotators, and what their labels show."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, TypedDict

import typer

from evenhand.choices import Choice, File, Flag, Text, Whole, given
from evenhand.cli.options import option, with_options
from evenhand.cli.output import Folder, Json

PlanFile = Annotated[Path, typer.Argument(help="What `sample plan` wrote.", show_default=False)]
ItemsFile = Annotated[File, Choice("Where the items are, if the file was moved since planning.")]


@with_options
def draw(
    plan: PlanFile,
    out: Annotated[Path, option("The sheet to write: .csv, .xlsx, or .json for Label Studio.", "--out", "-o")],
    batch: Annotated[Whole, Choice("Write this batch again; the last one unless said.")],
    items: ItemsFile,
) -> None:
    """Draw the first batch for annotators, or write one again. Later batches come from `sample estimate --next`."""
    from evenhand.audits.measurement.summary import batch_lines
    from evenhand.audits.measurement.working import Work
    from evenhand.cli.progress import progress_bar

    with progress_bar() as progress:
        written = Work(plan, items, progress).draw(out, number=batch)
    print("\n".join(batch_lines(written)))


class Answers(TypedDict):
    """How answers are read, and what becomes of several."""

    label: Annotated[Text, Choice("Column of answers.", default="label")]
    annotator: Annotated[Text, Choice("Column of who answered, where several label one item.")]
    several: Annotated[Text, Choice("Several answers to one item: majority (default), or mean.")]
    gold: Annotated[
        File, Choice("Items of known truth (columns id, truth) among the labels: errors of annotators are put right.")
    ]
    unfinished: Annotated[Flag, Choice("Take what is labelled so far, if it is enough.")]


@with_options
def estimate(
    plan: PlanFile,
    labels: Annotated[
        list[Path],
        typer.Argument(
            help="Filled-in sheets of all batches so far, or an export of Label Studio.", show_default=False
        ),
    ],
    answers: Answers,
    next: Annotated[File, Choice("Draw the next batch into this sheet.")],
    items: ItemsFile,
    evidence: Annotated[
        File,
        Choice("Write labelled items with inclusion probabilities and strata, for `evenhand audit --audits accuracy`."),
    ],
    out: Folder,
    json: Json,
) -> None:
    """Estimate from labels: prevalence, recall, precision, what is still visible; and draw the next batch."""
    from evenhand.audits.measurement.given import Files
    from evenhand.audits.measurement.labelled import write_labelled
    from evenhand.audits.measurement.summary import outcome_lines
    from evenhand.audits.measurement.working import Work
    from evenhand.cli.progress import progress_bar
    from evenhand.reports import Report

    with progress_bar() as progress:
        work = Work(plan, items, progress)
        outcome = work.take(Files(tuple(labels), **given(answers)))
        report = Report((outcome.finding,), str(plan))
        if evidence:
            write_labelled(outcome.given, evidence)
        if out:
            report.save(out, progress=progress)
        written = work.go_on(next, outcome) if next else None
    beside = sys.stderr if json else sys.stdout
    sys.stdout.write(report.json() if json else "\n".join(outcome_lines(outcome)) + "\n")
    for line in _done(out, next, written):
        print(line, file=beside)


def _done(out: Path | None, next: Path | None, written: Any) -> Iterator[str]:
    """What was written beside the estimates."""
    from evenhand.audits.measurement.summary import batch_lines

    if written:
        yield from batch_lines(written)
    if out:
        yield f"report: {out / 'report.html'}"
    if next and not written:
        yield f"Everything was drawn, so {next} was not written."
