"""evenhand sample: its commands, and of them draw, estimate and compare: batches for annotators, and what labels show.

`plan`, `size` and `mde` are in `sample_plan`, `simulate` in `sample_simulate`, what annotators and panels do in
`sample_panel`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, TypedDict

import typer

from evenhand.choices import (
    NUMBER,
    WHOLE,
    Choice,
    ColumnValue,
    FileValue,
    FlagValue,
    NameValue,
    NumberValue,
    OutputPath,
    OutputValue,
    SettingOptions,
    WholeValue,
    without_unset,
)
from evenhand.cli import sample_panel, sample_plan, sample_simulate
from evenhand.cli.help import CommandGroup
from evenhand.cli.options import only, option, reads_tables, with_options
from evenhand.cli.output import Json, Png, ReportFolder

ALARM_CODE = 3  # 1 is an internal error, 2 an error in the input
PlanFile = Annotated[Path, typer.Argument(help="Plan written by `sample plan`.", show_default=False)]
MovedItems = Annotated[FileValue, Choice("Where the items are, if the file was moved since planning.")]


@reads_tables()
def draw(
    plan: PlanFile,
    out: Annotated[OutputPath, option("The sheet to write: .csv, .xlsx, or .json for Label Studio.", "--out", "-o")],
    batch: Annotated[WholeValue, Choice("Write this batch again. Default: the last one.")],
    items: MovedItems,
) -> None:
    """Draw the first batch for annotators, or write a batch again. Later batches come from `sample estimate --next`."""
    from evenhand.cli.output import print_lines, progress_bar
    from evenhand.measurement import Campaign
    from evenhand.measurement.summary import batch_lines

    with progress_bar() as progress:
        written = Campaign(plan, items, progress).draw(out, number=batch)
    print_lines(*batch_lines(written))


@reads_tables()
def extend(
    plan: PlanFile,
    n: Annotated[int, WHOLE, Choice("Number of labels in all, including those of the plan.")],
    out: Annotated[OutputPath, option("Where to write the longer plan, as JSON.", "--out", "-o")],
    json: Annotated[FlagValue, Choice("Print the longer plan without its cells as JSON, and nothing else.")],
) -> None:
    """Extend a plan to more labels. Batches that were drawn, and their labels, stay as they are."""
    from evenhand.cli.output import print_answer
    from evenhand.measurement import extend_campaign
    from evenhand.measurement.summary import extension_lines, extension_summary

    longer = extend_campaign(plan, out, n=n)
    print_answer(extension_summary(longer), extension_lines(longer, out), as_json=json)


class AnswerOptions(TypedDict):
    """How answers are read, and what becomes of several."""

    label: Annotated[ColumnValue, Choice("Column of answers.", default="label")]
    annotator: Annotated[ColumnValue, Choice("Column of annotators, where several label one item.")]
    several: Annotated[NameValue, Choice("Several answers to one item: majority (default), or mean.")]
    gold: Annotated[
        FileValue,
        Choice("Gold items (columns id, truth) among the labels, to correct for annotator error."),
    ]
    panel: Annotated[FileValue, Choice("Completed sheet of `sample panel`: also estimate by the adjudicated verdict.")]
    unfinished: Annotated[FlagValue, Choice("Use the labels so far, if there are enough.")]


@reads_tables()
def estimate(
    plan: PlanFile,
    labels: Annotated[
        list[Path],
        typer.Argument(
            help="Filled-in sheets of all batches so far, or an export of Label Studio.", show_default=False
        ),
    ],
    answers: AnswerOptions,
    shown: Annotated[SettingOptions, only("smallest_group")],
    next: Annotated[OutputValue, Choice("Draw the next batch into this sheet.")],
    items: MovedItems,
    per_hour: Annotated[NumberValue, Choice("Items labelled per hour, to state the time still needed.")],
    evidence: Annotated[
        OutputValue,
        Choice("Write labelled items with inclusion probabilities and strata, for `evenhand audit --audits accuracy`."),
    ],
    out: ReportFolder,
    png: Png,
    json: Json,
) -> None:
    """Estimate prevalence, recall, precision and visible violations from labels, and draw the next batch."""
    from evenhand.cli.output import check_report_folder, print_lines, progress_bar
    from evenhand.measurement import AnswerFiles, Campaign
    from evenhand.measurement.summary import drawn_lines, outcome_lines
    from evenhand.reports import Report

    check_report_folder(out)
    with progress_bar() as progress:
        campaign = Campaign(plan, items, progress)
        files = AnswerFiles(tuple(labels), **without_unset(answers))
        outcome = campaign.take(files, evidence=evidence, **without_unset(shown))
        report = Report((outcome.finding,), str(plan))
        if out:
            report.save(out, png=bool(png), progress=progress)
        written = campaign.go_on(next, outcome) if next else None
    if json:
        sys.stdout.write(report.json())
    else:
        print_lines(*outcome_lines(outcome, per_hour=per_hour))
    saved = [f"report: {out / 'report.html'}"] if out else []
    print_lines(*(drawn_lines(next, written) if next else []), *saved, file=sys.stderr if json else sys.stdout)


def compare(
    this: Annotated[
        str, typer.Argument(help="The findings of this period, as JSON: of an audit or of sample estimate.")
    ],
    last: Annotated[str, typer.Argument(help="The findings of the last period.")],
    rule: Annotated[
        str,
        typer.Option(
            "--rule",
            metavar="NAME",
            help="What raises an alarm: difference (a test of the change) or overlap (intervals do not overlap).",
        ),
    ] = "difference",
    fail_on_alarm: Annotated[bool, option("Exit with code 3 if there is an alarm.", "--fail-on-alarm")] = False,
    json: Annotated[bool, option("Print the changes as JSON and nothing else.", "--json")] = False,
) -> None:
    """Compare two periods: what changed, with intervals, and whether it raises an alarm."""
    from evenhand.cli.output import print_answer
    from evenhand.comparison import compare_period_files

    comparison = compare_period_files(this, last, rule=rule)
    print_answer(comparison.record(), comparison.lines(), as_json=json)
    if fail_on_alarm and comparison.alarm:
        raise typer.Exit(ALARM_CODE)


class ChartLimits(TypedDict):
    """How often a chart may be wrong."""

    per_year: Annotated[float, NUMBER, Choice("Periods in a year.", default=12.0)]
    false_alarms: Annotated[float, NUMBER, Choice("False alarms a year, over all measures and parts.", default=0.5)]


@with_options
def chart(
    periods: Annotated[
        list[str],
        typer.Argument(help="Findings of each period as JSON, the oldest first: of an audit or of sample estimate."),
    ],
    limits: ChartLimits,
    fail_on_alarm: Annotated[FlagValue, Choice("Exit with code 3 if the last period raises an alarm.")],
    out: ReportFolder,
    png: Png,
    json: Json,
) -> None:
    """Chart many periods, also by part: each against those before it, with a stated number of false alarms a year."""
    from evenhand.cli.output import check_report_folder, print_lines
    from evenhand.comparison import chart_finding, chart_period_files
    from evenhand.reports import Report

    check_report_folder(out)
    charted = chart_period_files(periods, **limits)
    report = Report((chart_finding(charted),), "periods")
    if out:
        report.save(out, png=bool(png))
    if json:
        sys.stdout.write(report.json())
    else:
        print_lines(*charted.lines(), *([f"report: {out / 'report.html'}"] if out else []))
    if fail_on_alarm and charted.alarm:
        raise typer.Exit(ALARM_CODE)


app = CommandGroup(help="Plan which items to label and how many, and estimate from the labels.", no_args_is_help=True)
app.command("plan")(sample_plan.plan)
app.command("draw")(draw)
app.command("estimate")(estimate)
app.command("panel")(sample_panel.panel)
app.command("second")(sample_panel.second)
app.command("annotators")(sample_panel.annotators)
app.command("extend")(extend)
app.command("compare")(compare)
app.command("chart")(chart)
app.command("simulate")(sample_simulate.simulate)
app.command("size")(sample_plan.size)
app.command("mde")(sample_plan.mde)
