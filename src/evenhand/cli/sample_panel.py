"""evenhand sample panel, second and annotators: who judges again, and how well annotators agree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypedDict

import typer

from evenhand.choices import (
    WHOLE,
    Choice,
    ColumnValue,
    FileValue,
    FlagValue,
    NameValue,
    OutputPath,
    without_unset,
)
from evenhand.cli.options import option, reads_tables

PlanFile = Annotated[Path, typer.Argument(help="Plan written by `sample plan`.", show_default=False)]
SheetFiles = Annotated[
    list[Path],
    typer.Argument(help="Filled-in sheets of all batches so far, or an export of Label Studio.", show_default=False),
]
SheetPath = Annotated[OutputPath, option("The sheet to write: .csv, .xlsx, or .json for Label Studio.", "--out", "-o")]
MovedItems = Annotated[FileValue, Choice("Where the items are, if the file was moved since planning.")]


class ReadAnswers(TypedDict):
    """How answers are read."""

    label: Annotated[ColumnValue, Choice("Column of answers.", default="label")]
    annotator: Annotated[ColumnValue, Choice("Column of annotators, where several label one item.")]
    several: Annotated[NameValue, Choice("Several answers to one item: majority (default), or mean.")]


@reads_tables()
def panel(
    plan: PlanFile,
    labels: SheetFiles,
    out: SheetPath,
    n: Annotated[int, WHOLE, Choice("Items for the panel, split votes among them.", default=200)],
    answers: ReadAnswers,
    gold: Annotated[FileValue, Choice("Gold items (columns id, truth) among the labels: the panel does not get them.")],
    items: MovedItems,
) -> None:
    """Write a blind sheet for a panel: all split votes, and a random part of the other labelled items."""
    from evenhand.cli.output import print_lines, progress_bar
    from evenhand.measurement import AnswerFiles, Campaign
    from evenhand.measurement.summary import panel_lines

    with progress_bar() as progress:
        files = AnswerFiles(tuple(labels), gold=gold, **without_unset(answers))
        written = Campaign(plan, items, progress).draw_panel(out, files, n=n)
    print_lines(*panel_lines(written))


@reads_tables()
def second(
    plan: PlanFile,
    out: SheetPath,
    n: Annotated[int, WHOLE, Choice("Items to label a second time.", default=100)],
    items: MovedItems,
) -> None:
    """Write a blind sheet for second labels: a random part of the items drawn so far."""
    from evenhand.cli.output import print_lines, progress_bar
    from evenhand.measurement import Campaign
    from evenhand.measurement.summary import second_lines

    with progress_bar() as progress:
        written = Campaign(plan, items, progress).draw_second(out, n=n)
    print_lines(*second_lines(written))


class KnownTruth(TypedDict):
    """What annotators are compared with."""

    second: Annotated[FileValue, Choice("The sheet of second labels, filled in.")]
    panel: Annotated[FileValue, Choice("The panel's sheet, filled in: its verdicts are taken as true.")]
    gold: Annotated[FileValue, Choice("Instead: gold items (columns id, truth) among the labels.")]
    unfinished: Annotated[FlagValue, Choice("Use the labels so far.")]


@reads_tables()
def annotators(
    plan: PlanFile,
    labels: SheetFiles,
    answers: ReadAnswers,
    compared: KnownTruth,
    json: Annotated[FlagValue, Choice("Print the numbers as JSON and nothing else.")],
) -> None:
    """Report how well annotators agree and, from a panel or gold items, how often each of them errs."""
    from evenhand.cli.output import print_answer
    from evenhand.measurement import AnswerFiles, read_plan
    from evenhand.measurement.annotators import annotator_report

    known = without_unset(compared)
    second = known.pop("second", None)
    report = annotator_report(read_plan(plan), AnswerFiles(tuple(labels), **without_unset(answers), **known), second)
    print_answer(report.record(), report.lines(), as_json=json)
