"""evenhand sample simulate: what each design would need on a labelled file of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypedDict

import typer

from evenhand.choices import Choice, Flag, Kind, Names, Number, Numbers, Settings, Text, Texts, Whole, given, listed
from evenhand.cli.options import Query, only, with_options
from evenhand.cli.output import Output, Printed
from evenhand.errors import InputError

OUT = Path("evenhand-simulation")
FOLDER = f"Folder for the report and its data. Default: {OUT}; none with --json or --csv."


def wholes(flag: str) -> Kind:
    """Whole numbers separated by commas."""

    def read(text: str | None) -> tuple[int, ...] | None:
        try:
            return None if text is None else tuple(int(part) for part in listed(text) or ())
        except ValueError:
            raise InputError(f"{flag} takes whole numbers separated by commas, not '{text}'") from None

    return Kind(str | None, read)


class Columns(TypedDict):
    """What the columns are; without a score, what a classifier is trained on."""

    score: Annotated[Names, Choice("Score column, or several models' separated by commas.")]
    scale: Annotated[Text, Choice("How scores are written: probability (default), percent or logit.")]
    label: Annotated[Text, Choice("Label column: true/false, 0/1, a share of annotators, or words.")]
    positive: Annotated[Texts, Choice("The label that means violating; may be repeated.")]
    thresholds: Annotated[
        Numbers,
        Choice(
            "Share of annotators from which an item is violating (0.5); repeat it for rarer prevalences.",
            flags=("--label-threshold",),
        ),
    ]
    where: Annotated[Text, Choice("Keep only rows that meet this SQL condition.")]
    text: Annotated[Text, Choice("Instead of a score: the text column, to train a classifier on.")]
    train_share: Annotated[Number, Choice("Share of the rows to train on; the others are simulated on (0.1).")]
    train_where: Annotated[Text, Choice("Instead of a share: train on rows that meet this SQL condition.")]
    method: Annotated[Text, Choice("How to train: linear (default) or unigram.")]


class Trials(TypedDict):
    """Which designs are tried, how often, and how sure they are to be."""

    within: Annotated[Numbers, Choice("How sure: within this share of the prevalence (0.2); may be repeated.")]
    strata: Annotated[str | None, wholes("--strata"), Choice("Numbers of strata, by commas (2,4,8,16,32).")]
    pilots: Annotated[str | None, wholes("--pilots"), Choice("Pilot labels in each stratum, by commas (20,50,100).")]
    pilot_totals: Annotated[
        str | None,
        wholes("--pilot-totals"),
        Choice("Pilot labels over all strata, by commas (128,256,512,1024)."),
    ]
    variants: Annotated[
        Texts,
        Choice("A setting of the default design to try, as first=50,strata=20; may be repeated.", flags=("--setting",)),
    ]
    simulations: Annotated[Whole, Choice("Samples of each design (2000).")]
    per_hour: Annotated[Number, Choice("Items that an annotator labels in an hour (600).")]


@with_options
def simulate(
    file: Annotated[str, typer.Argument(help="Labelled items: a file, or a database URL.", show_default=False)],
    columns: Columns,
    query: Query,
    trials: Trials,
    shared: Annotated[Settings, only("level", "seed")],
    quick: Annotated[Flag, Choice("A first look: 200 samples, fewer designs.")],
    printed: Annotated[Printed, only("json", "csv", out=FOLDER)],
) -> None:
    """Simulate each design on labelled items: labels needed, bias and coverage, as figures, tables and a report."""
    from evenhand.audits.simulation import QUICK, Asked, SimulationSettings, open_scenes
    from evenhand.audits.simulation import simulate as simulated
    from evenhand.cli.progress import progress_bar
    from evenhand.reports import Report

    output = Output.of(printed, usual=OUT)
    asked = Asked(**given(columns))
    settings = SimulationSettings.of((QUICK if quick else {}) | given({**trials, **shared}))
    output.check()
    with progress_bar() as progress:
        opened = open_scenes(file, asked, query=query, seed=settings.seed, progress=progress)
        report = Report((simulated(opened, settings, progress),), file)
        if output.folder:
            report.save(output.folder, progress=progress)
    output.print(report)
