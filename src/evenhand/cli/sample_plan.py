"""evenhand sample plan, size and mde: which items people label, how many it takes, which change they show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypedDict

import typer

from evenhand.choices import (
    COLUMN,
    NAME,
    NUMBER,
    SHARE,
    TEXT,
    WHOLE,
    Choice,
    ColumnsValue,
    ColumnValue,
    ConditionValue,
    FileNameValue,
    FlagValue,
    NamesValue,
    NameValue,
    NumberValue,
    OutputPath,
    ShareValue,
    WholeValue,
    repeated_kind,
    text_kind,
    without_unset,
)
from evenhand.cli.options import only, option, reads_tables

LabelCount = Annotated[str | None, text_kind("NUMBER")]


class TargetPrecision(TypedDict):
    """What labels should show, in one of four ways."""

    within: Annotated[ShareValue, Choice("Target precision: within this share of the prevalence, such as 0.2.")]
    cv: Annotated[NumberValue, Choice("Target precision: coefficient of variation.")]
    width: Annotated[ShareValue, Choice("Target precision: width of the interval.")]
    below: Annotated[ShareValue, Choice("One-sided target: shown to be below this level.")]


class LabellingEffort(TypedDict):
    """What labelling takes."""

    per_hour: Annotated[float, NUMBER, Choice("Items that an annotator labels per hour.", default=600.0)]
    annotators: Annotated[int, WHOLE, Choice("Number of annotators who label each item.", default=1)]


class PlannedPrevalence(TypedDict):
    """What is planned for: one prevalence, or a table of strata with one each."""

    prevalence: Annotated[ShareValue, Choice("Expected prevalence: the share of violating items.")]
    strata: Annotated[
        FileNameValue,
        Choice("Instead of --prevalence: table with a row per stratum, its items (or share) and prevalence."),
    ]
    size_column: Annotated[str, COLUMN, Choice("Column of items or shares in that table.", default="items")]
    rate_column: Annotated[str, COLUMN, Choice("Column of prevalences in that table.", default="prevalence")]


class PlanColumns(TypedDict):
    """What the columns of the items are."""

    id: Annotated[ColumnValue, Choice("Id column; by default `id`, or the row number.")]
    score: Annotated[ColumnValue, Choice("Column of a classifier's score.")]
    scale: Annotated[NameValue, Choice("Scale of the score: probability (default), percent or logit.")]
    by: Annotated[ColumnsValue, Choice("Columns, such as language, to estimate by value, comma-separated.")]
    text: Annotated[ColumnValue, Choice("Column shown to annotators: the text; `text` by default.")]
    context: Annotated[ColumnValue, Choice("Column shown to annotators: preceding text; `context` by default.")]
    link: Annotated[ColumnValue, Choice("Column shown to annotators: a link; `link` by default.")]
    decision: Annotated[
        ColumnValue, Choice("Column of decisions (removed: yes or no): removed and visible items are two pools.")
    ]
    removes: Annotated[NamesValue, Choice("For decisions in words: those that remove an item, comma-separated.")]
    cluster: Annotated[ColumnValue, Choice("For --design clusters: the column of threads or authors.")]
    skip_unscored: Annotated[
        FlagValue, Choice("Leave items without a score out of the population, and report how many.")
    ]
    where: Annotated[ConditionValue, Choice("Keep only items that meet this SQL condition.")]


class DesignSettings(TypedDict):
    """Settings of a design: those of the stratified one."""

    strata: Annotated[
        NameValue, Choice("For stratified: quantile (default), equal-width, or none (only the strata of --by).")
    ]
    count: Annotated[WholeValue, Choice("For stratified: number of score strata (8).")]
    allocation: Annotated[NameValue, Choice("For stratified: optimal (default), proportional, equal or pilot.")]
    pilot: Annotated[WholeValue, Choice("For the allocation pilot: labels per stratum in the first batch (50).")]


class PlannedLabels(TypedDict):
    """How many labels, where no promise says it, and what is planned for."""

    n: Annotated[LabelCount, Choice("Number of labels, or all for a census.")]
    targets: Annotated[
        Sequence[str] | None,
        repeated_kind("MEASURE=SHARE"),
        Choice(
            "Instead: a target for recall, prevalence, precision or parts, as recall=0.2; repeatable.",
            flags=("--target",),
        ),
    ]
    prevalence: Annotated[ShareValue, Choice("Expected prevalence, instead of the estimate from the scores.")]
    level: Annotated[float, SHARE, Choice("Confidence level of the intervals.", default=0.95)]


class MeasurementPurpose(TypedDict):
    """What has to be said before any number."""

    ground_truth: Annotated[
        str, TEXT, Choice("What counts as violating: illegal content, terms and conditions, …", default="")
    ]
    codebook: Annotated[
        str, TEXT, Choice("The codebook that annotators follow: a name and version, or a link.", default="")
    ]
    population: Annotated[str, NAME, Choice("What the items are: visible, notified or all content.", default="all")]
    period: Annotated[str, text_kind("PERIOD"), Choice("Period that the items are from.", default="")]


@reads_tables("items")
def plan(
    items: Annotated[
        Path, typer.Argument(help="Table of all items of the population, one per row.", show_default=False)
    ],
    out: Annotated[OutputPath, option("Where to write the plan, as JSON.", "--out", "-o")],
    columns: PlanColumns,
    design: Annotated[
        str, NAME, Choice("score-driven, random, stratified, clusters or sequential.", default="score-driven")
    ],
    settings: DesignSettings,
    seed: Annotated[int, WHOLE, Choice("Seed of all draws.", default=0)],
    promise: Annotated[
        TargetPrecision,
        only("cv", "width", "below", within="Target precision instead of --n: within this share of the truth (0.2)."),
    ],
    sample_size: PlannedLabels,
    purpose: MeasurementPurpose,
    labour: LabellingEffort,
    json: Annotated[FlagValue, Choice("Print the plan without its cells as JSON, and nothing else.")],
) -> None:
    """Plan a measurement: which items to label and how many. The plan is sealed against later changes."""
    import shlex

    from evenhand.cli.output import print_answer, progress_bar
    from evenhand.measurement import ItemColumns, SampleSizeRequest, plan_campaign
    from evenhand.measurement.summary import plan_lines, plan_summary
    from evenhand.sampling.designs import design_from_options

    with progress_bar() as progress:
        made = plan_campaign(
            items,
            out,
            roles=ItemColumns.of(without_unset(columns)),
            design=design_from_options(design, without_unset(settings)),
            size=SampleSizeRequest.of(
                sample_size["n"],
                promise,
                sample_size["prevalence"],
                sample_size["level"],
                sample_size["targets"] or (),
            ),
            purpose=purpose,
            seed=seed,
            progress=progress,
        )
    *lines, last = plan_lines(made, **labour)
    step = f"{last} Next: evenhand sample draw {shlex.quote(str(out))} -o batch1.csv"
    print_answer(plan_summary(made, **labour), [f"{out}: {lines[0]}", *lines[1:], step], as_json=json)


ItemCount = Annotated[WholeValue, Choice("Number of items in the population, if it is finite.")]
AnswerJson = Annotated[FlagValue, Choice("Print the answer as JSON and nothing else.")]


@reads_tables()
def size(
    parts: PlannedPrevalence,
    promise: TargetPrecision,
    level: Annotated[float, SHARE, Choice("Confidence level of the interval.", default=0.95)],
    items: ItemCount,
    labour: LabellingEffort,
    json: AnswerJson,
) -> None:
    """Compute the sample size for a target precision of the prevalence, at random or in strata."""
    from evenhand.cli.output import print_answer
    from evenhand.measurement.sizes import PlannedPopulation, size_for_target, target_precision

    target = target_precision(promise, level)
    size_needed = size_for_target(PlannedPopulation.from_options(**parts), target, items=items, **labour)
    print_answer(size_needed.record(), size_needed.lines(), as_json=json)


@reads_tables()
def mde(
    parts: PlannedPrevalence,
    n: Annotated[WholeValue, Choice("Labels in each of two periods, to compute the change that they can detect.")],
    effect: Annotated[ShareValue, Choice("Change of the prevalence to detect: 0.01 is one percentage point.")],
    items: ItemCount,
    json: AnswerJson,
) -> None:
    """Compute the minimum detectable effect between two periods, or the sample size for one."""
    from evenhand.cli.output import print_answer
    from evenhand.measurement.sizes import PlannedPopulation, detectable_changes

    changes = detectable_changes(PlannedPopulation.from_options(**parts), n=n, effect=effect, items=items)
    print_answer(changes.record(), changes.lines(), as_json=json)
