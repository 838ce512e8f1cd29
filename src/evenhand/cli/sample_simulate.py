"""evenhand sample simulate: what each sampling design would need on labelled items of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import typer

from evenhand.choices import (
    Choice,
    ColumnsValue,
    ColumnValue,
    ConditionValue,
    FlagValue,
    LabelsValue,
    NamesValue,
    NameValue,
    NumbersValue,
    NumberValue,
    SettingOptions,
    SettingsValue,
    SharesValue,
    ShareValue,
    ValueKind,
    WholeValue,
    comma_separated,
    without_unset,
)
from evenhand.cli.options import Query, only, reads_tables
from evenhand.cli.output import Output, PrintOptions
from evenhand.errors import InputError

if TYPE_CHECKING:
    from evenhand.measurement.simulation import SimulationRequest, SimulationSettings
    from evenhand.measurement.simulation.campaigns import CampaignSettings, DecidedItems

REPORT_FOLDER = Path("evenhand-simulation")
FOLDER_HELP = f"Folder for the report and its data. Default: {REPORT_FOLDER}; none with --json or --csv."


def whole_numbers(flag: str) -> ValueKind:
    """Comma-separated whole numbers."""

    def read(text: str | None) -> tuple[int, ...] | None:
        try:
            return None if text is None else tuple(int(part) for part in comma_separated(text) or ())
        except ValueError:
            raise InputError(f"invalid {flag}: '{text}' (must be whole numbers, comma-separated)") from None

    return ValueKind(str | None, "NUMBER,…", read)


class SimulationColumns(TypedDict):
    """What the columns are; without a score, what a classifier is trained on."""

    score: Annotated[ColumnsValue, Choice("Score column; comma-separated for several models.")]
    scale: Annotated[NameValue, Choice("Scale of the scores: probability (default), percent or logit.")]
    label: Annotated[ColumnValue, Choice("Label column: true/false, 0/1, a share of annotators, or words.")]
    positive: Annotated[LabelsValue, Choice("The label that means violating; repeatable.")]
    thresholds: Annotated[
        NumbersValue,
        Choice(
            "Share of annotators from which an item is violating (0.5); repeat it for rarer prevalences.",
            flags=("--label-threshold",),
        ),
    ]
    skip_unscored: Annotated[FlagValue, Choice("Leave out rows without a score, and report how many.")]
    where: Annotated[ConditionValue, Choice("Keep only rows that meet this SQL condition.")]
    text: Annotated[ColumnValue, Choice("Instead of a score: the text column, to train a classifier on.")]
    train_share: Annotated[
        ShareValue, Choice("Share of the rows to train on; the rest is used for the simulation (0.1).")
    ]
    train_where: Annotated[ConditionValue, Choice("Instead of a share: train on rows that meet this SQL condition.")]
    method: Annotated[NameValue, Choice("Training method: linear (default) or unigram.")]


class CampaignOptions(TypedDict):
    """Whole campaigns that are simulated beside the designs."""

    campaigns: Annotated[
        WholeValue,
        Choice("Whole campaigns to simulate, up to the published interval (none; 100 with --decision or --by)."),
    ]
    decision: Annotated[ColumnValue, Choice("Column of decisions: also recall and precision, of whole campaigns.")]
    removes: Annotated[NamesValue, Choice("For decisions in words: those that remove an item, comma-separated.")]
    by: Annotated[
        ColumnsValue, Choice("Columns, such as language: also the prevalence of each part, of whole campaigns.")
    ]


class SimulationTrials(TypedDict):
    """Which designs are tried, how often, and the target precision."""

    within: Annotated[SharesValue, Choice("Target precision: within this share of the prevalence (0.2); repeatable.")]
    strata: Annotated[
        str | None, whole_numbers("--strata"), Choice("Numbers of strata, comma-separated (2,4,8,16,32).")
    ]
    pilots: Annotated[
        str | None, whole_numbers("--pilots"), Choice("Pilot labels in each stratum, comma-separated (20,50,100).")
    ]
    pilot_totals: Annotated[
        str | None,
        whole_numbers("--pilot-totals"),
        Choice("Pilot labels over all strata, comma-separated (128,256,512,1024)."),
    ]
    variants: Annotated[
        SettingsValue,
        Choice("A setting of the default design to try, as first=50,strata=20; repeatable.", flags=("--setting",)),
    ]
    simulations: Annotated[WholeValue, Choice("Samples of each design (2000).")]
    per_hour: Annotated[NumberValue, Choice("Items that an annotator labels per hour (600).")]


@reads_tables("file")
def simulate(
    file: Annotated[str, typer.Argument(help="Labelled items: a file, or a database URL.", show_default=False)],
    columns: SimulationColumns,
    query: Query,
    trials: SimulationTrials,
    whole: CampaignOptions,
    shared: Annotated[SettingOptions, only("level", "seed")],
    quick: Annotated[FlagValue, Choice("A preview: 200 samples, fewer designs.")],
    printed: Annotated[PrintOptions, only("json", "csv", "png", out=FOLDER_HELP)],
) -> None:
    """Simulate each design on labelled items: labels needed, bias and coverage, with figures, tables and a report."""
    from evenhand.cli.output import progress_bar
    from evenhand.measurement.simulation import QUICK, SimulationRequest, SimulationSettings, simulate_on
    from evenhand.measurement.simulation.campaigns import simulate_campaigns
    from evenhand.reports import Report

    output = Output.from_options(printed, usual=REPORT_FOLDER)
    request = SimulationRequest(**without_unset(columns))
    settings = SimulationSettings.of((QUICK if quick else {}) | without_unset({**trials, **shared}))
    output.check()
    items, campaigns = _campaigns(file, request, settings, without_unset(whole), query)
    with progress_bar() as progress:
        findings = [simulate_on(file, request, settings, query=query, progress=progress)]
        if items is not None:
            findings.append(simulate_campaigns(items, campaigns, file, progress))
        report = Report(tuple(findings), file)
        output.save(report, progress)
    output.print(report)


def _campaigns(
    file: str, request: SimulationRequest, settings: SimulationSettings, whole: Mapping[str, Any], query: str | None
) -> tuple[DecidedItems | None, CampaignSettings]:
    """What whole campaigns are simulated on, if they are, and how."""
    from evenhand.measurement.simulation.campaigns import CAMPAIGNS, CampaignSettings
    from evenhand.measurement.simulation.decided_items import read_decided_items

    chosen = CampaignSettings(
        within=settings.within[0],
        campaigns=whole.get("campaigns", CAMPAIGNS),
        level=settings.level,
        seed=settings.seed,
    )
    if not whole:
        return None, chosen
    columns = {name: value for name, value in whole.items() if name != "campaigns"}
    columns = {"decision": None, **{name: tuple(v) if isinstance(v, list) else v for name, v in columns.items()}}
    return read_decided_items(file, request, query=query, **columns), chosen
